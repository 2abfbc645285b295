! What kinds of exceptions know about what happened.

category: 'Accessing'
method: MethodsNotRecompiled
failures
	"Arrays: behavior, selector, exception."
	^failures
%
method: MethodsNotRecompiled
failures: anArray
	failures := anArray
%
method: MethodsNotRecompiled
details
	| stream |
	stream := WriteStream on: String new.
	failures do: [:each | stream print: each first; nextPutAll: '>>'; nextPutAll: each second] separatedBy: [stream space].
	^stream contents
%
category: 'Accessing'
method: CompileError
errors
	^errors
%
method: CompileError
errorDetails
	^errors
%
method: CompileError
sourceString
	^source
%
method: CompileError
errors: anArray source: aString
	errors := anArray.
	source := aString.
	anArray isEmpty ifFalse: [
		number := anArray first first.
		messageText := self _textOf: anArray]
%
method: CompileError
_textOf: anArray
	| stream |
	stream := WriteStream on: String new.
	anArray
		do: [:each |
			stream
				nextPutAll: (each at: 4);
				nextPutAll: ' (line ';
				print: (each at: 2);
				nextPutAll: ', column ';
				print: (each at: 3);
				nextPut: $)]
		separatedBy: [stream nextPutAll: '; '].
	^stream contents
%
category: 'Signalling'
classmethod: CompileError
signalErrors: anArray source: aString
	^self new errors: anArray source: aString; signal
%
category: 'Accessing'
method: EndOfStream
stream
	^stream
%
method: EndOfStream
stream: aStream
	stream := aStream
%
category: 'Signalling'
method: EndOfStream
defaultAction
	"Who reads beyond the end gets nil."
	^nil
%
method: EndOfStream
_isOfInterestTo: aClass
	"Only who asks for the end of a stream is told of it: for all others the answer is nil, and no error."
	^aClass == EndOfStream or: [aClass inheritsFrom: EndOfStream]
%
method: EndOfStream
isResumable
	^true
%
category: 'Accessing'
method: ArgumentTypeError
value
	^value
%
method: ArgumentTypeError
value: anObject
	value := anObject
%
category: 'Accessing'
method: CannotReturn
value
	^value
%
method: CannotReturn
value: anObject
	value := anObject
%
category: 'Accessing'
method: IllegalResume
exception
	^exception
%
method: IllegalResume
exception: anException
	exception := anException
%
method: IllegalResume
details
	^exception class name , ' cannot be resumed'
%
category: 'Accessing'
method: LookupError
object: anObject key: aKey
	object := anObject.
	key := aKey
%
method: LookupError
object
	^object
%
method: LookupError
key
	^key
%
method: LookupError
details
	messageText == nil ifFalse: [^messageText].
	^key _briefPrintString , ' was not found in ' , object class name articledWord
%
category: 'Accessing'
method: OffsetError
maximum: anInteger actual: anObject
	maximum := anInteger.
	actual := anObject
%
method: OffsetError
maximum
	^maximum
%
method: OffsetError
actual
	^actual
%
method: OffsetError
reason
	^reason == nil ifTrue: ['objErrBadOffsetIncomplete'] ifFalse: [reason]
%
method: OffsetError
details
	messageText == nil ifFalse: [^messageText].
	^'max:' , maximum printString , ' actual:' , actual printString
%
category: 'Accessing'
method: MessageNotUnderstood
receiver
	^receiver
%
method: MessageNotUnderstood
message
	^message
%
method: MessageNotUnderstood
selector
	^message selector
%
method: MessageNotUnderstood
receiver: anObject message: aMessage
	receiver := anObject.
	message := aMessage
%
method: MessageNotUnderstood
details
	"Two blanks, as always."
	messageText == nil ifFalse: [^messageText].
	^'a ' , receiver class name , ' does not understand  ' , message selector printString
%
method: MessageNotUnderstood
isResumable
	^true
%
category: 'Accessing'
method: ZeroDivide
dividend
	^dividend
%
method: ZeroDivide
dividend: aNumber
	dividend := aNumber
%
method: ZeroDivide
details
	messageText == nil ifFalse: [^messageText].
	^'attempt to divide ' , dividend printString , ' by zero'
%
method: ZeroDivide
isResumable
	^true
%
category: 'Signalling'
classmethod: ZeroDivide
dividend: aNumber
	^self new dividend: aNumber; yourself
%
category: 'Accessing'
method: UserDefinedError
isResumable
	^true
%
