! Arithmetic progressions.

! ===== Class definition for Interval
doit
ArrayedCollection subclass: 'Interval'
  instVarNames: #( from to by)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
Interval comment: 'An arithmetic progression.'
%

category: 'Accessing'
method: Interval
first
	self isEmpty ifTrue: [^self _errorEmpty].
	^from
%
method: Interval
last
	self isEmpty ifTrue: [^self _errorEmpty].
	^from + (self size - 1 * by)
%
method: Interval
increment
	^by
%
method: Interval
begin
	^from
%
method: Interval
end
	^to
%
method: Interval
size
	by > 0
		ifTrue: [^from <= to ifTrue: [to - from // by + 1] ifFalse: [0]].
	^from >= to ifTrue: [from - to // by negated + 1] ifFalse: [0]
%
method: Interval
at: index
	index isInteger ifFalse: [^self _typeError: index expected: 'an Integer'].
	(index between: 1 and: self size) ifFalse: [^OffsetError new maximum: self size actual: index; signal].
	^from + (index - 1 * by)
%
method: Interval
at: index put: anObject
	^self shouldNotImplement: #at:put:
%
method: Interval
setFrom: first to: last by: step
	from := first.
	to := last.
	by := step
%
category: 'Testing'
method: Interval
isInterval
	^true
%
method: Interval
includes: anObject
	anObject isNumber ifFalse: [^false].
	self isEmpty ifTrue: [^false].
	^(anObject between: (from min: self last) and: (from max: self last)) and: [anObject - from \\ by = 0]
%
category: 'Comparing'
method: Interval
= anObject
	"Equal to any Interval of the same numbers."
	self == anObject ifTrue: [^true].
	anObject isInterval ifFalse: [^false].
	self size = anObject size ifFalse: [^false].
	self isEmpty ifTrue: [^true].
	^from = anObject begin and: [self last = anObject last]
%
method: Interval
hash
	^self isEmpty ifTrue: [0] ifFalse: [(from hash bitXor: self last hash) bitXor: self size]
%
category: 'Enumerating'
method: Interval
do: aBlock
	| number |
	1 to: self size do: [:index |
		number := from + (index - 1 * by).
		aBlock value: number]
%
method: Interval
species
	^Array
%
category: 'Copying'
method: Interval
shallowCopy
	^Interval from: from to: to by: by
%
method: Interval
reversed
	self isEmpty ifTrue: [^Interval from: to to: from by: by negated].
	^Interval from: self last to: from by: by negated
%
category: 'Converting'
method: Interval
asInterval
	^self
%
category: 'Instance creation'
classmethod: Interval
from: first to: last
	^self from: first to: last by: 1
%
classmethod: Interval
from: first to: last by: step
	{first. last. step} do: [:each | each isNumber ifFalse: [^self _typeError: each expected: 'a Number']].
	step = 0 ifTrue: [^ArgumentError signal: 'the step of an Interval must not be zero'].
	^self basicNew setFrom: first to: last by: step; yourself
%
classmethod: Interval
new
	^self from: 1 to: 0 by: 1
%
