! Floating point.

! ===== Class definition for Float
doit
Number byteSubclass: 'Float'
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
Float comment: 'Floating point numbers of 64 bits. Most are immediate (SmallDouble).'
%

! ===== Class definition for SmallDouble
doit
Float subclass: 'SmallDouble'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
SmallDouble comment: 'Floats that fit into a word.'
%

category: 'Arithmetic'
method: Float
+ aNumber
	<primitive: #'float+'>
	^self _retry: #+ with: aNumber
%
method: Float
- aNumber
	<primitive: #'float-'>
	^self _retry: #- with: aNumber
%
method: Float
* aNumber
	<primitive: #'float*'>
	^self _retry: #* with: aNumber
%
method: Float
/ aNumber
	"Fails for a zero divisor."
	<primitive: #'float/'>
	aNumber isNumber ifFalse: [^self _typeError: aNumber expected: 'a Number'].
	aNumber = 0 ifTrue: [^self _divisionByZero].
	^self / aNumber asFloat
%
method: Float
negated
	^-1.0 * self
%
method: Float
abs
	^self < 0.0 ifTrue: [self negated] ifFalse: [self]
%
method: Float
\\ aNumber
	^self - ((self / aNumber) floor * aNumber)
%
method: Float
rem: aNumber
	^self - ((self / aNumber) truncated * aNumber)
%
category: 'Comparing'
method: Float
= aNumber
	<primitive: #'float='>
	^self _retryEqual: aNumber
%
method: Float
~= aNumber
	^(self = aNumber) == false
%
method: Float
< aNumber
	<primitive: #'float<'>
	^self _retry: #< with: aNumber
%
method: Float
> aNumber
	<primitive: #'float>'>
	^self _retry: #> with: aNumber
%
method: Float
<= aNumber
	<primitive: #'float<='>
	^self _retry: #<= with: aNumber
%
method: Float
>= aNumber
	<primitive: #'float>='>
	^self _retry: #>= with: aNumber
%
method: Float
hash
	"A whole float hashes as the Integer that it equals."
	<primitive: #floatHash>
	^0
%
category: 'Testing'
method: Float
isFloat
	^true
%
method: Float
isNaN
	^self ~= self
%
method: Float
isInfinite
	^self = self and: [self - self ~= 0.0]
%
method: Float
isFinite
	^self - self = 0.0
%
method: Float
sign
	self > 0.0 ifTrue: [^1].
	^self < 0.0 ifTrue: [-1] ifFalse: [0]
%
category: 'Coercing'
method: Float
generality
	^90
%
method: Float
coerce: aNumber
	^aNumber asFloat
%
category: 'Truncation and rounding'
method: Float
truncated
	"Fails for infinities and what is not a number."
	<primitive: #floatTruncated>
	^self _noInteger
%
method: Float
floor
	<primitive: #floatFloor>
	^self _noInteger
%
method: Float
ceiling
	<primitive: #floatCeiling>
	^self _noInteger
%
method: Float
rounded
	"Halves go away from zero."
	<primitive: #floatRounded>
	^self _noInteger
%
method: Float
integerPart
	^self truncated asFloat
%
method: Float
fractionPart
	^self - self integerPart
%
method: Float
_noInteger
	^OutOfRange signal: self printString , ' has no integer value'
%
category: 'Converting'
method: Float
asFloat
	^self
%
method: Float
asFraction
	"My exact value."
	^self asTrueFraction
%
method: Float
asTrueFraction
	| parts |
	parts := self _exactParts.
	^parts second >= 0
		ifTrue: [parts first * (1 bitShift: parts second)]
		ifFalse: [(Fraction numerator: parts first denominator: (1 bitShift: parts second negated)) reduced]
%
method: Float
asExactFraction
	^self asTrueFraction
%
method: Float
_exactParts
	"{mantissa. exponent}: two Integers such that I am mantissa * (2 ** exponent). Fails if I am not finite."
	<primitive: #floatExactParts>
	^self _noInteger
%
category: 'Functions'
method: Float
sqrt
	"Of a negative number: not a number."
	<primitive: #floatSqrt>
	^self _primitiveFailed: #sqrt
%
method: Float
ln
	<primitive: #floatLn>
	^self _primitiveFailed: #ln
%
method: Float
exp
	<primitive: #floatExp>
	^self _primitiveFailed: #exp
%
method: Float
sin
	<primitive: #floatSin>
	^self _primitiveFailed: #sin
%
method: Float
cos
	<primitive: #floatCos>
	^self _primitiveFailed: #cos
%
method: Float
tan
	<primitive: #floatTan>
	^self _primitiveFailed: #tan
%
method: Float
arcSin
	<primitive: #floatArcSin>
	^self _primitiveFailed: #arcSin
