! What a session has for itself: things kept until it ends, waiting, locks within it.

! ===== Class definition for SessionTemps
doit
Object subclass: 'SessionTemps'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
SessionTemps comment: 'Holds the dictionary of this session. What is in it lasts until the session ends, whatever is committed or
aborted, and is never committed by being there.'
%

! ===== Class definition for Semaphore
doit
Object subclass: 'Semaphore'
  instVarNames: #( signals)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
Semaphore comment: 'Counts signals. A session has one process: to wait for a signal that was not given would be to wait for ever,
and is an error.'
%

! ===== Class definition for Delay
doit
Object subclass: 'Delay'
  instVarNames: #( milliseconds)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
Delay comment: 'A time to wait for. Waiting can be cancelled, and counts as time of the execution.'
%

category: 'Accessing'
classmethod: SessionTemps
current
	"The SymbolDictionary of this session."
	| root |
	root := self _root.
	(root at: 1) == nil ifTrue: [root at: 1 put: SymbolDictionary new].
	^root at: 1
%
classmethod: SessionTemps
_root
	<primitive: #sessionRoot>
	^self _primitiveFailed: #sessionRoot
%
category: 'Synchronising'
method: Semaphore
signal
	signals := signals + 1
%
method: Semaphore
wait
	signals = 0 ifTrue: [^ImproperOperation signal: 'nobody is left to give the signal that this Semaphore would wait for'].
	signals := signals - 1
%
method: Semaphore
critical: aBlock
	self wait.
	^aBlock ensure: [self signal]
%
method: Semaphore
isLocked
	^signals = 0
%
method: Semaphore
_signals: anInteger
	signals := anInteger
%
category: 'Instance creation'
classmethod: Semaphore
new
	^self basicNew _signals: 0; yourself
%
classmethod: Semaphore
forMutualExclusion
	^self basicNew _signals: 1; yourself
%
category: 'Waiting'
method: Delay
wait
	"In short naps, so that it can be cancelled."
	| end left |
	end := System microsecondClock // 1000 + milliseconds.
	[(left := end - (System microsecondClock // 1000)) > 0] whileTrue: [self _nap: (left min: 10)]
%
method: Delay
_nap: anInteger
	<primitive: #nap>
	^self _primitiveFailed: #nap
%
method: Delay
_milliseconds: anInteger
	milliseconds := anInteger
%
category: 'Instance creation'
classmethod: Delay
forMilliseconds: aNumber
	aNumber isNumber ifFalse: [^self _typeError: aNumber expected: 'a Number'].
	aNumber < 0 ifTrue: [^OutOfRange signal: 'a time to wait for is not negative, but was ' , aNumber printString].
	^self basicNew _milliseconds: aNumber rounded; yourself
%
classmethod: Delay
forSeconds: aNumber
	aNumber isNumber ifFalse: [^self _typeError: aNumber expected: 'a Number'].
	^self forMilliseconds: aNumber * 1000
%
category: 'Session'
classmethod: System
timeGmt
	"Seconds since the beginning of 1970, UTC."
	^self microsecondClock // 1000000
%
