! Sequences that stay sorted.

! ===== Class definition for SortedCollection
doit
OrderedCollection subclass: 'SortedCollection'
  instVarNames: #( sortBlock)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
SortedCollection comment: 'A sequence that keeps itself sorted. Equal elements stand in the order in which they came.'
%

category: 'Accessing'
method: SortedCollection
sortBlock
	^sortBlock
%
method: SortedCollection
sortBlock: aBlock
	sortBlock := aBlock.
	self size > 1 ifTrue: [self setArray: (MergeSort sort: self asArray by: aBlock) size: self size]
%
method: SortedCollection
at: index put: anObject
	^self shouldNotImplement: #at:put:
%
category: 'Adding'
method: SortedCollection
add: anObject
	| place |
	place := self _placeFor: anObject.
	place > self size
		ifTrue: [super addLast: anObject]
		ifFalse: [super insert: anObject at: place].
	^anObject
%
method: SortedCollection
addAll: aCollection
	"Many at once: sort anew rather than insert one by one."
	| elements all |
	elements := aCollection asArray.
	elements size < 8 ifTrue: [elements do: [:each | self add: each]. ^aCollection].
	all := self asArray , elements.
	self setArray: (MergeSort sort: all by: sortBlock) size: all size.
	^aCollection
%
method: SortedCollection
addFirst: anObject
	^self shouldNotImplement: #addFirst:
%
method: SortedCollection
addLast: anObject
	^self shouldNotImplement: #addLast:
%
method: SortedCollection
addAllFirst: aCollection
	^self shouldNotImplement: #addAllFirst:
%
method: SortedCollection
insert: anObject at: index
	^self shouldNotImplement: #insert:at:
%
method: SortedCollection
_placeFor: anObject
	"The index behind the last element that may stand in front of anObject, by halving."
	| low high middle |
	low := 1.
	high := self size.
	[low <= high] whileTrue: [
		middle := low + high // 2.
		(self _may: (self at: middle) precede: anObject)
			ifTrue: [low := middle + 1]
			ifFalse: [high := middle - 1]].
	^low
%
method: SortedCollection
_may: anObject precede: another
	^sortBlock == nil ifTrue: [anObject <= another] ifFalse: [sortBlock value: anObject value: another]
%
category: 'Enumerating'
method: SortedCollection
collect: aBlock
	^self asOrderedCollection collect: aBlock
%
method: SortedCollection
species
	^SortedCollection
%
method: SortedCollection
select: aBlock
	| result |
	result := self copyEmpty.
	result setArray: (self asArray select: aBlock).
	^result
%
method: SortedCollection
copyEmpty
	^SortedCollection sortBlock: sortBlock
%
method: SortedCollection
copyFrom: start to: stop
	| result |
	result := self copyEmpty.
	result setArray: (self asArray copyFrom: start to: stop).
	^result
%
method: SortedCollection
reversed
	^self asArray reversed asOrderedCollection
%
method: SortedCollection
setArray: anArray
	self setArray: (anArray isEmpty ifTrue: [Array new: 8] ifFalse: [anArray]) size: anArray size
%
method: SortedCollection
sort: aBlock
	self sortBlock: aBlock
%
category: 'Searching'
method: SortedCollection
indexOf: anObject
	1 to: self size do: [:index | (self at: index) = anObject ifTrue: [^index]].
	^0
%
method: SortedCollection
median
	^self at: self size + 1 // 2
%
category: 'Copying'
method: SortedCollection
copyWith: anObject
	| result |
	result := self copy.
	result add: anObject.
	^result
%
method: SortedCollection
copyReplaceAll: old with: new
	^(self asArray copyReplaceAll: old asArray with: new asArray) asSortedCollection: sortBlock
%
method: SortedCollection
asOrderedCollection
	^OrderedCollection withAll: self asArray
%
category: 'Instance creation'
classmethod: SortedCollection
sortBlock: aBlock
	"aBlock answers whether its first argument may stand in front of its second; nil: #<=."
	^self new sortBlock: aBlock; yourself
%
classmethod: SortedCollection
sortBlock: aBlock fromSortResult: anArray
	^self withAll: anArray sortBlock: aBlock
%
classmethod: SortedCollection
withAll: aCollection sortBlock: aBlock
	^(self sortBlock: aBlock) addAll: aCollection; yourself
%
