! Sets.

! ===== Class definition for Set
doit
HashedCollection subclass: 'Set'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
Set comment: 'Objects without duplicates, compared by equality. nil is never an element.'
%

! ===== Class definition for IdentitySet
doit
Set subclass: 'IdentitySet'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
IdentitySet comment: 'Objects without duplicates, compared by identity.'
%

! ===== Class definition for SymbolSet
doit
IdentitySet subclass: 'SymbolSet'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
SymbolSet comment: 'A set of symbols.'
%

category: 'Adding'
method: Set
add: anObject
	"nil is ignored."
	| index |
	anObject == nil ifTrue: [^nil].
	index := self _find: anObject.
	(table at: index) == nil ifTrue: [self _put: anObject at: index].
	^anObject
%
category: 'Removing'
method: Set
remove: anObject ifAbsent: aBlock
	| index found |
	anObject == nil ifTrue: [^aBlock value].
	index := self _find: anObject.
	(found := table at: index) == nil ifTrue: [^aBlock value].
	self _clear: index.
	^found
%
category: 'Searching'
method: Set
includes: anObject
	^anObject ~~ nil and: [(table at: (self _find: anObject)) ~~ nil]
%
method: Set
like: anObject
	"My element that is equal to anObject; nil if there is none."
	^anObject == nil ifTrue: [nil] ifFalse: [table at: (self _find: anObject)]
%
method: Set
occurrencesOf: anObject
	^(self includes: anObject) ifTrue: [1] ifFalse: [0]
%
method: Set
_find: anObject
	"The place of the element equal to anObject, or else the free one where it belongs."
	| index size slot |
	size := table size.
	index := (anObject hash bitAnd: size - 1) + 1.
	[(slot := table at: index) == nil or: [slot = anObject]] whileFalse: [
		index := index = size ifTrue: [1] ifFalse: [index + 1]].
	^index
%
category: 'Enumerating'
method: Set
collect: aBlock
	"As a Set: equal results fall together."
	| result |
	result := Set new.
	self do: [:each | result add: (aBlock value: each)].
	^result
%
category: 'Comparing'
method: Set
= anObject
	self == anObject ifTrue: [^true].
	self class == anObject class ifFalse: [^false].
	tally = anObject size ifFalse: [^false].
	^self allSatisfy: [:each | anObject includes: each]
%
method: Set
hash
	^self inject: tally into: [:hash :each | hash bitXor: each hash]
%
category: 'Set arithmetic'
method: Set
+ aCollection
	^self copy addAll: aCollection; yourself
%
method: Set
- aCollection
	| result |
	result := self copy.
	aCollection do: [:each | result remove: each ifAbsent: [nil]].
	^result
%
method: Set
* aCollection
	^self select: [:each | aCollection includes: each]
%
category: 'Searching'
method: IdentitySet
_find: anObject
	| index size slot |
	size := table size.
	index := (anObject identityHash bitAnd: size - 1) + 1.
	[(slot := table at: index) == nil or: [slot == anObject]] whileFalse: [
		index := index = size ifTrue: [1] ifFalse: [index + 1]].
	^index
%
method: IdentitySet
_hashOfSlot: slot
	^slot identityHash
%
method: IdentitySet
includesIdentical: anObject
	^self includes: anObject
%
