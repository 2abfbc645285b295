! Growing sequences.

! ===== Class definition for OrderedCollection
doit
SequenceableCollection subclass: 'OrderedCollection'
  instVarNames: #( array first last)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
OrderedCollection comment: 'A sequence that grows at both ends. The elements stand in array from index first to index last.'
%

category: 'Accessing'
method: OrderedCollection
size
	^last - first + 1
%
method: OrderedCollection
at: index
	(index isInteger and: [index >= 1 and: [index <= (last - first + 1)]]) ifFalse: [^self _indexFailed: index].
	^array at: first + index - 1
%
method: OrderedCollection
at: index put: anObject
	(index isInteger and: [index >= 1 and: [index <= (last - first + 1)]]) ifFalse: [
		index = (self size + 1) ifTrue: [^self addLast: anObject].
		^self _indexFailed: index].
	^array at: first + index - 1 put: anObject
%
method: OrderedCollection
first
	last < first ifTrue: [^self _errorEmpty].
	^array at: first
%
method: OrderedCollection
last
	last < first ifTrue: [^self _errorEmpty].
	^array at: last
%
method: OrderedCollection
setArray: anArray size: size
	"Take anArray over; its first size elements are mine."
	array := anArray.
	first := 1.
	last := size
%
method: OrderedCollection
_indexFailed: index
	index isInteger ifFalse: [^self _typeError: index expected: 'an Integer'].
	^OffsetError new maximum: self size actual: index; signal
%
category: 'Enumerating'
method: OrderedCollection
do: aBlock
	"Elements that aBlock adds at the end are enumerated too."
	| index |
	index := first.
	[index <= last] whileTrue: [
		aBlock value: (array at: index).
		index := index + 1]
%
method: OrderedCollection
collect: aBlock
	| result size |
	size := self size.
	result := Array new: size.
	1 to: size do: [:index | result at: index put: (aBlock value: (array at: first + index - 1))].
	^self species basicNew setArray: result size: size; yourself
%
method: OrderedCollection
select: aBlock
	| result |
	result := self species new.
	self do: [:each | (aBlock value: each) ifTrue: [result addLast: each]].
	^result
%
method: OrderedCollection
with: aCollection collect: aBlock
	| result |
	self _validateSameSize: aCollection.
	result := OrderedCollection new: self size.
	1 to: self size do: [:index | result addLast: (aBlock value: (self at: index) value: (aCollection at: index))].
	^result
%
method: OrderedCollection
collectWithIndex: aBlock
	| result |
	result := OrderedCollection new: self size.
	self doWithIndex: [:each :index | result addLast: (aBlock value: each value: index)].
	^result
%
method: OrderedCollection
reversed
	| result |
	result := self species new: self size.
	self reverseDo: [:each | result addLast: each].
	^result
%
category: 'Adding'
method: OrderedCollection
add: anObject
	last = array size ifTrue: [self _makeRoomAtEnd].
	last := last + 1.
	array at: last put: anObject.
	^anObject
%
method: OrderedCollection
addLast: anObject
	^self _addLast: anObject
%
method: OrderedCollection
addFirst: anObject
	^self _addFirst: anObject
%
method: OrderedCollection
_addLast: anObject
	last = array size ifTrue: [self _makeRoomAtEnd].
	last := last + 1.
	array at: last put: anObject.
	^anObject
%
method: OrderedCollection
_addFirst: anObject
	first = 1 ifTrue: [self _makeRoomAtStart].
	first := first - 1.
	array at: first put: anObject.
	^anObject
%
method: OrderedCollection
addAllLast: aCollection
	^self addAll: aCollection
%
method: OrderedCollection
addAllFirst: aCollection
	"So that the first element of aCollection is my first."
	aCollection asArray reverseDo: [:each | self addFirst: each].
	^aCollection
%
method: OrderedCollection
add: anObject beforeIndex: index
	^self insert: anObject at: index
%
method: OrderedCollection
add: anObject afterIndex: index
	^self insert: anObject at: index + 1
%
method: OrderedCollection
insert: anObject at: index
	"anObject becomes the element at index; what is there and behind moves up."
	| size |
	size := self size.
	(index isInteger and: [index between: 1 and: size + 1]) ifFalse: [^self _indexFailed: index].
	index = 1 ifTrue: [^self _addFirst: anObject].
	self _addLast: anObject.
	array replaceFrom: first + index to: last with: array startingAt: first + index - 1.
	array at: first + index - 1 put: anObject.
	^anObject
%
method: OrderedCollection
insertAll: aCollection at: index
	(index isInteger and: [index between: 1 and: self size + 1]) ifFalse: [^self _indexFailed: index].
	aCollection asArray doWithIndex: [:each :offset | self insert: each at: index + offset - 1].
	^aCollection
%
method: OrderedCollection
add: anObject before: oldObject
	^self insert: anObject at: (self indexOf: oldObject ifAbsent: [^self _notFound: oldObject])
%
method: OrderedCollection
add: anObject after: oldObject
	^self insert: anObject at: (self indexOf: oldObject ifAbsent: [^self _notFound: oldObject]) + 1
%
method: OrderedCollection
addAll: aCollection beforeIndex: index
	^self insertAll: aCollection at: index
%
method: OrderedCollection
addAll: aCollection afterIndex: index
	self _validateInteger: index.
	^self insertAll: aCollection at: index + 1
%
method: OrderedCollection
addAll: aCollection before: oldObject
	^self insertAll: aCollection at: (self indexOf: oldObject ifAbsent: [^self _notFound: oldObject])
%
method: OrderedCollection
addAll: aCollection after: oldObject
	^self insertAll: aCollection at: (self indexOf: oldObject ifAbsent: [^self _notFound: oldObject]) + 1
