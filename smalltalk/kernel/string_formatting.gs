! Text into other text.

category: 'Formatting'
method: CharacterCollection
trimBlanks
	"Without white space at either end."
	| start stop |
	start := 1.
	stop := self size.
	[start <= stop and: [(self at: start) isSeparator]] whileTrue: [start := start + 1].
	[start <= stop and: [(self at: stop) isSeparator]] whileTrue: [stop := stop - 1].
	^(start = 1 and: [stop = self size]) ifTrue: [self] ifFalse: [self copyFrom: start to: stop]
%
method: CharacterCollection
trimSeparators
	^self trimBlanks
%
method: CharacterCollection
trimWhiteSpace
	^self trimBlanks
%
method: CharacterCollection
trimBoth
	^self trimBlanks
%
method: CharacterCollection
trimLeadingBlanks
	| start |
	start := 1.
	[start <= self size and: [(self at: start) isSeparator]] whileTrue: [start := start + 1].
	^self copyFrom: start to: self size
%
method: CharacterCollection
trimTrailingBlanks
	| stop |
	stop := self size.
	[stop > 0 and: [(self at: stop) isSeparator]] whileTrue: [stop := stop - 1].
	^self copyFrom: 1 to: stop
%
method: CharacterCollection
trimLeft
	^self trimLeadingBlanks
%
method: CharacterCollection
trimRight
	^self trimTrailingBlanks
%
method: CharacterCollection
padLeft: aCharacter to: width
	^(String new: (width - self size max: 0) withAll: aCharacter) , self
%
method: CharacterCollection
padRight: aCharacter to: width
	^self , (String new: (width - self size max: 0) withAll: aCharacter)
%
method: CharacterCollection
substrings
	"The words between white space."
	^self _split: [:each | each isSeparator]
%
method: CharacterCollection
subStrings
	^self substrings
%
method: CharacterCollection
substrings: separators
	"The parts between any of these characters; empty parts are left out."
	separators isCharacter ifTrue: [^self _split: [:each | each == separators]].
	^self _split: [:each | separators includes: each]
%
method: CharacterCollection
subStrings: separators
	^self substrings: separators
%
method: CharacterCollection
findTokens: separators
	^self substrings: separators
%
method: CharacterCollection
splitOn: aCharacterOrString
	"All parts between the occurrences of it, empty ones too."
	| parts separator start index |
	separator := aCharacterOrString asString.
	separator isEmpty ifTrue: [^ArgumentError signal: 'nothing to split at'].
	parts := OrderedCollection new.
	start := 1.
	[(index := self indexOfSubCollection: separator startingAt: start) > 0] whileTrue: [
		parts add: (self copyFrom: start to: index - 1).
		start := index + separator size].
	parts add: (self copyFrom: start to: self size).
	^parts asArray
%
method: CharacterCollection
splitOn: aCharacterOrString do: aBlock
	(self splitOn: aCharacterOrString) do: aBlock
%
method: CharacterCollection
_split: aBlock
	| parts start size |
	parts := OrderedCollection new.
	size := self size.
	start := 1.
	1 to: size do: [:index |
		(aBlock value: (self at: index)) ifTrue: [
			index > start ifTrue: [parts add: (self copyFrom: start to: index - 1)].
			start := index + 1]].
	start <= size ifTrue: [parts add: (self copyFrom: start to: size)].
	^parts asArray
%
method: CharacterCollection
lines
	"My lines, without their ends: LF, CR or CR LF."
	| lines stream |
	lines := OrderedCollection new.
	stream := ReadStream on: self.
	[stream atEnd] whileFalse: [lines add: stream nextLine].
	^lines asArray
%
method: CharacterCollection
linesDo: aBlock
	self lines do: aBlock
%
method: CharacterCollection
asLines
	^self lines
%
method: CharacterCollection
join: aCollection
	"The strings in aCollection with me between them."
	| stream |
	stream := WriteStream on: String new.
	aCollection do: [:each | stream nextPutAll: each asString] separatedBy: [stream nextPutAll: self].
	^stream contents
