! Numbers.

! ===== Class definition for NumberTest
doit
GsTestCase subclass: 'NumberTest'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: UserGlobals
  options: #()
%
doit
NumberTest comment: 'Integers, fractions, floats and scaled decimals.'
%

category: 'Tests'
method: NumberTest
testSmallIntegersOverflowIntoLargeOnes
	| big |
	big := SmallInteger maximumValue + 1.
	self assert: big class equals: LargeInteger.
	self assert: big printString equals: '1152921504606846976'.
	self assert: (big - 1) class equals: SmallInteger.
	self assert: big - 1 equals: SmallInteger maximumValue.
	self assert: SmallInteger minimumValue - 1 equals: -1152921504606846977.
	self assert: SmallInteger minimumValue negated equals: big.
	self assert: SmallInteger minimumValue // -1 equals: big
%
method: NumberTest
testLargeMultiplication
	self assert: 30 factorial printString equals: '265252859812191058636308480000000'.
	self assert: 30 factorial / 29 factorial equals: 30.
	self assert: (2 raisedTo: 100) printString equals: '1267650600228229401496703205376'.
	self assert: (2 raisedTo: 100) hash equals: (2 raisedTo: 100) hash
%
method: NumberTest
testDivisionRoundsDown
	self assert: 7 // 2 equals: 3.
	self assert: -7 // 2 equals: -4.
	self assert: 7 // -2 equals: -4.
	self assert: -7 \\ 2 equals: 1.
	self assert: 7 \\ -2 equals: -1.
	self assert: (-7 quo: 2) equals: -3.
	self assert: (-7 rem: 2) equals: -1.
	self assert: (2 raisedTo: 70) negated // 3 equals: -393530540239137101142
