! Numbers: their whole protocol.

! ===== Class definition for NumberProtocolTest
doit
GsTestCase subclass: 'NumberProtocolTest'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: UserGlobals
  options: #()
%
doit
NumberProtocolTest comment: 'Integers, fractions, floats, scaled decimals, and what they share.'
%

category: 'Helpers'
method: NumberProtocolTest
assertFloat: aFloat near: anotherFloat
	self assert: (aFloat - anotherFloat) abs < 1.0e-9 description: aFloat printString
%
category: 'Tests'
method: NumberProtocolTest
testWhatSubclassesSay
	| number |
	number := (Number subclass: 'KtNumber' instVarNames: #() inDictionary: SymbolDictionary new) basicNew.
	self should: [number + 1] raise: ImproperOperation.
	self should: [number - 1] raise: ImproperOperation.
	self should: [number * 1] raise: ImproperOperation.
	self should: [number / 1] raise: ImproperOperation.
	self should: [number generality] raise: ImproperOperation.
	self should: [number coerce: 1] raise: ImproperOperation.
	self should: [number asFloat] raise: ImproperOperation.
	self should: [number asFraction] raise: ImproperOperation.
	self should: [number truncated] raise: ImproperOperation.
	self should: [number < 1] raise: ImproperOperation.
	self should: [Number new] raise: ImproperOperation.
	self should: [Number new: 3] raise: ImproperOperation
%
method: NumberProtocolTest
testWhatSubclassesGet
	| class number |
	class := Number subclass: 'KtWrapped' instVarNames: #( value) inDictionary: SymbolDictionary new.
	class class compile: 'on: anInteger ^self basicNew instVarNamed: #value put: anInteger; yourself'.
	class compile: 'value ^value'.
	class compile: 'generality ^95'.
	class compile: 'coerce: aNumber ^self class on: aNumber'.
	class compile: '- other ^self class on: value - other value'.
	class compile: '* other ^self class on: value * (other isInteger ifTrue: [other] ifFalse: [other value])'.
	class compile: '/ other ^value / (other isInteger ifTrue: [other] ifFalse: [other value])'.
	class compile: '= other ^value = (other isInteger ifTrue: [other] ifFalse: [other value])'.
	class compile: 'truncated ^value'.
	number := class on: 7.
	self assert: number negated value equals: -7.
	self assert: number // 2 equals: 3.
	self assert: (number roundTo: 2) equals: 8.
	self assert: (number truncateTo: 2) equals: 6.
	class compile: '\\ other ^value \\ other'.
	self assert: number odd.
	self deny: number even
%
method: NumberProtocolTest
testMagnitudes
	| class low high |
	class := Magnitude subclass: 'KtLength' instVarNames: #(value) inDictionary: SymbolDictionary new.
	class compile: '< other ^value < (other instVarNamed: #value)'.
	low := class new instVarNamed: #value put: 1; yourself.
	high := class new instVarNamed: #value put: 2; yourself.
	self assert: high > low.
	self assert: high >= low.
	self assert: low <= high.
	self assert: (low between: low and: high).
	self assert: (low max: high) == high.
	self assert: (low min: high) == low.
	self assert: (5 min: 3 max: 4) equals: 4
%
method: NumberProtocolTest
testFractions
	| half |
	half := 1/2.
	self assert: half - (1/3) equals: 1/6.
	self assert: half negated equals: -1/2.
	self assert: half // (1/3) equals: 1.
	self assert: half \\ (1/3) equals: 1/6.
	self assert: (-1/2) // (1/3) equals: -2.
	self assert: (7/2 quo: 2) equals: 1.
	self assert: (-7/2 rem: 2) equals: -3/2.
	self assert: half abs equals: half.
	self assert: (-1/2) abs equals: half.
	self assert: half <= half.
	self assert: half >= (1/3).
	self assert: (3/2) asInteger equals: 1.
	self assert: (3/2) fractionPart equals: half.
	self assert: (3/2) integerPart equals: 1.
	self assert: (3/2) asNumber equals: 3/2.
	self assert: half asString equals: '1/2'.
	self assert: half displayString equals: '1/2'.
	self assert: half deepCopy == half.
	self deny: half isZero.
	self assert: (half divide: 2) equals: 1/4.
	self assert: (half asScaledDecimal: 2) printString equals: '0.50s2'.
	self assert: (-1/2) negative.
	self assert: half positive.
	self assert: half strictlyPositive.
	self assert: (7/2) roundedNoFraction equals: 4
%
method: NumberProtocolTest
testIntegerBits
	self assert: (12 & 10) equals: 8.
	self assert: (12 | 10) equals: 14.
	self assert: (12 bitAnd: 10) equals: 8.
	self assert: (12 bitOr: 10) equals: 14.
	self assert: (3 << 4) equals: 48.
	self assert: (48 >> 4) equals: 3.
	self assert: (12 perform: #bitOr: with: 10) equals: 14.
	self assert: (5 bitAt: 1) equals: 1.
	self assert: (5 bitAt: 2) equals: 0.
	self assert: (5 bitAt: 2 put: 1) equals: 7.
	self assert: (5 bitAt: 1 put: 0) equals: 4.
	self assert: (5 isBitSet: 3).
	self assert: (7 allMask: 5).
	self deny: (4 allMask: 5).
	self assert: (4 anyMask: 5).
	self assert: (8 noMask: 5).
	self assert: 64 isPowerOfTwo.
	self deny: 65 isPowerOfTwo.
	self should: [3 bitAnd: 2.5] raise: ArgumentTypeError
%
method: NumberProtocolTest
testIntegers
	| count |
	self assert: 81 isPerfectSquare.
	self deny: 82 isPerfectSquare.
	self assert: 65 asCharacter equals: $A.
	self assert: 7 asInteger equals: 7.
	self assert: 255 asHexString equals: 'FF'.
	self assert: (255 radix: 16) equals: 'FF'.
	self assert: (255 printStringBase: 2) equals: '11111111'.
	self assert: (String streamContents: [:stream | 255 printOn: stream base: 16]) equals: 'FF'.
	self assert: 1234 numberOfDigits equals: 4.
	self assert: 12 asString equals: '12'.
	self assert: 12 displayString equals: '12'.
	self assert: 7 odd.
	self assert: 7 ceiling equals: 7.
	self assert: 7 floor equals: 7.
	self assert: (3 perform: #>= with: 3).
	self assert: (3 perform: #~= with: 4).
	self assert: (3 raisedTo: 200 modulo: 7) equals: (3 ** 200) \\ 7.
	self assert: (7 asScaledDecimal: 1) printString equals: '7.0s1'.
	self assert: (6 atRandom between: 1 and: 6).
	count := 0.
	3 perform: #timesRepeat: with: [count := count + 1].
	self assert: count equals: 3.
	self assert: SmallInteger maxVal equals: SmallInteger maximumValue.
	self assert: SmallInteger minVal equals: SmallInteger minimumValue
%
method: NumberProtocolTest
testLoopsAsMessages
	| log |
	log := OrderedCollection new.
	1 perform: #to:do: with: 3 with: [:each | log add: each].
	3 perform: #to:by:do: withArguments: {1. -2. [:each | log add: each]}.
	1 perform: #to:by:do: withArguments: {2. 1. [:each | log add: each]}.
	1 to: 2 reverseDo: [:each | log add: each].
	self assert: log asArray equals: #(1 2 3 3 1 1 2 2 1).
	self should: [1 perform: #to:by:do: withArguments: {2. 0. [:each | each]}] raise: ArgumentError
%
method: NumberProtocolTest
testFunctions
	self assertFloat: 8 sqrt near: 2.8284271247461903.
	self assertFloat: (1/4) sqrt near: 0.5.
	self assertFloat: (1/2) ln near: -0.6931471805599453.
	self assertFloat: 100 log near: 2.0.
	self assertFloat: (8 log: 2) near: 3.0.
	self assertFloat: 1 exp near: Float e.
	self assertFloat: (1/2) sin near: 0.479425538604203.
	self assertFloat: (1/2) cos near: 0.8775825618903728.
	self assertFloat: (1/2) tan near: 0.5463024898437905.
	self assertFloat: (1/2) arcSin near: 0.5235987755982989.
	self assertFloat: (1/2) arcCos near: 1.0471975511965979.
	self assertFloat: (1/2) arcTan near: 0.4636476090008061.
	self assertFloat: 0.5 sin near: 0.479425538604203.
	self assertFloat: 0.5 cos near: 0.8775825618903728.
	self assertFloat: 0.5 tan near: 0.5463024898437905.
	self assertFloat: 0.5 arcSin near: 0.5235987755982989.
	self assertFloat: 0.5 arcCos near: 1.0471975511965979.
	self assertFloat: (1.0 arcTan: 1.0) near: 0.7853981633974483.
	self assertFloat: 1.0 exp near: 2.718281828459045.
	self assertFloat: 2.0 ln near: 0.6931471805599453.
	self assertFloat: (8.0 log: 2) near: 3.0.
	self assertFloat: (2.0 raisedTo: 0.5) near: 1.4142135623730951.
	self assertFloat: 180 degreesToRadians near: Float pi.
	self assertFloat: Float pi radiansToDegrees near: 180.0
%
method: NumberProtocolTest
testFloats
	self assert: 2.5 truncated equals: 2.
	self assert: '1.50s2' asNumber equals: 1.5s2.
	self assert: (2.5 asString: 1) equals: '2.5'.
	self assert: (2.5 asStringWithDecimals: 2) equals: '2.50'.
	self assertFloat: 100.0 log near: 2.0.
	self assert: (String streamContents: [:stream | 2.5 printOn: stream]) equals: '2.5'.
	self assert: 2.5 ceiling equals: 3.
	self assert: -2.5 ceiling equals: -2.
	self assert: 2.75 fractionPart equals: 0.75.
	self assert: 2.75 integerPart equals: 2.
	self assert: 7.5 \\ 2 equals: 1.5.
	self assert: (-7.5 rem: 2) equals: -1.5.
	self assert: 2.5 sign equals: 1.
	self assert: 2.5 isFloat.
	self deny: 2 isFloat.
	self assert: 0.5 asExactFraction equals: 1/2.
	self assert: 2.5 printString equals: '2.5'.
	self assert: (2.345 printShowingDecimalPlaces: 2) equals: '2.35'.
	self assert: (2.5 printString: 2) notEmpty.
	self assert: (2.0 perform: #* with: 3) equals: 6.0.
	self assert: (2.0 perform: #<= with: 3).
	self deny: (2.0 perform: #>= with: 3).
	self assert: (Float fromString: '2.5e3') equals: 2500.0.
	self assert: (Float fromString: 'PlusInfinity') equals: Float infinity.
	self assert: Float negativeInfinity < Float fmax.
	self assert: Float fmax * 2 equals: Float infinity.
	self assert: (2.5 roundTo: 2) equals: 2.
	self assert: (7.5 truncateTo: 2) equals: 6
%
method: NumberProtocolTest
testScaledDecimals
	| price |
	price := 3.14s2.
	self assert: price - 1 equals: 2.14s2.
	self assert: price / 2 equals: 1.57s2.
	self assert: price // 1 equals: 3.
	self assert: price < 4.
	self assert: price <= 3.14s2.
	self assert: price > 3.
	self assert: price >= 3.14.
	self assert: price truncated equals: 3.
	self assert: price numerator equals: 157.
	self assert: price denominator equals: 50.
	self assert: price asFloat equals: 3.14.
	self assert: price generality > (1/2) generality.
	self assert: (price coerce: 1/2) printString equals: '0.50s2'.
	self assert: (price asScaledDecimal: 4) printString equals: '3.1400s4'.
	self assert: price hash equals: (314/100) hash.
	self assert: (ScaledDecimal for: 1/3 scale: 3) printString equals: '0.333s3'.
	self assert: (ScaledDecimal numerator: 1 denominator: 4 scale: 2) equals: 0.25s2
%
method: NumberProtocolTest
testRandom
	| random other |
	random := Random seed: 42.
	other := Random seed: 42.
	self assert: random float equals: other float.
	self assert: (random next: 3) equals: (other next: 3).
	self assert: ((random nextInt: 6) between: 1 and: 6).
	self assert: ((random integerBetween: 5 and: 7) between: 5 and: 7).
	self assert: random boolean isBoolean.
	self assert: ((Random between: 1 and: 3) between: 1 and: 3)
%
method: NumberProtocolTest
testDurations
	self assert: (Duration milliseconds: 1500) asMilliseconds equals: 1500
%
