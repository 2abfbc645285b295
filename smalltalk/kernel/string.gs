! Text.

! ===== Class definition for CharacterCollection
doit
ArrayedCollection byteSubclass: 'CharacterCollection'
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
CharacterCollection comment: 'What all kinds of text have in common.'
%

! ===== Class definition for String
doit
CharacterCollection byteSubclass: 'String'
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
String comment: 'Text, one byte a character. A character beyond 255 turns it into a QuadByteString.'
%

! ===== Class definition for QuadByteString
doit
String byteSubclass: 'QuadByteString'
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
QuadByteString comment: 'Text, four bytes a character.'
%

! ===== Class definition for Symbol
doit
String byteSubclass: 'Symbol'
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
Symbol comment: 'Text of which there is one object only; it cannot be changed.'
%

! ===== Class definition for QuadByteSymbol
doit
Symbol byteSubclass: 'QuadByteSymbol'
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
QuadByteSymbol comment: 'A symbol with characters beyond 255.'
%

category: 'Accessing'
method: CharacterCollection
size
	<primitive: #stringSize>
	^0
%
method: CharacterCollection
at: index
	<primitive: #stringAt:>
	^self _indexFailed: index
%
method: CharacterCollection
at: index put: aCharacter
	"A character beyond 255 widens me."
	<primitive: #stringAt:put:>
	(index isInteger and: [index between: 1 and: self size]) ifFalse: [^self _indexFailed: index].
	self isImmutable ifTrue: [^self _isConstant].
	^self _typeError: aCharacter expected: (aCharacter isCharacter
		ifTrue: ['a Character of one byte, which is all that fits into ' , self class articledName]
		ifFalse: ['a Character'])
%
method: CharacterCollection
species
	^String
%
category: 'Comparing'
method: CharacterCollection
= anObject
	"Whether anObject is text with the same characters, and not a Symbol."
	<primitive: #stringEquals:>
	^false
%
method: CharacterCollection
hash
	<primitive: #stringHash>
	^self size
%
method: CharacterCollection
< aString
	"By code points."
	^(self _compare: aString) < 0
%
method: CharacterCollection
> aString
	^(self _compare: aString) > 0
%
method: CharacterCollection
<= aString
	^(self _compare: aString) <= 0
%
method: CharacterCollection
>= aString
	^(self _compare: aString) >= 0
%
method: CharacterCollection
max: aString
	^self > aString ifTrue: [self] ifFalse: [aString]
%
method: CharacterCollection
min: aString
	^self < aString ifTrue: [self] ifFalse: [aString]
%
method: CharacterCollection
between: low and: high
	^low <= self and: [self <= high]
%
method: CharacterCollection
compareTo: aString
	"-1, 0 or 1."
	^self _compare: aString
%
method: CharacterCollection
_compare: aString
	<primitive: #stringCompare:>
	^self _typeError: aString expected: 'a String'
%
method: CharacterCollection
isEquivalent: aString
	"Whether we are the same but for case."
	^aString isString and: [self asLowercase asString = aString asLowercase asString]
%
method: CharacterCollection
equalsNoCase: aString
	^self isEquivalent: aString
%
method: CharacterCollection
sameAs: aString
	^self isEquivalent: aString
%
category: 'Testing'
method: CharacterCollection
isString
	^true
%
method: CharacterCollection
isEmpty
	^self size == 0
%
method: CharacterCollection
isAlphaNumeric
	^self allSatisfy: [:each | each isAlphaNumeric]
%
method: CharacterCollection
isDigits
	^self notEmpty and: [self allSatisfy: [:each | each isDigit]]
%
method: CharacterCollection
isInteger
	^false
%
method: CharacterCollection
isPalindrome
	^self asString = self reversed