%
method: NumberTest
testDivisionByZero
	self should: [1 / 0] raise: ZeroDivide.
	self should: [1 // 0] raise: ZeroDivide.
	self should: [1 \\ 0] raise: ZeroDivide.
	self should: [1.5 / 0] raise: ZeroDivide.
	self should: [(1 / 2) / 0] raise: ZeroDivide.
	[3 / 0] on: ZeroDivide do: [:ex |
		self assert: ex dividend equals: 3.
		self assert: ex description equals: 'a ZeroDivide occurred (error 2026), attempt to divide 3 by zero'.
		ex return: nil]
%
method: NumberTest
testFractions
	self assert: 1 / 2 + (1 / 3) equals: 5 / 6.
	self assert: (1 / 2 + (1 / 2)) class equals: SmallInteger.
	self assert: (6 / 4) printString equals: '3/2'.
	self assert: (3 / -6) printString equals: '-1/2'.
	self assert: (7 / 2) truncated equals: 3.
	self assert: (-7 / 2) floor equals: -4.
	self assert: (-7 / 2) ceiling equals: -3.
	self assert: (7 / 2) rounded equals: 4.
	self assert: (2 / 3 raisedTo: -2) equals: 9 / 4.
	self assert: 1 / 2 < (2 / 3).
	self assert: 1 < (3 / 2)
%
method: NumberTest
testFloats
	self assert: 2.5 printString equals: '2.5'.
	self assert: 0.1 printString equals: '0.1'.
	self assert: 100 asFloat printString equals: '100.0'.
	self assert: (0.1 + 0.2) printString equals: '0.30000000000000004'.
	self assert: 3.7 truncated equals: 3.
	self assert: -3.7 floor equals: -4.
	self assert: 2.5 rounded equals: 3.
	self assert: -2.5 rounded equals: -3.
	self assert: 1.0e100 truncated equals: 1.0e100 asTrueFraction.
	self assert: 2 sqrt squared isCloseTo: 2.
	self assert: 4 sqrt equals: 2.0.
	self assert: (1 / 3) asFloat equals: 0.3333333333333333.
	self assert: 0.5 asFraction equals: 1 / 2
%
method: NumberTest
testSpecialFloats
	self assert: Float nan isNaN.
	self deny: Float nan = Float nan.
	self assert: Float infinity isInfinite.
	self deny: Float infinity isFinite.
	self assert: Float infinity > 1.0e308.
	self should: [Float nan truncated] raise: OutOfRange
%
method: NumberTest
testMixedArithmetic
	self assert: 1 + 0.5 equals: 1.5.
	self assert: 1 / 2 + 0.5 equals: 1.0.
	self assert: 1 = 1.0.
	self assert: 1.0 = 1.
	self assert: 1 hash equals: 1.0 hash.
	self assert: 1 / 2 = 0.5.
	self assert: (1 / 2) hash equals: 0.5 hash.
	self assert: (3 max: 4.5) equals: 4.5
%
method: NumberTest
testScaledDecimals
	self assert: 3.14s2 printString equals: '3.14s2'.
	self assert: 3.14s2 displayString equals: '3.14'.
	self assert: (3.14s2 + 1) printString equals: '4.14s2'.
	self assert: (1.5s1 * 1.25s2) printString equals: '1.87s2'.
	self assert: 1.5s2 = (3 / 2).
	self assert: 0.05s2 negated printString equals: '-0.05s2'
%
method: NumberTest
testBits
	self assert: (12 bitAnd: 10) equals: 8.
	self assert: (12 bitOr: 10) equals: 14.
	self assert: (12 bitXor: 10) equals: 6.
	self assert: (1 bitShift: 100) equals: (2 raisedTo: 100).
	self assert: ((1 bitShift: 100) bitShift: -99) equals: 2.
	self assert: (-1 bitShift: -1) equals: -1.
	self assert: -5 bitInvert equals: 4.
	self assert: 255 highBit equals: 8
%
method: NumberTest
testRadix
	self assert: (255 printString: 16) equals: 'FF'.
	self assert: (-255 printString: 16) equals: '-FF'.
	self assert: 16rFF equals: 255.
	self assert: (5 printPaddedWith: $0 to: 3) equals: '005'.
	self should: [5 printStringRadix: 1] raise: OutOfRange
%
method: NumberTest
testReading
	self assert: '42' asNumber equals: 42.
	self assert: '-42' asInteger equals: -42.
	self assert: '1-2' asInteger equals: 1.
	self assert: '3/4' asNumber equals: 3 / 4.
	self assert: '2.5e3' asNumber equals: 2500.0.
	self assert: '16r1F' asNumber equals: 31.
	self assert: 'abc' asNumber equals: nil.
	self assert: (Integer fromString: ' 17 ') equals: 17.
	self should: [Integer fromString: '17x'] raise: ArgumentError
%
method: NumberTest
testGcdAndPrimes
	self assert: (12 gcd: 18) equals: 6.
	self assert: (4 lcm: 6) equals: 12.
	self assert: ((1 to: 20) select: [:each | each isPrime]) equals: #(2 3 5 7 11 13 17 19).
	self assert: (10 raisedTo: 30) sqrtFloor equals: (10 raisedTo: 15)
%
method: NumberTest
testWrongArguments
	self should: [1 + nil] raise: ArgumentTypeError.
	self should: [1 + 'a'] raise: ArgumentTypeError.
	self should: [1.5 < #a] raise: ArgumentTypeError.
	self deny: 1 = 'a'.
	self deny: 1.5 = nil
%
method: NumberTest
testLoops
	| sum |
	sum := 0.
	1 to: 10 by: 3 do: [:each | sum := sum + each].
	self assert: sum equals: 22.
	sum := 0.
	5 timesRepeat: [sum := sum + 1].
	self assert: sum equals: 5.
	sum := 0.
	10 to: 1 by: -4 do: [:each | sum := sum + each].
	self assert: sum equals: 18
%
category: 'Tests'
method: NumberTest
testRandom
	| random values again |
	random := Random seed: 42.
	values := (1 to: 500) collect: [:each | random between: 1 and: 6].
	self assert: values asSet size equals: 6.
	self assert: (values allSatisfy: [:each | each between: 1 and: 6]).
	again := Random seed: 42.
	self assert: ((1 to: 500) collect: [:each | again between: 1 and: 6]) equals: values.
	1 to: 100 do: [:each |
		| float |
		float := random next.
		self assert: (float >= 0.0 and: [float < 1.0])].
	self assert: ((random between: 2 ** 100 and: 2 ** 100 + 3) between: 2 ** 100 and: 2 ** 100 + 3).
	self should: [random between: 3 and: 2] raise: OutOfRange.
	self should: [random between: 1 and: 2.5] raise: ArgumentTypeError.
	self assert: (1 to: 20) shuffled asSet size equals: 20
%
method: NumberTest
testReadingFromStrings
	self assert: (Integer readFrom: '-42abc') equals: -42.
	self assert: (Number readFrom: '3.5') equals: 3.5.
	self assert: (Number readFrom: 'x') equals: nil.
	self should: [Integer readFrom: 'x'] raise: ArgumentError
%
method: NumberTest
testNamesOfTheStandard
	| stream |
	self assert: 3 asFloatD equals: 3.0.
	self assert: (1 / 2) asFloatE equals: 0.5.
	self assert: 2.5 asFloatQ equals: 2.5.
	self assert: (1000.5 floorLog: 10) equals: 3.
	self assert: Float radix equals: 2.
	self assert: Float epsilon equals: (2 raisedTo: 1 - Float precision) asFloat.
	self assert: Float fminNormalized equals: (2 raisedTo: Float emin) asFloat.
	self assert: Float fminDenormalized > 0.
	self assert: Float denormalized.
	self assert: Float emax equals: 1023.
	stream := WriteStream on: String new.
	255 printOn: stream base: 16 showRadix: true.
	255 printOn: stream base: 16 showRadix: false.
	self assert: stream contents equals: '16rFFFF'
%
