! Classes as objects: looking at them. class_definition.gs makes them.

! ===== Class definition for Behavior
doit
Object subclass: 'Behavior'
  instVarNames: #( superclass methodDict format classIndex instVarNames)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
Behavior comment: 'What has methods and can have instances: classes and metaclasses.'
%

! ===== Class definition for Class
doit
Behavior subclass: 'Class'
  instVarNames: #( name classVars poolDictionaries category comment classHistory extraDict)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
Class comment: 'A class. Its own class is a Metaclass.'
%

! ===== Class definition for Metaclass
doit
Behavior subclass: 'Metaclass'
  instVarNames: #( thisClass)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
Metaclass comment: 'The class of one class; it holds the methods of the class side.'
%

category: 'Instance creation'
method: Behavior
new
	"A new instance, its variables nil. Does not send #initialize: a class that wants that says so itself."
	<primitive: #basicNew>
	^self _instantiationFailed
%
method: Behavior
new: size
	"A new instance with size indexed elements."
	<primitive: #basicNew:>
	^self _instantiationFailed: size
%
method: Behavior
basicNew
	<primitive: #basicNew>
	^self _instantiationFailed
%
method: Behavior
basicNew: size
	<primitive: #basicNew:>
	^self _instantiationFailed: size
%
method: Behavior
_instantiationFailed
	^ImproperOperation new
		number: 2030;
		reason: 'rtErrNoInstances';
		signal: self name , ' has no instances that #new could make'
%
method: Behavior
_instantiationFailed: size
	size isInteger ifFalse: [^self _typeError: size expected: 'an Integer'].
	size < 0 ifTrue: [^OutOfRange signal: 'a size must not be negative, but was ' , size printString].
	self isIndexable ifFalse: [
		^ImproperOperation new
			number: 2013;
			reason: 'objErrNotIndexable';
			signal: 'instances of ' , self name , ' have no indexed elements'].
	^OutOfRange signal: size printString , ' elements are too many for ' , self name articled
%
category: 'Testing'
method: Behavior
isBehavior
	^true
%
method: Behavior
isIndexable
	^self kind ~~ #pointer
%
method: Behavior
isVariable
	^self isIndexable
%
method: Behavior
isBytes
	^self kind == #byte
%
method: Behavior
isPointers
	^self kind ~~ #byte
%
method: Behavior
kind
	"#pointer: named variables only; #indexable: indexed elements too; #byte: bytes only."
	<primitive: #classKind>
	^self _primitiveFailed: #kind
%
category: 'Hierarchy'
method: Behavior
superclass
	^superclass
%
method: Behavior
superClass
	^superclass
%
method: Behavior
allSuperclasses
	"All that I inherit from, the root first."
	| all class |
	all := OrderedCollection new.
	class := superclass.
	[class == nil] whileFalse: [
		all addFirst: class.
		class := class superclass].
	^all asArray
%
method: Behavior
withAllSuperclasses
	^self allSuperclasses copyWith: self
%
method: Behavior
inheritsFrom: aClass
	"Whether aClass is one of my superclasses."
	| class |
	class := superclass.
	[class == nil] whileFalse: [
		class == aClass ifTrue: [^true].
		class := class superclass].
	^false
%
method: Behavior
isSubclassOf: aClass
	"Whether I am aClass or inherit from it."
	^self == aClass or: [self inheritsFrom: aClass]
%
method: Behavior
includesBehavior: aClass
	^self isSubclassOf: aClass
%
method: Behavior
subclasses
	"The classes right below me that a dictionary of my user holds."
	^System allClasses select: [:each | each superclass == self]
%
method: Behavior
allSubclasses
	^System allClasses select: [:each | each inheritsFrom: self]
%
method: Behavior
withAllSubclasses
	^(Array with: self) , self allSubclasses
