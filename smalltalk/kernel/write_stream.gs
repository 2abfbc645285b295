! Writing sequences.

! ===== Class definition for WriteStream
doit
PositionableStream subclass: 'WriteStream'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
WriteStream comment: 'Writes a sequence, which it replaces by a longer one when it is full.'
%

category: 'Writing'
method: WriteStream
setCollection: aCollection
	"Overwrite a collection from its start. A constant is not touched."
	collection := (aCollection isImmutable or: [aCollection class ~~ aCollection species])
		ifTrue: [aCollection species new: aCollection size]
		ifFalse: [aCollection].
	position := 0.
	readLimit := 0
%
method: WriteStream
nextPut: anObject
	position >= collection size ifTrue: [self _growTo: position + 1].
	position := position + 1.
	collection at: position put: anObject.
	^anObject
%
method: WriteStream
nextPutAll: aCollection
	| size |
	aCollection isSequenceable ifFalse: [^super nextPutAll: aCollection].
	size := aCollection size.
	position + size > collection size ifTrue: [self _growTo: position + size].
	collection replaceFrom: position + 1 to: position + size with: aCollection startingAt: 1.
	position := position + size.
	^aCollection
%
method: WriteStream
next: count putAll: aCollection startingAt: start
	^self nextPutAll: (aCollection copyFrom: start to: start + count - 1)
%
method: WriteStream
ensureASpace
	(position > 0 and: [(collection at: position) ~= Character space]) ifTrue: [self space]
%
method: WriteStream
reset
	readLimit := self readLimit.
	position := 0
%
method: WriteStream
truncate
	readLimit := position
%
method: WriteStream
_growTo: size
	| larger |
	larger := collection species new: (size max: collection size * 2 + 8).
	larger replaceFrom: 1 to: position with: collection startingAt: 1.
	readLimit > position ifTrue: [
		larger replaceFrom: position + 1 to: readLimit with: collection startingAt: position + 1].
	collection := larger
%
category: 'Accessing'
method: WriteStream
readLimit
	^readLimit max: position
%
method: WriteStream
position: anInteger
	"What was written stays readable when the position moves back."
	readLimit := self readLimit.
	super position: anInteger
%
method: WriteStream
contents
	^collection copyFrom: 1 to: self readLimit
%
method: WriteStream
with: aCollection
	^self nextPutAll: aCollection
%
category: 'Reading'
method: WriteStream
next
	^self shouldNotImplement: #next
%
category: 'Instance creation'
classmethod: WriteStream
with: aCollection
	"Writing goes on behind the contents of aCollection."
	| stream |
	stream := self on: (aCollection species new: aCollection size).
	stream nextPutAll: aCollection.
	^stream
%
classmethod: WriteStream
on: aCollection
	aCollection isSequenceable ifFalse: [^self _typeError: aCollection expected: 'a sequenceable collection'].
	^self basicNew setCollection: (aCollection isArrayed ifTrue: [aCollection] ifFalse: [Array new: 8]); yourself
%
! ===== Class definition for PrintStream
doit
WriteStream subclass: 'PrintStream'
  instVarNames: #( printing)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
PrintStream comment: 'Collects a printString, and knows what is being printed, so that a collection within itself comes to an end.'
%

category: 'Printing'
method: PrintStream
beginPrinting: anObject
	printing == nil ifTrue: [printing := OrderedCollection new].
	(printing includesIdentical: anObject) ifTrue: [^false].
	printing addLast: anObject.
	^true
%
method: PrintStream
endPrinting: anObject
	printing removeLast
%
! ===== Class definition for ReadWriteStream
doit
WriteStream subclass: 'ReadWriteStream'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
ReadWriteStream comment: 'Reads and writes one sequence with one position.'
%

category: 'Reading'
method: ReadWriteStream
next
	position >= self readLimit ifTrue: [^EndOfStream new stream: self; signal].
	position := position + 1.
	^collection at: position
%
method: ReadWriteStream
peek
	^position >= self readLimit ifTrue: [nil] ifFalse: [collection at: position + 1]
%
method: ReadWriteStream
peekFor: anObject
	self peek = anObject ifFalse: [^false].
	self next.
	^true
%
method: ReadWriteStream
next: count
	^self _reading: [:stream | stream next: count]
%
method: ReadWriteStream
upTo: anObject
	^self _reading: [:stream | stream upTo: anObject]
%
method: ReadWriteStream
upToEnd
	^self _reading: [:stream | stream upToEnd]
%
method: ReadWriteStream
upToAll: aCollection
	^self _reading: [:stream | stream upToAll: aCollection]
%
method: ReadWriteStream
nextLine
	^self _reading: [:stream | stream nextLine]
%
method: ReadWriteStream
skipTo: anObject
	^self _reading: [:stream | stream skipTo: anObject]
%
method: ReadWriteStream
skipSeparators
	self _reading: [:stream | stream skipSeparators]
%
method: ReadWriteStream
_reading: aBlock
	"Let a ReadStream on what I hold do it, and go on where it ends."
	| stream result |
	readLimit := self readLimit.
	stream := ReadStream on: self contents.
	stream position: position.
	result := aBlock value: stream.
	position := stream position.
	^result
%
method: ReadWriteStream
nextPut: anObject
	| limit |
	limit := self readLimit.
	super nextPut: anObject.
	readLimit := limit max: position.
	^anObject
%
method: ReadWriteStream
nextPutAll: aCollection
	| limit |
	limit := self readLimit.
	super nextPutAll: aCollection.
	readLimit := limit max: position.
	^aCollection
%
category: 'Testing'
method: SequenceableCollection
isArrayed
	"Whether streams can write straight into collections of my kind."
	^false
%
category: 'Testing'
method: ArrayedCollection
isArrayed
	^true
%
category: 'Testing'
method: Interval
isArrayed
	^false
%
category: 'Testing'
method: Object
isStream
	^false
%
