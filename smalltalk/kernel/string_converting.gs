! Text into other things.

category: 'Converting'
method: CharacterCollection
asString
	^self
%
method: CharacterCollection
asSymbol
	<primitive: #stringAsSymbol>
	^OutOfRange signal: 'a symbol has at most 1024 characters, and this text has ' , self size printString
%
method: CharacterCollection
asCharacter
	^self first
%
method: CharacterCollection
asNumber
	"The number at my start; nil if there is none."
	^NumberReader readFrom: (ReadStream on: self trimBlanks)
%
method: CharacterCollection
asInteger
	"The integer at my start; nil if there is none."
	| stream digits negative |
	stream := ReadStream on: self trimBlanks.
	negative := stream peek == $-.
	(negative or: [stream peek == $+]) ifTrue: [stream next].
	digits := (NumberReader basicNew on: stream) readDigitsIn: 10.
	digits == nil ifTrue: [^nil].
	^negative ifTrue: [digits negated] ifFalse: [digits]
%
method: CharacterCollection
asFloat
	^Float fromString: self
%
method: CharacterCollection
asUppercase
	<primitive: #stringAsUppercase>
	^self collect: [:each | each asUppercase]
%
method: CharacterCollection
asLowercase
	<primitive: #stringAsLowercase>
	^self collect: [:each | each asLowercase]
%
method: CharacterCollection
asLowerCase
	^self asLowercase
%
method: CharacterCollection
asUpperCase
	^self asUppercase
%
method: CharacterCollection
asUppercaseFirst
	^self isEmpty ifTrue: [self] ifFalse: [(String with: self first asUppercase) , (self copyFrom: 2 to: self size)]
%
method: CharacterCollection
capitalized
	^self asUppercaseFirst
%
method: CharacterCollection
asLowercaseFirst
	^self isEmpty ifTrue: [self] ifFalse: [(String with: self first asLowercase) , (self copyFrom: 2 to: self size)]
%
method: CharacterCollection
articled
	"Myself with the article in front: anArray, aString."
	^(self notEmpty and: [self first isVowel]) ifTrue: ['an' , self] ifFalse: ['a' , self]
%
method: CharacterCollection
articledWord
	"As articled, with a blank."
	^(self notEmpty and: [self first isVowel]) ifTrue: ['an ' , self] ifFalse: ['a ' , self]
%
method: CharacterCollection
asByteArray
	"My code points, which must be below 256."
	| result |
	result := ByteArray new: self size.
	1 to: self size do: [:index | result at: index put: (self at: index) codePoint].
	^result
%
method: CharacterCollection
encodeAsUTF8
	<primitive: #utf8Encode>
	^self _primitiveFailed: #encodeAsUTF8
%
method: CharacterCollection
asArrayOfSubstrings
	^self substrings
%
method: CharacterCollection
asKeyword
	^self last == $: ifTrue: [self asSymbol] ifFalse: [(self , ':') asSymbol]
%
method: CharacterCollection
evaluate
	"The value of the code that I am."
	^System evaluate: self
%
