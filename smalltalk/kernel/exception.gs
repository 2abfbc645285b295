! Exceptions: signalling, handling, leaving.

! ===== Class definition for AbstractException
doit
Object subclass: 'AbstractException'
  instVarNames: #( messageText number reason tag signalFrame handlerFrame)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
AbstractException comment: 'What can be signalled. signalFrame is where #resume: goes on; handlerFrame is the #on:do: whose handler is at work.'
%

! ===== Class definition for Exception
doit
AbstractException subclass: 'Exception'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
Exception comment: 'The exceptions that programs signal and handle.'
%

! ===== Class definition for ExceptionSet
doit
Object subclass: 'ExceptionSet'
  instVarNames: #( selectors)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
ExceptionSet comment: 'Several exception classes as one exception selector.'
%

category: 'Accessing'
method: AbstractException
messageText
	"The text given with the signal, or else the description."
	^messageText == nil ifTrue: [self description] ifFalse: [messageText]
%
method: AbstractException
messageText: aString
	messageText := aString
%
method: AbstractException
details
	"What is particular to this occurrence; nil if nothing was said."
	^messageText
%
method: AbstractException
description
	"The full line: a ZeroDivide occurred (error 2026), attempt to divide 1 by zero"
	| stream details |
	stream := WriteStream on: String new.
	stream nextPutAll: 'a '; nextPutAll: self class name; nextPutAll: ' occurred (error '.
	stream nextPutAll: self number printString; nextPut: $).
	self reason == nil ifFalse: [stream nextPutAll: ', reason:'; nextPutAll: self reason asString].
	details := self details.
	details == nil ifFalse: [stream nextPutAll: ', '; nextPutAll: details asString].
	^stream contents
%
method: AbstractException
asString
	^self description
%
method: AbstractException
number
	^number == nil ifTrue: [self class errorNumber] ifFalse: [number]
%
method: AbstractException
number: anInteger
	number := anInteger
%
method: AbstractException
reason
	^reason
%
method: AbstractException
reason: aString
	reason := aString
%
method: AbstractException
tag
	^tag == nil ifTrue: [self messageText] ifFalse: [tag]
%
method: AbstractException
tag: anObject
	tag := anObject
%
method: AbstractException
signal: aString with: anObject
	tag := anObject.
	^self signal: aString
%
category: 'Testing'
method: AbstractException
isException
	^true
%
method: AbstractException
isResumable
	"Whether a handler may #resume."
	^true
%
method: AbstractException
isNested
	"Whether another handler for me is in force outside of the one at work."
	^(self _handlerBelow: self _activeHandler) ~~ 0
%
method: AbstractException
_isOfInterestTo: aClass
	"Whether a handler of aClass handles me."
	^self class == aClass or: [self class inheritsFrom: aClass]
%
category: 'Signalling'
method: AbstractException
signal
	"Let the nearest handler have me; without one, my default action. Answer what I am resumed with."
	| savedSignal savedHandler value |
	savedSignal := signalFrame.
	savedHandler := handlerFrame.
	value := self _signalBelow: GsStack current.
	signalFrame := savedSignal.
	handlerFrame := savedHandler.
	^value
%
method: AbstractException
signal: aString
	messageText := aString.
	^self signal
%
method: AbstractException
defaultAction
	"What happens if nobody handles me: the execution ends."
	^self _unhandled
%
method: AbstractException
_unhandled
	^GsStack terminate: self
%
method: AbstractException
_signalBelow: frame
	"This method's own frame is where #resume: returns."
	signalFrame := GsStack current.
	^self _dispatchBelow: frame
%
method: AbstractException
_dispatchBelow: frame
	| handler |
	handler := self _handlerBelow: frame.
	handlerFrame := handler.
	handler == 0 ifTrue: [^self defaultAction].
	^self _return: (GsStack frame: handler handle: self with: (GsStack frame: handler argument: 2))
%
method: AbstractException
_handlerBelow: frame
	"The nearest #on:do: below frame that wants me; 0 if there is none."
	| handler |
	handler := GsStack handlerBelow: frame.
	[handler == 0 or: [GsStack frame: handler asksAbout: self]] whileFalse: [
		handler := GsStack handlerBelow: handler].
	^handler
