! What thisContext is.

! ===== Class definition for GsContext
doit
Object subclass: 'GsContext'
  instVarNames: #( frame)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
GsContext comment: 'A method or block at work, as thisContext gives it: to be looked at, not to be changed. It outlives the work; then
it only says that it is dead.'
%

category: 'Accessing'
method: GsContext
sender
	"The context that waits for me; nil for the outermost."
	| below |
	below := self _senderOf: frame.
	^below == nil ifTrue: [nil] ifFalse: [GsContext _frame: below]
%
method: GsContext
method
	^self _methodOf: frame
%
method: GsContext
receiver
	^self _receiverOf: frame
%
method: GsContext
selector
	^self method selector
%
method: GsContext
block
	"The block that I run; nil if I run a method."
	^self _blockOf: frame
%
method: GsContext
arguments
	^self _argumentsOf: frame
%
method: GsContext
tempNames
	"The names of the variables that my code sees: arguments, temporaries, and those of the blocks and the method around."
	| all |
	all := self _variablesOf: frame.
	^(1 to: all size by: 2) collect: [:index | all at: index]
%
method: GsContext
tempNamed: aString
	"The value of the variable of that name; an innermost one counts."
	| all |
	self _validateString: aString.
	all := self _variablesOf: frame.
	all size - 1 to: 1 by: -2 do: [:index | (all at: index) = aString asSymbol ifTrue: [^all at: index + 1]].
	^LookupError new object: self key: aString; signal
%
method: GsContext
temporaries
	"A SymbolDictionary of the variables that my code sees, as they are now."
	| all result |
	all := self _variablesOf: frame.
	result := SymbolDictionary new.
	all pairsDo: [:key :value | result at: key put: value].
	^result
%
method: GsContext
lineNumber
	"In the source of my method."
	^self _lineOf: frame
%
category: 'Testing'
method: GsContext
isDead
	^(GsStack isAlive: frame) not
%
method: GsContext
isBlockContext
	^self block ~~ nil
%
category: 'Enumerating'
method: GsContext
withSendersDo: aBlock
	| context |
	context := self.
	[context == nil] whileFalse: [
		aBlock value: context.
		context := context sender]
%
category: 'Comparing'
method: GsContext
= anObject
	^self class == anObject class and: [frame = anObject _frame]
%
method: GsContext
hash
	^frame hash
%
category: 'Printing'
method: GsContext
printOn: aStream
	| method |
	aStream nextPutAll: self class articledName; nextPutAll: '( '.
	self isDead ifTrue: [aStream nextPutAll: 'dead)'. ^self].
	method := self method.
	self isBlockContext ifTrue: [aStream nextPutAll: '[] in '].
	method inClass == nil
		ifTrue: [aStream nextPutAll: 'executed code']
		ifFalse: [aStream print: method inClass; nextPutAll: '>>'; nextPutAll: method selector].
	aStream nextPutAll: ' line '; print: self lineNumber; nextPut: $)
%
category: 'Private'
method: GsContext
_frame
	^frame
%
method: GsContext
_frame: anInteger
	frame := anInteger
%
method: GsContext
_dead
	^ImproperOperation signal: 'the work of this context is done'
%
method: GsContext
_senderOf: anInteger
	<primitive: #frameSender>
	^self _dead
%
method: GsContext
_methodOf: anInteger
	<primitive: #frameMethod>
	^self _dead
%
method: GsContext
_receiverOf: anInteger
	<primitive: #frameReceiver>
	^self _dead
%
method: GsContext
_blockOf: anInteger
	<primitive: #frameBlock>
	^self _dead
%
method: GsContext
_argumentsOf: anInteger
	<primitive: #frameArguments>
	^self _dead
%
method: GsContext
_variablesOf: anInteger
	<primitive: #frameVariables>
	^self _dead
%
method: GsContext
_lineOf: anInteger
	<primitive: #frameLine>
	^self _dead
%
classmethod: GsContext
_frame: anInteger
	^self basicNew _frame: anInteger; yourself
%
classmethod: GsContext
new
	^self shouldNotImplement: #new
%
