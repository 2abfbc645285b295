! Strings, symbols, characters: their whole protocol.

! ===== Class definition for TextProtocolTest
doit
GsTestCase subclass: 'TextProtocolTest'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: UserGlobals
  options: #()
%
doit
TextProtocolTest comment: 'What strings, symbols and characters understand beyond what all sequences do.'
%

category: 'Tests of characters'
method: TextProtocolTest
testCharactersByName
	self assert: Character backspace codePoint equals: 8.
	self assert: Character tab codePoint equals: 9.
	self assert: Character newLine codePoint equals: 10.
	self assert: Character newPage codePoint equals: 12.
	self assert: Character cr codePoint equals: 13.
	self assert: Character esc codePoint equals: 27.
	self assert: Character delete codePoint equals: 127.
	self assert: Character nul codePoint equals: 0.
	self assert: (Character withValue: 97) equals: $a.
	self assert: (Character digitValue: 11) equals: $B.
	self should: [Character new] raise: ImproperOperation
%
method: TextProtocolTest
testCharacterQuestions
	self assert: $b >= $a.
	self deny: $a >= $b.
	self assert: $5 isAlphanumeric.
	self deny: $- isAlphanumeric.
	self assert: $a isLowercase.
	self assert: $A isUppercase.
	self deny: $a isUppercase.
	self assert: (Character codePoint: 16r416) isUppercase.
	self assert: $! isPunctuation.
	self assert: $+ isSpecial.
	self deny: $a isSpecial.
	self should: [$a >= 3] raise: ArgumentTypeError
%
method: TextProtocolTest
testCharacterConversions
	self assert: $a asCharacter == $a.
	self assert: $a asInteger equals: 97.
	self assert: $a asUnicode equals: 97.
	self assert: $a asciiValue equals: 97.
	self assert: $a value equals: 97.
	self assert: $a hash equals: 97.
	self assert: $a asSymbol == #a.
	self assert: $a shallowCopy == $a.
	self assert: $a deepCopy == $a.
	self assert: $a displayString equals: 'a'
