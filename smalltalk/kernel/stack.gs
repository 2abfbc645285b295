! The stack that methods and blocks run on.

! ===== Class definition for GsStack
doit
Object subclass: 'GsStack'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
GsStack comment: 'The stack of the execution that is under way, seen as numbered frames. Class-side messages only.'
%

category: 'Frames'
classmethod: GsStack
current
	"The frame of the method or block that sends this."
	<primitive: #currentFrame>
	^self _primitiveFailed: #current
%
classmethod: GsStack
base
	"The outermost frame of this execution."
	<primitive: #baseFrame>
	^self _primitiveFailed: #base
%
classmethod: GsStack
isAlive: frame
	<primitive: #frameAlive:>
	^false
%
classmethod: GsStack
frame: frame argument: index
	"An argument of the method that frame runs."
	<primitive: #frame:argument:>
	^self _primitiveFailed: #frame:argument:
%
classmethod: GsStack
handlerBelow: frame
	"The next frame below that is an #on:do:, as far as it is not at work itself; 0 if there is none."
	<primitive: #handlerFrameBelow:>
	^0
%
classmethod: GsStack
unwindFrame: start above: target
	"The topmost frame between the two that has an unwind block and was not taken yet; it is taken now. 0 if none."
	<primitive: #unwindFrame:above:>
	^0
%
category: 'Leaving frames'
classmethod: GsStack
return: anObject to: frame
	"Let frame return anObject to its sender. Runs no unwind blocks."
	<primitive: #return:to:>
	^self _frameGone
%
classmethod: GsStack
restart: frame
	"Cut back to frame and let its method begin again. Runs no unwind blocks."
	<primitive: #restart:>
	^self _frameGone
%
classmethod: GsStack
replace: frame with: aBlock
	"Cut back to frame and evaluate aBlock in its place. Runs no unwind blocks."
	<primitive: #replace:with:>
	^self _frameGone
%
classmethod: GsStack
terminate: anException
	"End this execution with anException."
	<primitive: #terminate:>
	^self _primitiveFailed: #terminate:
%
classmethod: GsStack
_frameGone
	^ImproperOperation signal: 'the method to go back to has returned already'
%
category: 'Unwinding'
classmethod: GsStack
unwindTo: target from: start returning: anObject
	"Run the unwind blocks between the two frames, then let target return anObject."
	self unwindTo: target from: start.
	^self return: anObject to: target
%
classmethod: GsStack
unwindTo: target from: start
	| frame |
	[(frame := self unwindFrame: start above: target) == 0] whileFalse: [
		self frame: frame run: (self frame: frame argument: 1)]
%
classmethod: GsStack
frame: frame run: aBlock
	"While an unwind block runs, handlers are looked for below the frame that it belongs to."
	<marker: #unwindRun>
	^aBlock value
%
classmethod: GsStack
frame: frame asksAbout: anException
	"Whether the handler of that frame wants anException. What goes wrong in the question is not its business."
	<marker: #handlerRun>
	^(self frame: frame argument: 1) handles: anException
%
classmethod: GsStack
frame: frame handle: anException with: aBlock
	"While a handler runs, handlers are looked for below the frame that it belongs to."
	<marker: #handlerRun>
	^aBlock cull: anException
%