%
category: 'Removing'
method: OrderedCollection
removeFirst
	| object |
	last < first ifTrue: [^self _errorEmpty].
	object := array at: first.
	array at: first put: nil.
	first := first + 1.
	^object
%
method: OrderedCollection
removeLast
	| object |
	last < first ifTrue: [^self _errorEmpty].
	object := array at: last.
	array at: last put: nil.
	last := last - 1.
	^object
%
method: OrderedCollection
removeFirst: count
	count > self size ifTrue: [^OffsetError new maximum: self size actual: count; signal].
	^((1 to: count) collect: [:each | self removeFirst]) asOrderedCollection
%
method: OrderedCollection
removeLast: count
	| result |
	count > self size ifTrue: [^OffsetError new maximum: self size actual: count; signal].
	result := OrderedCollection new.
	count timesRepeat: [result addFirst: self removeLast].
	^result
%
method: OrderedCollection
remove: anObject ifAbsent: aBlock
	| index |
	index := self indexOf: anObject.
	index = 0 ifTrue: [^aBlock value].
	^self removeAtIndex: index
%
method: OrderedCollection
removeIdentical: anObject ifAbsent: aBlock
	| index |
	index := self indexOfIdentical: anObject.
	index = 0 ifTrue: [^aBlock value].
	^self removeAtIndex: index
%
method: OrderedCollection
removeAtIndex: index
	"Answer what was there; what is behind moves down."
	| object place |
	object := self at: index.
	place := first + index - 1.
	array replaceFrom: place to: last - 1 with: array startingAt: place + 1.
	array at: last put: nil.
	last := last - 1.
	^object
%
method: OrderedCollection
removeIndex: index
	^self removeAtIndex: index
%
method: OrderedCollection
deleteObjectAt: index
	^self removeAtIndex: index
%
method: OrderedCollection
removeFrom: start to: stop
	self _validateFrom: start to: stop.
	stop - start + 1 timesRepeat: [self removeAtIndex: start]
%
method: OrderedCollection
removeAll
	self setArray: (Array new: 8) size: 0
%
method: OrderedCollection
removeAllSuchThat: aBlock
	"Answer what was removed, as an Array."
	| removed kept |
	removed := OrderedCollection new.
	kept := Array new: (self size max: 8).
	1 to: self size do: [:index |
		| each |
		each := self at: index.
		(aBlock value: each)
			ifTrue: [removed addLast: each]
			ifFalse: [kept at: index - removed size put: each]].
	self setArray: kept size: self size - removed size.
	^removed asArray
%
category: 'Copying'
method: OrderedCollection
postCopy
	array := array copy
%
method: OrderedCollection
copyFrom: start to: stop
	| result |
	self _validateFrom: start to: stop.
	result := Array new: stop - start + 1.
	result replaceFrom: 1 to: result size with: array startingAt: first + start - 1.
	^self species basicNew setArray: result size: result size; yourself
%
method: OrderedCollection
, aCollection
	| result |
	result := self copy.
	result addAll: aCollection.
	^result
%
method: OrderedCollection
copyWith: anObject
	| result |
	result := self copy.
	result addLast: anObject.
	^result
%
method: OrderedCollection
copyReplaceAll: old with: new
	^(self asArray copyReplaceAll: old asArray with: new asArray) asOrderedCollection
%
method: OrderedCollection
copyReplaceFrom: start to: stop with: aCollection
	^(self asArray copyReplaceFrom: start to: stop with: aCollection asArray) asOrderedCollection
%
method: OrderedCollection
copyReplaceFrom: start to: stop withObject: anObject
	^(self asArray copyReplaceFrom: start to: stop withObject: anObject) asOrderedCollection
%
category: 'Converting'
method: OrderedCollection
asArray
	| result |
	result := Array new: self size.
	result replaceFrom: 1 to: result size with: array startingAt: first.
	^result
%
method: OrderedCollection
asOrderedCollection
	^self copy
%
category: 'Sorting'
method: OrderedCollection
sorted: sortBlock
	^self copy sort: sortBlock
%
method: OrderedCollection
sort: sortBlock
	| size |
	size := self size.
	self setArray: (MergeSort sort: self asArray by: sortBlock) size: size
%
category: 'Private'
method: OrderedCollection
_makeRoomAtEnd
	"Move down if half of the array in front is free, else into one twice as large."
	| size target |
	size := self size.
	target := first > (array size // 2 + 1) ifTrue: [array] ifFalse: [Array new: (size * 2 max: 8)].
	target replaceFrom: 1 to: size with: array startingAt: first.
	target == array ifTrue: [size + 1 to: last do: [:index | array at: index put: nil]].
	array := target.
	first := 1.
	last := size
%
method: OrderedCollection
_makeRoomAtStart
	| size room target |
	size := self size.
	room := size max: 8.
	target := Array new: room + size + room.
	target replaceFrom: room + 1 to: room + size with: array startingAt: first.
	array := target.
	first := room + 1.
	last := room + size
%
category: 'Instance creation'
classmethod: OrderedCollection
new
	^self basicNew setArray: (Array new: 8) size: 0; yourself
%
classmethod: OrderedCollection
new: capacity
	"Empty, with room for capacity elements."
	(capacity isInteger and: [capacity >= 0]) ifFalse: [^self _instantiationFailed: capacity].
	^self basicNew setArray: (Array new: (capacity max: 1)) size: 0; yourself
%
classmethod: OrderedCollection
new: size withAll: anObject
	| result |
	result := self new: size.
	size timesRepeat: [result add: anObject].
	^result
%
classmethod: OrderedCollection
withAll: aCollection
	| result |
	result := self new: aCollection size.
	result addAll: aCollection.
	^result
%
