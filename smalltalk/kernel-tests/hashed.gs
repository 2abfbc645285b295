! Sets, bags and dictionaries, their whole protocol.

! ===== Class definition for HashedProtocolTest
doit
GsTestCase subclass: 'HashedProtocolTest'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: UserGlobals
  options: #()
%
doit
HashedProtocolTest comment: 'What sets, bags and dictionaries understand beyond what all collections do.'
%

category: 'Tests'
method: HashedProtocolTest
testSetArithmetic
	| set |
	set := Set withAll: #(1 2 3).
	self assert: set + #(4) equals: (Set withAll: #(1 2 3 4)).
	self assert: set - #(1 9) equals: (Set withAll: #(2 3)).
	self assert: set * #(1 9) equals: (Set with: 1).
	self assert: set hash equals: (Set withAll: #(3 2 1)) hash.
	self assert: (set like: 2) equals: 2.
	self assert: (set like: 9) equals: nil.
	self assert: (set occurrencesOf: 2) equals: 1.
	self assert: (set occurrencesOf: 9) equals: 0.
	self assert: set capacity >= 3.
	self assert: (IdentitySet with: #a) asArray equals: #(a).
	self assert: ((IdentitySet with: #a) includesIdentical: #a)
%
method: HashedProtocolTest
testChangedHashes
	| key set |
	key := OrderedCollection with: 1.
	set := Set with: key.
	key add: 2.
	set rehash.
	self assert: (set includes: key)
%
method: HashedProtocolTest
testCopiesAreIndependent
	| set copy bag dictionary |
	set := Set with: 1.
	copy := set copy.
	copy add: 2.
	self assert: set size equals: 1.
	copy removeAll.
	self assert: copy isEmpty.
	bag := Bag with: 1.
	bag copy add: 2.
	self assert: bag size equals: 1.
	dictionary := Dictionary new at: 1 put: 2; yourself.
	dictionary copy at: 1 put: 3.
	self assert: (dictionary at: 1) equals: 2
%
method: HashedProtocolTest
testBags
	| bag |
	bag := (Bag new: 3) add: #a; add: #b; add: #a; yourself.
	self assert: (bag includes: #a).
	self deny: (bag includes: #c).
	self assert: bag sortedCounts first equals: 2 -> #a.
	self assert: bag hash equals: (Bag withAll: #(a a b)) hash.
	self assert: (IdentityBag new add: 'a'; add: 'a' copy; yourself) size equals: 2.
	self assert: ((IdentityBag new add: 'a'; yourself) occurrencesOf: 'a' copy) equals: 0.
	bag removeAll.
	self assert: bag isEmpty
%
method: HashedProtocolTest
testDictionariesFromOthers
	| dictionary |
	dictionary := Dictionary newFromPairs: #(a 1 b 2).
	self assert: dictionary equals: (Dictionary newFrom: {#a -> 1. #b -> 2}).
	self assert: dictionary equals: (Dictionary withAll: dictionary).
	self assert: dictionary hash equals: dictionary copy hash.
	self assert: dictionary asDictionary == dictionary.
	self assert: dictionary asArray asSet equals: (Set with: 1 with: 2)
%
method: HashedProtocolTest
testDictionaryAccess
	| dictionary |
	dictionary := Dictionary newFromPairs: #(a 1 b 2).
	self assert: (dictionary at: #a ifPresent: [:each | each + 1]) equals: 2.
	self assert: (dictionary at: #c ifPresent: [:each | each + 1]) equals: nil.
	self assert: (dictionary at: #a ifPresent: [:each | each + 1] ifAbsent: [0]) equals: 2.
	self assert: (dictionary at: #c ifPresent: [:each | each + 1] ifAbsent: [0]) equals: 0.
	self assert: (dictionary at: #a ifPresent: [:each | each + 1] ifAbsentPut: [0]) equals: 2.
	self assert: (dictionary at: #c ifPresent: [:each | each + 1] ifAbsentPut: [3]) equals: 3.
	self assert: (dictionary at: #c) equals: 3.
	self assert: (#(1 2 3) includes: dictionary anyOne).
	self assert: dictionary associations size equals: 3.
	self assert: (dictionary add: #d -> 4) equals: #d -> 4.
	self assert: (dictionary addAll: {#e -> 5}) equals: {#e -> 5}.
	self assert: (dictionary includesAssociation: #e -> 5).
	self deny: (dictionary includesAssociation: #e -> 6).
	self assert: dictionary size equals: 5
%
method: HashedProtocolTest
testDictionaryRemoval
	| dictionary |
	dictionary := Dictionary newFromPairs: #(a 1 b 2 c 3 d 4 e 5).
	self assert: (dictionary removeKey: #z otherwise: 0) equals: 0.
	self assert: (dictionary removeKey: #a otherwise: 0) equals: 1.
	dictionary removeAllKeys: #(b).
	self should: [dictionary removeAllKeys: #(b)] raise: LookupError.
	dictionary removeAllKeys: #(b c) ifAbsent: [nil].
	dictionary removeAssociation: #d -> 4.
	self assert: dictionary keys asArray equals: #(e).
	dictionary keysAndValuesRemove: [:key :value | value = 5].
	self assert: dictionary isEmpty.
	self should: [dictionary anyOne] raise: OffsetError.
	self should: [dictionary remove: 3 ifAbsent: [nil]] raise: ImproperOperation
%
method: HashedProtocolTest
testDictionaryEnumeration
	| dictionary log |
	dictionary := Dictionary newFromPairs: #(b 2 a 1).
	log := OrderedCollection new.
	dictionary keysSortedDo: [:each | log add: each].
	dictionary keysDo: [:each | log add: each size].
	dictionary valuesDo: [:each | log add: 0].
	self assert: log asArray equals: #(a b 1 1 0 0).
	self assert: (dictionary collectValues: [:each | each * 10]) asSet equals: (Set with: 10 with: 20).
	self assert: (dictionary reject: [:each | each = 1]) equals: (Dictionary newFromPairs: #(b 2)).
	self assert: (dictionary associationsSelect: [:each | each key = #a]) equals: (Dictionary newFromPairs: #(a 1)).
	self assert: (dictionary keysSelect: [:each | each = #a]) asArray equals: #(a)
%
method: HashedProtocolTest
testSymbolDictionaries
	| dictionary |
	dictionary := SymbolDictionary new.
	dictionary at: #a put: 1.
	self assert: dictionary printString equals: 'aSymbolDictionary( #''a''->1)'.
	dictionary name: #Own.
	self assert: dictionary printString equals: 'aSymbolDictionary( name: #''Own'')'.
	self assert: (dictionary at: 'a') equals: 1
%
method: HashedProtocolTest
testAssociations
	| association |
	association := Association newWithKey: 1 value: 2.
	self assert: association equals: 1 -> 2.
	self deny: association equals: 1 -> 3.
	self assert: association hash equals: (1 -> 3) hash.
	self assert: association < (2 -> 0).
	self assert: ('a' -> 'b') printString equals: '''a''->''b'''.
	self assert: ('a' -> 'b') displayString equals: 'a->b'.
	association key: 7.
	self assert: association key equals: 7
%
