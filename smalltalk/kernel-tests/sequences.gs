! What all collections understand, and sequences.

! ===== Class definition for CollectionProtocolTest
doit
GsTestCase subclass: 'CollectionProtocolTest'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: UserGlobals
  options: #()
%
doit
CollectionProtocolTest comment: 'What is said once for all collections, seen in sets, bags and a collection that defines nothing but #do:.'
%

category: 'Tests'
method: CollectionProtocolTest
testNothingButDo
	| class three |
	class := Collection subclass: 'KtThree' instVarNames: #() inDictionary: SymbolDictionary new.
	class compile: 'do: aBlock 1 to: 3 do: aBlock'.
	three := class new.
	self assert: three size equals: 3.
	self assert: three notEmpty.
	self assert: (three includes: 2).
	self assert: (three includesIdentical: 3).
	self deny: (three includes: 4).
	self assert: (three occurrencesOf: 2) equals: 1.
	self assert: three asArray equals: #(1 2 3).
	self assert: three rehash == three.
	self assert: three printString equals: 'aKtThree( 1, 2, 3)'.
	self should: [three add: 4] raise: ImproperOperation.
	self should: [three remove: 4] raise: ImproperOperation.
	self should: [class superclass new do: [:each | each]] raise: ImproperOperation
%
method: CollectionProtocolTest
testMaking
	self assert: (Set with: 1 with: 2 with: 3) size equals: 3.
	self assert: (Bag with: 1 with: 2 with: 2 with: 4) size equals: 4.
	self assert: (Set with: 1 with: 2 with: 3 with: 4 with: 5) size equals: 5.
	self assert: (Set with: 1 with: 2 with: 3 with: 4 with: 5 with: 6) size equals: 6.
	self assert: (Set with: 1 with: 1) size equals: 1
%
method: CollectionProtocolTest
testEnumerating
	| log |
	log := OrderedCollection new.
	(Set with: 3) do: [:each | log add: each] without: 4.
	(Set with: 4) do: [:each | log add: each] without: 4.
	(Set with: 7) doWithIndex: [:each :index | log add: each -> index].
	self assert: log asArray equals: {3. 7 -> 1}.
	self assert: ((Bag with: 1 with: 2 with: 3) collect: [:each | each squared]) equals: (Bag with: 1 with: 4 with: 9).
	self assert: ((Set with: 1 with: 2) collect: [:each | 7]) equals: (Set with: 7).
	self assert: ((Set with: 1 with: 2 with: 3) select: [:each | each odd]) equals: (Set with: 1 with: 3).
	self assert: ((Set with: 1 with: 2) select: [:each | each odd] thenCollect: [:each | each + 1]) equals: (Set with: 2).
	self assert: ((Set with: 1 with: 2) collect: [:each | each + 1] thenSelect: [:each | each odd]) equals: (Set with: 3).
	log := OrderedCollection new.
	(Set with: 1 with: 2) select: [:each | each odd] thenDo: [:each | log add: each].
	(Set with: 5) collect: [:each | each + 1] thenDo: [:each | log add: each].
	self assert: log asArray equals: #(1 6)