%
category: 'Variables'
method: Behavior
instVarNames
	"The names of the instance variables that I add."
	^instVarNames == nil ifTrue: [#()] ifFalse: [instVarNames copy]
%
method: Behavior
allInstVarNames
	"The names of all instance variables of my instances, inherited ones first."
	^superclass == nil
		ifTrue: [self instVarNames]
		ifFalse: [superclass allInstVarNames , self instVarNames]
%
method: Behavior
instVarNamesCount
	^instVarNames == nil ifTrue: [0] ifFalse: [instVarNames size]
%
method: Behavior
instSize
	"How many named variables my instances have."
	| count class |
	count := 0.
	class := self.
	[class == nil] whileFalse: [
		count := count + class instVarNamesCount.
		class := class superclass].
	^count
%
category: 'Methods'
method: Behavior
selectors
	"The selectors of the methods of my own."
	^IdentitySet withAll: self _selectors
%
method: Behavior
_selectors
	<primitive: #selectors>
	^self _primitiveFailed: #selectors
%
method: Behavior
allSelectors
	"The selectors of all messages that my instances understand."
	| all class |
	all := IdentitySet new.
	class := self.
	[class == nil] whileFalse: [
		all addAll: class _selectors.
		class := class superclass].
	^all
%
method: Behavior
includesSelector: aSelector
	^aSelector isString and: [self _includesSelectorLocal: aSelector asSymbol]
%
method: Behavior
_includesSelectorLocal: aSymbol
	<primitive: #includesSelectorLocal:>
	^false
%
method: Behavior
canUnderstand: aSelector
	"Whether my instances have a method for aSelector, of mine or inherited."
	^(self whichClassIncludesSelector: aSelector) notNil
%
method: Behavior
whichClassIncludesSelector: aSelector
	"The class whose method my instances use for aSelector; nil if there is none."
	| class symbol |
	aSelector isString ifFalse: [^nil].
	symbol := aSelector asSymbol.
	class := self.
	[class == nil] whileFalse: [
		(class _includesSelectorLocal: symbol) ifTrue: [^class].
		class := class superclass].
	^nil
%
method: Behavior
lookupSelector: aSelector
	"The method that my instances use for aSelector; nil if there is none."
	| class |
	class := self whichClassIncludesSelector: aSelector.
	^class == nil ifTrue: [nil] ifFalse: [class compiledMethodAt: aSelector]
%
method: Behavior
compiledMethodAt: aSelector
	"My own method for aSelector."
	| method |
	method := self compiledMethodAt: aSelector otherwise: nil.
	^method == nil ifTrue: [self _noMethod: aSelector] ifFalse: [method]
%
method: Behavior
compiledMethodAt: aSelector otherwise: anObject
	| method |
	aSelector isString ifFalse: [^anObject].
	method := self _compiledMethodAt: aSelector asSymbol.
	^method == nil ifTrue: [anObject] ifFalse: [method]
%
method: Behavior
_compiledMethodAt: aSymbol
	<primitive: #compiledMethodAt:>
	^nil
%
method: Behavior
>> aSelector
	^self compiledMethodAt: aSelector
%
method: Behavior
sourceCodeAt: aSelector
	^(self compiledMethodAt: aSelector) sourceString
%
method: Behavior
sourceCodeAt: aSelector otherwise: anObject
	| method |
	method := self compiledMethodAt: aSelector otherwise: nil.
	^method == nil ifTrue: [anObject] ifFalse: [method sourceString]
%
method: Behavior
removeSelector: aSelector
	^self removeSelector: aSelector ifAbsent: [self _noMethod: aSelector]
%
method: Behavior
removeSelector: aSelector ifAbsent: aBlock
	(self includesSelector: aSelector) ifFalse: [^aBlock value].
	self _removeSelector: aSelector asSymbol
%
method: Behavior
_removeSelector: aSymbol
	<primitive: #removeSelector:>
	^self _primitiveFailed: #removeSelector:
%
method: Behavior
removeAllMethods
	<primitive: #removeAllMethods>
	^self _primitiveFailed: #removeAllMethods
%
method: Behavior
_noMethod: aSelector
	^LookupError new
		object: self key: aSelector;
		signal: self name , ' has no method for ' , aSelector printString
%
category: 'Method categories'
method: Behavior
categoryOfSelector: aSelector
	"The category of my method for aSelector; nil if I have no such method."
	| method |
	method := self compiledMethodAt: aSelector otherwise: nil.
	^method == nil ifTrue: [nil] ifFalse: [method category]
%
method: Behavior
categoryNames
	"The categories that my methods are in, sorted."
	| names |
	names := IdentitySet new.
	self _selectors do: [:each | names add: (self categoryOfSelector: each)].
	^names asSortedCollection asArray
%
method: Behavior
selectorsIn: aCategory
	"The selectors of my methods in aCategory, sorted."
	| symbol |
	symbol := aCategory asSymbol.
	^(self _selectors select: [:each | (self categoryOfSelector: each) == symbol]) asSortedCollection asArray
%
method: Behavior
moveMethod: aSelector toCategory: aCategory
	self _validateString: aCategory.
	(self compiledMethodAt: aSelector) setCategory: aCategory asSymbol
%
category: 'Compiling'
method: Behavior
compileMethod: source dictionaries: aSymbolList category: aCategory
	"Compile source as a method of mine. Answer nil, or what is wrong with it: an Array of Arrays with the error's
	number, line, column and text."
	| result |
	self _validateString: source; _validateString: aCategory.
	result := self _compile: source category: aCategory asSymbol dictionaries: aSymbolList.
	^result isArray ifTrue: [result] ifFalse: [nil]
%
method: Behavior
compileMethod: source dictionaries: aSymbolList category: aCategory environmentId: anInteger
	"Compile source as a method of mine and answer the method; a CompileError says what is wrong with it."
	| result |
	anInteger = 0 ifFalse: [^OutOfRange signal: 'the only method environment is 0'].
	self _validateString: source; _validateString: aCategory.
	result := self _compile: source category: aCategory asSymbol dictionaries: aSymbolList.
	^result isArray
		ifTrue: [CompileError signalErrors: result source: source]
		ifFalse: [result]
%
method: Behavior
compileMethod: source
	^self compile: source
%
method: Behavior
compileMethod: source category: aCategory using: aSymbolList
	^self compileMethod: source dictionaries: aSymbolList category: aCategory environmentId: 0
%
method: Behavior
compile: source
	^self compile: source classified: #'as yet unclassified'
%
method: Behavior
compile: source classified: aCategory
	^self compileMethod: source dictionaries: nil category: aCategory environmentId: 0
%
method: Behavior
compile: source category: aCategory
	^self compile: source classified: aCategory
%
method: Behavior
_compile: source category: aSymbol dictionaries: aSymbolList
	"Answer the method, installed, or an Array of Arrays: number, line, column, message."
	<primitive: #compile>
	^self _primitiveFailed: #compile
%
category: 'Printing'
method: Behavior
printOn: aStream
	aStream nextPutAll: self name
%
method: Behavior
displayOn: aStream
	self printOn: aStream
%
method: Behavior
articledName
	"My name with its article in front: anArray, aString."
	^self name articled
%
method: Behavior
asString
	^self name
%
