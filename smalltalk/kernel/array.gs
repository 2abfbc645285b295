! Sequences of fixed size.

! ===== Class definition for ArrayedCollection
doit
SequenceableCollection subclass: 'ArrayedCollection'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
ArrayedCollection comment: 'A sequenceable collection whose size is fixed when it is made.'
%

category: 'Accessing'
method: ArrayedCollection
size
	<primitive: #basicSize>
	^0
%
category: 'Converting'
method: ArrayedCollection
sorted: aBlock
	^(self copyFrom: 1 to: self size) sort: aBlock
%
category: 'Instance creation'
classmethod: ArrayedCollection
new
	^self new: 0
%
classmethod: ArrayedCollection
with: first
	| result |
	result := self new: 1.
	result at: 1 put: first.
	^result
%
classmethod: ArrayedCollection
with: first with: second
	| result |
	result := self new: 2.
	result at: 1 put: first; at: 2 put: second.
	^result
%
classmethod: ArrayedCollection
with: first with: second with: third
	| result |
	result := self new: 3.
	result at: 1 put: first; at: 2 put: second; at: 3 put: third.
	^result
%
classmethod: ArrayedCollection
with: first with: second with: third with: fourth
	| result |
	result := self new: 4.
	result at: 1 put: first; at: 2 put: second; at: 3 put: third; at: 4 put: fourth.
	^result
%
classmethod: ArrayedCollection
withAll: aCollection
	| result index |
	result := self new: aCollection size.
	aCollection isSequenceable ifTrue: [
		result replaceFrom: 1 to: result size with: aCollection startingAt: 1.
		^result].
	index := 0.
	aCollection do: [:each | result at: (index := index + 1) put: each].
	^result
%
classmethod: ArrayedCollection
new: size withAll: anObject
	| result |
	result := self new: size.
	1 to: size do: [:index | result at: index put: anObject].
	^result
%
classmethod: ArrayedCollection
new: size streamContents: aBlock
	^self streamContents: aBlock
%
classmethod: ArrayedCollection
streamContents: aBlock
	"What aBlock writes on the stream that it is given."
	| stream |
	stream := WriteStream on: (self new: 16).
	aBlock value: stream.
	^stream contents
%
! ===== Class definition for Array
doit
ArrayedCollection indexableSubclass: 'Array'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
Array comment: 'A fixed number of objects in a row.'
%

category: 'Testing'
method: Array
isArray
	^true
%
category: 'Enumerating'
method: Array
do: aBlock
	1 to: self size do: [:index | aBlock value: (self at: index)]
%
category: 'Converting'
method: Array
asArray
	^self class == Array ifTrue: [self] ifFalse: [super asArray]
%
category: 'Copying'
method: Array
copyFrom: start to: stop
	| result |
	self _validateFrom: start to: stop.
	result := self species new: stop - start + 1.
	result replaceFrom: 1 to: stop - start + 1 with: self startingAt: start.
	^result
%
category: 'Replacing'
method: Array
replaceFrom: start to: stop with: aCollection startingAt: other
	<primitive: #replaceFrom:to:with:startingAt:>
	^super replaceFrom: start to: stop with: aCollection startingAt: other
%
category: 'Adding'
method: Array
add: anObject
	"An Array cannot grow: the answer is the object, appended by becoming a longer Array."
	self isImmutable ifTrue: [^self _isConstant].
	self become: (self copyWith: anObject).
	^anObject
%
