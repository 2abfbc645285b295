! Dictionaries. Their tables hold associations.

! ===== Class definition for Dictionary
doit
HashedCollection subclass: 'Dictionary'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
Dictionary comment: 'Values under keys that are compared by equality.'
%

! ===== Class definition for IdentityDictionary
doit
Dictionary subclass: 'IdentityDictionary'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
IdentityDictionary comment: 'Values under keys that are compared by identity.'
%

! ===== Class definition for SymbolDictionary
doit
IdentityDictionary subclass: 'SymbolDictionary'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
SymbolDictionary comment: 'Values under symbols. Its associations are the variables that compiled code refers to.'
%

category: 'Accessing'
method: Dictionary
at: aKey
	| association |
	association := table at: (self _find: aKey).
	^association == nil ifTrue: [self _keyNotFound: aKey] ifFalse: [association value]
%
method: Dictionary
at: aKey put: anObject
	| index association |
	index := self _find: aKey.
	association := table at: index.
	association == nil
		ifTrue: [self _put: (self _associationFor: aKey value: anObject) at: index]
		ifFalse: [association value: anObject].
	^anObject
%
method: Dictionary
at: aKey ifAbsent: aBlock
	| association |
	association := table at: (self _find: aKey).
	^association == nil ifTrue: [aBlock value] ifFalse: [association value]
%
method: Dictionary
at: aKey otherwise: anObject
	| association |
	association := table at: (self _find: aKey).
	^association == nil ifTrue: [anObject] ifFalse: [association value]
%
method: Dictionary
at: aKey ifAbsentPut: aBlock
	| association |
	association := table at: (self _find: aKey).
	^association == nil ifTrue: [self at: aKey put: aBlock value] ifFalse: [association value]
%
method: Dictionary
at: aKey ifPresent: aBlock
	| association |
	association := table at: (self _find: aKey).
	^association == nil ifTrue: [nil] ifFalse: [aBlock cull: association value]
%
method: Dictionary
at: aKey ifPresent: presentBlock ifAbsent: absentBlock
	| association |
	association := table at: (self _find: aKey).
	^association == nil ifTrue: [absentBlock value] ifFalse: [presentBlock cull: association value]
%
method: Dictionary
at: aKey ifPresent: presentBlock ifAbsentPut: absentBlock
	| association |
	association := table at: (self _find: aKey).
	^association == nil
		ifTrue: [self at: aKey put: absentBlock value]
		ifFalse: [presentBlock cull: association value]
%
method: Dictionary
associationAt: aKey
	^self associationAt: aKey ifAbsent: [self _keyNotFound: aKey]
%
method: Dictionary
associationAt: aKey ifAbsent: aBlock
	| association |
	association := table at: (self _find: aKey).
	^association == nil ifTrue: [aBlock value] ifFalse: [association]
%
method: Dictionary
associationAt: aKey otherwise: anObject
	| association |
	association := table at: (self _find: aKey).
	^association == nil ifTrue: [anObject] ifFalse: [association]
%
method: Dictionary
keyAtValue: anObject
	^self keyAtValue: anObject ifAbsent: [nil]
%
method: Dictionary
keyAtValue: anObject ifAbsent: aBlock
	self associationsDo: [:each | each value = anObject ifTrue: [^each key]].
	^aBlock value
%
method: Dictionary
keyAtIdentityValue: anObject ifAbsent: aBlock
	self associationsDo: [:each | each value == anObject ifTrue: [^each key]].
	^aBlock value
%
method: Dictionary
keys
	"A Set of my keys."
	| result |
	result := self _keySetClass new: tally.
	self associationsDo: [:each | result add: each key].
	^result
%
method: Dictionary
values
	"An Array of my values."
	| result index |
	result := Array new: tally.
	index := 0.
	self associationsDo: [:each | result at: (index := index + 1) put: each value].
	^result
%
method: Dictionary
associations
	"An Array of my associations."
	| result index |
	result := Array new: tally.
	index := 0.
	self associationsDo: [:each | result at: (index := index + 1) put: each].
	^result
%
method: Dictionary
anyOne
	self do: [:each | ^each].
	^self _errorEmpty
%
category: 'Adding'
method: Dictionary
add: anAssociation
	self at: anAssociation key put: anAssociation value.
	^anAssociation
%
method: Dictionary
addAssociation: anAssociation
	"Take anAssociation itself in, in place of one with the same key."
	| index |
	index := self _find: anAssociation key.
	(table at: index) == nil
		ifTrue: [self _put: anAssociation at: index]
		ifFalse: [table at: index put: anAssociation].
	^anAssociation
%
method: Dictionary
addAll: aCollection
	"aCollection: a dictionary, or associations."
	aCollection isDictionary
		ifTrue: [aCollection keysAndValuesDo: [:key :value | self at: key put: value]]
		ifFalse: [aCollection do: [:each | self at: each key put: each value]].
	^aCollection
%
category: 'Removing'
method: Dictionary
removeKey: aKey
	^self removeKey: aKey ifAbsent: [self _keyNotFound: aKey]
%
method: Dictionary
removeKey: aKey ifAbsent: aBlock
	"Answer the value that was there."
	| index association |
	index := self _find: aKey.
	association := table at: index.
	association == nil ifTrue: [^aBlock value].
	self _clear: index.
	^association value
%
method: Dictionary
removeKey: aKey otherwise: anObject
	^self removeKey: aKey ifAbsent: [anObject]
%
method: Dictionary
removeAllKeys: aCollection
	aCollection asArray do: [:each | self removeKey: each].
	^aCollection