%
category: 'Handling'
method: AbstractException
return
	^self return: nil
%
method: AbstractException
return: anObject
	"Let the #on:do: whose handler is at work answer anObject."
	self _activeHandler.
	^self _return: anObject
%
method: AbstractException
retry
	"Evaluate the block of the #on:do: again."
	GsStack unwindTo: self _activeHandler from: GsStack current.
	^GsStack restart: handlerFrame
%
method: AbstractException
retryUsing: aBlock
	"Evaluate aBlock in place of the #on:do:."
	GsStack unwindTo: self _activeHandler from: GsStack current.
	^GsStack replace: handlerFrame with: aBlock
%
method: AbstractException
resume
	^self resume: nil
%
method: AbstractException
resume: anObject
	"Go on where I was signalled; the signal answers anObject."
	self isResumable ifFalse: [^self _notResumable].
	self _validateSignalled.
	^self _resume: anObject
%
method: AbstractException
pass
	"Let the next outer handler have me, as if the one at work had not been there."
	| handler |
	handler := self _activeHandler.
	^self _resume: (self _dispatchBelow: handler)
%
method: AbstractException
outer
	"As pass, but if I am resumed, go on here with what I am resumed with."
	| savedSignal savedHandler value |
	savedSignal := signalFrame.
	savedHandler := self _activeHandler.
	value := self _signalBelow: savedHandler.
	signalFrame := savedSignal.
	handlerFrame := savedHandler.
	^value
%
method: AbstractException
resignalAs: anException
	"Signal anException where I was signalled."
	self _validateSignalled.
	GsStack unwindTo: signalFrame from: GsStack current.
	^GsStack replace: signalFrame with: [anException signal]
%
method: AbstractException
_return: anObject
	^GsStack unwindTo: handlerFrame from: GsStack current returning: anObject
%
method: AbstractException
_resume: anObject
	^GsStack unwindTo: signalFrame from: GsStack current returning: anObject
%
method: AbstractException
_activeHandler
	"The frame of the handler at work; an error if there is none."
	(handlerFrame == nil or: [handlerFrame == 0 or: [(GsStack isAlive: handlerFrame) not]])
		ifTrue: [^ImproperOperation signal: 'no handler is at work for this exception'].
	^handlerFrame
%
method: AbstractException
_validateSignalled
	(signalFrame == nil or: [(GsStack isAlive: signalFrame) not])
		ifTrue: [^ImproperOperation signal: 'this exception is not being signalled']
%
method: AbstractException
_notResumable
	^IllegalResume new exception: self; signal
%
category: 'Copying'
method: AbstractException
postCopy
	signalFrame := nil.
	handlerFrame := nil
%
category: 'Printing'
method: AbstractException
printOn: aStream
	aStream nextPutAll: self description
%
category: 'Signalling'
classmethod: AbstractException
signal
	^self new signal
%
classmethod: AbstractException
signal: aString
	^self new signal: aString
%
category: 'Exception selectors'
classmethod: AbstractException
handles: anException
	^anException _isOfInterestTo: self
%
classmethod: AbstractException
, anExceptionSelector
	^ExceptionSet with: self with: anExceptionSelector
%
classmethod: AbstractException
isExceptionClass
	^true
%
classmethod: AbstractException
errorNumber
	^2700
%
category: 'Exception selectors'
method: ExceptionSet
handles: anException
	^selectors anySatisfy: [:each | each handles: anException]
%
method: ExceptionSet
, anExceptionSelector
	^ExceptionSet new selectors: (selectors copyWith: anExceptionSelector); yourself
%
method: ExceptionSet
selectors
	^selectors
%
method: ExceptionSet
selectors: anArray
	selectors := anArray
%
category: 'Instance creation'
classmethod: ExceptionSet
with: first with: second
	^self basicNew selectors: {first. second}; yourself
%
classmethod: ExceptionSet
with: first with: second with: third
	^self basicNew selectors: {first. second. third}; yourself
%
