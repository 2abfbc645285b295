! Streams.

! ===== Class definition for Stream
doit
Object subclass: 'Stream'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
Stream comment: 'A source or a sink of objects, one after the other.'
%

category: 'Reading'
method: Stream
next
	^self subclassResponsibility: #next
%
method: Stream
next: count
	"The next count objects, or as many as there are."
	| result |
	result := WriteStream on: (self contentsSpecies new: count).
	count timesRepeat: [self atEnd ifTrue: [^result contents]. result nextPut: self next].
	^result contents
%
method: Stream
atEnd
	^self subclassResponsibility: #atEnd
%
method: Stream
do: aBlock
	[self atEnd] whileFalse: [aBlock value: self next]
%
method: Stream
contentsSpecies
	^Array
%
method: Stream
nextMatchFor: anObject
	^self next = anObject
%
category: 'Writing'
method: Stream
nextPut: anObject
	^self subclassResponsibility: #nextPut:
%
method: Stream
nextPutAll: aCollection
	aCollection do: [:each | self nextPut: each].
	^aCollection
%
method: Stream
next: count put: anObject
	count timesRepeat: [self nextPut: anObject].
	^anObject
%
method: Stream
print: anObject
	"Put the printString of anObject."
	anObject printOn: self
%
method: Stream
display: anObject
	"Put the displayString of anObject."
	anObject displayOn: self
%
method: Stream
<< anObject
	"Put anObject as a user sees it."
	anObject displayOn: self
%
method: Stream
space
	self nextPut: Character space
%
method: Stream
space: count
	count timesRepeat: [self space]
%
method: Stream
tab
	self nextPut: Character tab
%
method: Stream
tab: count
	count timesRepeat: [self tab]
%
method: Stream
cr
	"A line end, as #nl: these streams know one kind."
	self nl
%
method: Stream
lf
	self nextPut: Character lf
%
method: Stream
nl
	self nextPut: Character lf
%
method: Stream
newLine
	self nl
%
method: Stream
flush
	^self
%
method: Stream
close
	^self
%
method: Stream
show: anObject
	self nextPutAll: anObject asString
%
category: 'Printing'
method: Stream
beginPrinting: anObject
	"Whether the contents of anObject are to be printed; PrintStream says no within anObject itself."
	^true
%
method: Stream
endPrinting: anObject
	^self
%
category: 'Testing'
method: Stream
isStream
	^true
%
! ===== Class definition for PositionableStream
doit
Stream subclass: 'PositionableStream'
  instVarNames: #( collection position readLimit)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
PositionableStream comment: 'A stream on a sequence: position counts what was passed, readLimit what can be read.'
%

category: 'Accessing'
method: PositionableStream
position
	^position
%
method: PositionableStream
position: anInteger
	anInteger isInteger ifFalse: [^self _typeError: anInteger expected: 'an Integer'].
	(anInteger between: 0 and: self readLimit)
		ifFalse: [^OffsetError new maximum: self readLimit actual: anInteger; signal].
	position := anInteger
%
method: PositionableStream
readLimit
	^readLimit
%
method: PositionableStream
size
	^self readLimit
%
method: PositionableStream
contents
	^collection copyFrom: 1 to: self readLimit
%
method: PositionableStream
contentsSpecies
	^collection species
%
method: PositionableStream
reset
	position := 0
%
method: PositionableStream
setToEnd
	position := self readLimit
%
method: PositionableStream
skip: count
	"Move by count, but not beyond either end."
	position := (position + count max: 0) min: self readLimit
%
method: PositionableStream
back
	position = 0 ifTrue: [^OffsetError new maximum: 0 actual: -1; signal].
	position := position - 1.
	^collection at: position + 1
%
category: 'Testing'
method: PositionableStream
atEnd
	^position >= self readLimit
%
method: PositionableStream
atBeginning
	^position = 0
%
method: PositionableStream
isEmpty
	^self readLimit = 0
%
method: PositionableStream
notEmpty
	^self isEmpty not
%
category: 'Instance creation'
classmethod: PositionableStream
new
	^self on: String new
%
classmethod: PositionableStream
on: aCollection
	aCollection isCollection ifFalse: [^self _typeError: aCollection expected: 'a collection'].
	aCollection isSequenceable ifFalse: [^self on: aCollection asArray].
	^self basicNew setCollection: aCollection; yourself
%
classmethod: PositionableStream
with: aCollection
	^(self on: aCollection copy) setToEnd; yourself
%
classmethod: PositionableStream
on: aCollection from: start to: stop
	^self on: (aCollection copyFrom: start to: stop)
%
