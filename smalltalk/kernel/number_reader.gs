! Numbers from text.

! ===== Class definition for NumberReader
doit
Object subclass: 'NumberReader'
  instVarNames: #( stream negative)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
NumberReader comment: 'Reads numbers from text: integers with a radix, fractions, floats and scaled decimals.'
%

category: 'Reading'
method: NumberReader
on: aStream
	stream := aStream
%
method: NumberReader
readNumber
	"The number at the stream's position, nil if there is none."
	| integer |
	negative := self skipSign.
	integer := self readDigitsIn: 10.
	integer == nil ifTrue: [^nil].
	(stream peek == $r and: [integer between: 2 and: 36]) ifTrue: [^self readRadix: integer].
	(stream peek == $. and: [self hasDigitAfterPoint]) ifTrue: [^self readFraction: integer].
	stream peek == $/ ifTrue: [^self readDenominatorOf: integer].
	^self readExponentOf: integer digits: 0
%
method: NumberReader
skipSign
	stream peek == $- ifTrue: [stream next. ^true].
	stream peek == $+ ifTrue: [stream next].
	^false
%
method: NumberReader
readDigitsIn: radix
	"The digits at the stream's position as an integer, nil if there are none."
	| digits character value start |
	start := stream position.
	digits := WriteStream on: String new.
	[character := stream peek.
	character ~~ nil and: [(value := character digitValueInRadix: radix) ~~ nil]] whileTrue: [
		digits nextPut: stream next].
	stream position = start ifTrue: [^nil].
	^Integer _fromDigits: digits contents radix: radix
%
method: NumberReader
hasDigitAfterPoint
	| position answer |
	position := stream position.
	stream next.
	answer := stream atEnd not and: [stream peek isDigit].
	stream position: position.
	^answer
%
method: NumberReader
readRadix: radix
	| start integer |
	start := stream position.
	stream next.
	stream peek == $- ifTrue: [stream next. negative := negative not].
	integer := self readDigitsIn: radix.
	integer == nil ifTrue: [stream position: start. ^self signed: radix].
	^self signed: integer
%
method: NumberReader
readFraction: integer
	| digits start fraction |
	stream next.
	start := stream position.
	fraction := self readDigitsIn: 10.
	digits := stream position - start.
	^self readExponentOf: integer * (10 raisedToInteger: digits) + fraction digits: digits
%
method: NumberReader
readDenominatorOf: integer
	| start denominator |
	start := stream position.
	stream next.
	denominator := self readDigitsIn: 10.
	(denominator == nil or: [denominator = 0]) ifTrue: [stream position: start. ^self signed: integer].
	^self signed: integer / denominator
%
method: NumberReader
readExponentOf: integer digits: digits
	"integer holds all digits; the last digits of them were behind the point. A number with a point or an exponent
	marked e, d or q is a float; s marks a scaled decimal."
	| marker exponent |
	stream peek == $s ifTrue: [^self readScaleOf: integer digits: digits].
	marker := stream peek.
	exponent := ('edqEDQ' includes: marker) ifTrue: [self readExponent] ifFalse: [nil].
	(digits = 0 and: [exponent == nil or: [exponent >= 0]])
		ifTrue: [^self signed: integer * (10 raisedToInteger: (exponent ifNil: [0]))].
	^self signed: (Float _fromDigits: integer exponent: (exponent ifNil: [0]) - digits)
%
method: NumberReader
readExponent
	"The exponent behind its marker; nil, and the stream as it was, if there is none. Bounded: more is no number."
	| start minus exponent |
	start := stream position.
	stream next.
	minus := stream peek == $-.
	(minus or: [stream peek == $+]) ifTrue: [stream next].
	exponent := self readDigitsIn: 10.
	(exponent == nil or: [exponent > 100000]) ifTrue: [stream position: start. ^nil].
	^minus ifTrue: [exponent negated] ifFalse: [exponent]
%
method: NumberReader
readScaleOf: integer digits: digits
	| scale |
	stream next.
	scale := self readDigitsIn: 10.
	^ScaledDecimal
		fraction: (self signed: integer) / (10 raisedToInteger: digits)
		scale: (scale ifNil: [digits])
%
method: NumberReader
signed: aNumber
	^negative ifTrue: [aNumber negated] ifFalse: [aNumber]
%
category: 'Reading'
classmethod: NumberReader
read: aString for: aClass
	"The number that the whole of aString shows; an ArgumentError if it shows none, or not one of aClass."
	| stream number |
	self _validateString: aString.
	stream := ReadStream on: aString trimBlanks.
	number := self readFrom: stream.
	(number notNil and: [stream atEnd and: [number isKindOf: aClass]]) ifTrue: [^number].
	(number notNil and: [stream atEnd and: [aClass == Float]]) ifTrue: [^number asFloat].
	^ArgumentError signal: aString _briefPrintString , ' does not show ' , aClass name articledWord
%
classmethod: NumberReader
readFrom: aStream
	"The number at the position of aStream, nil if there is none."
	^self basicNew on: aStream; readNumber
%