%
method: CharacterCollection
numArgs
	"How many arguments I take as a selector; -1 if I am none."
	| colons |
	self isEmpty ifTrue: [^-1].
	(self first isLetter or: [self first == $_]) ifFalse: [
		^(self allSatisfy: [:each | '+-/\*~<>=@,%|&?!' includes: each]) ifTrue: [1] ifFalse: [-1]].
	(self allSatisfy: [:each | each isAlphaNumeric or: [each == $_ or: [each == $:]]]) ifFalse: [^-1].
	colons := self occurrencesOf: $:.
	^(colons = 0 or: [self last == $:]) ifTrue: [colons] ifFalse: [-1]
%
category: 'Searching'
method: CharacterCollection
indexOf: aCharacter
	aCharacter isCharacter ifFalse: [^0].
	^self _indexOf: aCharacter startingAt: 1
%
method: CharacterCollection
indexOf: aCharacter startingAt: start
	aCharacter isCharacter ifFalse: [^0].
	^self _indexOf: aCharacter startingAt: start
%
method: CharacterCollection
includes: aCharacter
	^aCharacter isCharacter and: [(self _indexOf: aCharacter startingAt: 1) > 0]
%
method: CharacterCollection
indexOfSubCollection: aString startingAt: start
	aString isString ifFalse: [^super indexOfSubCollection: aString startingAt: start].
	aString isEmpty ifTrue: [^0].
	^self _indexOf: aString startingAt: start
%
method: CharacterCollection
_indexOf: aCharacterOrString startingAt: start
	"Its first index at or behind start, 0 if there is none."
	<primitive: #stringIndexOf:startingAt:>
	start isInteger ifFalse: [^self _typeError: start expected: 'an Integer'].
	start < 1 ifTrue: [^OffsetError new maximum: self size actual: start; signal].
	^self _typeError: aCharacterOrString expected: 'a Character or a String'
%
method: CharacterCollection
findString: aString
	^self findString: aString startingAt: 1
%
method: CharacterCollection
findString: aString startingAt: start
	"The index of aString within me; 0 if it does not occur."
	self _validateString: aString.
	^self indexOfSubCollection: aString startingAt: start
%
method: CharacterCollection
findPattern: aString startingAt: start
	^self findString: aString startingAt: start
%
method: CharacterCollection
includesString: aString
	"Case does not matter."
	self _validateString: aString.
	^aString isEmpty or: [(self asLowercase findString: aString asLowercase startingAt: 1) > 0]
%
method: CharacterCollection
includesSubstring: aString
	self _validateString: aString.
	^aString isEmpty or: [(self findString: aString startingAt: 1) > 0]
%
method: CharacterCollection
includesSubstring: aString caseSensitive: aBoolean
	^aBoolean ifTrue: [self includesSubstring: aString] ifFalse: [self includesString: aString]
%
method: CharacterCollection
beginsWith: aString
	| size |
	size := aString size.
	^self size >= size and: [self _matches: aString at: 1]
%
method: CharacterCollection
at: index equals: aString
	"Whether aString stands within me at index."
	^(index >= 1 and: [index + aString size - 1 <= self size]) and: [self _matches: aString at: index]
%
method: CharacterCollection
match: aPattern
	"Whether I, a pattern with * and #, describe aPattern."
	^self _match: 1 in: aPattern at: 1
%
method: CharacterCollection
_match: index in: aString at: start
	"By the usual two pointers: the last star is all that need be tried again."
	| here there star mark |
	here := index.
	there := start.
	star := 0.
	mark := 0.
	[there <= aString size] whileTrue: [
		(here <= self size and: [(self at: here) == $*])
			ifTrue: [star := here. mark := there. here := here + 1]
			ifFalse: [
				(here <= self size and: [(self at: here) == $# or: [(self at: here) isEquivalent: (aString at: there)]])
					ifTrue: [here := here + 1. there := there + 1]
					ifFalse: [
						star = 0 ifTrue: [^false].
						here := star + 1.
						mark := mark + 1.
						there := mark]]].
	[here <= self size and: [(self at: here) == $*]] whileTrue: [here := here + 1].
	^here > self size
%
