! Bytes.

! ===== Class definition for ByteArray
doit
ArrayedCollection byteSubclass: 'ByteArray'
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
ByteArray comment: 'Bytes in a row: integers from 0 to 255.'
%

category: 'Testing'
method: ByteArray
isByteArray
	^true
%
category: 'Replacing'
method: ByteArray
replaceFrom: start to: stop with: aCollection startingAt: other
	<primitive: #replaceFrom:to:with:startingAt:>
	^super replaceFrom: start to: stop with: aCollection startingAt: other
%
category: 'Converting'
method: ByteArray
asByteArray
	^self
%
method: ByteArray
asString
	"One character a byte."
	| result |
	result := String new: self size.
	1 to: self size do: [:index | result at: index put: (Character codePoint: (self at: index))].
	^result
%
method: ByteArray
bytesIntoString
	^self asString
%
method: ByteArray
decodeFromUTF8
	"The text whose UTF-8 form I am; an ArgumentError if I am not well-formed."
	<primitive: #utf8Decode>
	^ArgumentError signal: 'these bytes are not well-formed UTF-8'
%
method: ByteArray
asHexString
	| stream |
	stream := WriteStream on: (String new: self size * 2).
	self do: [:each | stream nextPutAll: (each printPaddedWith: $0 to: 2 base: 16) asLowercase].
	^stream contents
%
