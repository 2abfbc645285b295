! Questions about all classes.

! ===== Class definition for ClassOrganizer
doit
Object subclass: 'ClassOrganizer'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
ClassOrganizer comment: 'Answers questions about all classes that the user''s dictionaries hold, as they are now. Methods are answered as
GsNMethods, in the order of the classes'' names.'
%

category: 'Methods'
method: ClassOrganizer
implementorsOf: aSymbol
	self _validateString: aSymbol.
	^self _methodsMatching: #implementors with: aSymbol asSymbol
%
method: ClassOrganizer
sendersOf: aSymbol
	"{methods. an Array of zeros: where in each source the send stands is not recorded}."
	| methods |
	self _validateString: aSymbol.
	methods := self _methodsMatching: #senders with: aSymbol asSymbol.
	^{methods. Array new: methods size withAll: 0}
%
method: ClassOrganizer
referencesToObject: anObject
	"The methods that use a global variable whose value anObject is."
	| methods |
	methods := IdentitySet new.
	System symbolList do: [:dictionary |
		dictionary associationsDo: [:each |
			each value == anObject ifTrue: [methods addAll: (self _methodsMatching: #references with: each)]]].
	^self _inOrder: methods
%
method: ClassOrganizer
referencesToLiteral: aString
	"The methods that use the global variable of that name."
	| association |
	association := System symbolList resolveSymbol: aString.
	^association == nil ifTrue: [#()] ifFalse: [self _methodsMatching: #references with: association]
%
method: ClassOrganizer
searchForString: aString
	"The methods in whose source aString stands."
	self _validateString: aString.
	^self _methodsMatching: #text with: aString
%
category: 'Classes'
method: ClassOrganizer
classes
	^System allClasses
%
method: ClassOrganizer
subclassesOf: aClass
	^aClass subclasses asArray
%
method: ClassOrganizer
allSubclassesOf: aClass
	^aClass allSubclasses asArray
%
method: ClassOrganizer
allSuperclassesOf: aClass
	^aClass allSuperclasses asArray
%
category: 'Private'
method: ClassOrganizer
_methodsMatching: kind with: anObject
	| classes methods |
	classes := System allClasses.
	methods := OrderedCollection new.
	ToolSearcher
		in: classes
		from: 1
		to: classes size
		methodsMatching: kind
		with: anObject
		do: [:number :meta :found |
			| class |
			class := classes at: number.
			self _addMethodsOf: (meta ifTrue: [class class] ifFalse: [class]) named: found to: methods].
	^self _inOrder: methods
%
method: ClassOrganizer
_addMethodsOf: behavior named: selectorsAndCategories to: methods
	1 to: selectorsAndCategories size by: 2 do: [:index |
		methods addLast: (behavior compiledMethodAt: (selectorsAndCategories at: index) otherwise: nil)]
%
method: ClassOrganizer
_inOrder: methods
	^(methods asSortedCollection: [:a :b |
		a inClass == b inClass
			ifTrue: [a selector asString <= b selector asString]
			ifFalse: [a inClass printString <= b inClass printString]]) asArray
%
