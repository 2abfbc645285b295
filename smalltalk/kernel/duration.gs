! Spans of time.

! ===== Class definition for Duration
doit
Magnitude subclass: 'Duration'
  instVarNames: #( nanoseconds)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
Duration comment: 'A span of time, exact to the nanosecond; negative spans lead into the past.'
%

category: 'Accessing'
method: Duration
asNanoseconds
	^nanoseconds
%
method: Duration
asSeconds
	"All of me in seconds: an Integer if that is exact, otherwise a Fraction."
	^nanoseconds / 1000000000
%
method: Duration
asMilliseconds
	^nanoseconds quo: 1000000
%
method: Duration
days
	^nanoseconds quo: 86400000000000
%
method: Duration
hours
	"The whole hours beyond my days, from -23 to 23."
	^(nanoseconds quo: 3600000000000) rem: 24
%
method: Duration
minutes
	^(nanoseconds quo: 60000000000) rem: 60
%
method: Duration
seconds
	"The seconds beyond my minutes, with their fraction."
	^(nanoseconds rem: 60000000000) / 1000000000
%
category: 'Testing'
method: Duration
isZero
	^nanoseconds = 0
%
method: Duration
negative
	^nanoseconds < 0
%
method: Duration
positive
	^nanoseconds >= 0
%
category: 'Comparing'
method: Duration
= anObject
	^self class == anObject class and: [nanoseconds = anObject asNanoseconds]
%
method: Duration
hash
	^nanoseconds hash
%
method: Duration
< aDuration
	self _validateDuration: aDuration.
	^nanoseconds < aDuration asNanoseconds
%
category: 'Arithmetic'
method: Duration
+ aDuration
	self _validateDuration: aDuration.
	^Duration nanoseconds: nanoseconds + aDuration asNanoseconds
%
method: Duration
- aDuration
	self _validateDuration: aDuration.
	^Duration nanoseconds: nanoseconds - aDuration asNanoseconds
%
method: Duration
* aNumber
	aNumber isNumber ifFalse: [^self _typeError: aNumber expected: 'a Number'].
	^Duration nanoseconds: (nanoseconds * aNumber) rounded
%
method: Duration
/ aDurationOrNumber
	"How often a Duration goes into me, or the part of me that a Number asks for."
	aDurationOrNumber isNumber ifTrue: [^Duration nanoseconds: (nanoseconds / aDurationOrNumber) rounded].
	self _validateDuration: aDurationOrNumber.
	^nanoseconds / aDurationOrNumber asNanoseconds
%
method: Duration
negated
	^Duration nanoseconds: nanoseconds negated
%
method: Duration
abs
	^Duration nanoseconds: nanoseconds abs
%
category: 'Printing'
method: Duration
printOn: aStream
	"[-]days:hours:minutes:seconds, the seconds with their fraction if there is one."
	| rest |
	nanoseconds < 0 ifTrue: [aStream nextPut: $-].
	rest := nanoseconds abs.
	aStream print: rest // 86400000000000.
	#(3600000000000 60000000000 1000000000) with: #(24 60 60) do: [:unit :count |
		aStream nextPut: $:; nextPutAll: (rest // unit \\ count printPaddedWith: $0 to: 2)].
	Duration _printFraction: rest \\ 1000000000 on: aStream
%
category: 'Private'
method: Duration
_nanoseconds: anInteger
	nanoseconds := anInteger
%
method: Duration
_validateDuration: anObject
	(anObject isKindOf: Duration) ifFalse: [^self _typeError: anObject expected: 'a Duration']
%
category: 'Instance creation'
classmethod: Duration
days: days hours: hours minutes: minutes seconds: seconds
	^self seconds: days * 24 + hours * 60 + minutes * 60 + seconds
%
classmethod: Duration
seconds: aNumber
	"Rounded to the nanosecond."
	aNumber isNumber ifFalse: [^self _typeError: aNumber expected: 'a Number'].
	^self nanoseconds: (aNumber asFraction * 1000000000) rounded
%
classmethod: Duration
minutes: aNumber
	^self seconds: aNumber * 60
%
classmethod: Duration
hours: aNumber
	^self seconds: aNumber * 3600
%
classmethod: Duration
days: aNumber
	^self seconds: aNumber * 86400
%
classmethod: Duration
milliseconds: aNumber
	^self seconds: aNumber / 1000
%
classmethod: Duration
nanoseconds: anInteger
	self _validateInteger: anInteger.
	^self basicNew _nanoseconds: anInteger; yourself
%
classmethod: Duration
zero
	^self nanoseconds: 0
%
classmethod: Duration
new
	^self zero
%
category: 'Private'
classmethod: Duration
_printFraction: nanoseconds on: aStream
	"A point and the digits that count; nothing for zero."
	| digits |
	nanoseconds = 0 ifTrue: [^self].
	digits := nanoseconds printPaddedWith: $0 to: 9.
	aStream nextPut: $.; nextPutAll: (digits copyFrom: 1 to: (digits findLast: [:each | each ~= $0]))
%
