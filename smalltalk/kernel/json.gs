! JSON: reading texts into objects, and objects into texts.

! ===== Class definition for JsonParser
doit
Object subclass: 'JsonParser'
  instVarNames: #( text position depth)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
JsonParser comment: 'Reads a JSON text. Objects become Dictionaries with Strings as keys, arrays become Arrays, null becomes nil;
numbers with a point or an exponent become Floats. A text that is not JSON is an ArgumentError that says where.'
%

category: 'Parsing'
classmethod: JsonParser
parse: aString
	self _validateString: aString.
	^self basicNew _parse: aString
%
category: 'Private'
method: JsonParser
_parse: aString
	| value |
	text := aString.
	position := 1.
	depth := 0.
	value := self _value.
	self _skipBlanks.
	position > text size ifFalse: [^self _expected: 'the end'].
	^value
%
method: JsonParser
_peek
	"The next character; nil at the end."
	^position > text size ifTrue: [nil] ifFalse: [text at: position]
%
method: JsonParser
_skipBlanks
	| code |
	[position <= text size and: [
		code := (text at: position) codePoint.
		code = 32 or: [code = 10 or: [code = 13 or: [code = 9]]]]] whileTrue: [position := position + 1]
%
method: JsonParser
_skip: aCharacter
	"Whether aCharacter comes next, behind blanks; if so, pass it."
	self _skipBlanks.
	self _peek == aCharacter ifFalse: [^false].
	position := position + 1.
	^true
%
method: JsonParser
_expected: aString
	| found |
	found := self _peek.
	^ArgumentError signal: 'not JSON: expected ' , aString , ' at character ' , position printString , ', found '
		, (found == nil ifTrue: ['the end'] ifFalse: [found printString])
%
method: JsonParser
_value
	| character |
	self _skipBlanks.
	character := self _peek.
	character == ${ ifTrue: [^self _nested: [self _object]].
	character == $[ ifTrue: [^self _nested: [self _array]].
	character == $" ifTrue: [^self _string].
	character == $t ifTrue: [^self _word: 'true' value: true].
	character == $f ifTrue: [^self _word: 'false' value: false].
	character == $n ifTrue: [^self _word: 'null' value: nil].
	(character == $- or: [self _isDigit: character]) ifTrue: [^self _number].
	^self _expected: 'a value'
%
method: JsonParser
_nested: aBlock
	| value |
	depth >= 500 ifTrue: [^ArgumentError signal: 'not read: JSON that is nested more than 500 levels deep'].
	depth := depth + 1.
	position := position + 1.
	value := aBlock value.
	depth := depth - 1.
	^value
%
method: JsonParser
_object
	| object key |
	object := Dictionary new.
	(self _skip: $}) ifTrue: [^object].
	[
		self _skipBlanks.
		self _peek == $" ifFalse: [^self _expected: 'a key in quotes'].
		key := self _string.
		(self _skip: $:) ifFalse: [^self _expected: 'a colon'].
		object at: key put: self _value.
		self _skip: $,] whileTrue.
	(self _skip: $}) ifFalse: [^self _expected: 'a comma or a closing brace'].
	^object
%
method: JsonParser
_array
	| elements |
	elements := OrderedCollection new.
	(self _skip: $]) ifTrue: [^#() copy].
	[
		elements addLast: self _value.
		self _skip: $,] whileTrue.
	(self _skip: $]) ifFalse: [^self _expected: 'a comma or a closing bracket'].
	^elements asArray
%
method: JsonParser
_word: aString value: anObject
	| stop |
	stop := position + aString size - 1.
	(stop <= text size and: [(text copyFrom: position to: stop) = aString]) ifFalse: [^self _expected: aString].
	position := stop + 1.
	^anObject
%
method: JsonParser
_isDigit: aCharacter
	^aCharacter ~~ nil and: [aCharacter codePoint between: 48 and: 57]
%
method: JsonParser
_digits
	"At least one; their value."
	| start |
	start := position.
	[self _isDigit: self _peek] whileTrue: [position := position + 1].
	position = start ifTrue: [^self _expected: 'a digit'].
	^Integer _fromDigits: (text copyFrom: start to: position - 1) radix: 10
%
method: JsonParser
_number
	| negative whole start places mantissa exponent |
	(negative := self _peek == $-) ifTrue: [position := position + 1].
	start := position.
	whole := self _digits.
	(position - start > 1 and: [(text at: start) == $0]) ifTrue: [
		position := start + 1.
		^self _expected: 'no digit behind a leading zero'].
	places := 0.
	exponent := nil.
	mantissa := whole.
	self _peek == $. ifTrue: [
		position := position + 1.
		start := position.
		self _digits.
		places := position - start.
		mantissa := Integer _fromDigits: whole printString , (text copyFrom: start to: position - 1) radix: 10.
		exponent := 0].
	(self _peek == $e or: [self _peek == $E]) ifTrue: [exponent := self _exponent].
	exponent == nil ifTrue: [^negative ifTrue: [whole negated] ifFalse: [whole]].
	^self _float: mantissa exponent: exponent - places negative: negative
%
method: JsonParser
_exponent
	| negative value |
	position := position + 1.
	negative := self _peek == $-.
	(negative or: [self _peek == $+]) ifTrue: [position := position + 1].
	value := self _digits.
	^negative ifTrue: [value negated] ifFalse: [value]
