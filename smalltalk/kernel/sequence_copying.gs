! Copying, replacing and sorting of sequences.

category: 'Copying'
method: SequenceableCollection
, aCollection
	| result size |
	size := self size.
	result := self species new: size + aCollection size.
	result replaceFrom: 1 to: size with: self startingAt: 1.
	aCollection isSequenceable
		ifTrue: [result replaceFrom: size + 1 to: result size with: aCollection startingAt: 1]
		ifFalse: [aCollection do: [:each | result at: (size := size + 1) put: each]].
	^result
%
method: SequenceableCollection
copyFrom: start to: stop
	"The elements from start to stop; none if stop is right below start."
	| result |
	self _validateFrom: start to: stop.
	result := self species new: stop - start + 1.
	result replaceFrom: 1 to: result size with: self startingAt: start.
	^result
%
method: SequenceableCollection
copyFrom: start
	^self copyFrom: start to: self size
%
method: SequenceableCollection
copyUpTo: anObject
	"All in front of the first element equal to anObject."
	| index |
	index := self indexOf: anObject.
	^index = 0 ifTrue: [self copy] ifFalse: [self copyFrom: 1 to: index - 1]
%
method: SequenceableCollection
copyAfter: anObject
	| index |
	index := self indexOf: anObject.
	^index = 0 ifTrue: [self species new: 0] ifFalse: [self copyFrom: index + 1 to: self size]
%
method: SequenceableCollection
copyUpToLast: anObject
	| index |
	index := self lastIndexOf: anObject.
	^index = 0 ifTrue: [self copy] ifFalse: [self copyFrom: 1 to: index - 1]
%
method: SequenceableCollection
copyAfterLast: anObject
	| index |
	index := self lastIndexOf: anObject.
	^index = 0 ifTrue: [self species new: 0] ifFalse: [self copyFrom: index + 1 to: self size]
%
method: SequenceableCollection
copyWith: anObject
	| result |
	result := self species new: self size + 1.
	result replaceFrom: 1 to: self size with: self startingAt: 1.
	result at: result size put: anObject.
	^result
%
method: SequenceableCollection
copyReplaceAll: old with: new
	"Every occurrence of the elements of old, in their order, replaced by those of new."
	| stream start index |
	old isEmpty ifTrue: [^self copy].
	stream := WriteStream on: (self species new: 0).
	start := 1.
	[(index := self indexOfSubCollection: old startingAt: start) > 0] whileTrue: [
		stream nextPutAll: (self copyFrom: start to: index - 1); nextPutAll: new.
		start := index + old size].
	stream nextPutAll: (self copyFrom: start to: self size).
	^stream contents
%
method: SequenceableCollection
copyReplaceFrom: start to: stop with: aCollection
	^(self copyFrom: 1 to: start - 1) , aCollection , (self copyFrom: stop + 1 to: self size)
%
method: SequenceableCollection
copyReplaceFrom: start to: stop withObject: anObject
	| result |
	stop < start ifTrue: [
		^(self copyFrom: 1 to: start - 1) , (self species with: anObject) , (self copyFrom: start to: self size)].
	result := self copyFrom: 1 to: self size.
	start to: stop do: [:index | result at: index put: anObject].
	^result
%
method: SequenceableCollection
copyReplacing: old with: new
	| result |
	result := self copyFrom: 1 to: self size.
	1 to: result size do: [:index | (result at: index) = old ifTrue: [result at: index put: new]].
	^result
%
method: SequenceableCollection
copyReplacing: old withObject: new
	^self copyReplacing: old with: new
%
method: SequenceableCollection
copyWithout: anObject
	^self reject: [:each | each = anObject]
%
method: SequenceableCollection
reversed
	| result size |
	size := self size.
	result := self species new: size.
	1 to: size do: [:index | result at: index put: (self at: size - index + 1)].
	^result
%
method: SequenceableCollection
reverse
	^self reversed
%
method: SequenceableCollection
asArray
	| result |
	result := Array new: self size.
	1 to: self size do: [:index | result at: index put: (self at: index)].
	^result
%
method: SequenceableCollection
readStream
	^ReadStream on: self
%
method: SequenceableCollection
writeStream
	"Writes over me from my start."
	^WriteStream on: self
%
method: SequenceableCollection
joinUsing: aString
	"My elements, which are strings, in one with aString between them."
	^aString asString join: self
%
method: SequenceableCollection
copyWithFirst: anObject
	^(self species with: anObject) , self
%
category: 'Replacing'
method: SequenceableCollection
replaceFrom: start to: stop with: aCollection startingAt: other
	"Put elements of aCollection from index other on into my places from start to stop."
	| offset |
	offset := other - start.
	(self == aCollection and: [other < start])
		ifTrue: [stop to: start by: -1 do: [:index | self at: index put: (aCollection at: index + offset)]]
		ifFalse: [start to: stop do: [:index | self at: index put: (aCollection at: index + offset)]]
%
method: SequenceableCollection
replaceFrom: start to: stop with: aCollection
	aCollection size = (stop - start + 1)
		ifFalse: [^OffsetError new maximum: stop - start + 1 actual: aCollection size; signal].
	self replaceFrom: start to: stop with: aCollection startingAt: 1
%
method: SequenceableCollection
replaceFrom: start to: stop withObject: anObject
	start to: stop do: [:index | self at: index put: anObject]
%
method: SequenceableCollection
replaceAll: old with: new
	1 to: self size do: [:index | (self at: index) = old ifTrue: [self at: index put: new]]
%
category: 'Sorting'
method: SequenceableCollection
sort
	"Sort myself in place, ascending, stable."
	^self sort: nil
%
method: SequenceableCollection
sort: sortBlock
	"sortBlock answers whether its first argument may stand in front of its second; nil: #<=."
	| sorted |
	self size < 2 ifTrue: [^self].
	sorted := MergeSort sort: self asArray by: sortBlock.
	1 to: sorted size do: [:index | self at: index put: (sorted at: index)]
%
method: SequenceableCollection
isSorted
	^self isSortedBy: [:a :b | a <= b]
%
method: SequenceableCollection
isSortedBy: aBlock
	2 to: self size do: [:index | (aBlock value: (self at: index - 1) value: (self at: index)) ifFalse: [^false]].
	^true
%
category: 'Errors'
method: SequenceableCollection
_validateFrom: start to: stop
	(start isInteger and: [stop isInteger])
		ifFalse: [^self _typeError: (start isInteger ifTrue: [stop] ifFalse: [start]) expected: 'an Integer'].
	start < 1 ifTrue: [^OffsetError new maximum: self size actual: start; signal].
	(stop > self size or: [stop < (start - 1)]) ifTrue: [^OffsetError new maximum: self size actual: stop; signal]
%
method: SequenceableCollection
_validateSameSize: aCollection
	self size = aCollection size ifFalse: [
		^ArgumentError signal: 'collections of the same size expected, but they have '
			, self size printString , ' and ' , aCollection size printString , ' elements']
%
