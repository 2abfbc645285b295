! Collections whose elements have positions.

! ===== Class definition for SequenceableCollection
doit
Collection subclass: 'SequenceableCollection'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
SequenceableCollection comment: 'A collection whose elements are numbered from 1.'
%

category: 'Enumerating'
method: SequenceableCollection
do: aBlock
	1 to: self size do: [:index | aBlock value: (self at: index)]
%
method: SequenceableCollection
doWithIndex: aBlock
	1 to: self size do: [:index | aBlock value: (self at: index) value: index]
%
method: SequenceableCollection
keysAndValuesDo: aBlock
	1 to: self size do: [:index | aBlock value: index value: (self at: index)]
%
method: SequenceableCollection
withIndexDo: aBlock
	self doWithIndex: aBlock
%
method: SequenceableCollection
keysDo: aBlock
	1 to: self size do: [:index | aBlock value: index]
%
method: SequenceableCollection
valuesDo: aBlock
	self do: aBlock
%
method: SequenceableCollection
do: aBlock separatedBy: separatorBlock
	1 to: self size do: [:index |
		index = 1 ifFalse: [separatorBlock value].
		aBlock value: (self at: index)]
%
method: SequenceableCollection
reverseDo: aBlock
	self size to: 1 by: -1 do: [:index | aBlock value: (self at: index)]
%
method: SequenceableCollection
from: start to: stop do: aBlock
	start to: stop do: [:index | aBlock value: (self at: index)]
%
method: SequenceableCollection
from: start to: stop keysAndValuesDo: aBlock
	start to: stop do: [:index | aBlock value: index value: (self at: index)]
%
method: SequenceableCollection
with: aCollection do: aBlock
	self _validateSameSize: aCollection.
	1 to: self size do: [:index | aBlock value: (self at: index) value: (aCollection at: index)]
%
method: SequenceableCollection
with: aCollection collect: aBlock
	| result |
	self _validateSameSize: aCollection.
	result := self species new: self size.
	1 to: self size do: [:index |
		result at: index put: (aBlock value: (self at: index) value: (aCollection at: index))].
	^result
%
method: SequenceableCollection
collectWithIndex: aBlock
	| result |
	result := self species new: self size.
	1 to: self size do: [:index | result at: index put: (aBlock value: (self at: index) value: index)].
	^result
%
method: SequenceableCollection
withIndexCollect: aBlock
	^self collectWithIndex: aBlock
%
method: SequenceableCollection
collect: aBlock
	| result |
	result := self species new: self size.
	1 to: self size do: [:index | result at: index put: (aBlock value: (self at: index))].
	^result
%
method: SequenceableCollection
select: aBlock
	| stream |
	stream := WriteStream on: (self species new: 0).
	self do: [:each | (aBlock value: each) ifTrue: [stream nextPut: each]].
	^stream contents
%
method: SequenceableCollection
pairsDo: aBlock
	"Evaluate aBlock with my elements two by two."
	1 to: self size // 2 do: [:index | aBlock value: (self at: 2 * index - 1) value: (self at: 2 * index)]
%
method: SequenceableCollection
overlappingPairsDo: aBlock
	"Evaluate aBlock with each element and its successor."
	1 to: self size - 1 do: [:index | aBlock value: (self at: index) value: (self at: index + 1)]
%
method: SequenceableCollection
findFirst: aBlock
	"The index of the first element that satisfies aBlock; 0 if none does."
	1 to: self size do: [:index | (aBlock value: (self at: index)) ifTrue: [^index]].
	^0
%
method: SequenceableCollection
findLast: aBlock
	self size to: 1 by: -1 do: [:index | (aBlock value: (self at: index)) ifTrue: [^index]].
	^0
%
category: 'Accessing'
method: SequenceableCollection
first
	^self at: 1
%
method: SequenceableCollection
second
	^self at: 2
%
method: SequenceableCollection
third
	^self at: 3
%
method: SequenceableCollection
last
	self isEmpty ifTrue: [^self _errorEmpty].
	^self at: self size
%
method: SequenceableCollection
first: count
	^self copyFrom: 1 to: count
%
method: SequenceableCollection
last: count
	^self copyFrom: self size - count + 1 to: self size
%
method: SequenceableCollection
allButFirst
	^self copyFrom: 2 to: self size
%
method: SequenceableCollection
allButLast
	^self copyFrom: 1 to: self size - 1
%
method: SequenceableCollection
allButFirst: count
	^self copyFrom: count + 1 to: self size
%
method: SequenceableCollection
allButLast: count
	^self copyFrom: 1 to: self size - count
%
method: SequenceableCollection
anyOne
	^self first
%
method: SequenceableCollection
at: index ifAbsent: aBlock
	^((index isInteger and: [index between: 1 and: self size])) ifTrue: [self at: index] ifFalse: [aBlock value]
%
method: SequenceableCollection
at: index otherwise: anObject
	^(index isInteger and: [index between: 1 and: self size]) ifTrue: [self at: index] ifFalse: [anObject]
