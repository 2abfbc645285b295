! Exact quotients.

! ===== Class definition for Fraction
doit
Number subclass: 'Fraction'
  instVarNames: #( numerator denominator)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
Fraction comment: 'A quotient of two integers, reduced, its denominator above one.'
%

category: 'Accessing'
method: Fraction
numerator
	^numerator
%
method: Fraction
denominator
	^denominator
%
method: Fraction
setNumerator: top denominator: bottom
	numerator := top.
	denominator := bottom
%
method: Fraction
reduced
	"My value in lowest terms: an Integer if it is whole."
	| divisor top bottom |
	divisor := numerator gcd: denominator.
	denominator < 0 ifTrue: [divisor := divisor negated].
	top := numerator quo: divisor.
	bottom := denominator quo: divisor.
	^bottom = 1 ifTrue: [top] ifFalse: [Fraction basicNew setNumerator: top denominator: bottom; yourself]
%
category: 'Arithmetic'
method: Fraction
+ aNumber
	aNumber isFraction ifFalse: [^self _retry: #+ with: aNumber].
	^(Fraction
		numerator: numerator * aNumber denominator + (aNumber numerator * denominator)
		denominator: denominator * aNumber denominator) reduced
%
method: Fraction
- aNumber
	aNumber isFraction ifFalse: [^self _retry: #- with: aNumber].
	^(Fraction
		numerator: numerator * aNumber denominator - (aNumber numerator * denominator)
		denominator: denominator * aNumber denominator) reduced
%
method: Fraction
* aNumber
	aNumber isFraction ifFalse: [^self _retry: #* with: aNumber].
	^(Fraction numerator: numerator * aNumber numerator denominator: denominator * aNumber denominator) reduced
%
method: Fraction
/ aNumber
	aNumber isFraction ifFalse: [^self _retry: #/ with: aNumber].
	aNumber numerator = 0 ifTrue: [^self _divisionByZero].
	^(Fraction numerator: numerator * aNumber denominator denominator: denominator * aNumber numerator) reduced
%
method: Fraction
// aNumber
	^(self / aNumber) floor
%
method: Fraction
negated
	^Fraction basicNew setNumerator: numerator negated denominator: denominator; yourself
%
method: Fraction
reciprocal
	^(Fraction numerator: denominator denominator: numerator) reduced
%
method: Fraction
raisedToInteger: exponent
	exponent isInteger ifFalse: [^self _typeError: exponent expected: 'an Integer'].
	exponent < 0 ifTrue: [^self reciprocal raisedToInteger: exponent negated].
	exponent = 0 ifTrue: [^1].
	^(Fraction
		numerator: (numerator raisedToInteger: exponent)
		denominator: (denominator raisedToInteger: exponent)) reduced
%
category: 'Comparing'
method: Fraction
= aNumber
	aNumber isFraction ifFalse: [^self _retryEqual: aNumber].
	^numerator * aNumber denominator = (aNumber numerator * denominator)
%
method: Fraction
< aNumber
	aNumber isFraction ifFalse: [^self _retry: #< with: aNumber].
	^numerator * aNumber denominator < (aNumber numerator * denominator)
%
method: Fraction
> aNumber
	aNumber isFraction ifFalse: [^self _retry: #> with: aNumber].
	^numerator * aNumber denominator > (aNumber numerator * denominator)
%
method: Fraction
<= aNumber
	^(self > aNumber) not
%
method: Fraction
>= aNumber
	^(self < aNumber) not
%
method: Fraction
hash
	"Equal to that of the Float with the same value."
	^self asFloat hash
%
category: 'Testing'
method: Fraction
isFraction
	^true
%
category: 'Coercing'
method: Fraction
generality
	^60
%
method: Fraction
coerce: aNumber
	"Used among exact numbers only: as a Fraction that need not be reduced."
	| exact |
	exact := aNumber asFraction.
	^Fraction basicNew setNumerator: exact numerator denominator: exact denominator; yourself
%
category: 'Converting'
method: Fraction
asFloat
	"Correctly rounded, however long the two numbers are."
	^Float _fromNumerator: numerator denominator: denominator
%
method: Fraction
asFraction
	^self
%
method: Fraction
truncated
	^numerator quo: denominator
%
category: 'Printing'
method: Fraction
printOn: aStream
	aStream print: numerator; nextPut: $/; print: denominator
%
category: 'Instance creation'
classmethod: Fraction
numerator: top denominator: bottom
	"As given: send #reduced for a number that arithmetic can use."
	(top isInteger and: [bottom isInteger]) ifFalse: [^self _typeError: (top isInteger ifTrue: [bottom] ifFalse: [top]) expected: 'an Integer'].
	bottom = 0 ifTrue: [^top _divisionByZero].
	^self basicNew setNumerator: top denominator: bottom; yourself
%
