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
	aStream nextPutAll: '! ----- Class definition for '; nextPutAll: self name; nl.
	self _fileOut: self definition on: aStream.
	self comment isEmpty ifFalse: [
		self _fileOut: self name , ' comment: 
' , self comment printString on: aStream].
	category == nil ifFalse: [
		self _fileOut: self name , ' category: ' , category asString printString on: aStream].
	aStream nextPutAll: '! ----- Remove existing behavior from '; nextPutAll: self name; nl.
	aStream nextPutAll: 'removeallmethods '; nextPutAll: self name; nl.
	aStream nextPutAll: 'removeallclassmethods '; nextPutAll: self name; nl.
	aStream nextPutAll: '! ----- Class methods for '; nextPutAll: self name; nl.
	self class _fileOutMethodsAs: 'classmethod: ' of: self name on: aStream.
	aStream nextPutAll: '! ----- Instance methods for '; nextPutAll: self name; nl.
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
		aStream nextPutAll: 'category: '; nextPutAll: method category asString printString; nl.
		aStream nextPutAll: command; nextPutAll: className; nl.
		aStream nextPutAll: method sourceString.
		(method sourceString notEmpty and: [method sourceString last == Character lf]) ifFalse: [aStream nl].
		aStream nextPut: $%; nl]
%
