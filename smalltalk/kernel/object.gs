! What every object understands.

! ===== Class definition for Object
doit
nil subclass: 'Object'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
Object comment: 'The root of the class hierarchy: what every object understands.'
%

category: 'Comparing'
method: Object
= anObject
	"Equality; identity unless a subclass says otherwise. Who overrides it overrides #hash too."
	^self == anObject
%
method: Object
~= anObject
	^(self = anObject) == false
%
method: Object
== anObject
	^self == anObject
%
method: Object
~~ anObject
	^self ~~ anObject
%
method: Object
hash
	<primitive: #identityHash>
	^0
%
method: Object
identityHash
	<primitive: #identityHash>
	^0
%
category: 'Class membership'
method: Object
class
	<primitive: #class>
	^self _primitiveFailed: #class
%
method: Object
isKindOf: aClass
	"Whether aClass is my class or one that it inherits from."
	| class |
	class := self class.
	[class == nil] whileFalse: [
		class == aClass ifTrue: [^true].
		class := class superclass].
	^false
%
method: Object
isMemberOf: aClass
	^self class == aClass
%
method: Object
respondsTo: aSelector
	^self class canUnderstand: aSelector
%
method: Object
species
	"The class of what is derived from me by #collect: and the like."
	^self class
%
category: 'Testing'
method: Object
isNil
	^false
%
method: Object
notNil
	^true
%
method: Object
isArray
	^false
%
method: Object
isBehavior
	^false
%
method: Object
isBlock
	^false
%
method: Object
isBoolean
	^false
%
method: Object
isByteArray
	^false
%
method: Object
isCharacter
	^false
%
method: Object
isClass
	^false
%
method: Object
isCollection
	^false
%
method: Object
isDictionary
	^false
%
method: Object
isException
	^false
%
method: Object
isExceptionClass
	^false
%
method: Object
isFloat
	^false
%
method: Object
isFraction
	^false
%
method: Object
isInteger
	^false
%
method: Object
isInterval
	^false
%
method: Object
isMetaclass
	^false
%
method: Object
isNumber
	^false
%
method: Object
isSequenceable
	^false
%
method: Object
isString
	^false
%
method: Object
isSymbol
	^false
%
method: Object
isIndexable
	^self class isIndexable
%
method: Object
isImmutable
	"Whether I cannot be changed: constants of methods, for example."
	<primitive: #isImmutable>
	^self _primitiveFailed: #isImmutable
%
category: 'Nil tests'
method: Object
ifNil: aBlock
	^self
%
method: Object
ifNotNil: aBlock
	^aBlock cull: self
%
method: Object
ifNil: nilBlock ifNotNil: notNilBlock
	^notNilBlock cull: self
%
method: Object
ifNotNil: notNilBlock ifNil: nilBlock
	^notNilBlock cull: self
%
method: Object
isNilOr: aBlock
	^aBlock cull: self
%
category: 'Copying'
method: Object
copy
	^self shallowCopy postCopy
%
method: Object
shallowCopy
	<primitive: #shallowCopy>
	^self
%
method: Object
postCopy
	"Hook: I am a fresh shallow copy; copy what must not be shared."
	^self
%
method: Object
deepCopy
	"A copy whose variables hold copies too, one level down."
	| copy class |
	copy := self shallowCopy.
	class := self class.
	class isBytes ifTrue: [^copy].
	1 to: class instSize do: [:index | copy instVarAt: index put: (self instVarAt: index) copy].
	1 to: self basicSize do: [:index | copy basicAt: index put: (self basicAt: index) copy].
	^copy
%
category: 'Accessing'
method: Object
at: index
	<primitive: #basicAt:>
	^self _indexFailed: index
%
method: Object
at: index put: anObject
	<primitive: #basicAt:put:>
	^self _storeFailed: index with: anObject
%
method: Object
basicAt: index
	<primitive: #basicAt:>
	^self _indexFailed: index
%
method: Object
basicAt: index put: anObject
	<primitive: #basicAt:put:>
	^self _storeFailed: index with: anObject
