! Random numbers.

! ===== Class definition for Random
doit
Object subclass: 'Random'
  instVarNames: #( first second)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
Random comment: 'A generator of numbers that look random: two multiplicative congruential ones, combined. Not for secrets.'
%

category: 'Accessing'
method: Random
seed: anInteger
	"The same seed gives the same numbers."
	self _validateInteger: anInteger.
	first := anInteger \\ 2147483562 + 1.
	second := (anInteger // 2147483562) \\ 2147483398 + 1.
	10 timesRepeat: [self _nextRaw]
%
method: Random
next
	"A Float, 0 <= x < 1."
	^self _nextRaw asFloat / 2147483562.0
%
method: Random
float
	^self next
%
method: Random
next: count
	"An Array of count Floats."
	^(1 to: count) collect: [:each | self next]
%
method: Random
nextInt: limit
	"An Integer between 1 and limit."
	^self between: 1 and: limit
%
method: Random
between: low and: high
	"An Integer between the two, each as likely as the others."
	| range bits value |
	self _validateInteger: low; _validateInteger: high.
	high < low ifTrue: [^OutOfRange signal: 'nothing is between ' , low printString , ' and ' , high printString].
	range := high - low + 1.
	bits := range bitLength.
	[value := self _nextBits: bits.
	value >= range] whileTrue: [].
	^low + value
%
method: Random
integerBetween: low and: high
	^self between: low and: high
%
method: Random
boolean
	^(self _nextBits: 1) = 1
%
method: Random
_nextBits: count
	"An Integer of count random bits, sixteen a number."
	| value |
	value := 0.
	1 to: count + 15 // 16 do: [:each | value := (value bitShift: 16) bitOr: (self _nextRaw bitAnd: 16rFFFF)].
	^value bitAnd: (1 bitShift: count) - 1
%
method: Random
_nextRaw
	"An Integer from 0 up to 2147483561."
	first := first * 40014 \\ 2147483563.
	second := second * 40692 \\ 2147483399.
	^(first - second) \\ 2147483562
%
category: 'Instance creation'
classmethod: Random
new
	^self seed: System microsecondClock
%
classmethod: Random
seed: anInteger
	^self basicNew seed: anInteger; yourself
%
category: 'Drawing'
classmethod: Random
between: low and: high
	^self new between: low and: high
%
category: 'Drawing'
method: SequenceableCollection
atRandom
	"One of my elements."
	self isEmpty ifTrue: [^self _errorEmpty].
	^self at: (Random new between: 1 and: self size)
%
method: SequenceableCollection
shuffled
	"A copy of me in an order that looks random."
	| result random |
	random := Random new.
	result := self asArray copy.
	result size to: 2 by: -1 do: [:index | result swap: index with: (random between: 1 and: index)].
	^result
%
method: Integer
atRandom
	"An Integer between 1 and me."
	^Random new between: 1 and: self
%