%
method: CharacterCollection
format: aCollection
	"Myself with {1}, {2} or {name} replaced by the elements of aCollection."
	| stream result |
	stream := ReadStream on: self.
	result := WriteStream on: String new.
	[stream atEnd] whileFalse: [
		| character |
		character := stream next.
		(character == ${ and: [stream atEnd not])
			ifTrue: [
				| key |
				key := stream upTo: $}.
				key isDigits ifFalse: [key := key asSymbol] ifTrue: [key := key asInteger].
				result nextPutAll: (aCollection at: key) displayString]
			ifFalse: [
				(character == $\ and: [stream atEnd not]) ifTrue: [character := stream next].
				result nextPut: character]].
	^result contents
%
method: CharacterCollection
withBlanksTrimmed
	^self trimBlanks
%
method: CharacterCollection
copyReplacing: old with: new
	"old and new: characters or strings."
	old isCharacter ifFalse: [^self copyReplaceAll: old with: new].
	new isCharacter ifFalse: [^self copyReplaceAll: old asString with: new].
	^super copyReplacing: old with: new
%
method: CharacterCollection
copyWithoutAll: aCollection
	^self reject: [:each | aCollection includes: each]
%
method: CharacterCollection
asUnicodeString
	^self
%
method: CharacterCollection
reversed
	| result size |
	size := self size.
	result := String new: size.
	1 to: size do: [:index | result at: index put: (self at: size - index + 1)].
	^result
%
method: CharacterCollection
first: count
	^self copyFrom: 1 to: (count min: self size)
%
category: 'Replacing'
method: CharacterCollection
replaceFrom: start to: stop with: aCollection startingAt: other
	"Fails for text of unequal widths: then character by character, which widens me if need be."
	<primitive: #replaceFrom:to:with:startingAt:>
	^super replaceFrom: start to: stop with: aCollection startingAt: other
%
category: 'Adding'
method: CharacterCollection
add: aCharacterOrString
	"Append to me: I become longer text, and stay the object that I am."
	| longer |
	self isImmutable ifTrue: [^self _isConstant].
	longer := aCharacterOrString isCharacter
		ifTrue: [self copyWith: aCharacterOrString]
		ifFalse: [self , aCharacterOrString].
	self class == longer class ifFalse: [
		(self class == String or: [self class == QuadByteString]) ifFalse: [longer := self class withAll: longer]].
	self _takeShapeOf: longer.
	^aCharacterOrString
%
method: CharacterCollection
addAll: aString
	self add: aString.
	^aString
%
category: 'Copying'
method: CharacterCollection
, aString
	| result size |
	aString isString ifFalse: [^super , aString].
	size := self size.
	result := String new: size + aString size.
	result replaceFrom: 1 to: size with: self startingAt: 1.
	result replaceFrom: size + 1 to: size + aString size with: aString startingAt: 1.
	^result
%
category: 'Printing'
method: CharacterCollection
printOn: aStream
	"In quotes, those within me doubled."
	aStream nextPut: $'.
	(self includes: $')
		ifFalse: [aStream nextPutAll: self]
		ifTrue: [
			self do: [:each |
				each == $' ifTrue: [aStream nextPut: each].
				aStream nextPut: each]].
	aStream nextPut: $'
%
method: CharacterCollection
displayOn: aStream
	aStream nextPutAll: self
%
method: CharacterCollection
displayString
	^self asString
%
method: CharacterCollection
quoted
	^self printString
%
category: 'Instance creation'
classmethod: CharacterCollection
fromString: aString
	^self withAll: aString
%
classmethod: CharacterCollection
withAll: aCollection
	| result index |
	result := self new: aCollection size.
	aCollection isString ifTrue: [^result replaceFrom: 1 to: result size with: aCollection startingAt: 1; yourself].
	index := 0.
	aCollection do: [:each | result at: (index := index + 1) put: each].
	^result
%
classmethod: CharacterCollection
lf
	^self with: Character lf
%
classmethod: CharacterCollection
cr
	^self with: Character cr
%
classmethod: CharacterCollection
tab
	^self with: Character tab
%
category: 'Testing'
method: QuadByteString
isWide
	^true
%
category: 'Instance creation'
classmethod: QuadByteString
new: size
	"Text of that many characters, all of code point 0."
	<primitive: #quadStringNew:>
	^self _instantiationFailed: size
%
