! Base 64, and the tokens of the web that are written in it.

! ===== Class definition for JsonWebToken
doit
Object subclass: 'JsonWebToken'
  instVarNames: #( header payload signature signed)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
JsonWebToken comment: 'A JSON web token: it can be read and put together here, but a session holds no keys to sign or verify one with.'
%

! ===== Class definition for JwtSecurityData
doit
Object subclass: 'JwtSecurityData'
  instVarNames: #( userIdKey userIds issuers audiences)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
JwtSecurityData comment: 'Which tokens stand for a user: the claim that names the user, and the names, issuers and audiences that count.'
%

category: 'Converting'
method: ByteArray
asBase64String
	^self _base64: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/' padding: '='
%
method: ByteArray
asBase64UrlString
	"In the alphabet for addresses, without padding."
	^self _base64: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_' padding: ''
%
method: ByteArray
_base64: alphabet padding: padding
	| stream |
	stream := WriteStream on: String new.
	1 to: self size by: 3 do: [:start |
		| count bits |
		count := self size - start + 1 min: 3.
		bits := 0.
		0 to: 2 do: [:index | bits := bits * 256 + (index < count ifTrue: [self at: start + index] ifFalse: [0])].
		0 to: 3 do: [:index |
			index <= count
				ifTrue: [stream nextPut: (alphabet at: ((bits bitShift: index * 6 - 18) bitAnd: 63) + 1)]
				ifFalse: [stream nextPutAll: padding]]].
	^stream contents
%
category: 'Instance creation'
classmethod: ByteArray
fromBase64String: aString
	"In either alphabet, padded or not."
	| digits stream |
	self _validateString: aString.
	digits := aString size.
	[digits > 0 and: [(aString at: digits) = $=]] whileTrue: [digits := digits - 1].
	digits \\ 4 = 1 ifTrue: [^ArgumentError signal: 'text in base 64 is cut off'].
	stream := WriteStream on: self new.
	1 to: digits by: 4 do: [:start |
		| count bits |
		count := digits - start + 1 min: 4.
		bits := 0.
		0 to: 3 do: [:index |
			bits := bits * 64 + (index < count ifTrue: [self _base64Digit: (aString at: start + index)] ifFalse: [0])].
		0 to: count - 2 do: [:index | stream nextPut: ((bits bitShift: index * 8 - 16) bitAnd: 255)]].
	^stream contents
%
classmethod: ByteArray
_base64Digit: aCharacter
	| index |
	index := 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_' indexOf: aCharacter.
	index = 0 ifTrue: [^ArgumentError signal: aCharacter printString , ' is no digit of base 64'].
	^index > 64 ifTrue: [index - 3] ifFalse: [index - 1]
%
category: 'Instance creation'
classmethod: JsonWebToken
newForRsa256
	^self basicNew _forAlgorithm: 'RS256'; yourself
%
classmethod: JsonWebToken
fromJwtString: aString
	"What a token says, whoever signed it; an ArgumentError if it is none."
	self _validateString: aString.
	^self basicNew _read: aString; yourself
%
classmethod: JsonWebToken
example_publicKey
	^self _beyondWalls: 'a key'
%
classmethod: JsonWebToken
example_privateKey
	^self _beyondWalls: 'a key'
%
category: 'Accessing'
method: JsonWebToken
header
	^header
%
method: JsonWebToken
payload
	^payload
%
method: JsonWebToken
algorithm
	^header at: #alg otherwise: nil
%
method: JsonWebToken
keyId
	^header at: #kid
%
method: JsonWebToken
keyId: aString
	self _claim: #kid in: header put: aString
%
method: JsonWebToken
payloadClaimAt: aString
	^payload at: aString asSymbol otherwise: nil
%
method: JsonWebToken
payloadClaimAt: aString put: anObject
	self _claim: aString in: payload put: anObject
%
method: JsonWebToken
subject: aString
	self payloadClaimAt: 'sub' put: aString
%
method: JsonWebToken
issuer: aString
	self payloadClaimAt: 'iss' put: aString
%
method: JsonWebToken
audience: aString
	self payloadClaimAt: 'aud' put: aString
%
method: JsonWebToken
issuedAtTime: seconds
	self payloadClaimAt: 'iat' put: seconds
%
method: JsonWebToken
expirationTime: seconds
	self payloadClaimAt: 'exp' put: seconds
%
category: 'Signing'
method: JsonWebToken
isSigned
	^signed ~~ nil
%
method: JsonWebToken
signWithPrivateKey: aKey
	^self _beyondWalls: 'a signature'
%
method: JsonWebToken
verifySignatureWithPublicKey: aKey
	^self _beyondWalls: 'the check of a signature'
%
method: JsonWebToken
verifySignatureNoErrorWithPublicKey: aKey
	"A signature that cannot be checked is not good."
	^false
%
method: JsonWebToken
asJwtString
	self isSigned ifFalse: [^ArgumentError signal: 'this token is not signed'].
	^signed , '.' , signature asBase64UrlString
%
category: 'Private'
method: JsonWebToken
_claim: aString in: aDictionary put: anObject
	"What was signed before is so no more."
	signed := nil.
	aDictionary at: aString asSymbol put: anObject
%
method: JsonWebToken
_forAlgorithm: aString
	header := SymbolDictionary new.
	header at: #alg put: aString; at: #typ put: 'JWT'.
	payload := SymbolDictionary new
%
method: JsonWebToken
_read: aString
	| parts |
	parts := aString splitOn: '.'.
	parts size = 3 ifFalse: [^ArgumentError signal: 'a token has three parts, but this text has ' , parts size printString].
	header := self _partFrom: (parts at: 1).
	payload := self _partFrom: (parts at: 2).
	signature := ByteArray fromBase64String: (parts at: 3).
	signed := signature size = 0 ifTrue: [nil] ifFalse: [(parts at: 1) , '.' , (parts at: 2)]
%
method: JsonWebToken
_partFrom: aString
	| read result |
	read := JsonParser parse: (ByteArray fromBase64String: aString) decodeFromUTF8.
	read isDictionary ifFalse: [^ArgumentError signal: 'a part of a token is no JSON object'].
	result := SymbolDictionary new.
	read keysAndValuesDo: [:key :value | result at: key asSymbol put: value].
	^result
%
category: 'Accessing'
method: JwtSecurityData
userIdKey
	^userIdKey
%
method: JwtSecurityData
userIdKey: aSymbol
	userIdKey := aSymbol
%
method: JwtSecurityData
userIds
	^userIds
%
method: JwtSecurityData
issuers
	^issuers
%
method: JwtSecurityData
audiences
	^audiences
%
method: JwtSecurityData
addUserId: aString
	userIds add: aString
%
method: JwtSecurityData
addIssuer: aString
	issuers add: aString
%
method: JwtSecurityData
addAudience: aString
	audiences add: aString
%
method: JwtSecurityData
_initialize
	userIds := Set new.
	issuers := Set new.
	audiences := Set new
%
category: 'Instance creation'
classmethod: JwtSecurityData
new
	^self basicNew _initialize; yourself
%