%
method: JsonParser
_float: mantissa exponent: exponent negative: negative
	"Beyond these bounds every float is zero or too large, whatever the digits, of which there are at most as many as
	characters."
	| bound value |
	bound := text size + 400.
	value := mantissa = 0
		ifTrue: [0.0]
		ifFalse: [Float _fromDigits: mantissa exponent: ((exponent max: bound negated) min: bound)].
	value isInfinite ifTrue: [^ArgumentError signal: 'not read: a number in JSON that is too large for a Float'].
	^negative ifTrue: [value negated] ifFalse: [value]
%
method: JsonParser
_string
	| stream start character |
	stream := WriteStream on: String new.
	position := position + 1.
	[
		start := position.
		[(character := self _peek) == nil or: [
			character == $" or: [character == $\ or: [character codePoint < 32]]]] whileFalse: [position := position + 1].
		stream nextPutAll: (text copyFrom: start to: position - 1).
		character == $\] whileTrue: [stream nextPut: self _escape].
	character == $" ifFalse: [^self _expected: 'a quote, or another character of a string'].
	position := position + 1.
	^stream contents
%
method: JsonParser
_escape
	| index |
	position := position + 1.
	index := self _peek == nil ifTrue: [0] ifFalse: ['"\/bfnrtu' indexOf: self _peek].
	index = 0 ifTrue: [^self _expected: 'one of "\/bfnrtu behind a backslash'].
	position := position + 1.
	^index = 9
		ifTrue: [self _unicode]
		ifFalse: [Character codePoint: (#(34 92 47 8 12 10 13 9) at: index)]
%
method: JsonParser
_unicode
	"A code point beyond 16 bits comes as two halves."
	| high low |
	high := self _hexadecimal.
	(high between: 16rD800 and: 16rDFFF) ifFalse: [^Character codePoint: high].
	low := 0.
	(high < 16rDC00 and: [self _peek == $\ and: [position < text size and: [(text at: position + 1) == $u]]]) ifTrue: [
		position := position + 2.
		low := self _hexadecimal].
	(low between: 16rDC00 and: 16rDFFF) ifFalse: [^self _expected: 'the other half of a character'].
	^Character codePoint: high - 16rD800 * 1024 + (low - 16rDC00) + 16r10000
%
method: JsonParser
_hexadecimal
	| value |
	value := 0.
	4 timesRepeat: [
		| digit |
		digit := self _peek == nil ifTrue: [0] ifFalse: ['0123456789abcdef' indexOf: self _peek asLowercase].
		digit = 0 ifTrue: [^self _expected: 'a hexadecimal digit'].
		value := value * 16 + digit - 1.
		position := position + 1].
	^value
%
category: 'JSON'
method: Object
asJson
	"Me as a JSON text."
	| stream |
	stream := WriteStream on: String new.
	self _jsonOn: stream depth: 0.
	^stream contents
%
method: Object
_jsonOn: aStream depth: depth
	^self _typeError: self expected: 'something that JSON can say'
%
method: Object
_validateJsonDepth: depth
	depth >= 500 ifTrue: [^ArgumentError signal: 'not written: JSON that would be nested more than 500 levels deep']
%
method: UndefinedObject
_jsonOn: aStream depth: depth
	aStream nextPutAll: 'null'
%
method: Boolean
_jsonOn: aStream depth: depth
	aStream nextPutAll: self printString
%
method: Number
_jsonOn: aStream depth: depth
	self asFloat _jsonOn: aStream depth: depth
%
method: Integer
_jsonOn: aStream depth: depth
	aStream nextPutAll: self printString
%
method: Float
_jsonOn: aStream depth: depth
	(self isNaN or: [self isInfinite]) ifTrue: [^self _typeError: self expected: 'a number that JSON can say'].
	aStream nextPutAll: self printString
%
method: Character
_jsonOn: aStream depth: depth
	self asString _jsonOn: aStream depth: depth
%
method: String
_jsonOn: aStream depth: depth
	aStream nextPut: $".
	self do: [:each |
		| code index |
		code := each codePoint.
		index := #(34 92 8 12 10 13 9) indexOf: code.
		index > 0
			ifTrue: [aStream nextPut: $\; nextPut: ('"\bfnrt' at: index)]
			ifFalse: [
				(code < 32 or: [code between: 16rD800 and: 16rDFFF])
					ifTrue: [aStream nextPutAll: '\u'; nextPutAll: (code printPaddedWith: $0 to: 4 base: 16)]
					ifFalse: [aStream nextPut: each]]].
	aStream nextPut: $"
%
method: Collection
_jsonOn: aStream depth: depth
	| first |
	self _validateJsonDepth: depth.
	first := true.
	aStream nextPut: $[.
	self do: [:each |
		first ifFalse: [aStream nextPut: $,].
		first := false.
		each _jsonOn: aStream depth: depth + 1].
	aStream nextPut: $]
%
method: Dictionary
_jsonOn: aStream depth: depth
	| first |
	self _validateJsonDepth: depth.
	first := true.
	aStream nextPut: ${.
	self keysAndValuesDo: [:key :value |
		key isString ifFalse: [^self _typeError: key expected: 'a String as a key in JSON'].
		first ifFalse: [aStream nextPut: $,].
		first := false.
		key asString _jsonOn: aStream depth: depth + 1.
		aStream nextPut: $:.
		value _jsonOn: aStream depth: depth + 1].
	aStream nextPut: $}
%
