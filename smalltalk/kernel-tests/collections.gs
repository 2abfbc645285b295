! Collections.

! ===== Class definition for CollectionTest
doit
GsTestCase subclass: 'CollectionTest'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: UserGlobals
  options: #()
%
doit
CollectionTest comment: 'Arrays, ordered and sorted collections, sets, bags, dictionaries, intervals.'
%

category: 'Tests'
method: CollectionTest
testPrinting
	self assert: #(1 2) printString equals: 'anArray( 1, 2)'.
	self assert: #() printString equals: 'anArray( )'.
	self assert: (OrderedCollection with: 85 with: 76) printString equals: 'anOrderedCollection( 85, 76)'.
	self assert: (Dictionary new at: #a put: 1; yourself) printString equals: 'aDictionary( #''a''->1)'.
	self assert: (Set with: 3) printString equals: 'aSet( 3)'.
	self assert: #('a' #b $c nil) printString equals: 'anArray( ''a'', #''b'', $c, nil)'
%
method: CollectionTest
testPrintingWithinItself
	| array |
	array := Array new: 2.
	array at: 1 put: array; at: 2 put: 7.
	self assert: array printString equals: 'anArray( anArray, 7)'
%
method: CollectionTest
testEnumeration
	self assert: (#(1 2 3) collect: [:each | each * each]) equals: #(1 4 9).
	self assert: (#(1 2 3 4) select: [:each | each even]) equals: #(2 4).
	self assert: (#(1 2 3 4) reject: [:each | each even]) equals: #(1 3).
	self assert: (#(1 2 3) detect: [:each | each > 1]) equals: 2.
	self assert: (#(1 2 3) detect: [:each | each > 9] ifNone: ['none']) equals: 'none'.
	self should: [#(1) detect: [:each | each > 9]] raise: LookupError.
	self assert: (#(1 2 3) inject: 0 into: [:sum :each | sum + each]) equals: 6.
	self assert: (#(1 2 3) anySatisfy: [:each | each = 2]).
	self deny: (#(1 2 3) allSatisfy: [:each | each = 2]).
	self assert: (#(1 2) with: #(3 4) collect: [:a :b | a * b]) equals: #(3 8).
	self should: [#(1 2) with: #(3) do: [:a :b | nil]] raise: ArgumentError
%
method: CollectionTest
testSeparated
	| stream |
	stream := WriteStream on: String new.
	#(1 2 3) do: [:each | stream print: each] separatedBy: [stream nextPutAll: ', '].
	self assert: stream contents equals: '1, 2, 3'
%
method: CollectionTest
testSequences
	self assert: #(1 2) , #(3) equals: #(1 2 3).
	self assert: #(1 2 3) reversed equals: #(3 2 1).
	self assert: (#(1 2 3) indexOf: 3) equals: 3.
	self assert: #(1 2 3) first equals: 1.
	self assert: #(1 2 3) last equals: 3.
	self assert: #(3 1 2) max equals: 3.
	self assert: #(3 1 2) sum equals: 6.
	self assert: (#(1 2 3 1 2) copyReplaceAll: #(1 2) with: #(9)) equals: #(9 3 9).
	self should: [#() first] raise: OffsetError.
	self should: [#(1 2) at: 3] raise: OffsetError.
	self should: [#(1 2) at: #a] raise: ArgumentTypeError.
	self assert: (Array new: 2) equals: #(nil nil).
	self deny: #(1 2) = (OrderedCollection with: 1 with: 2)
%
method: CollectionTest
testOverlappingReplacement
	| array |
	array := #(1 2 3 4 5) copy.
	array replaceFrom: 2 to: 5 with: array startingAt: 1.
	self assert: array equals: #(1 1 2 3 4).
	array := #(1 2 3 4 5) copy.
	array replaceFrom: 1 to: 4 with: array startingAt: 2.
	self assert: array equals: #(2 3 4 5 5)
%
method: CollectionTest
testOrderedCollectionAtBothEnds
	| collection |
	collection := OrderedCollection new.
	1 to: 50 do: [:each | collection addLast: each; addFirst: each negated].
	self assert: collection size equals: 100.
	self assert: collection first equals: -50.
	self assert: collection last equals: 50.
	self assert: collection removeFirst equals: -50.
	self assert: collection removeLast equals: 50.
	self assert: (collection remove: 7) equals: 7.
	self assert: collection size equals: 97.
	self should: [collection remove: 'absent'] raise: LookupError.
	collection insert: 'x' at: 3.
	self assert: (collection at: 3) equals: 'x'.
	self assert: (collection at: 4) equals: -47.
	self assert: (collection removeAtIndex: 3) equals: 'x'.
	self should: [OrderedCollection new removeFirst] raise: OffsetError.
	self should: [OrderedCollection new first] raise: OffsetError
%
method: CollectionTest
testOrderedCollectionCopiesAreApart
	| first second |
	first := OrderedCollection with: 1 with: 2.
	second := first copy.
	second add: 3.
	self assert: first size equals: 2.
	self assert: (first collect: [:each | each + 1]) equals: (OrderedCollection with: 2 with: 3)
%
method: CollectionTest
testSorting
	| many sorted |
	self assert: #(3 1 2) copy sort equals: #(1 2 3).
	self assert: (#(3 1 2) sorted: [:a :b | a >= b]) equals: #(3 2 1).
	many := (1 to: 200) collect: [:each | each * 7919 \\ 211].
	sorted := many asSortedCollection.
	self assert: sorted size equals: 200.
	self assert: sorted asArray isSorted.
	self assert: many copy sort equals: sorted asArray.
	sorted add: -1; add: 1000.
	self assert: sorted first equals: -1.
	self assert: sorted last equals: 1000.
	self should: [sorted addFirst: 3] raise: ImproperOperation
%
method: CollectionTest
testSortingIsStable
	| pairs |
	pairs := (1 to: 40) collect: [:each | each \\ 3 -> each].
	pairs sort: [:a :b | a key <= b key].
	2 to: 40 do: [:index |
		| before after |
		before := pairs at: index - 1.
		after := pairs at: index.
		self assert: (before key < after key or: [before key = after key and: [before value < after value]])]
%
method: CollectionTest
testSets
	| set |
	set := Set new.
	1 to: 100 do: [:each | set add: each \\ 10].
	self assert: set size equals: 10.
	self assert: (set includes: 3).
	set remove: 3.
	self deny: (set includes: 3).
	self should: [set remove: 3] raise: LookupError.
	set add: nil.
	self assert: set size equals: 9.
	self assert: (Set withAll: #(1 2)) equals: (Set withAll: #(2 1)).
	self assert: (Set withAll: {'a'. 'a' copy}) size equals: 1.
	self assert: (IdentitySet withAll: {'a'. 'a' copy}) size equals: 2
%
method: CollectionTest
testManyRemovalsKeepSetsRight
	| set |
	set := Set new.
	1 to: 300 do: [:each | set add: each].
	1 to: 300 by: 2 do: [:each | set remove: each].
	self assert: set size equals: 150.
	1 to: 300 do: [:each | self assert: (set includes: each) equals: each even]
%
method: CollectionTest
testBags
	| bag |
	bag := Bag withAll: #(1 2 2 3 3 3).
	self assert: bag size equals: 6.
	self assert: (bag occurrencesOf: 3) equals: 3.
	bag remove: 3.
	self assert: (bag occurrencesOf: 3) equals: 2.
	self assert: bag asSet size equals: 3
%
method: CollectionTest
testDictionaries
	| dictionary |
	dictionary := Dictionary new.
	1 to: 100 do: [:each | dictionary at: each printString put: each].
	self assert: dictionary size equals: 100.
	self assert: (dictionary at: '42') equals: 42.
	self should: [dictionary at: 'absent'] raise: LookupError.
	self assert: (dictionary at: 'absent' ifAbsent: [0]) equals: 0.
	self assert: (dictionary at: 'absent' otherwise: 1) equals: 1.
	self assert: (dictionary at: 'new' ifAbsentPut: [7]) equals: 7.
	self assert: (dictionary removeKey: 'new') equals: 7.
	self assert: (dictionary removeKey: 'new' ifAbsent: ['gone']) equals: 'gone'.
	self assert: (dictionary includesKey: '1').
	self assert: (dictionary includes: 100).
	self assert: (dictionary keyAtValue: 100) equals: '100'.
	self assert: (dictionary keys includes: '7').
	self assert: dictionary values sum equals: 5050.
	self assert: (dictionary select: [:each | each > 98]) size equals: 2.
	self assert: (dictionary collect: [:each | each * 2]) size equals: 100
%
method: CollectionTest
testDictionaryCopiesAreApart
	| first second |
	first := Dictionary new.
	first at: 1 put: 2.
	second := first copy.
	second at: 1 put: 3.
	self assert: (first at: 1) equals: 2.
	self deny: first = second
%
method: CollectionTest
testSymbolDictionaries
	| dictionary association |
	dictionary := SymbolDictionary new.
	dictionary at: #Foo put: 1.
	association := dictionary associationAt: #Foo.
	self assert: association class equals: SymbolAssociation.
	dictionary at: 'Foo' put: 2.
	self assert: association value equals: 2.
	self should: [dictionary at: 3 put: 4] raise: ArgumentTypeError.
	self assert: dictionary name equals: nil.
	dictionary at: #Mine put: dictionary.
	self assert: dictionary name equals: #Mine
%
method: CollectionTest
testIntervals
	self assert: (1 to: 5) size equals: 5.
	self assert: (1 to: 0) isEmpty.
	self assert: (10 to: 1 by: -3) asArray equals: #(10 7 4 1).
	self assert: ((1 to: 3) collect: [:each | each * 2]) equals: #(2 4 6).
	self assert: (1 to: 3) equals: (1 to: 3 by: 1).
	self assert: ((1 to: 10 by: 2) includes: 5).
	self deny: ((1 to: 10 by: 2) includes: 4).
	self assert: (1 to: 3) reversed asArray equals: #(3 2 1)
%
method: CollectionTest
testConversions
	self assert: #(1 2 2) asSet size equals: 2.
	self assert: #(1 2 2) asBag size equals: 3.
	self assert: #(1 2) asOrderedCollection class equals: OrderedCollection.
	self assert: (Set with: 1) asArray equals: #(1).
	self assert: #(1 2 255) asByteArray asArray equals: #(1 2 255).
	self should: [ByteArray with: 256] raise: ArgumentTypeError.
	self assert: (#(1 2 3 4) groupBy: [:each | each even]) keys size equals: 2
%
method: CollectionTest
testStreams
	| stream |
	stream := ReadStream on: #(1 2 3 4 5).
	self assert: stream next equals: 1.
	self assert: stream peek equals: 2.
	self assert: (stream next: 2) equals: #(2 3).
	self assert: (stream upTo: 5) equals: #(4).
	self assert: stream atEnd.
	self assert: stream next equals: nil.
	self should: [stream next] raise: EndOfStream.
	stream reset.
	self assert: stream upToEnd size equals: 5.
	stream position: 2; skip: 1.
	self assert: stream next equals: 4.
	self should: [stream position: 99] raise: OffsetError
%
method: CollectionTest
testWriteStreams
	| stream |
	stream := WriteStream on: String new.
	stream nextPutAll: 'abc'; nextPut: $d; print: 42; nl; tab; space; << 'x'; << 3.
	self assert: stream contents size equals: 11.
	self assert: (stream contents beginsWith: 'abcd42').
	self assert: (WriteStream with: 'abc') contents equals: 'abc'.
	self assert: ((WriteStream with: 'abc') nextPutAll: 'de'; contents) equals: 'abcde'.
	self assert: (String streamContents: [:each | each nextPutAll: 'hi']) equals: 'hi'.
	self assert: (WriteStream on: Array new) contents equals: #()
%
method: CollectionTest
testReadWriteStreams
	| stream |
	stream := ReadWriteStream on: String new.
	stream nextPutAll: 'hello world'.
	stream reset.
	self assert: (stream upTo: $ ) equals: 'hello'.
	self assert: stream upToEnd equals: 'world'.
	stream nextPutAll: '!'.
	self assert: stream contents equals: 'hello world!'
%
category: 'Tests'
method: CollectionTest
testSortingLeavesOthersAlone
	| array ordered |
	array := {3. 1. 2}.
	self assert: array sorted equals: {1. 2. 3}.
	self assert: array equals: {3. 1. 2}.
	self assert: 'hello' sorted equals: 'ehllo'.
	self assert: (3 to: 1 by: -1) sorted equals: #(1 2 3).
	self assert: (Set withAll: #(2 1)) sorted equals: #(1 2).
	ordered := OrderedCollection withAll: #(3 1 2).
	self assert: (ordered sorted: [:a :b | a > b]) equals: (OrderedCollection withAll: #(3 2 1)).
	self assert: ordered first equals: 3.
	self should: [array sort: [:a :b | a zork]] raise: MessageNotUnderstood.
	self assert: array equals: {3. 1. 2}
%
method: CollectionTest
testSortedCollectionTakesNewFirstElements
	| sorted |
	sorted := SortedCollection sortBlock: [:a :b | a >= b].
	sorted add: 1; add: 3; add: 2; addAll: #(5 4).
	self assert: sorted asArray equals: #(5 4 3 2 1)
%
method: CollectionTest
testConstantsStayAsTheyAre
	self should: [#(1 2) add: 3] raise: ImproperOperation.
	self should: ['abc' add: $d] raise: ImproperOperation.
	self should: [#(2 1) sort] raise: ImproperOperation.
	self assert: ('abc' copy add: $d; yourself) equals: 'abcd'.
	self assert: (#(1 2) copy add: 3; yourself) equals: #(1 2 3)
%
method: CollectionTest
testEndOfStreamIsToldToThoseWhoAsk
	| stream |
	stream := ReadStream on: #().
	self assert: [stream next] value equals: nil.
	self assert: ([stream next. 7] on: Error do: [:ex | ex return: 8]) equals: 7.
	self assert: ([stream next. 7] on: EndOfStream do: [:ex | ex return: 8]) equals: 8
%
method: CollectionTest
testCapacities
	self should: [OrderedCollection new: -1] raise: OutOfRange.
	self should: [Set new: -1] raise: OutOfRange.
	self should: [Dictionary new: 'x'] raise: ArgumentTypeError.
	self assert: (OrderedCollection new: 0) isEmpty
%
method: CollectionTest
testJoining
	self assert: (', ' join: #('a' 'b')) equals: 'a, b'.
	self assert: (#('a' 'b') joinUsing: ', ') equals: 'a, b'.
	self assert: (String new writeStream nextPutAll: 'x'; contents) equals: 'x'
%
method: CollectionTest
testNeighbours
	self assert: (#(1 2 3) after: 2) equals: 3.
	self assert: (#(1 2 3) before: 2) equals: 1.
	self assert: ('abc' after: $a) equals: $b.
	self should: [#(1 2 3) after: 3] raise: OffsetError.
	self should: [#(1 2 3) before: 1] raise: OffsetError.
	self should: [#(1 2 3) after: 4] raise: LookupError.
	self assert: #(1 2) rehash equals: #(1 2)
%
method: CollectionTest
testAddingManyInPlaces
	| collection |
	collection := OrderedCollection withAll: #(1 4).
	collection addAll: #(2 3) after: 1.
	self assert: collection asArray equals: #(1 2 3 4).
	collection addAll: #(8 9) before: 1.
	collection addAll: #(5) afterIndex: 6.
	collection addAll: #(0) beforeIndex: 3.
	self assert: collection asArray equals: #(8 9 0 1 2 3 4 5).
	self should: [collection addAll: #(1) after: 77] raise: LookupError.
	self should: [collection addAll: #(1) afterIndex: 99] raise: OffsetError.
	self should: [collection addAll: #(1) afterIndex: nil] raise: ArgumentTypeError
%
method: CollectionTest
testSearchingOn
	self assert: ('banana' indexOf: $a startingAt: 3 ifAbsent: [0]) equals: 4.
	self assert: ('banana' indexOf: $b startingAt: 2 ifAbsent: [#none]) equals: #none
%