%
method: CollectionProtocolTest
testAsking
	| some |
	some := Set with: 1 with: 2 with: 3.
	self assert: (some detect: [:each | each > 2] ifFound: [:each | each * 10]) equals: 30.
	self assert: (some detect: [:each | each > 3] ifFound: [:each | each * 10]) equals: nil.
	self assert: (some detect: [:each | each > 3] ifFound: [:each | each] ifNone: ['none']) equals: 'none'.
	self assert: (some noneSatisfy: [:each | each > 3]).
	self deny: (some noneSatisfy: [:each | each > 2]).
	self assert: (some conform: [:each | each > 0]).
	self assert: (some contains: [:each | each > 2]).
	self assert: (some count: [:each | each odd]) equals: 2.
	self assert: (some detectMax: [:each | each negated]) equals: 1.
	self assert: (some detectMin: [:each | each negated]) equals: 3.
	self assert: (Set new detectMax: [:each | each]) equals: nil.
	self assert: (some maxValue: [:each | each * 2]) equals: 6.
	self assert: some min equals: 1.
	self assert: some max equals: 3.
	self assert: (some sum: [:each | each * 2]) equals: 12.
	self assert: some average equals: 2.
	self should: [Set new max] raise: OffsetError.
	self assert: (some includesValue: 2).
	self assert: (some includesAll: #(1 2)).
	self deny: (some includesAll: #(1 4)).
	self assert: (some includesAny: #(9 2)).
	self deny: (some includesAny: #(9 8)).
	self assert: (Set with: 4) anyOne equals: 4.
	self assert: (Set with: 4) any equals: 4.
	self should: [Set new anyOne] raise: OffsetError
%
method: CollectionProtocolTest
testEmptyOrNot
	| some none |
	some := Set with: 4.
	none := Set new.
	self assert: none isEmptyOrNil.
	self deny: some isEmptyOrNil.
	self assert: (none ifEmpty: [7]) equals: 7.
	self assert: (some ifEmpty: [7]) == some.
	self assert: (some ifNotEmpty: [:each | each size]) equals: 1.
	self assert: (none ifNotEmpty: [7]) == none.
	self assert: (none ifEmpty: [7] ifNotEmpty: [8]) equals: 7.
	self assert: (some ifEmpty: [7] ifNotEmpty: [:it | it size + 7]) equals: 8.
	self assert: (some ifNotEmpty: [7] ifEmpty: [8]) equals: 7.
	self assert: (none ifNotEmpty: [7] ifEmpty: [8]) equals: 8
%
method: CollectionProtocolTest
testGrouping
	| groups |
	groups := #(1 2 3 4) asSet groupedBy: [:each | each odd].
	self assert: (groups at: true) asSet equals: (Set with: 1 with: 3).
	self assert: (#(1 2) asBag flatCollect: [:each | {each. each}]) asArray sorted asArray equals: #(1 1 2 2)
%
method: CollectionProtocolTest
testAddingAndRemoving
	| bag set |
	bag := Bag new.
	self assert: (bag add: 3 withOccurrences: 2) equals: 3.
	self assert: (bag occurrencesOf: 3) equals: 2.
	self assert: (OrderedCollection new add: 3 withOccurrences: 2; yourself) asArray equals: #(3 3).
	set := Set withAll: #(1 2 3 4 5 6 7 8).
	self assert: (set remove: 9 ifAbsent: ['none']) equals: 'none'.
	self assert: (set removeIfPresent: 9) equals: nil.
	self assert: (set removeIfPresent: 1) equals: 1.
	self assert: (set removeAll: #(2)) equals: #(2).
	self should: [set removeAll: #(2)] raise: LookupError.
	set removeAllPresent: #(2 3).
	set removeAllFoundIn: #(3 4).
	self assert: (set removeAllSuchThat: [:each | each > 6]) asSet equals: (Set with: 7 with: 8).
	self assert: set equals: (Set with: 5 with: 6)
%
method: CollectionProtocolTest
testConverting
	self assert: (Set with: 1 -> 2) asDictionary equals: (Dictionary new at: 1 put: 2; yourself).
	self assert: #(1 1) asBag asIdentityBag class equals: IdentityBag.
	self assert: (#(1 1) asBag asIdentityBag occurrencesOf: 1) equals: 2.
	self assert: #(1 1) asBag asIdentitySet class equals: IdentitySet.
	self assert: (Set with: 1) asString equals: 'aSet( 1)'.
	self assert: (#(3 1 2) asSet sortBy: [:each | each negated]) equals: #(3 2 1).
	self assert: (#(3 1 2) asSet sortWithBlock: [:a :b | a > b]) equals: #(3 2 1).
	self assert: (Set with: 'a') displayString equals: 'aSet( a)'
%
method: CollectionProtocolTest
testCopying
	| set |
	set := Set with: 1.
	self assert: (set copyWith: 2) equals: (Set with: 1 with: 2).
	self assert: (set copyWithout: 1) isEmpty.
	self assert: (set , #(2)) equals: (Set with: 1 with: 2).
	self assert: (#(1 2) union: #(2 3)) equals: (Set with: 1 with: 2 with: 3).
	self assert: (#(1 2) intersection: #(2 3)) equals: (Set with: 2).
	self assert: (#(1 2) difference: #(2 3)) equals: #(1).
	self assert: set equals: (Set with: 1)
%

! ===== Class definition for SequenceTest
doit
GsTestCase subclass: 'SequenceTest'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: UserGlobals
  options: #()
%
doit
SequenceTest comment: 'Arrays, intervals and what they inherit.'
%

category: 'Tests'
method: SequenceTest
testParts
	| array |
	array := #(1 2 3 4 5).
	self assert: array third equals: 3.
	self assert: (array first: 2) equals: #(1 2).
	self assert: (array last: 2) equals: #(4 5).
	self assert: array allButFirst equals: #(2 3 4 5).
	self assert: array allButLast equals: #(1 2 3 4).
	self assert: (array allButFirst: 3) equals: #(4 5).
	self assert: (array allButLast: 3) equals: #(1 2).
	self assert: (array copyFrom: 4) equals: #(4 5).
	self assert: (array atAll: #(5 1)) equals: #(5 1).
	self assert: (array at: 9 ifAbsent: [0]) equals: 0.
	self assert: (array at: 2 ifAbsent: [0]) equals: 2.
	self assert: (array at: 9 otherwise: 0) equals: 0.
	self assert: (array at: 2 ifPresent: [:each | each * 2]) equals: 4.
	self assert: (array at: 9 ifPresent: [:each | each * 2]) equals: nil.
	self assert: array keys equals: (1 to: 5).
	self should: [array first: 9] raise: OffsetError
%
method: SequenceTest
testEnumerating
	| log |
	log := OrderedCollection new.
	#(1 2 3) reverseDo: [:each | log add: each].
	#(1 2 3) from: 2 to: 3 do: [:each | log add: each].
	#(1 2 3) from: 2 to: 2 keysAndValuesDo: [:index :each | log add: index -> each].
	#(a b) keysAndValuesDo: [:index :each | log add: index].
	#(a b) keysDo: [:index | log add: index].
	#(a b) valuesDo: [:each | log add: each].
	#(a) withIndexDo: [:each :index | log add: each -> index].
	self assert: log asArray equals: {3. 2. 1. 2. 3. 2 -> 2. 1. 2. 1. 2. #a. #b. #a -> 1}.
	log := OrderedCollection new.
	#(1 2 3 4 5) pairsDo: [:a :b | log add: a + b].
	#(1 2 3) overlappingPairsDo: [:a :b | log add: a * b].
	self assert: log asArray equals: #(3 7 2 6).
	self assert: (#(5 6) collectWithIndex: [:each :index | each * index]) equals: #(5 12).
	self assert: (#(5 6) withIndexCollect: [:each :index | each * index]) equals: #(5 12).
	self assert: (#(1 2 3) findFirst: [:each | each > 1]) equals: 2.
	self assert: (#(1 2 3) findFirst: [:each | each > 3]) equals: 0
%
method: SequenceTest
testSearching
	| text array |
	text := 'a'.
	array := {1. text. 2. 'a'. 1}.
	self assert: (array indexOf: 'a' startingAt: 3) equals: 4.
	self assert: (array indexOfIdentical: text) equals: 2.
	self assert: (array identityIndexOf: 'a' copy) equals: 0.
	self assert: (array lastIndexOf: 1) equals: 5.
	self assert: (#(1 2 3 2 3) indexOfSubCollection: #(2 3)) equals: 2.
	self assert: (#(1 2 3 2 3) indexOfSubCollection: #(2 3) startingAt: 3 ifAbsent: [0]) equals: 4.
	self assert: (#(1 2) indexOfSubCollection: #(2 3) startingAt: 1 ifAbsent: ['none']) equals: 'none'.
	self assert: (#(1 2 3) beginsWith: #(1 2)).
	self assert: (#(1 2 3) startsWith: #(1 2)).
	self deny: (#(1 2 3) beginsWith: #(2)).
	self assert: (#(1 2) hasEqualElements: (OrderedCollection with: 1 with: 2)).
	self deny: (#(1 2) hasEqualElements: #(1)).
	self deny: (#(1 2) hasEqualElements: 3).
	self assert: #(1 2) hash equals: {1. 2} hash.
	self assert: #(1) isArrayed.
	self assert: #(1) isSequenceable.
	self assert: (#(1 2 3) includes: #(1 2 3) atRandom)
%
method: SequenceTest
testCopying
	| array |
	array := #(1 2 3 2).
	self assert: (array copyUpTo: 2) equals: #(1).
	self assert: (array copyUpTo: 9) equals: array.
	self assert: (array copyAfter: 2) equals: #(3 2).
	self assert: (array copyUpToLast: 2) equals: #(1 2 3).
	self assert: (array copyAfterLast: 2) equals: #().
	self assert: (array copyWithFirst: 0) equals: #(0 1 2 3 2).
	self assert: (array copyReplaceFrom: 2 to: 3 with: #(9)) equals: #(1 9 2).
	self assert: (array copyReplaceFrom: 2 to: 3 withObject: 9) equals: #(1 9 9 2).
	self assert: (array copyReplaceFrom: 2 to: 1 withObject: 9) equals: #(1 9 2 3 2).
	self assert: (array copyReplacing: 2 withObject: 9) equals: #(1 9 3 9).
	self assert: array reverse equals: #(2 3 2 1).
	self assert: array equals: #(1 2 3 2)
%
method: SequenceTest
testReplacing
	| array |
	array := #(1 2 3 4) copy.
	array replaceFrom: 1 to: 2 with: #(8 9).
	self assert: array equals: #(8 9 3 4).
	self should: [array replaceFrom: 1 to: 2 with: #(8)] raise: OffsetError.
	array replaceFrom: 3 to: 4 withObject: 0.
	self assert: array equals: #(8 9 0 0).
	array replaceAll: 0 with: 1.
	self assert: array equals: #(8 9 1 1).
	self assert: (array atAll: #(1 2) put: 7) equals: 7.
	self assert: array equals: #(7 7 1 1)
%
method: SequenceTest
testArrayedCollections
	self assert: (Array new: 2 streamContents: [:stream | stream nextPut: 1; nextPut: 2; nextPut: 3]) equals: #(1 2 3).
	self assert: (Array with: 1 with: 2 with: 3 with: 4) equals: #(1 2 3 4).
	self assert: (String with: $a with: $b with: $c with: $d) equals: 'abcd'
%
method: SequenceTest
testIntervals
	| interval |
	interval := Interval from: 1 to: 7.
	self assert: interval increment equals: 1.
	self assert: interval first equals: 1.
	self assert: interval end equals: 7.
	self assert: interval asInterval == interval.
	self assert: interval copy equals: interval.
	self assert: interval shallowCopy equals: interval.
	self assert: interval isInterval.
	self deny: interval isArrayed.
	self assert: interval hash equals: (1 to: 7) hash.
	self should: [interval at: 1 put: 2] raise: ImproperOperation.
	self assert: Interval new isEmpty.
	self should: [(1 to: 0) first] raise: OffsetError
%
method: SequenceTest
testBytes
	self assert: #[1 255] asHexString equals: '01ff'.
	self assert: #[65 66] asString equals: 'AB'.
	self assert: #[65 66] bytesIntoString equals: 'AB'.
	self assert: #[1] asByteArray equals: #[1].
	self assert: #[1] isByteArray.
	self deny: #(1) isByteArray
%

! ===== Class definition for GrowingSequenceTest
doit
GsTestCase subclass: 'GrowingSequenceTest'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: UserGlobals
  options: #()
%
doit
GrowingSequenceTest comment: 'OrderedCollection and SortedCollection.'
%

category: 'Tests'
method: GrowingSequenceTest
testAdding
	| some |
	some := OrderedCollection new: 2 withAll: 0.
	some add: 1 after: 0; add: 2 before: 1; add: 3 afterIndex: 1; add: 4 beforeIndex: 1.
	self assert: some asArray equals: #(4 0 3 2 1 0).
	self should: [some add: 1 after: 99] raise: LookupError.
	self should: [some add: 1 beforeIndex: 99] raise: OffsetError.
	some := OrderedCollection with: 1.
	self assert: (some addAllFirst: #(8 9)) equals: #(8 9).
	some addAllLast: #(2 3).
	self assert: some asArray equals: #(8 9 1 2 3).
	some at: 1 put: 7.
	some at: 6 put: 4.
	self assert: some asArray equals: #(7 9 1 2 3 4).
	self should: [some at: 8 put: 1] raise: OffsetError
%
method: GrowingSequenceTest
testRemoving
	| some |
	some := OrderedCollection withAll: #(1 2 3 4 5 6 7 8).
	self assert: (some removeFirst: 2) asArray equals: #(1 2).
	self assert: (some removeLast: 2) asArray equals: #(7 8).
	some removeIndex: 1.
	self assert: some asArray equals: #(4 5 6).
	some deleteObjectAt: 3.
	self assert: (some removeIdentical: 9 ifAbsent: ['none']) equals: 'none'.
	self assert: (some removeIdentical: 4 ifAbsent: ['none']) equals: 4.
	self assert: some asArray equals: #(5).
	some := OrderedCollection withAll: #(1 2 3 4 5).
	some removeFrom: 2 to: 3.
	self assert: some asArray equals: #(1 4 5).
	self assert: (some removeAllSuchThat: [:each | each > 4]) asArray equals: #(5).
	self assert: some asArray equals: #(1 4).
	self should: [some removeFirst: 3] raise: OffsetError
%
method: GrowingSequenceTest
testCopying
	| some |
	some := OrderedCollection withAll: #(1 2 3).
	self assert: (some , #(4)) asArray equals: #(1 2 3 4).
	self assert: (some copyFrom: 2 to: 3) asArray equals: #(2 3).
	self assert: (some copyWith: 4) asArray equals: #(1 2 3 4).
	self assert: (some copyReplaceAll: #(2 3) with: #(9)) asArray equals: #(1 9).
	self assert: (some copyReplaceFrom: 1 to: 2 with: #(9)) asArray equals: #(9 3).
	self assert: (some copyReplaceFrom: 1 to: 2 withObject: 9) asArray equals: #(9 9 3).
	self assert: some reversed asArray equals: #(3 2 1).
	self assert: (some collectWithIndex: [:each :index | each * index]) asArray equals: #(1 4 9).
	self assert: (some with: #(1 2 3) collect: [:a :b | a * b]) asArray equals: #(1 4 9).
	self assert: some asOrderedCollection equals: some.
	self deny: some isArrayed.
	self assert: some copy equals: some.
	self assert: some asArray equals: #(1 2 3)
%
method: GrowingSequenceTest
testSorted
	| some |
	some := SortedCollection withAll: #(3 1 2) sortBlock: [:a :b | a > b].
	self assert: some asArray equals: #(3 2 1).
	self assert: (some sortBlock value: 2 value: 1).
	self assert: (some indexOf: 1) equals: 3.
	self assert: (some indexOf: 9) equals: 0.
	self assert: some median equals: 2.
	some add: 2.
	self assert: some asArray equals: #(3 2 2 1).
	some sortBlock: [:a :b | a < b].
	self assert: some asArray equals: #(1 2 2 3).
	self assert: some reversed asArray equals: #(3 2 2 1).
	self assert: (some copyFrom: 1 to: 2) class equals: SortedCollection.
	self assert: (some copyWith: 0) asArray equals: #(0 1 2 2 3).
	self assert: (some copyReplaceAll: #(2 2) with: #(9)) asArray equals: #(1 3 9).
	self assert: (some collect: [:each | each negated]) asArray equals: #(-1 -2 -2 -3).
	self assert: (some select: [:each | each > 1]) class equals: SortedCollection.
	self assert: some species equals: SortedCollection.
	self assert: some copyEmpty isEmpty.
	self assert: some asOrderedCollection class equals: OrderedCollection.
	self should: [some at: 1 put: 2] raise: ImproperOperation.
	self should: [some addFirst: 2] raise: ImproperOperation.
	self should: [some addLast: 2] raise: ImproperOperation.
	self should: [some addAllFirst: #(2)] raise: ImproperOperation.
	self should: [some insert: 2 at: 1] raise: ImproperOperation.
	self assert: (some sort: [:a :b | a > b]; asArray) equals: #(3 2 2 1).
	self assert: (SortedCollection sortBlock: [:a :b | a > b] fromSortResult: #(3 2 1)) asArray equals: #(3 2 1)
%
