! Text.

! ===== Class definition for StringTest
doit
GsTestCase subclass: 'StringTest'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: UserGlobals
  options: #()
%
doit
StringTest comment: 'Characters, strings and symbols.'
%

category: 'Tests'
method: StringTest
testPrinting
	self assert: 'it''s' printString equals: '''it''''s'''.
	self assert: 'it''s' displayString equals: 'it''s'.
	self assert: #foo printString equals: '#''foo'''.
	self assert: #foo asString equals: 'foo'.
	self assert: $a printString equals: '$a'
%
method: StringTest
testEquality
	self assert: 'abc' = 'abc' copy.
	self deny: 'abc' = 'abd'.
	self deny: 'abc' = #abc.
	self assert: 'abc' asSymbol == #abc.
	self assert: 'abc' hash equals: 'abc' copy hash.
	self assert: 'abc' < 'abd'.
	self assert: 'ab' < 'abc'
%
method: StringTest
testConversion
	self assert: 'Hello' asUppercase equals: 'HELLO'.
	self assert: 'Hello' asLowercase equals: 'hello'.
	self assert: 'hello world' substrings equals: #('hello' 'world').
	self assert: ('a,b,,c' substrings: ',') equals: #('a' 'b' 'c').
	self assert: ('a,b,,c' splitOn: ',') equals: #('a' 'b' '' 'c').
	self assert: '  x y ' trimBlanks equals: 'x y'.
	self assert: (', ' join: #('a' 'b')) equals: 'a, b'.
	self assert: 'abc' reversed equals: 'cba'.
	self assert: 'abc' asArray equals: {$a. $b. $c}
%
method: StringTest
testSearching
	self assert: ('hello' indexOf: $l) equals: 3.
	self assert: ('hello' indexOf: $z) equals: 0.
	self assert: ('hello' findString: 'lo') equals: 4.
	self assert: ('Hello World' includesString: 'WORLD').
	self deny: ('Hello World' includesSubstring: 'WORLD').
	self assert: ('hello' beginsWith: 'he').
	self assert: ('hello' endsWith: 'lo').
	self deny: ('lo' endsWith: 'hello').
	self assert: ('hello' occurrencesOf: $l) equals: 2.
	self assert: ('h*o' match: 'hello')
%
method: StringTest
testReplacing
	self assert: ('banana' copyReplaceAll: 'an' with: 'o') equals: 'booa'.
	self assert: ('a-b' copyReplacing: $- with: $+) equals: 'a+b'.
	self assert: ('abcd' copyFrom: 2 to: 3) equals: 'bc'.
	self assert: ('abcd' copyFrom: 3 to: 2) equals: ''.
	self should: ['abcd' copyFrom: 2 to: 9] raise: OffsetError
%
method: StringTest
testWideCharactersWiden
	| string |
	string := String new: 2.
	string at: 1 put: $a; at: 2 put: (Character codePoint: 8364).
	self assert: string size equals: 2.
	self assert: (string at: 2) codePoint equals: 8364.
	self assert: (string at: 1) equals: $a.
	self assert: ('x' , string) size equals: 3.
	self assert: string asSymbol == string copy asSymbol.
	self assert: string encodeAsUTF8 size equals: 4.
	self assert: string encodeAsUTF8 decodeFromUTF8 equals: string
%
method: StringTest
testIndices
	self should: ['abc' at: 4] raise: OffsetError.
	self should: ['abc' at: 0] raise: OffsetError.
	self should: ['abc' copy at: 1 put: 3] raise: ArgumentTypeError.
	self should: [#abc at: 1 put: $x] raise: ImproperOperation
%
method: StringTest
testLines
	| text |
	text := String with: $a with: Character lf with: $b.
	self assert: text lines equals: #('a' 'b').
	self assert: (text , (String with: Character cr with: Character lf) , 'c') lines equals: #('a' 'b' 'c')
%
method: StringTest
testSymbols
	self assert: #at:put: numArgs equals: 2.
	self assert: #+ numArgs equals: 1.
	self assert: #foo numArgs equals: 0.
	self assert: (#(3 1 2) collect: #negated) equals: #(-3 -1 -2).
	self assert: #a , 'b' equals: 'ab'
%
method: StringTest
testCharacters
	self assert: $a isLetter.
	self assert: $5 isDigit.
	self assert: $  isSeparator.
	self assert: $a isVowel.
	self assert: $a asUppercase equals: $A.
	self assert: (Character value: 65) equals: $A.
	self assert: $a codePoint equals: 97.
	self assert: $7 digitValue equals: 7.
	self assert: $a < $b.
	self should: [Character codePoint: -1] raise: OutOfRange.
	self should: [Character codePoint: 16r110000] raise: OutOfRange
%
