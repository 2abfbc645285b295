! Exact numbers with a fixed count of digits.

! ===== Class definition for ScaledDecimal
doit
Number subclass: 'ScaledDecimal'
  instVarNames: #( numerator denominator scale)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
ScaledDecimal comment: 'An exact number that prints with a fixed count of digits behind the point. Its two numbers are in lowest terms.'
%

category: 'Accessing'
method: ScaledDecimal
scale
	^scale
%
method: ScaledDecimal
numerator
	^numerator
%
method: ScaledDecimal
denominator
	^denominator
%
method: ScaledDecimal
setNumerator: top denominator: bottom scale: anInteger
	numerator := top.
	denominator := bottom.
	scale := anInteger
%
category: 'Arithmetic'
method: ScaledDecimal
+ aNumber
	^self _with: aNumber do: #+
%
method: ScaledDecimal
- aNumber
	^self _with: aNumber do: #-
%
method: ScaledDecimal
* aNumber
	^self _with: aNumber do: #*
%
method: ScaledDecimal
/ aNumber
	^self _with: aNumber do: #/
%
method: ScaledDecimal
// aNumber
	aNumber isFloat ifTrue: [^self asFloat // aNumber].
	^self asFraction // aNumber asFraction
%
method: ScaledDecimal
_with: aNumber do: aSelector
	"A result takes the larger scale of the two operands."
	aNumber isNumber ifFalse: [^self _typeError: aNumber expected: 'a Number'].
	aNumber isFloat ifTrue: [^self asFloat perform: aSelector with: aNumber].
	^ScaledDecimal
		fraction: (self asFraction perform: aSelector with: aNumber asFraction)
		scale: (scale max: (self _scaleOf: aNumber))
%
method: ScaledDecimal
_scaleOf: aNumber
	^(aNumber isKindOf: ScaledDecimal) ifTrue: [aNumber scale] ifFalse: [0]
%
method: ScaledDecimal
negated
	^ScaledDecimal basicNew setNumerator: numerator negated denominator: denominator scale: scale; yourself
%
category: 'Comparing'
method: ScaledDecimal
= aNumber
	aNumber isNumber ifFalse: [^false].
	aNumber isFloat ifTrue: [^self asFloat = aNumber].
	^numerator = aNumber asFraction numerator and: [denominator = aNumber asFraction denominator]
%
method: ScaledDecimal
< aNumber
	aNumber isNumber ifFalse: [^self _typeError: aNumber expected: 'a Number'].
	aNumber isFloat ifTrue: [^self asFloat < aNumber].
	^self asFraction < aNumber asFraction
%
method: ScaledDecimal
> aNumber
	aNumber isNumber ifFalse: [^self _typeError: aNumber expected: 'a Number'].
	aNumber isFloat ifTrue: [^self asFloat > aNumber].
	^self asFraction > aNumber asFraction
%
method: ScaledDecimal
<= aNumber
	^(self > aNumber) not
%
method: ScaledDecimal
>= aNumber
	^(self < aNumber) not
%
method: ScaledDecimal
hash
	^self asFraction hash
%
category: 'Coercing'
method: ScaledDecimal
generality
	^70
%
method: ScaledDecimal
coerce: aNumber
	^ScaledDecimal fraction: aNumber asFraction scale: scale
%
category: 'Converting'
method: ScaledDecimal
asFloat
	^self asFraction asFloat
%
method: ScaledDecimal
asFraction
	"An Integer if I am whole."
	^numerator / denominator
%
method: ScaledDecimal
asScaledDecimal: anInteger
	^ScaledDecimal fraction: self asFraction scale: anInteger
%
method: ScaledDecimal
truncated
	^numerator quo: denominator
%
category: 'Printing'
method: ScaledDecimal
printOn: aStream
	self displayOn: aStream.
	aStream nextPut: $s; print: scale
%
method: ScaledDecimal
displayOn: aStream
	"Truncated to my scale."
	| digits scaled |
	scaled := numerator abs * (10 raisedToInteger: scale) // denominator.
	numerator < 0 ifTrue: [aStream nextPut: $-].
	scale = 0 ifTrue: [^aStream print: scaled].
	digits := scaled printPaddedWith: $0 to: scale + 1.
	aStream
		nextPutAll: (digits copyFrom: 1 to: digits size - scale);
		nextPut: $.;
		nextPutAll: (digits copyFrom: digits size - scale + 1 to: digits size)
%
method: ScaledDecimal
displayString
	| stream |
	stream := WriteStream on: String new.
	self displayOn: stream.
	^stream contents
%
category: 'Instance creation'
classmethod: ScaledDecimal
fraction: aNumber scale: anInteger
	"aNumber: an Integer or a Fraction."
	anInteger isInteger ifFalse: [^self _typeError: anInteger expected: 'an Integer'].
	(anInteger between: 0 and: 10000) ifFalse: [^OutOfRange signal: 'a scale is between 0 and 10000'].
	^self basicNew
		setNumerator: aNumber numerator denominator: aNumber denominator scale: anInteger;
		yourself
%
classmethod: ScaledDecimal
for: aNumber scale: anInteger
	^self fraction: aNumber asFraction scale: anInteger
%
classmethod: ScaledDecimal
numerator: top denominator: bottom scale: anInteger
	^self fraction: top / bottom scale: anInteger
%
