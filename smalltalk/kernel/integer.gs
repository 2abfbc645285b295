! Integers of any size.

! ===== Class definition for Integer
doit
Number subclass: 'Integer'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
Integer comment: 'Whole numbers. Small ones are immediate; what does not fit becomes large, and small again when it fits.'
%

! ===== Class definition for SmallInteger
doit
Integer subclass: 'SmallInteger'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
SmallInteger comment: 'Integers of 61 bits, in the word itself.'
%

! ===== Class definition for LargeInteger
doit
Integer byteSubclass: 'LargeInteger'
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
LargeInteger comment: 'Integers beyond SmallInteger: a sign byte, then the magnitude, lowest byte first.'
%

category: 'Arithmetic'
method: Integer
+ aNumber
	<primitive: #'integer+'>
	^self _retry: #+ with: aNumber
%
method: Integer
- aNumber
	<primitive: #'integer-'>
	^self _retry: #- with: aNumber
%
method: Integer
* aNumber
	"Fails where the product would be unreasonably long."
	<primitive: #'integer*'>
	aNumber isInteger ifTrue: [^OutOfRange signal: 'this product is too long'].
	^self _retry: #* with: aNumber
%
method: Integer
/ aNumber
	"Exact: a Fraction if the quotient is not whole."
	<primitive: #'integer/'>
	aNumber isInteger ifFalse: [^self _retry: #/ with: aNumber].
	aNumber == 0 ifTrue: [^self _divisionByZero].
	^(Fraction numerator: self denominator: aNumber) reduced
%
method: Integer
// aNumber
	<primitive: #'integer//'>
	aNumber isInteger ifFalse: [^self _retry: #// with: aNumber].
	^self _divisionByZero
%
method: Integer
\\ aNumber
	<primitive: #'integer\\'>
	aNumber isInteger ifFalse: [^self _retry: #\\ with: aNumber].
	^self _divisionByZero
%
method: Integer
quo: aNumber
	<primitive: #'integerQuo:'>
	aNumber isInteger ifFalse: [^self _retry: #quo: with: aNumber].
	^self _divisionByZero
%
method: Integer
rem: aNumber
	<primitive: #'integerRem:'>
	aNumber isInteger ifFalse: [^self _retry: #rem: with: aNumber].
	^self _divisionByZero
%
method: Integer
negated
	^0 - self
%
category: 'Comparing'
method: Integer
= aNumber
	<primitive: #'integer='>
	^self _retryEqual: aNumber
%
method: Integer
~= aNumber
	^(self = aNumber) == false
%
method: Integer
< aNumber
	<primitive: #'integer<'>
	^self _retry: #< with: aNumber
%
method: Integer
> aNumber
	<primitive: #'integer>'>
	^self _retry: #> with: aNumber
%
method: Integer
<= aNumber
	<primitive: #'integer<='>
	^self _retry: #<= with: aNumber
%
method: Integer
>= aNumber
	<primitive: #'integer>='>
	^self _retry: #>= with: aNumber
%
method: Integer
hash
	<primitive: #integerHash>
	^self
%
category: 'Bits'
method: Integer
bitAnd: anInteger
	<primitive: #integerBitAnd:>
	^self _typeError: anInteger expected: 'an Integer'
%
method: Integer
bitOr: anInteger
	<primitive: #integerBitOr:>
	^self _typeError: anInteger expected: 'an Integer'
%
method: Integer
bitXor: anInteger
	<primitive: #integerBitXor:>
	^self _typeError: anInteger expected: 'an Integer'
%
method: Integer
bitShift: anInteger
	"Shift left, or right if anInteger is negative. Fails where the result would be unreasonably long."
	<primitive: #integerBitShift:>
	anInteger isInteger ifFalse: [^self _typeError: anInteger expected: 'an Integer'].
	^OutOfRange signal: 'a shift by ' , anInteger _briefPrintString , ' bits gives a number that is too long'
%
method: Integer
bitInvert
	^-1 - self
%
method: Integer
bitAt: index
	^(self bitShift: 1 - index) bitAnd: 1
%
method: Integer
bitAt: index put: bit
	| mask |
	mask := 1 bitShift: index - 1.
	^bit = 0 ifTrue: [self bitAnd: mask bitInvert] ifFalse: [self bitOr: mask]
%
method: Integer
isBitSet: index
	^(self bitAt: index) = 1
%
method: Integer
<< anInteger
	^self bitShift: anInteger
%
method: Integer
>> anInteger
	^self bitShift: anInteger negated
%
method: Integer
& anInteger
	^self bitAnd: anInteger
%
method: Integer
| anInteger
	^self bitOr: anInteger
%
method: Integer
allMask: mask
	^(self bitAnd: mask) = mask
%
method: Integer
anyMask: mask
	^(self bitAnd: mask) ~= 0
%
method: Integer
noMask: mask
	^(self bitAnd: mask) = 0
%
method: Integer
highBit
	"The number of my highest bit that is set, 1 for the lowest; 0 for zero."
	^self bitLength
%
method: Integer
bitLength
	"How many bits my magnitude takes."
	<primitive: #integerBitLength>
	^self _primitiveFailed: #bitLength
%
category: 'Testing'
method: Integer
isInteger
	^true
%
method: Integer
even
	^(self bitAnd: 1) = 0
%
method: Integer
odd
	^(self bitAnd: 1) = 1
%
method: Integer
isPrime
	"By trial division: meant for small numbers."
	| divisor |
	self < 2 ifTrue: [^false].
	self < 4 ifTrue: [^true].
	self even ifTrue: [^false].
	divisor := 3.
	[divisor * divisor <= self] whileTrue: [
		self \\ divisor = 0 ifTrue: [^false].
		divisor := divisor + 2].
	^true
%
method: Integer
isPowerOfTwo
	^self > 0 and: [(self bitAnd: self - 1) = 0]
%
category: 'Functions'
method: Integer
gcd: anInteger
	"The primitive leaves long numbers to this code, which can be interrupted."
	<primitive: #integerGcd:>
	| divisor rest next |
	anInteger isInteger ifFalse: [^self _typeError: anInteger expected: 'an Integer'].
	divisor := self.
	rest := anInteger.
	[rest = 0] whileFalse: [
		next := divisor \\ rest.
		divisor := rest.
		rest := next].
	^divisor abs
%
method: Integer
lcm: anInteger
	(self = 0 or: [anInteger = 0]) ifTrue: [^0].
	^(self quo: (self gcd: anInteger)) abs * anInteger abs
%
method: Integer
factorial
	| product |
	self < 0 ifTrue: [^OutOfRange signal: 'a negative number has no factorial'].
	product := 1.
	2 to: self do: [:each | product := product * each].
	^product
%
method: Integer
sqrtFloor
	"The largest integer whose square is not above me."
	| guess next |
	self < 0 ifTrue: [^OutOfRange signal: 'a negative number has no square root'].
	self < 2 ifTrue: [^self].
	guess := 1 bitShift: self bitLength + 1 // 2.
	[next := guess + (self // guess) // 2.
	next < guess] whileTrue: [guess := next].
	^guess
%
method: Integer
isPerfectSquare
	^self >= 0 and: [self sqrtFloor squared = self]
%
method: Integer
sqrt
	"A Float; by integers where I am too long for one."
	^(self > 0 and: [self bitLength > 1000]) ifTrue: [self sqrtFloor asFloat] ifFalse: [self asFloat sqrt]
%
method: Integer
raisedTo: exponent modulo: modulus
	"My power modulo modulus, without the long number in between."
	| result base count |
	result := 1 \\ modulus.
	base := self \\ modulus.
	count := exponent.
	[count > 0] whileTrue: [
		count odd ifTrue: [result := result * base \\ modulus].
		base := base * base \\ modulus.
		count := count bitShift: -1].
	^result
%
method: Integer
numerator
	^self
%
method: Integer
denominator
	^1
%
method: Integer
truncated
	^self
%
method: Integer
floor
	^self
%
method: Integer
ceiling
	^self
%
method: Integer
rounded
	^self
%
method: Integer
abs
	^self < 0 ifTrue: [0 - self] ifFalse: [self]
%
category: 'Iterating'
method: Integer
timesRepeat: aBlock
	| count |
	count := self.
	[count > 0] whileTrue: [
		aBlock value.
		count := count - 1]
%
category: 'Coercing'
method: Integer
generality
	^20
%
method: Integer
coerce: aNumber
	^aNumber truncated
%
category: 'Converting'
method: Integer
asInteger
	^self
%
method: Integer
asFloat
	<primitive: #integerAsFloat>
	^self _primitiveFailed: #asFloat
%
method: Integer
asFraction
	^self
%
method: Integer
asCharacter
	^Character codePoint: self
%
method: Integer
asScaledDecimal: scale
	^ScaledDecimal fraction: self scale: scale
%
category: 'Printing'
method: Integer
printOn: aStream
	aStream nextPutAll: (self _printRadix: 10)
%
method: Integer
printString
	^self _printRadix: 10
%
method: Integer
asString
	^self _printRadix: 10
%
method: Integer
displayString
	^self _printRadix: 10
%
method: Integer
printOn: aStream base: radix showRadix: aBoolean
	aStream nextPutAll: (aBoolean ifTrue: [self storeStringRadix: radix] ifFalse: [self printStringRadix: radix])
%
method: Integer
printOn: aStream base: radix
	aStream nextPutAll: (self printStringRadix: radix)
%
method: Integer
printString: radix
	^self printStringRadix: radix
%
method: Integer
printStringRadix: radix
	"My digits in that radix, without a mark of it."
	^self _printRadix: radix
%
method: Integer
radix: radix
	^self printStringRadix: radix
%
method: Integer
printStringBase: radix
	^self printStringRadix: radix
%
method: Integer
storeStringRadix: radix
	"My digits with the radix in front: 16rFF."
	| digits |
	digits := radix printString , 'r' , (self abs printStringRadix: radix).
	^self < 0 ifTrue: ['-' , digits] ifFalse: [digits]
%
method: Integer
numberOfDigits
	^self abs printString size
%
method: Integer
asHexString
	^self printStringRadix: 16
%
method: Integer
printPaddedWith: aCharacter to: width
	^self printPaddedWith: aCharacter to: width base: 10
%
method: Integer
printPaddedWith: aCharacter to: width base: radix
	| digits |
	digits := self printStringRadix: radix.
	^(String new: (width - digits size max: 0) withAll: aCharacter) , digits
%
method: Integer
_printRadix: radix
	<primitive: #integerPrint:>
	radix isInteger ifFalse: [^self _typeError: radix expected: 'an Integer'].
	^OutOfRange signal: 'a radix is between 2 and 36, but was ' , radix printString
%
category: 'Instance creation'
classmethod: Integer
_fromDigits: aString radix: radix
	"aString holds digits of that radix and nothing else."
	<primitive: #integerFromDigits:radix:>
	^ArgumentError signal: aString _briefPrintString , ' is not a number in radix ' , radix printString
%
classmethod: Integer
readFrom: aStreamOrString
	"The integer at the position of a stream; what follows its digits stays."
	| stream negative value |
	stream := aStreamOrString isString ifTrue: [aStreamOrString readStream] ifFalse: [aStreamOrString].
	negative := stream peek == $-.
	negative ifTrue: [stream next].
	value := (NumberReader basicNew on: stream) readDigitsIn: 10.
	value == nil ifTrue: [^ArgumentError signal: 'no digits where an Integer should be'].
	^negative ifTrue: [value negated] ifFalse: [value]
%
category: 'Constants'
classmethod: SmallInteger
maximumValue
	^1152921504606846975
%
classmethod: SmallInteger
minimumValue
	^-1152921504606846976
%
classmethod: SmallInteger
maxVal
	^self maximumValue
%
classmethod: SmallInteger
minVal
	^self minimumValue
%