%
method: Object
size
	<primitive: #basicSize>
	^0
%
method: Object
basicSize
	<primitive: #basicSize>
	^0
%
method: Object
instVarAt: index
	<primitive: #instVarAt:>
	^self _namedIndexFailed: index
%
method: Object
instVarAt: index put: anObject
	<primitive: #instVarAt:put:>
	^self _namedIndexFailed: index
%
method: Object
instVarNamed: aString
	^self instVarAt: (self _indexOfInstVarNamed: aString)
%
method: Object
instVarNamed: aString put: anObject
	^self instVarAt: (self _indexOfInstVarNamed: aString) put: anObject
%
method: Object
_indexOfInstVarNamed: aString
	self _validateString: aString.
	^self class allInstVarNames indexOf: aString asSymbol ifAbsent: [
		LookupError new object: self class key: aString; signal]
%
method: Object
yourself
	^self
%
method: Object
-> anObject
	^Association key: self value: anObject
%
category: 'Reflection'
method: Object
become: anObject
	"Swap my identity with that of anObject. Neither is committed yet, and both have as many named variables."
	<primitive: #become:>
	^ImproperOperation signal: self class articledName , ' and ' , anObject class articledName , ' cannot become each other'
%
method: Object
perform: aSelector
	<primitive: #perform>
	^self _performFailed: aSelector arguments: #()
%
method: Object
perform: aSelector with: first
	<primitive: #perform>
	^self _performFailed: aSelector arguments: {first}
%
method: Object
perform: aSelector with: first with: second
	<primitive: #perform>
	^self _performFailed: aSelector arguments: {first. second}
%
method: Object
perform: aSelector with: first with: second with: third
	<primitive: #perform>
	^self _performFailed: aSelector arguments: {first. second. third}
%
method: Object
perform: aSelector with: first with: second with: third with: fourth
	<primitive: #perform>
	^self _performFailed: aSelector arguments: {first. second. third. fourth}
%
method: Object
perform: aSelector withArguments: anArray
	<primitive: #performWithArguments>
	^self _performFailed: aSelector arguments: anArray
%
category: 'Printing'
method: Object
printString
	"What I look like to a programmer."
	| stream |
	stream := PrintStream on: (String new: 32).
	self printOn: stream.
	^stream contents
%
method: Object
printOn: aStream
	aStream nextPutAll: self class articledName
%
method: Object
displayString
	"What I look like to a user: strings without quotes."
	| stream |
	stream := PrintStream on: (String new: 32).
	self displayOn: stream.
	^stream contents
%
method: Object
displayOn: aStream
	self printOn: aStream
%
method: Object
asString
	^self printString
%
method: Object
printString: limit
	"My printString, cut after limit characters."
	self _validateInteger: limit.
	limit < 0 ifTrue: [^OutOfRange signal: 'a number of characters must not be negative, but was ' , limit printString].
	^self _printStringUpTo: limit
%
method: Object
_printStringUpTo: limit
	"Numbers mean something else by printString:."
	| string |
	string := self printString.
	^string size > limit ifTrue: [(string copyFrom: 1 to: limit) , '...'] ifFalse: [string]
%
method: Object
_briefPrintString
	"For the texts of errors: bounded, and whatever goes wrong is not this error's business."
	^[self _printStringUpTo: 120] on: Error do: [:ex | ex return: self class articledName]
%
method: Object
_valueIfBlock
	"What assertions take: a value, or a block that answers it."
	^self
%
category: 'Errors'
method: Object
error: aString
	"Signal an error that says aString."
	^UserDefinedError new reason: 'halt'; signal: aString
%
method: Object
halt
	^Halt new signal
%
method: Object
halt: aString
	^Halt new signal: aString
%
method: Object
pause
	^Halt new signal
%
method: Object
assert: aBooleanOrBlock
	aBooleanOrBlock _valueIfBlock == true ifFalse: [^AssertionFailed signal: 'Assertion failed']
