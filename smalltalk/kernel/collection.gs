! What all collections have in common.

! ===== Class definition for Collection
doit
Object subclass: 'Collection'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
Collection comment: 'A group of objects. Subclasses say in #do: how to get at them.'
%

category: 'Enumerating'
method: Collection
do: aBlock
	^self subclassResponsibility: #do:
%
method: Collection
do: aBlock separatedBy: separatorBlock
	| first |
	first := true.
	self do: [:each |
		first ifTrue: [first := false] ifFalse: [separatorBlock value].
		aBlock value: each]
%
method: Collection
do: aBlock without: anObject
	self do: [:each | each = anObject ifFalse: [aBlock value: each]]
%
method: Collection
doWithIndex: aBlock
	"Evaluate aBlock with each element and a running number."
	| index |
	index := 0.
	self do: [:each | index := index + 1. aBlock value: each value: index]
%
method: Collection
collect: aBlock
	| result |
	result := self species new.
	self do: [:each | result add: (aBlock value: each)].
	^result
%
method: Collection
select: aBlock
	| result |
	result := self species new.
	self do: [:each | (aBlock value: each) ifTrue: [result add: each]].
	^result
%
method: Collection
reject: aBlock
	^self select: [:each | (aBlock value: each) not]
%
method: Collection
select: selectBlock thenCollect: collectBlock
	^(self select: selectBlock) collect: collectBlock
%
method: Collection
collect: collectBlock thenSelect: selectBlock
	^(self collect: collectBlock) select: selectBlock
%
method: Collection
select: selectBlock thenDo: doBlock
	self do: [:each | (selectBlock value: each) ifTrue: [doBlock value: each]]
%
method: Collection
collect: collectBlock thenDo: doBlock
	self do: [:each | doBlock value: (collectBlock value: each)]
%
method: Collection
detect: aBlock
	^self detect: aBlock ifNone: [
		LookupError new object: self key: aBlock; signal: 'no element of ' , self class articledName , ' satisfies the block']
%
method: Collection
detect: aBlock ifNone: exceptionBlock
	self do: [:each | (aBlock value: each) ifTrue: [^each]].
	^exceptionBlock value
%
method: Collection
detect: aBlock ifFound: foundBlock
	^self detect: aBlock ifFound: foundBlock ifNone: [nil]
%
method: Collection
detect: aBlock ifFound: foundBlock ifNone: exceptionBlock
	self do: [:each | (aBlock value: each) ifTrue: [^foundBlock cull: each]].
	^exceptionBlock value
%
method: Collection
inject: initial into: aBlock
	| accumulated |
	accumulated := initial.
	self do: [:each | accumulated := aBlock value: accumulated value: each].
	^accumulated
%
method: Collection
anySatisfy: aBlock
	self do: [:each | (aBlock value: each) ifTrue: [^true]].
	^false
%
method: Collection
allSatisfy: aBlock
	self do: [:each | (aBlock value: each) ifFalse: [^false]].
	^true
%
method: Collection
noneSatisfy: aBlock
	self do: [:each | (aBlock value: each) ifTrue: [^false]].
	^true
%
method: Collection
conform: aBlock
	^self allSatisfy: aBlock
%
method: Collection
contains: aBlock
	^self anySatisfy: aBlock
%
method: Collection
count: aBlock
	| count |
	count := 0.
	self do: [:each | (aBlock value: each) ifTrue: [count := count + 1]].
	^count
%
method: Collection
flatCollect: aBlock
	| result |
	result := OrderedCollection new.
	self do: [:each | result addAll: (aBlock value: each)].
	^result
%
method: Collection
groupBy: keyBlock
	"A Dictionary from what keyBlock answers to an OrderedCollection of the elements that it answers it for."
	| groups |
	groups := Dictionary new.
	self do: [:each |
		(groups at: (keyBlock value: each) ifAbsentPut: [OrderedCollection new]) add: each].
	^groups
%
method: Collection
groupedBy: keyBlock
	^self groupBy: keyBlock
%
category: 'Arithmetic'
method: Collection
max
	^self inject: self anyOne into: [:greatest :each | greatest max: each]
%
method: Collection
min
	^self inject: self anyOne into: [:least :each | least min: each]
