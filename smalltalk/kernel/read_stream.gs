! Reading sequences.

! ===== Class definition for ReadStream
doit
PositionableStream subclass: 'ReadStream'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
ReadStream comment: 'Reads a sequence.'
%

category: 'Reading'
method: ReadStream
setCollection: aCollection
	collection := aCollection.
	position := 0.
	readLimit := aCollection size
%
method: ReadStream
next
	"Behind the end: an EndOfStream, whose default answer is nil."
	position >= readLimit ifTrue: [^self _atEnd].
	position := position + 1.
	^collection at: position
%
method: ReadStream
next: count
	| stop |
	count isInteger ifFalse: [^self _typeError: count expected: 'an Integer'].
	count < 0 ifTrue: [^OutOfRange signal: 'cannot read ' , count printString , ' elements'].
	stop := position + count min: readLimit.
	^self _upToPosition: stop
%
method: ReadStream
peek
	"The next object without passing it; nil at the end."
	^position >= readLimit ifTrue: [nil] ifFalse: [collection at: position + 1]
%
method: ReadStream
peekFor: anObject
	"Whether the next object equals anObject; if so, pass it."
	(position < readLimit and: [(collection at: position + 1) = anObject]) ifFalse: [^false].
	position := position + 1.
	^true
%
method: ReadStream
upTo: anObject
	"All in front of anObject, which is passed too; all that is left if it does not come."
	| start |
	start := position.
	[position < readLimit] whileTrue: [
		position := position + 1.
		(collection at: position) = anObject ifTrue: [^collection copyFrom: start + 1 to: position - 1]].
	^collection copyFrom: start + 1 to: readLimit
%
method: ReadStream
upToEnd
	^self _upToPosition: readLimit
%
method: ReadStream
upToAll: aCollection
	"All in front of the sequence aCollection, which is passed too; all that is left if it does not come."
	| index result |
	index := collection indexOfSubCollection: aCollection startingAt: position + 1.
	(index = 0 or: [index + aCollection size - 1 > readLimit]) ifTrue: [^self upToEnd].
	result := collection copyFrom: position + 1 to: index - 1.
	position := index + aCollection size - 1.
	^result
%
method: ReadStream
upToAny: aCollection
	| start |
	start := position.
	[position < readLimit] whileTrue: [
		position := position + 1.
		(aCollection includes: (collection at: position))
			ifTrue: [^collection copyFrom: start + 1 to: position - 1]].
	^collection copyFrom: start + 1 to: readLimit
%
method: ReadStream
throughAll: aCollection
	| index |
	index := collection indexOfSubCollection: aCollection startingAt: position + 1.
	index = 0 ifTrue: [^self upToEnd].
	^self _upToPosition: index + aCollection size - 1
%
method: ReadStream
through: anObject
	"As upTo:, with anObject."
	| start |
	start := position.
	[position < readLimit] whileTrue: [
		position := position + 1.
		(collection at: position) = anObject ifTrue: [^collection copyFrom: start + 1 to: position]].
	^collection copyFrom: start + 1 to: readLimit
%
method: ReadStream
nextLine
	"All in front of the next line end (LF, CR or CR LF), which is passed too."
	| start character |
	start := position.
	[position < readLimit] whileTrue: [
		character := collection at: position + 1.
		position := position + 1.
		(character == Character lf or: [character == Character cr]) ifTrue: [
			| line |
			line := collection copyFrom: start + 1 to: position - 1.
			character == Character cr ifTrue: [self peekFor: Character lf].
			^line]].
	^collection copyFrom: start + 1 to: readLimit
%
method: ReadStream
skipTo: anObject
	"Whether anObject came; then it was passed."
	[position < readLimit] whileTrue: [
		position := position + 1.
		(collection at: position) = anObject ifTrue: [^true]].
	^false
%
method: ReadStream
skipSeparators
	[position < readLimit and: [(collection at: position + 1) isSeparator]] whileTrue: [position := position + 1]
%
method: ReadStream
collect: aBlock
	^self upToEnd collect: aBlock
%
method: ReadStream
_upToPosition: stop
	| start |
	start := position.
	position := stop.
	^collection copyFrom: start + 1 to: stop
%
method: ReadStream
_atEnd
	^EndOfStream new stream: self; signal
%
category: 'Writing'
method: ReadStream
nextPut: anObject
	^self shouldNotImplement: #nextPut:
%
