! Bags.

! ===== Class definition for Bag
doit
Collection subclass: 'Bag'
  instVarNames: #( counts)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
Bag comment: 'Objects with duplicates, compared by equality. nil is never an element.'
%

! ===== Class definition for IdentityBag
doit
Bag subclass: 'IdentityBag'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
IdentityBag comment: 'Objects with duplicates, compared by identity.'
%

category: 'Adding'
method: Bag
add: anObject
	^self add: anObject withOccurrences: 1
%
method: Bag
add: anObject withOccurrences: count
	anObject == nil ifTrue: [^nil].
	count > 0 ifTrue: [counts at: anObject put: (counts at: anObject ifAbsent: [0]) + count].
	^anObject
%
category: 'Removing'
method: Bag
remove: anObject ifAbsent: aBlock
	| count |
	count := counts at: anObject ifAbsent: [^aBlock value].
	count = 1
		ifTrue: [counts removeKey: anObject]
		ifFalse: [counts at: anObject put: count - 1].
	^anObject
%
method: Bag
removeAll
	self initializeCounts: counts species new
%
category: 'Accessing'
method: Bag
size
	^counts inject: 0 into: [:sum :count | sum + count]
%
method: Bag
occurrencesOf: anObject
	^counts at: anObject ifAbsent: [0]
%
method: Bag
includes: anObject
	^counts includesKey: anObject
%
method: Bag
sortedCounts
	"Associations from counts to elements, the most frequent first."
	| all |
	all := OrderedCollection new.
	counts keysAndValuesDo: [:element :count | all add: count -> element].
	^all sort: [:a :b | a key >= b key]; yourself
%
method: Bag
asSet
	^Set withAll: counts keys
%
method: Bag
initializeCounts: aDictionary
	counts := aDictionary
%
category: 'Enumerating'
method: Bag
do: aBlock
	counts keysAndValuesDo: [:element :count | count timesRepeat: [aBlock value: element]]
%
category: 'Comparing'
method: Bag
= anObject
	self == anObject ifTrue: [^true].
	self class == anObject class ifFalse: [^false].
	self size = anObject size ifFalse: [^false].
	^self allSatisfy: [:each | (self occurrencesOf: each) = (anObject occurrencesOf: each)]
%
method: Bag
hash
	^self inject: 0 into: [:hash :each | (hash + each hash) bitAnd: 16r3FFFFFFF]
%
category: 'Copying'
method: Bag
postCopy
	counts := counts copy
%
category: 'Instance creation'
classmethod: Bag
new
	^self basicNew initializeCounts: Dictionary new; yourself
%
classmethod: Bag
new: capacity
	^self new
%
category: 'Instance creation'
classmethod: IdentityBag
new
	^self basicNew initializeCounts: IdentityDictionary new; yourself
%
