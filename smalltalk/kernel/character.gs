! Characters.

! ===== Class definition for Character
doit
Magnitude subclass: 'Character'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
Character comment: 'A Unicode code point.'
%

category: 'Accessing'
method: Character
codePoint
	<primitive: #characterValue>
	^self _primitiveFailed: #codePoint
%
method: Character
asInteger
	<primitive: #characterValue>
	^self _primitiveFailed: #asInteger
%
method: Character
value
	<primitive: #characterValue>
	^self _primitiveFailed: #value
%
method: Character
asciiValue
	^self codePoint
%
method: Character
asUnicode
	^self codePoint
%
method: Character
digitValue
	"0 to 9 for digits, 10 to 35 for letters; nil for others."
	^self digitValueInRadix: 36
%
method: Character
digitValueInRadix: radix
	"What I am worth as a digit in that radix; nil if nothing."
	| code value |
	code := self codePoint.
	value := nil.
	(code >= 48 and: [code <= 57]) ifTrue: [value := code - 48].
	(code >= 65 and: [code <= 90]) ifTrue: [value := code - 55].
	(code >= 97 and: [code <= 122]) ifTrue: [value := code - 87].
	^(value == nil or: [value >= radix]) ifTrue: [nil] ifFalse: [value]
%
category: 'Comparing'
method: Character
= anObject
	^self == anObject
%
method: Character
< aCharacter
	aCharacter isCharacter ifFalse: [^self _typeError: aCharacter expected: 'a Character'].
	^self codePoint < aCharacter codePoint
%
method: Character
> aCharacter
	aCharacter isCharacter ifFalse: [^self _typeError: aCharacter expected: 'a Character'].
	^self codePoint > aCharacter codePoint
%
method: Character
<= aCharacter
	^(self > aCharacter) not
%
method: Character
>= aCharacter
	^(self < aCharacter) not
%
method: Character
isEquivalent: aCharacter
	"Whether we are the same but for case."
	^aCharacter isCharacter and: [self asLowercase == aCharacter asLowercase]
%
method: Character
hash
	^self codePoint
%
category: 'Testing'
method: Character
isCharacter
	^true
%
method: Character
isLetter
	^self _is: #letter
%
method: Character
isAlphaNumeric
	^self _is: #alphanumeric
%
method: Character
isAlphanumeric
	^self _is: #alphanumeric
%
method: Character
isDigit
	| code |
	code := self codePoint.
	^code >= 48 and: [code <= 57]
%
method: Character
isUppercase
	^self _is: #uppercase
%
method: Character
isLowercase
	^self _is: #lowercase
%
method: Character
isSeparator
	"Blanks, tabs, line ends, form feeds."
	^self _is: #separator
%
method: Character
isSpecial
	^'+-/\*~<>=@,%|&?!' includes: self
%
method: Character
isPunctuation
	^'.,:;!?' includes: self
%
method: Character
isVowel
	^'aeiouAEIOU' includes: self
%
method: Character
_is: aSymbol
	<primitive: #characterIs:>
	^self _primitiveFailed: #is
%
category: 'Converting'
method: Character
asCharacter
	^self
%
method: Character
asLowercase
	<primitive: #characterAsLowercase>
	^self
%
method: Character
asUppercase
	<primitive: #characterAsUppercase>
	^self
%
method: Character
asString
	^String with: self
%
method: Character
asSymbol
	^self asString asSymbol
%
category: 'Copying'
method: Character
shallowCopy
	^self
%
method: Character
deepCopy
	^self
%
category: 'Printing'
method: Character
printOn: aStream
	aStream nextPut: $$; nextPut: self
%
method: Character
displayOn: aStream
	aStream nextPut: self
%
category: 'Instance creation'
classmethod: Character
codePoint: anInteger
	"The character of that Unicode code point."
	<primitive: #characterNew:>
	anInteger isInteger ifFalse: [^self _typeError: anInteger expected: 'an Integer'].
	^OutOfRange signal: anInteger _briefPrintString , ' is not a code point'
%
classmethod: Character
value: anInteger
	^self codePoint: anInteger
%
classmethod: Character
withValue: anInteger
	^self codePoint: anInteger
%
classmethod: Character
digitValue: anInteger
	^'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ' at: anInteger + 1
%
classmethod: Character
new
	^self shouldNotImplement: #new
%
category: 'Constants'
classmethod: Character
cr
	^self codePoint: 13
%
classmethod: Character
lf
	^self codePoint: 10
%
classmethod: Character
newLine
	^self codePoint: 10
%
classmethod: Character
newPage
	^self codePoint: 12
%
classmethod: Character
tab
	^self codePoint: 9
%
classmethod: Character
space
	^self codePoint: 32
%
classmethod: Character
esc
	^self codePoint: 27
%
classmethod: Character
backspace
	^self codePoint: 8
%
classmethod: Character
nul
	^self codePoint: 0
%
classmethod: Character
delete
	^self codePoint: 127
%