%
method: SequenceableCollection
at: index ifPresent: aBlock
	^(index isInteger and: [index between: 1 and: self size]) ifTrue: [aBlock cull: (self at: index)] ifFalse: [nil]
%
method: SequenceableCollection
atAll: indices
	"The elements at these indices, in their order."
	| stream |
	stream := WriteStream on: (self species new: 0).
	indices do: [:index | stream nextPut: (self at: index)].
	^stream contents
%
method: SequenceableCollection
atAll: indices put: anObject
	indices do: [:index | self at: index put: anObject].
	^anObject
%
method: SequenceableCollection
atAllPut: anObject
	1 to: self size do: [:index | self at: index put: anObject].
	^anObject
%
method: SequenceableCollection
keys
	^1 to: self size
%
method: SequenceableCollection
swap: first with: second
	| element |
	element := self at: first.
	self at: first put: (self at: second).
	self at: second put: element
%
category: 'Searching'
method: SequenceableCollection
includes: anObject
	1 to: self size do: [:index | (self at: index) = anObject ifTrue: [^true]].
	^false
%
method: SequenceableCollection
indexOf: anObject
	"The index of the first element equal to anObject; 0 if there is none."
	1 to: self size do: [:index | (self at: index) = anObject ifTrue: [^index]].
	^0
%
method: SequenceableCollection
after: anObject
	"The element behind the first one that equals anObject."
	^self at: (self indexOf: anObject ifAbsent: [^self _notFound: anObject]) + 1
%
method: SequenceableCollection
before: anObject
	"The element in front of the first one that equals anObject."
	^self at: (self indexOf: anObject ifAbsent: [^self _notFound: anObject]) - 1
%
method: SequenceableCollection
indexOf: anObject ifAbsent: aBlock
	| index |
	index := self indexOf: anObject.
	^index = 0 ifTrue: [aBlock value] ifFalse: [index]
%
method: SequenceableCollection
indexOf: anObject startingAt: start
	start to: self size do: [:index | (self at: index) = anObject ifTrue: [^index]].
	^0
%
method: SequenceableCollection
indexOf: anObject startingAt: start ifAbsent: aBlock
	| index |
	index := self indexOf: anObject startingAt: start.
	^index = 0 ifTrue: [aBlock value] ifFalse: [index]
%
method: SequenceableCollection
indexOfIdentical: anObject
	1 to: self size do: [:index | (self at: index) == anObject ifTrue: [^index]].
	^0
%
method: SequenceableCollection
identityIndexOf: anObject
	^self indexOfIdentical: anObject
%
method: SequenceableCollection
lastIndexOf: anObject
	self size to: 1 by: -1 do: [:index | (self at: index) = anObject ifTrue: [^index]].
	^0
%
method: SequenceableCollection
indexOfSubCollection: aCollection
	^self indexOfSubCollection: aCollection startingAt: 1
%
method: SequenceableCollection
indexOfSubCollection: aCollection startingAt: start
	"The index at which aCollection begins within me, at or behind start; 0 if it does not occur."
	| size |
	size := aCollection size.
	size = 0 ifTrue: [^0].
	start to: self size - size + 1 do: [:index | (self _matches: aCollection at: index) ifTrue: [^index]].
	^0
%
method: SequenceableCollection
indexOfSubCollection: aCollection startingAt: start ifAbsent: aBlock
	| index |
	index := self indexOfSubCollection: aCollection startingAt: start.
	^index = 0 ifTrue: [aBlock value] ifFalse: [index]
%
method: SequenceableCollection
beginsWith: aCollection
	^self size >= aCollection size and: [self _matches: aCollection at: 1]
%
method: SequenceableCollection
endsWith: aCollection
	^self size >= aCollection size and: [self _matches: aCollection at: self size - aCollection size + 1]
%
method: SequenceableCollection
startsWith: aCollection
	^self beginsWith: aCollection
%
method: SequenceableCollection
_matches: aCollection at: start
	1 to: aCollection size do: [:offset |
		(self at: start + offset - 1) = (aCollection at: offset) ifFalse: [^false]].
	^true
%
category: 'Comparing'
method: SequenceableCollection
= anObject
	"Whether anObject is of my kind and has equal elements in the same order."
	self == anObject ifTrue: [^true].
	self class == anObject class ifFalse: [^false].
	self size = anObject size ifFalse: [^false].
	1 to: self size do: [:index | (self at: index) = (anObject at: index) ifFalse: [^false]].
	^true
%
method: SequenceableCollection
hash
	| hash size |
	size := self size.
	hash := size + 17.
	1 to: (size min: 16) do: [:index | hash := (hash * 31 + (self at: index) hash) bitAnd: 16r3FFFFFFF].
	^hash
%
method: SequenceableCollection
hasEqualElements: aCollection
	(aCollection isSequenceable and: [self size = aCollection size]) ifFalse: [^false].
	1 to: self size do: [:index | (self at: index) = (aCollection at: index) ifFalse: [^false]].
	^true
%
method: SequenceableCollection
isSequenceable
	^true
%
