! Streams: their whole protocol.

! ===== Class definition for StreamProtocolTest
doit
GsTestCase subclass: 'StreamProtocolTest'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: UserGlobals
  options: #()
%
doit
StreamProtocolTest comment: 'Streams on sequences, streams that a subclass makes of next alone, and the transcript.'
%

category: 'Tests'
method: StreamProtocolTest
testNothingButNext
	| class stream |
	class := Stream subclass: 'KtCounter' instVarNames: #(count) inDictionary: SymbolDictionary new.
	class compile: 'next ^count := (count ifNil: [0]) + 1'.
	class compile: 'atEnd ^count = 5'.
	stream := class new.
	self assert: stream isStream.
	self assert: (stream next: 2) equals: #(1 2).
	self assert: (stream nextMatchFor: 3).
	self assert: (stream next: 9) equals: #(4 5).
	self should: [Stream new next] raise: ImproperOperation.
	self should: [Stream new atEnd] raise: ImproperOperation.
	self should: [Stream new nextPut: 3] raise: ImproperOperation
%
method: StreamProtocolTest
testNothingButNextPut
	| class stream log |
	class := Stream subclass: 'KtSink' instVarNames: #(log) inDictionary: SymbolDictionary new.
	class compile: 'nextPut: anObject ^(log ifNil: [log := OrderedCollection new]) add: anObject'.
	class compile: 'log ^log'.
	stream := class new.
	self assert: (stream nextPutAll: 'ab') equals: 'ab'.
	self assert: (stream next: 2 put: $x) equals: $x.
	stream space; space: 1; tab: 1; cr; newLine; show: 3; display: 'q'.
	self assert: stream flush == stream.
	self assert: stream close == stream.
	self assert: stream contentsSpecies equals: Array.
	self assert: (stream beginPrinting: 3).
	stream endPrinting: 3.
	log := String withAll: stream log.
	self assert: log equals: 'abxx  ' , String tab , String lf , String lf , '3q'
%
method: StreamProtocolTest
testEnumerating
	| log |
	log := OrderedCollection new.
	(ReadStream on: #(1 2)) do: [:each | log add: each].
	self assert: log asArray equals: #(1 2).
	self assert: ((ReadStream on: #(1 2)) collect: [:each | each + 1]) equals: #(2 3)
%
method: StreamProtocolTest
testPositions
	| stream |
	stream := ReadStream on: 'hello'.
	self assert: stream atBeginning.
	self assert: stream notEmpty.
	self deny: stream isEmpty.
	self assert: stream size equals: 5.
	self assert: stream contents equals: 'hello'.
	self assert: stream contentsSpecies equals: String.
	stream next; next.
	self assert: stream back equals: $e.
	self assert: stream position equals: 1.
	stream setToEnd.
	self assert: stream atEnd.
	self should: [stream reset; back] raise: OffsetError.
	self assert: (ReadStream on: 'hello' from: 2 to: 3) upToEnd equals: 'el'.
	self assert: ReadWriteStream new contents equals: ''
%
method: StreamProtocolTest
testReading
	| stream |
	stream := ReadStream on: 'one, two; three'.
	self assert: (stream upToAll: ', ') equals: 'one'.
	self assert: (stream upToAny: ';,') equals: 'two'.
	stream skipSeparators.
	self assert: (stream through: $h) equals: 'th'.
	self assert: (stream throughAll: 're') equals: 're'.
	self assert: (stream skipTo: $e).
	self deny: (stream skipTo: $e).
	self assert: (stream upToAll: 'x') equals: ''.
	self should: [stream nextPut: $x] raise: ImproperOperation
%
method: StreamProtocolTest
testWriting
	| stream |
	stream := WriteStream with: 'ab'.
	stream nextPutAll: 'cd'.
	self assert: stream contents equals: 'abcd'.
	stream next: 2 putAll: 'uvwxyz' startingAt: 3.
	stream ensureASpace; ensureASpace.
	self assert: stream contents equals: 'abcdwx '.
	stream position: 2.
	stream truncate.
	self assert: stream contents equals: 'ab'.
	stream with: 'zz'.
	self assert: stream contents equals: 'abzz'.
	self should: [stream next] raise: ImproperOperation.
	self assert: (ReadStream with: 'ab') atEnd
%
method: StreamProtocolTest
testReadingAndWriting
	| stream |
	stream := ReadWriteStream on: String new.
	stream nextPutAll: 'first'; lf; nextPutAll: 'one, two  three'; nextPut: $!.
	stream reset.
	self assert: stream peek equals: $f.
	self assert: (stream peekFor: $f).
	self deny: (stream peekFor: $f).
	self assert: stream next equals: $i.
	self assert: (stream next: 2) equals: 'rs'.
	self assert: stream nextLine equals: 't'.
	self assert: (stream upToAll: ', ') equals: 'one'.
	self assert: (stream skipTo: $o).
	stream skipSeparators.
	self assert: stream upToEnd equals: 'three!'.
	self assert: ([stream next] on: EndOfStream do: [:ex | ex stream == stream]) equals: true.
	self assert: [stream next. true] value.
	self assert: ([stream next] on: EndOfStream do: [:ex | ex isResumable])
%
method: StreamProtocolTest
testTheTranscript
	self assert: Transcript atEnd.
	Transcript show: 'a'; nextPut: $b; nextPutAll: 'c'; displayNl: 3; show: 4.
	Transcript clear.
	self assert: Transcript next equals: nil.
	self assert: Transcript contents isString
%