%
method: Collection
sum
	"0 if I am empty."
	^self inject: 0 into: [:sum :each | sum + each]
%
method: Collection
sum: aBlock
	^self inject: 0 into: [:sum :each | sum + (aBlock value: each)]
%
method: Collection
average
	^self sum / self size
%
method: Collection
detectMax: aBlock
	"The element for which aBlock answers most; nil if I am empty."
	| best bestValue |
	best := nil.
	self do: [:each |
		| value |
		value := aBlock value: each.
		(bestValue == nil or: [value > bestValue]) ifTrue: [best := each. bestValue := value]].
	^best
%
method: Collection
detectMin: aBlock
	| best bestValue |
	best := nil.
	self do: [:each |
		| value |
		value := aBlock value: each.
		(bestValue == nil or: [value < bestValue]) ifTrue: [best := each. bestValue := value]].
	^best
%
method: Collection
maxValue: aBlock
	^(self collect: aBlock) max
%
category: 'Testing'
method: Collection
isCollection
	^true
%
method: Collection
isEmpty
	^self size = 0
%
method: Collection
notEmpty
	^self isEmpty not
%
method: Collection
isEmptyOrNil
	^self isEmpty
%
method: Collection
ifEmpty: aBlock
	^self isEmpty ifTrue: [aBlock cull: self] ifFalse: [self]
%
method: Collection
ifNotEmpty: aBlock
	^self isEmpty ifTrue: [self] ifFalse: [aBlock cull: self]
%
method: Collection
ifEmpty: emptyBlock ifNotEmpty: notEmptyBlock
	^self isEmpty ifTrue: [emptyBlock cull: self] ifFalse: [notEmptyBlock cull: self]
%
method: Collection
ifNotEmpty: notEmptyBlock ifEmpty: emptyBlock
	^self isEmpty ifTrue: [emptyBlock cull: self] ifFalse: [notEmptyBlock cull: self]
%
method: Collection
includes: anObject
	self do: [:each | each = anObject ifTrue: [^true]].
	^false
%
method: Collection
includesIdentical: anObject
	self do: [:each | each == anObject ifTrue: [^true]].
	^false
%
method: Collection
includesValue: anObject
	^self includes: anObject
%
method: Collection
includesAll: aCollection
	^aCollection allSatisfy: [:each | self includes: each]
%
method: Collection
includesAny: aCollection
	^aCollection anySatisfy: [:each | self includes: each]
%
method: Collection
occurrencesOf: anObject
	| count |
	count := 0.
	self do: [:each | each = anObject ifTrue: [count := count + 1]].
	^count
%
method: Collection
size
	| count |
	count := 0.
	self do: [:each | count := count + 1].
	^count
%
method: Collection
anyOne
	self do: [:each | ^each].
	^self _errorEmpty
%
method: Collection
any
	^self anyOne
%
category: 'Adding'
method: Collection
add: anObject
	^self shouldNotImplement: #add:
%
method: Collection
addAll: aCollection
	"Answer aCollection."
	aCollection == self
		ifTrue: [self asArray do: [:each | self add: each]]
		ifFalse: [aCollection do: [:each | self add: each]].
	^aCollection
%
method: Collection
add: anObject withOccurrences: count
	count timesRepeat: [self add: anObject].
	^anObject
%
category: 'Removing'
method: Collection
remove: anObject
	^self remove: anObject ifAbsent: [self _notFound: anObject]
%
method: Collection
remove: anObject ifAbsent: aBlock
	^self shouldNotImplement: #remove:ifAbsent:
%
method: Collection
removeIfPresent: anObject
	^self remove: anObject ifAbsent: [nil]
%
method: Collection
removeAll: aCollection
	"Answer aCollection."
	aCollection asArray do: [:each | self remove: each].
	^aCollection
%
method: Collection
removeAllPresent: aCollection
	aCollection asArray do: [:each | self remove: each ifAbsent: [nil]].
	^aCollection
%
method: Collection
removeAllFoundIn: aCollection
	^self removeAllPresent: aCollection
%
method: Collection
removeAllSuchThat: aBlock
	"Answer what was removed, as an Array."
	| removed |
	removed := self asArray select: aBlock.
	removed do: [:each | self remove: each].
	^removed
