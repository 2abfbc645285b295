! Classes and their metaclasses.

category: 'Accessing'
method: Class
name
	^name asString
%
method: Class
thisClass
	^self
%
method: Class
theNonMetaClass
	^self
%
method: Class
category
	^category
%
method: Class
category: aString
	aString == nil ifFalse: [self _validateString: aString].
	category := aString
%
method: Class
comment
	^comment == nil ifTrue: [''] ifFalse: [comment]
%
method: Class
comment: aString
	self _validateString: aString.
	comment := aString
%
method: Class
classHistory
	"All versions of this class, the oldest first; they share it."
	^classHistory == nil ifTrue: [ClassHistory new addLast: self; yourself] ifFalse: [classHistory]
%
method: Class
isVersionOf: aClass
	"Whether aClass and I are versions of one class."
	^self == aClass or: [self classHistory includesIdentical: aClass]
%
category: 'Testing'
method: Class
isClass
	^true
%
method: Class
isMetaclass
	^false
%
category: 'Class variables'
method: Class
classVarNames
	^classVars == nil ifTrue: [#()] ifFalse: [classVars keys asSortedCollection asArray]
%
method: Class
classVars
	^classVars
%
method: Class
allClassVarNames
	| all |
	all := OrderedCollection new.
	self withAllSuperclasses do: [:each | all addAll: each classVarNames].
	^all asArray
%
method: Class
addClassVarName: aString
	"Declare one more class variable; nothing happens if there is one of that name."
	| symbol |
	symbol := (ClassDefinition validateVariableName: aString) asSymbol.
	classVars == nil ifTrue: [classVars := SymbolDictionary new].
	(classVars includesKey: symbol) ifFalse: [classVars at: symbol put: nil]
%
method: Class
removeClassVarName: aString
	| symbol |
	self _validateString: aString.
	symbol := aString asSymbol.
	(classVars ~~ nil and: [classVars includesKey: symbol])
		ifFalse: [^LookupError new object: self key: symbol; signal].
	classVars removeKey: symbol
%
method: Class
classVarAt: aString
	^classVars == nil
		ifTrue: [LookupError new object: self key: aString; signal]
		ifFalse: [classVars at: aString asSymbol]
%
method: Class
sharedPools
	^poolDictionaries == nil ifTrue: [#()] ifFalse: [poolDictionaries]
%
category: 'Options'
method: Class
options
	^extraDict == nil ifTrue: [#()] ifFalse: [extraDict at: #options ifAbsent: [#()]]
%
method: Class
_options: anArray
	(anArray isEmpty and: [extraDict == nil]) ifTrue: [^self].
	self _extra at: #options put: anArray
%
category: 'Class side methods'
method: Class
compileClassMethod: source classified: aCategory
	^self class compile: source classified: aCategory
%
category: 'Accessing'
method: Metaclass
thisClass
	^thisClass
%
method: Metaclass
soleInstance
	^thisClass
%
method: Metaclass
theNonMetaClass
	^thisClass
%
method: Metaclass
instanceSide
	^thisClass
%
method: Metaclass
name
	^thisClass == nil ifTrue: ['a Metaclass'] ifFalse: [thisClass name , ' class']
%
method: Metaclass
category
	^thisClass category
%
method: Metaclass
comment
	^thisClass comment
%
method: Metaclass
isMetaclass
	^true
%
method: Metaclass
new
	"A class has only one metaclass instance: itself."
	^self shouldNotImplement: #new
%
category: 'Accessing'
method: Class
classSide
	^self class
%
method: Class
instanceSide
	^self
%
