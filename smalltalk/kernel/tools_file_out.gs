! A whole class as source text, in the form that Topaz files out and in.

category: 'Filing out'
method: Class
fileOutClass
	"My definition, comment, category and methods of both sides."
	| stream |
	stream := WriteStream on: String new.
	self fileOutClassOn: stream.
	^stream contents
%
method: Class
fileOutClassOn: aStream
	aStream nextPutAll: 'set compile_env: 0'; nl.
	aStream nextPutAll: '! ------------------- Class definition for '; nextPutAll: self name; nl.
	self _fileOut: self definition on: aStream.
	self comment isEmpty ifFalse: [
		self _fileOut: self name , ' comment: 
' , self comment _fileOutLiteral on: aStream].
	category == nil ifFalse: [
		self _fileOut: self name , ' category: ' , category asString _fileOutLiteral on: aStream].
	aStream nextPutAll: '! ------------------- Remove existing behavior from '; nextPutAll: self name; nl.
	aStream nextPutAll: 'removeallmethods '; nextPutAll: self name; nl.
	aStream nextPutAll: 'removeallclassmethods '; nextPutAll: self name; nl.
	aStream nextPutAll: '! ------------------- Class methods for '; nextPutAll: self name; nl.
	self class _fileOutMethodsAs: 'classmethod: ' of: self name on: aStream.
	aStream nextPutAll: '! ------------------- Instance methods for '; nextPutAll: self name; nl.
	self _fileOutMethodsAs: 'method: ' of: self name on: aStream
%
method: Class
_fileOut: aString on: aStream
	aStream nextPutAll: 'expectvalue /Class'; nl; nextPutAll: 'doit'; nl; nextPutAll: aString; nl; nextPut: $%; nl
%
method: Behavior
_fileOutMethodsAs: command of: className on: aStream
	self _selectors asSortedCollection do: [:each |
		| method |
		method := self compiledMethodAt: each.
		method _fitsIntoBlock
			ifTrue: [self _fileOut: method as: command of: className on: aStream]
			ifFalse: [self _fileOutAsDoIt: method on: aStream]]
%
method: Behavior
_fileOut: method as: command of: className on: aStream
	aStream nextPutAll: 'category: '; nextPutAll: method category asString printString; nl.
	aStream nextPutAll: command; nextPutAll: className; nl.
	aStream nextPutAll: method sourceString.
	(method sourceString notEmpty and: [method sourceString last == Character lf]) ifFalse: [aStream nl].
	aStream nextPut: $%; nl
%
method: Behavior
_fileOutAsDoIt: method on: aStream
	"For a source with a line that would end its block, and for a category that is more than one line."
	aStream nextPutAll: 'doit'; nl;
		nextPutAll: self name; nextPutAll: ' compileMethod: '; nextPutAll: method sourceString _fileOutLiteral; nl;
		nextPutAll: '  dictionaries: nil category: '; nextPutAll: method category asString _fileOutLiteral;
		nextPutAll: ' environmentId: 0'; nl;
		nextPut: $%; nl
%
method: GsNMethod
_fitsIntoBlock
	"Whether my source can stand in a block of its own, and my category on the line before it."
	(category includes: Character lf) ifTrue: [^false].
	^source _linesThatEndBlocks isEmpty
%
method: CharacterCollection
_linesThatEndBlocks
	"Where my lines begin that would end a block, or that a reader takes for the beginning of the next."
	| starts |
	starts := OrderedCollection new.
	1 to: self size do: [:index |
		((index = 1 or: [(self at: index - 1) == Character lf]) and: [
			(self at: index) == $% or: [
			(self at: index equals: 'method:') or: [
			self at: index equals: 'classmethod:']]]) ifTrue: [starts addLast: index]].
	^starts
%
method: CharacterCollection
_fileOutLiteral
	"An expression for me, no line of which ends a block."
	| stream start |
	stream := WriteStream on: String new.
	start := 1.
	self _linesThatEndBlocks do: [:each |
		each = 1 ifFalse: [
			stream nextPutAll: (self copyFrom: start to: each - 1) printString; nextPutAll: ' , '.
			start := each]].
	stream nextPutAll: (self copyFrom: start to: self size) printString.
	^stream contents
%