%
category: 'Tests of strings'
method: TextProtocolTest
testComparing
	self assert: 'b' > 'a'.
	self assert: 'b' >= 'b'.
	self deny: 'a' >= 'b'.
	self assert: ('a' max: 'b') equals: 'b'.
	self assert: ('a' min: 'b') equals: 'a'.
	self assert: ('b' between: 'a' and: 'c').
	self assert: ('a' compareTo: 'b') equals: -1.
	self assert: ('a' compareTo: 'a') equals: 0.
	self assert: ('ab' equalsNoCase: 'AB').
	self assert: ('ab' sameAs: 'AB').
	self assert: ('ab' isEquivalent: #AB).
	self deny: ('ab' isEquivalent: 3).
	self assert: ('hello' at: 2 equals: 'ell').
	self deny: ('hello' at: 4 equals: 'lox').
	self should: ['a' > 3] raise: ArgumentTypeError
%
method: TextProtocolTest
testQuestions
	self assert: 'a1' isAlphaNumeric.
	self deny: 'a-1' isAlphaNumeric.
	self assert: '123' isDigits.
	self deny: '' isDigits.
	self assert: 'otto' isPalindrome.
	self deny: 'anna!' isPalindrome.
	self assert: ('banana' findPattern: 'na' startingAt: 4) equals: 5.
	self assert: ('Banana' includesSubstring: 'BAN' caseSensitive: false).
	self deny: ('Banana' includesSubstring: 'BAN' caseSensitive: true).
	self assert: (String with: (Character codePoint: 26085)) isWide
%
method: TextProtocolTest
testConverting
	self assert: 'abc' asCharacter equals: $a.
	self assert: '2.5' asFloat equals: 2.5.
	self assert: 'AbC' asLowerCase equals: 'abc'.
	self assert: 'AbC' asUpperCase equals: 'ABC'.
	self assert: 'abc' asUppercaseFirst equals: 'Abc'.
	self assert: 'abc' capitalized equals: 'Abc'.
	self assert: '' capitalized equals: ''.
	self assert: 'ABC' asLowercaseFirst equals: 'aBC'.
	self assert: 'AB' asByteArray equals: #[65 66].
	self should: [(String with: (Character codePoint: 26085)) asByteArray] raise: ArgumentTypeError.
	self assert: 'a b' asArrayOfSubstrings equals: #('a' 'b').
	self assert: 'at' asKeyword == #at:.
	self assert: 'at:' asKeyword == #at:.
	self assert: 'abc' asUnicodeString equals: 'abc'.
	self assert: 'it''s' quoted equals: '''it''''s'''
%
method: TextProtocolTest
testTrimming
	| text |
	text := '  a b  '.
	self assert: text trimBoth equals: 'a b'.
	self assert: text trimSeparators equals: 'a b'.
	self assert: text trimWhiteSpace equals: 'a b'.
	self assert: text withBlanksTrimmed equals: 'a b'.
	self assert: text trimLeft equals: 'a b  '.
	self assert: text trimLeadingBlanks equals: 'a b  '.
	self assert: text trimRight equals: '  a b'.
	self assert: text trimTrailingBlanks equals: '  a b'.
	self assert: ('7' padLeft: $0 to: 3) equals: '007'.
	self assert: ('7' padRight: $  to: 3) equals: '7  '.
	self assert: ('1234' padLeft: $0 to: 3) equals: '1234'
%
method: TextProtocolTest
testSplitting
	| log |
	self assert: 'a b' subStrings equals: #('a' 'b').
	self assert: ('a,b;c' subStrings: ',;') equals: #('a' 'b' 'c').
	self assert: ('a,b' findTokens: $,) equals: #('a' 'b').
	self assert: (String withAll: {$a. Character cr. Character lf. $b}) asLines equals: #('a' 'b').
	log := OrderedCollection new.
	(String withAll: {$a. Character lf. $b}) linesDo: [:each | log add: each].
	'a-b' splitOn: $- do: [:each | log add: each].
	self assert: log asArray equals: #('a' 'b' 'a' 'b')
%
method: TextProtocolTest
testFormatting
	self assert: ('{1} and {2}' format: #(3 'x')) equals: '3 and x'.
	self assert: ('{who}' format: (Dictionary newFromPairs: #(who 'me'))) equals: 'me'.
	self assert: ('\{1}' format: #()) equals: '{1}'.
	self assert: ('hello' copyWithoutAll: 'le') equals: 'ho'.
	self assert: ('hello' first: 2) equals: 'he'.
	self assert: ('hello' first: 9) equals: 'hello'.
	self assert: ('hello' copyReplacing: $l withObject: $L) equals: 'heLLo'
%
method: TextProtocolTest
testGrowing
	| text alias |
	text := 'ab' copy.
	alias := text.
	self assert: (text add: $c) equals: $c.
	self assert: (text addAll: 'de') equals: 'de'.
	text add: (Character codePoint: 26085).
	self assert: alias size equals: 6.
	self assert: alias == text.
	self should: ['ab' add: $c] raise: ImproperOperation
%
method: TextProtocolTest
testMaking
	self assert: (String fromString: 'ab') equals: 'ab'.
	self assert: String cr equals: (String with: Character cr).
	self assert: String lf equals: (String with: Character lf).
	self assert: String tab equals: (String with: Character tab).
	self assert: (QuadByteString new: 2) size equals: 2.
	self should: [QuadByteString new: -1] raise: OutOfRange
%
category: 'Tests of symbols'
method: TextProtocolTest
testSymbolKinds
	self assert: #at:put: isKeyword.
	self deny: #size isKeyword.
	self assert: #size isUnary.
	self deny: #+ isUnary.
	self assert: #+ isInfix.
	self deny: #at: isInfix.
	self assert: #size isImmutable
%
method: TextProtocolTest
testSymbolsAreUnique
	self assert: (Symbol fromString: 'abc') == #abc.
	self assert: (Symbol intern: 'abc') == #abc.
	self assert: (Symbol withAll: 'abc') == #abc.
	self assert: (Symbol with: $a) == #a.
	self assert: #abc shallowCopy == #abc.
	self assert: #abc deepCopy == #abc.
	self assert: #abc displayString equals: 'abc'.
	self should: [Symbol new] raise: ImproperOperation.
	self should: [Symbol new: 3] raise: ImproperOperation.
	self should: [#abc add: $d] raise: ImproperOperation.
	self should: [#abc addAll: 'd'] raise: ImproperOperation
%
method: TextProtocolTest
testSymbolsAsBlocks
	self assert: (#(1 2) collect: #negated) equals: #(-1 -2).
	self assert: (#squared cull: 3) equals: 9.
	self assert: (#+ value: 3 value: 4) equals: 7
%