%
method: Dictionary
removeAllKeys: aCollection ifAbsent: aBlock
	aCollection asArray do: [:each | self removeKey: each ifAbsent: aBlock].
	^aCollection
%
method: Dictionary
keysAndValuesRemove: aBlock
	"Remove what aBlock answers true for."
	self associations do: [:each |
		(aBlock value: each key value: each value) ifTrue: [self removeKey: each key]]
%
method: Dictionary
removeAssociation: anAssociation
	self removeKey: anAssociation key.
	^anAssociation
%
method: Dictionary
remove: anObject ifAbsent: aBlock
	^self shouldNotImplement: #remove:ifAbsent:
%
category: 'Testing'
method: Dictionary
isDictionary
	^true
%
method: Dictionary
includesKey: aKey
	^(table at: (self _find: aKey)) ~~ nil
%
method: Dictionary
includes: anObject
	"Whether anObject is one of my values."
	self associationsDo: [:each | each value = anObject ifTrue: [^true]].
	^false
%
method: Dictionary
includesAssociation: anAssociation
	^(self associationAt: anAssociation key otherwise: nil) = anAssociation
%
category: 'Enumerating'
method: Dictionary
do: aBlock
	"Evaluate aBlock with each value."
	self associationsDo: [:each | aBlock value: each value]
%
method: Dictionary
valuesDo: aBlock
	self do: aBlock
%
method: Dictionary
keysDo: aBlock
	self associationsDo: [:each | aBlock value: each key]
%
method: Dictionary
keysAndValuesDo: aBlock
	self associationsDo: [:each | aBlock value: each key value: each value]
%
method: Dictionary
associationsDo: aBlock
	| array |
	array := table.
	1 to: array size do: [:index |
		| each |
		(each := array at: index) == nil ifFalse: [aBlock value: each]]
%
method: Dictionary
collect: aBlock
	"A dictionary with my keys and what aBlock answers for my values."
	| result |
	result := self species new: tally.
	self keysAndValuesDo: [:key :value | result at: key put: (aBlock value: value)].
	^result
%
method: Dictionary
select: aBlock
	| result |
	result := self species new.
	self keysAndValuesDo: [:key :value | (aBlock value: value) ifTrue: [result at: key put: value]].
	^result
%
method: Dictionary
reject: aBlock
	^self select: [:value | (aBlock value: value) not]
%
method: Dictionary
associationsSelect: aBlock
	| result |
	result := self species new.
	self associationsDo: [:each | (aBlock value: each) ifTrue: [result at: each key put: each value]].
	^result
%
method: Dictionary
keysSelect: aBlock
	| result |
	result := Set new.
	self keysDo: [:key | (aBlock value: key) ifTrue: [result add: key]].
	^result
%
method: Dictionary
collectValues: aBlock
	"An Array of what aBlock answers for my values."
	^self values collect: aBlock
%
method: Dictionary
keysSortedDo: aBlock
	self keys asSortedCollection do: aBlock
%
category: 'Comparing'
method: Dictionary
= anObject
	self == anObject ifTrue: [^true].
	self class == anObject class ifFalse: [^false].
	tally = anObject size ifFalse: [^false].
	self keysAndValuesDo: [:key :value |
		(anObject at: key ifAbsent: [^false]) = value ifFalse: [^false]].
	^true
%
method: Dictionary
hash
	| hash |
	hash := tally.
	self keysDo: [:key | hash := hash bitXor: key hash].
	^hash
%
category: 'Copying'
method: Dictionary
postCopy
	"The copy has associations of its own."
	table := table copy.
	1 to: table size do: [:index |
		| each |
		(each := table at: index) == nil ifFalse: [table at: index put: each copy]]
%
category: 'Converting'
method: Dictionary
asDictionary
	^self
%
method: Dictionary
asArray
	^self values
%
category: 'Printing'
method: Dictionary
_on: aStream printElements: aBlock
	| first |
	aStream nextPutAll: self class articledName.
	(aStream beginPrinting: self) ifFalse: [^self].
	aStream nextPut: $(.
	first := true.
	self keysAndValuesDo: [:key :value |
		first ifTrue: [first := false] ifFalse: [aStream nextPut: $,].
		aStream space.
		aBlock value: key.
		aStream nextPutAll: '->'.
		aBlock value: value].
	first ifTrue: [aStream space].
	aStream nextPut: $).
	aStream endPrinting: self
%
category: 'Private'
method: Dictionary
_hashOfSlot: slot
	^slot key hash
%
method: Dictionary
_keySetClass
	^Set
%
method: Dictionary
_associationFor: aKey value: anObject
	^Association key: aKey value: anObject
%
method: Dictionary
_find: aKey
	"The place of the association with aKey, or else the free one where it belongs."
	| index size slot |
	size := table size.
	index := (aKey hash bitAnd: size - 1) + 1.
	[(slot := table at: index) == nil or: [slot key = aKey]] whileFalse: [
		index := index = size ifTrue: [1] ifFalse: [index + 1]].
	^index
%
method: Dictionary
_keyNotFound: aKey
	^LookupError new object: self key: aKey; signal
%
category: 'Instance creation'
classmethod: Dictionary
withAll: aDictionary
	| result |
	result := self new: aDictionary size.
	result addAll: aDictionary.
	^result
%
classmethod: Dictionary
newFrom: aCollection
	^self withAll: aCollection
%
classmethod: Dictionary
newFromPairs: anArray
	"Keys and values in turn."
	| result |
	result := self new: anArray size // 2.
	anArray pairsDo: [:key :value | result at: key put: value].
	^result
%