%
category: 'Converting'
method: Collection
asArray
	| result index |
	result := Array new: self size.
	index := 0.
	self do: [:each | result at: (index := index + 1) put: each].
	^result
%
method: Collection
asOrderedCollection
	^OrderedCollection withAll: self
%
method: Collection
asBag
	^Bag withAll: self
%
method: Collection
asSet
	^Set withAll: self
%
method: Collection
asIdentitySet
	^IdentitySet withAll: self
%
method: Collection
asIdentityBag
	^IdentityBag withAll: self
%
method: Collection
asByteArray
	^ByteArray withAll: self
%
method: Collection
asSortedCollection
	^SortedCollection withAll: self
%
method: Collection
asSortedCollection: sortBlock
	| result |
	result := SortedCollection sortBlock: sortBlock.
	result addAll: self.
	^result
%
method: Collection
asDictionary
	"A Dictionary of my elements, which are associations."
	| result |
	result := Dictionary new.
	self do: [:each | result at: each key put: each value].
	^result
%
method: Collection
sorted
	^self sorted: nil
%
method: Collection
sorted: aBlock
	"My elements, sorted, in a collection of their own."
	^MergeSort sort: self asArray by: aBlock
%
method: Collection
sortWithBlock: aBlock
	"An Array of my elements, sorted."
	^MergeSort sort: self asArray by: aBlock
%
method: Collection
sortBy: aBlock
	^self sortWithBlock: [:a :b | (aBlock value: a) <= (aBlock value: b)]
%
method: Collection
asString
	^self printString
%
category: 'Updating'
method: Collection
rehash
	"Bring me up to date with hashes that have changed; most kinds of collections know none."
	^self
%
category: 'Copying'
method: Collection
copyWith: anObject
	| result |
	result := self copy.
	result add: anObject.
	^result
%
method: Collection
copyWithout: anObject
	^self reject: [:each | each = anObject]
%
method: Collection
, aCollection
	| result |
	result := self copy.
	result addAll: aCollection.
	^result
%
method: Collection
union: aCollection
	| result |
	result := self asSet.
	result addAll: aCollection.
	^result
%
method: Collection
intersection: aCollection
	| other |
	other := aCollection asSet.
	^self asSet select: [:each | other includes: each]
%
method: Collection
difference: aCollection
	| other |
	other := aCollection asSet.
	^self reject: [:each | other includes: each]
%
category: 'Printing'
method: Collection
printOn: aStream
	"anArray( 1, 2). A collection that is within itself is printed by its class only."
	self _on: aStream printElements: [:each | aStream print: each]
%
method: Collection
displayOn: aStream
	self _on: aStream printElements: [:each | each displayOn: aStream]
%
method: Collection
_on: aStream printElements: aBlock
	aStream nextPutAll: self class articledName.
	(aStream beginPrinting: self) ifFalse: [^self].
	aStream nextPut: $(.
	self do: [:each | aStream space. aBlock value: each] separatedBy: [aStream nextPut: $,].
	self isEmpty ifTrue: [aStream space].
	aStream nextPut: $).
	aStream endPrinting: self
%
category: 'Errors'
method: Collection
_errorEmpty
	^OffsetError new maximum: 0 actual: 1; signal
%
method: Collection
_notFound: anObject
	^LookupError new object: self key: anObject; signal
%
category: 'Instance creation'
classmethod: Collection
with: first
	| result |
	result := self new.
	result add: first.
	^result
%
classmethod: Collection
with: first with: second
	| result |
	result := self new.
	result add: first; add: second.
	^result
%
classmethod: Collection
with: first with: second with: third
	| result |
	result := self new.
	result add: first; add: second; add: third.
	^result
%
classmethod: Collection
with: first with: second with: third with: fourth
	| result |
	result := self new.
	result add: first; add: second; add: third; add: fourth.
	^result
%
classmethod: Collection
with: first with: second with: third with: fourth with: fifth
	^self withAll: {first. second. third. fourth. fifth}
%
classmethod: Collection
with: first with: second with: third with: fourth with: fifth with: sixth
	^self withAll: {first. second. third. fourth. fifth. sixth}
%
classmethod: Collection
withAll: aCollection
	| result |
	result := self new.
	result addAll: aCollection.
	^result
%
