! Blocks.

! ===== Class definition for ExecBlock
doit
Object indexableSubclass: 'ExecBlock'
  instVarNames: #( method entry homeFrame homeSerial receiver)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
ExecBlock comment: 'A block: code together with the variables that it was made among.'
%

category: 'Evaluating'
method: ExecBlock
value
	<primitive: #value>
	^self _wrongArguments: 0
%
method: ExecBlock
value: first
	<primitive: #value>
	^self _wrongArguments: 1
%
method: ExecBlock
value: first value: second
	<primitive: #value>
	^self _wrongArguments: 2
%
method: ExecBlock
value: first value: second value: third
	<primitive: #value>
	^self _wrongArguments: 3
%
method: ExecBlock
value: first value: second value: third value: fourth
	<primitive: #value>
	^self _wrongArguments: 4
%
method: ExecBlock
value: first value: second value: third value: fourth value: fifth
	<primitive: #value>
	^self _wrongArguments: 5
%
method: ExecBlock
valueWithArguments: anArray
	<primitive: #valueWithArguments>
	anArray isArray ifFalse: [^self _typeError: anArray expected: 'an Array'].
	^self _wrongArguments: anArray size
%
method: ExecBlock
cull: first
	"With as many of the arguments as I take."
	^self numArgs == 0 ifTrue: [self value] ifFalse: [self value: first]
%
method: ExecBlock
cull: first cull: second
	self numArgs == 2 ifTrue: [^self value: first value: second].
	^self cull: first
%
method: ExecBlock
cull: first cull: second cull: third
	self numArgs == 3 ifTrue: [^self value: first value: second value: third].
	^self cull: first cull: second
%
method: ExecBlock
numArgs
	<primitive: #numArgs>
	^self _primitiveFailed: #numArgs
%
method: ExecBlock
argumentCount
	^self numArgs
%
method: ExecBlock
_wrongArguments: count
	^ArgumentError new
		number: 2077;
		reason: 'rtErrBadBlockArgCount';
		signal: 'this block takes ' , self numArgs printString , ' arguments, but ' , count printString , ' were given'
%
category: 'Control'
method: ExecBlock
whileTrue: aBlock
	[self value] whileTrue: [aBlock value].
	^nil
%
method: ExecBlock
whileFalse: aBlock
	[self value] whileFalse: [aBlock value].
	^nil
%
method: ExecBlock
whileTrue
	[self value] whileTrue: [nil].
	^nil
%
method: ExecBlock
whileFalse
	[self value] whileFalse: [nil].
	^nil
%
method: ExecBlock
repeat
	[true] whileTrue: [self value]
%
method: ExecBlock
doWhileTrue: aBlock
	"At least once."
	[self value. aBlock value] whileTrue: [nil]
%
method: ExecBlock
doWhileFalse: aBlock
	[self value. aBlock value] whileFalse: [nil]
%
method: ExecBlock
untilTrue: aBlock
	[aBlock value] whileFalse: [self value]
%
category: 'Exceptions'
method: ExecBlock
on: exceptionSelector do: handlerBlock
	"My value, or what handlerBlock answers for an exception of that kind that occurs meanwhile."
	<marker: #handler>
	^self value
%
method: ExecBlock
on: firstSelector do: firstBlock on: secondSelector do: secondBlock
	"The first of the two that fits handles it."
	^self
		on: (ExceptionSet with: firstSelector with: secondSelector)
		do: [:ex | ((firstSelector handles: ex) ifTrue: [firstBlock] ifFalse: [secondBlock]) cull: ex]
%
method: ExecBlock
on: firstSelector do: firstBlock on: secondSelector do: secondBlock on: thirdSelector do: thirdBlock
	^self
		on: (ExceptionSet with: firstSelector with: secondSelector with: thirdSelector)
		do: [:ex |
			((firstSelector handles: ex)
				ifTrue: [firstBlock]
				ifFalse: [(secondSelector handles: ex) ifTrue: [secondBlock] ifFalse: [thirdBlock]]) cull: ex]
%
method: ExecBlock
onException: exceptionSelector do: handlerBlock
	^self on: exceptionSelector do: handlerBlock
%
method: ExecBlock
ensure: aBlock
	"My value; aBlock is evaluated afterwards however I end, once."
	| value |
	value := self ifCurtailed: aBlock.
	aBlock value.
	^value
%
method: ExecBlock
ifCurtailed: aBlock
	"My value; aBlock is evaluated only if I end before my end."
	<marker: #unwind>
	^self value
%
method: ExecBlock
unwind: frame returning: anObject
	"Sent by the virtual machine for a return from my home method with unwind blocks on the way."
	^GsStack unwindTo: frame from: GsStack current returning: anObject
%
method: ExecBlock
cannotReturn: anObject
	"Sent by the virtual machine for a return from a home method that has returned already."
	^CannotReturn new value: anObject; signal: 'the method that this block would return from has returned already'
%
category: 'Testing'
method: ExecBlock
isBlock
	^true
%
method: ExecBlock
_valueIfBlock
	^self value
%
category: 'Copying'
method: ExecBlock
shallowCopy
	^self
%
method: ExecBlock
deepCopy
	^self
%
category: 'Instance creation'
classmethod: ExecBlock
new
	^self shouldNotImplement: #new
%