%
method: Float
arcCos
	<primitive: #floatArcCos>
	^self _primitiveFailed: #arcCos
%
method: Float
arcTan
	<primitive: #floatArcTan>
	^self _primitiveFailed: #arcTan
%
method: Float
arcTan: aNumber
	"The angle of the point (aNumber, self)."
	^self _arcTan2: aNumber asFloat
%
method: Float
_arcTan2: aFloat
	<primitive: #floatArcTan2:>
	^self _typeError: aFloat expected: 'a Float'
%
method: Float
floorLog: base
	"The integer below my logarithm."
	^(self log: base) floor
%
method: Float
log: base
	base = 10 ifTrue: [^self _log10].
	^self ln / base asFloat ln
%
method: Float
log
	^self _log10
%
method: Float
_log10
	<primitive: #floatLog10>
	^self _primitiveFailed: #log
%
method: Float
raisedTo: aNumber
	aNumber isNumber ifFalse: [^self _typeError: aNumber expected: 'a Number'].
	^self _power: aNumber asFloat
%
method: Float
_power: aFloat
	<primitive: #floatPower:>
	^self _typeError: aFloat expected: 'a Float'
%
category: 'Printing'
method: Float
printOn: aStream
	aStream nextPutAll: self _printString
%
method: Float
printString
	^self _printString
%
method: Float
_printString
	"The shortest digits that read as me again."
	<primitive: #floatPrintString>
	^self _primitiveFailed: #printString
%
method: Float
printString: decimals
	^self asString: decimals
%
method: Float
asStringWithDecimals: decimals
	^self printShowingDecimalPlaces: decimals
%
method: Float
printShowingDecimalPlaces: decimals
	"Rounded to that many digits behind the point."
	| scaled digits stream |
	self isFinite ifFalse: [^self printString].
	(decimals isInteger and: [decimals between: 0 and: 1000])
		ifFalse: [^OutOfRange signal: 'decimal places are between 0 and 1000'].
	scaled := (self asTrueFraction * (10 raisedToInteger: decimals)) rounded.
	stream := WriteStream on: String new.
	scaled < 0 ifTrue: [stream nextPut: $-].
	digits := scaled abs printPaddedWith: $0 to: decimals + 1.
	stream nextPutAll: (digits copyFrom: 1 to: digits size - decimals).
	decimals > 0 ifTrue: [
		stream nextPut: $.; nextPutAll: (digits copyFrom: digits size - decimals + 1 to: digits size)].
	^stream contents
%
method: Float
asString: decimals
	^self printShowingDecimalPlaces: decimals
%
category: 'Constants'
classmethod: Float
pi
	^3.141592653589793
%
classmethod: Float
e
	^2.718281828459045
%
classmethod: Float
infinity
	^self _special: #infinity
%
classmethod: Float
negativeInfinity
	^self _special: #negativeInfinity
%
classmethod: Float
nan
	^self _special: #nan
%
classmethod: Float
fmax
	^1.7976931348623157e308
%
classmethod: Float
fmin
	"The smallest float above zero."
	^self _special: #smallest
%
classmethod: Float
fminDenormalized
	^self fmin
%
classmethod: Float
fminNormalized
	"The smallest float above zero that has all digits."
	^2.2250738585072014e-308
%
classmethod: Float
denormalized
	"Whether there are floats with fewer digits near zero."
	^true
%
classmethod: Float
emax
	"The greatest exponent."
	^1023
%
classmethod: Float
emin
	"The least exponent with all digits."
	^-1022
%
classmethod: Float
precision
	"In digits of my radix."
	^53
%
classmethod: Float
radix
	^2
%
classmethod: Float
epsilon
	^2.220446049250313e-16
%
classmethod: Float
_special: aSymbol
	<primitive: #floatSpecial:>
	^self _primitiveFailed: aSymbol
%
category: 'Instance creation'
classmethod: Float
_fromDigits: mantissa exponent: exponent
	"The float nearest to mantissa * (10 ** exponent)."
	<primitive: #floatFromDigits:exponent:>
	^self _primitiveFailed: #fromDigits
%
classmethod: Float
_fromNumerator: numerator denominator: denominator
	"The float nearest to the quotient of two Integers."
	<primitive: #floatFromNumerator:denominator:>
	^self _primitiveFailed: #fromNumerator
%
classmethod: Float
fromString: aString
	| special |
	special := Dictionary new.
	special at: 'PlusInfinity' put: #infinity; at: 'MinusInfinity' put: #negativeInfinity; at: 'PlusQuietNaN' put: #nan.
	(special includesKey: aString) ifTrue: [^self _special: (special at: aString)].
	^super fromString: aString
%
