! Sets, bags and dictionaries. All keep a table with open addressing and linear probing: the search for a key begins at its hash modulo the capacity, a power of two, and ends at a free place. A table is never more than three quarters full.

! ===== Class definition for HashedCollection
doit
Collection subclass: 'HashedCollection'
  instVarNames: #( tally table)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
HashedCollection comment: 'A collection that finds its elements by hash. tally counts them; a free place in table holds nil.'
%

category: 'Accessing'
method: HashedCollection
size
	^tally
%
method: HashedCollection
capacity
	^table size
%
category: 'Enumerating'
method: HashedCollection
do: aBlock
	| array |
	array := table.
	1 to: array size do: [:index |
		| each |
		(each := array at: index) == nil ifFalse: [aBlock value: each]]
%
category: 'Copying'
method: HashedCollection
postCopy
	table := table copy
%
category: 'Removing'
method: HashedCollection
removeAll
	self initializeTable: 8
%
category: 'Private'
method: HashedCollection
initializeTable: capacity
	tally := 0.
	table := Array new: capacity
%
method: HashedCollection
_hashOfSlot: slot
	"The hash that decides on the place of what stands in the table."
	^slot hash
%
method: HashedCollection
_startOf: hash
	^(hash bitAnd: table size - 1) + 1
%
method: HashedCollection
_put: slot at: index
	"Fill a free place, and grow if the table is three quarters full."
	table at: index put: slot.
	tally := tally + 1.
	tally * 4 > (table size * 3) ifTrue: [self _grow]
%
method: HashedCollection
_grow
	| old |
	old := table.
	table := Array new: old size * 2.
	1 to: old size do: [:index |
		| slot |
		(slot := old at: index) == nil ifFalse: [self _reinsert: slot]]
%
method: HashedCollection
_reinsert: slot
	"Put slot in, which is known not to be there."
	| index size |
	size := table size.
	index := self _startOf: (self _hashOfSlot: slot).
	[(table at: index) == nil] whileFalse: [index := index = size ifTrue: [1] ifFalse: [index + 1]].
	table at: index put: slot
%
method: HashedCollection
_clear: index
	"Free a place, and put what follows it up to the next free place where searches will find it."
	| place size slot |
	size := table size.
	table at: index put: nil.
	tally := tally - 1.
	place := index.
	[place := place = size ifTrue: [1] ifFalse: [place + 1].
	(slot := table at: place) == nil] whileFalse: [
		table at: place put: nil.
		self _reinsert: slot]
%
method: HashedCollection
rehash
	"Place everything anew: needed when hashes of elements have changed."
	| old |
	old := table.
	table := Array new: old size.
	1 to: old size do: [:index |
		| slot |
		(slot := old at: index) == nil ifFalse: [self _reinsert: slot]]
%
category: 'Instance creation'
classmethod: HashedCollection
new
	^self basicNew initializeTable: 8; yourself
%
classmethod: HashedCollection
new: capacity
	"Empty, with room for capacity elements."
	| size |
	(capacity isInteger and: [capacity >= 0]) ifFalse: [^self _instantiationFailed: capacity].
	size := 8.
	[size * 3 < (capacity * 4)] whileTrue: [size := size * 2].
	^self basicNew initializeTable: size; yourself
%
classmethod: HashedCollection
withAll: aCollection
	| result |
	result := self new: aCollection size.
	result addAll: aCollection.
	^result
%