%
method: Object
assert: aBooleanOrBlock description: aString
	aBooleanOrBlock _valueIfBlock == true ifFalse: [^AssertionFailed signal: 'Assertion failed: ' , aString _valueIfBlock asString]
%
method: Object
doesNotUnderstand: aMessage
	"Sent by the virtual machine for a message that my class has no method for."
	^MessageNotUnderstood new receiver: self message: aMessage; signal
%
method: Object
mustBeBoolean
	"Sent by the virtual machine when I stand where true or false is needed."
	^self _typeError: self expected: 'a Boolean'
%
method: Object
subclassResponsibility
	^ImproperOperation new
		number: 2008;
		reason: 'rtErrSubclassResponsibility';
		signal: 'a subclass of ' , self class name , ' should have implemented this message'
%
method: Object
subclassResponsibility: aSelector
	^ImproperOperation new
		number: 2008;
		reason: 'rtErrSubclassResponsibility';
		signal: self class name , ' should have implemented ' , aSelector printString
%
method: Object
shouldNotImplement
	^ImproperOperation new
		number: 2007;
		reason: 'rtErrShouldNotImplement';
		signal: self class name , ' should not be sent this message'
%
method: Object
shouldNotImplement: aSelector
	^ImproperOperation new
		number: 2007;
		reason: 'rtErrShouldNotImplement';
		signal: self class name , ' should not be sent ' , aSelector printString
%
method: Object
_primitiveFailed: aSelector
	^ImproperOperation signal: 'the primitive behind ' , aSelector printString , ' failed for ' , self class name
%
method: Object
_typeError: anObject expected: aString
	^ArgumentTypeError new
		value: anObject;
		reason: 'rtErrBadArgKind';
		signal: 'for ' , anObject _briefPrintString , ' (' , anObject class name , ') expected ' , aString
%
method: Object
_validateInteger: anObject
	"Refuse what is not an integer."
	anObject isInteger ifFalse: [^self _typeError: anObject expected: 'an Integer']
%
method: Object
_validateString: anObject
	anObject isString ifFalse: [^self _typeError: anObject expected: 'a String']
%
method: Object
_indexFailed: index
	"Why at: failed, as an exception."
	index isInteger ifFalse: [^self _typeError: index expected: 'an Integer'].
	self class isIndexable ifFalse: [
		^ImproperOperation new
			number: 2013;
			reason: 'objErrNotIndexable';
			signal: self class articledName , ' has no indexed elements'].
	^OffsetError new maximum: self size actual: index; signal
%
method: Object
_storeFailed: index with: anObject
	"Why at:put: failed, as an exception."
	(index isInteger and: [self class isIndexable and: [index between: 1 and: self basicSize]])
		ifFalse: [^self _indexFailed: index].
	self isImmutable ifTrue: [^self _isConstant].
	^self _typeError: anObject expected: 'something that fits into ' , self class articledName
%
method: Object
_isConstant
	^ImproperOperation new
		number: 2119;
		reason: 'rtErrObjImmutable';
		signal: self _briefPrintString , ' is a constant and cannot be changed; change a copy of it'
%
method: Object
_namedIndexFailed: index
	index isInteger ifFalse: [^self _typeError: index expected: 'an Integer'].
	^OffsetError new maximum: self class instSize actual: index; signal
%
method: Object
_performFailed: aSelector arguments: anArray
	"Why a perform could not be made: not a selector, or the wrong number of arguments for it."
	aSelector isString ifFalse: [^self _typeError: aSelector expected: 'a Symbol'].
	anArray isArray ifFalse: [^self _typeError: anArray expected: 'an Array'].
	aSelector isSymbol ifFalse: [^self perform: aSelector asSymbol withArguments: anArray].
	aSelector numArgs = anArray size ifFalse: [
		^ArgumentError signal: aSelector printString , ' takes ' , aSelector numArgs printString
			, ' arguments, but ' , anArray size printString , ' were given'].
	^self doesNotUnderstand: (Message selector: aSelector arguments: anArray)
%
category: 'Initializing'
classmethod: Object
initialize
	"Hook for do-its that initialise class variables."
	^self
%
