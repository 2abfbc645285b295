! What all numbers have in common.

! ===== Class definition for Number
doit
Magnitude subclass: 'Number'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
Number comment: 'The common superclass of all numbers. Kinds that differ meet at the higher generality of the two.'
%

category: 'Arithmetic'
method: Number
+ aNumber
	^self subclassResponsibility: #+
%
method: Number
- aNumber
	^self subclassResponsibility: #-
%
method: Number
* aNumber
	^self subclassResponsibility: #*
%
method: Number
/ aNumber
	^self subclassResponsibility: #/
%
method: Number
// aNumber
	"The quotient, rounded towards minus infinity."
	^(self / aNumber) floor
%
method: Number
\\ aNumber
	"The rest of //; it has the sign of aNumber."
	^self - (self // aNumber * aNumber)
%
method: Number
quo: aNumber
	"The quotient, rounded towards zero."
	^(self / aNumber) truncated
%
method: Number
rem: aNumber
	"The rest of quo:; it has my sign."
	^self - ((self quo: aNumber) * aNumber)
%
method: Number
abs
	^self < 0 ifTrue: [self negated] ifFalse: [self]
%
method: Number
negated
	^0 - self
%
method: Number
reciprocal
	^1 / self
%
method: Number
squared
	^self * self
%
method: Number
sign
	self > 0 ifTrue: [^1].
	^self < 0 ifTrue: [-1] ifFalse: [0]
%
method: Number
divide: aNumber
	^self / aNumber
%
category: 'Coercing'
method: Number
generality
	^self subclassResponsibility: #generality
%
method: Number
coerce: aNumber
	^self subclassResponsibility: #coerce:
%
method: Number
_retry: aSelector with: anObject
	"Do the operation again with both operands as the more general of the two kinds."
	anObject isNumber ifFalse: [^self _typeError: anObject expected: 'a Number'].
	^self generality < anObject generality
		ifTrue: [(anObject coerce: self) perform: aSelector with: anObject]
		ifFalse: [self perform: aSelector with: (self coerce: anObject)]
%
method: Number
_retryEqual: anObject
	anObject isNumber ifFalse: [^false].
	^self generality < anObject generality
		ifTrue: [(anObject coerce: self) = anObject]
		ifFalse: [self = (self coerce: anObject)]
%
method: Number
_divisionByZero
	^ZeroDivide new dividend: self; signal
%
category: 'Converting'
method: Number
asNumber
	^self
%
method: Number
asInteger
	^self truncated
%
method: Number
asFloat
	^self subclassResponsibility: #asFloat
%
method: Number
asFloatE
	"There is one precision, double, under all names that the standard has for precisions."
	^self asFloat
%
method: Number
asFloatD
	^self asFloat
%
method: Number
asFloatQ
	^self asFloat
%
method: Number
asFraction
	^self subclassResponsibility: #asFraction
%
method: Number
asScaledDecimal: scale
	^ScaledDecimal fraction: self asFraction scale: scale
%
method: Number
degreesToRadians
	^self asFloat * 0.017453292519943295
%
method: Number
radiansToDegrees
	^self asFloat / 0.017453292519943295
%
category: 'Truncation and rounding'
method: Number
truncated
	^self subclassResponsibility: #truncated
%
method: Number
floor
	| truncation |
	truncation := self truncated.
	^self < truncation ifTrue: [truncation - 1] ifFalse: [truncation]
%
method: Number
ceiling
	| truncation |
	truncation := self truncated.
	^self > truncation ifTrue: [truncation + 1] ifFalse: [truncation]
%
method: Number
rounded
	"The nearest integer; halves go away from zero."
	^(self + (self sign / 2)) truncated
%
method: Number
roundTo: aNumber
	^(self / aNumber) rounded * aNumber
%
method: Number
truncateTo: aNumber
	^(self quo: aNumber) * aNumber
%
method: Number
roundedNoFraction
	^self rounded
%
method: Number
fractionPart
	^self - self integerPart
%
method: Number
integerPart
	^self truncated
%
category: 'Testing'
method: Number
isNumber
	^true
%
method: Number
isZero
	^self = 0
%
method: Number
negative
	^self < 0
%
method: Number
positive
	^self >= 0
%
method: Number
strictlyPositive
	^self > 0
%
method: Number
even
	^self \\ 2 = 0
%
method: Number
odd
	^self even not
%
category: 'Functions'
method: Number
sqrt
	^self asFloat sqrt
%
method: Number
ln
	^self asFloat ln
%
method: Number
log
	^self asFloat log: 10
%
method: Number
log: base
	^self asFloat log: base
%
method: Number
exp
	^self asFloat exp
%
method: Number
sin
	^self asFloat sin
%
method: Number
cos
	^self asFloat cos
%
method: Number
tan
	^self asFloat tan
%
method: Number
arcSin
	^self asFloat arcSin
%
method: Number
arcCos
	^self asFloat arcCos
%
method: Number
arcTan
	^self asFloat arcTan
%
method: Number
raisedTo: aNumber
	"Exact where it can be: an integer power by repeated squaring."
	aNumber isInteger ifTrue: [^self raisedToInteger: aNumber].
	aNumber isNumber ifFalse: [^self _typeError: aNumber expected: 'a Number'].
	self = 0 ifTrue: [^aNumber > 0 ifTrue: [self] ifFalse: [self _divisionByZero]].
	^(self asFloat ln * aNumber asFloat) exp
%
method: Number
** aNumber
	^self raisedTo: aNumber
%
method: Number
raisedToInteger: exponent
	| result base count |
	exponent isInteger ifFalse: [^self _typeError: exponent expected: 'an Integer'].
	exponent < 0 ifTrue: [^(self raisedToInteger: exponent negated) reciprocal].
	result := self coerce: 1.
	base := self.
	count := exponent.
	[count > 0] whileTrue: [
		(count bitAnd: 1) = 1 ifTrue: [result := result * base].
		count := count bitShift: -1.
		count > 0 ifTrue: [base := base * base]].
	^result
%
category: 'Intervals'
method: Number
to: last
	^Interval from: self to: last by: 1
%
method: Number
to: last by: step
	^Interval from: self to: last by: step
%
method: Number
to: last do: aBlock
	"What the compiler does in place when aBlock is a literal block."
	| number |
	number := self.
	[number <= last] whileTrue: [
		aBlock value: number.
		number := number + 1]
%
method: Number
to: last by: step do: aBlock
	| number |
	step = 0 ifTrue: [^ArgumentError signal: 'the step of to:by:do: must not be zero'].
	number := self.
	step > 0
		ifTrue: [[number <= last] whileTrue: [aBlock value: number. number := number + step]]
		ifFalse: [[number >= last] whileTrue: [aBlock value: number. number := number + step]]
%
method: Number
to: last reverseDo: aBlock
	last to: self by: -1 do: aBlock
%
category: 'Copying'
method: Number
shallowCopy
	^self
%
method: Number
deepCopy
	^self
%
category: 'Printing'
method: Number
asString
	^self printString
%
method: Number
displayString
	^self printString
%
category: 'Instance creation'
classmethod: Number
fromString: aString
	"The number that aString shows, whatever its kind."
	^NumberReader read: aString for: self
%
classmethod: Number
readFrom: aStreamOrString
	"The number at its start; nil if there is none."
	^NumberReader readFrom: (aStreamOrString isString ifTrue: [aStreamOrString readStream] ifFalse: [aStreamOrString])
%
classmethod: Number
new
	^self shouldNotImplement: #new
%
classmethod: Number
new: size
	^self shouldNotImplement: #new:
%
