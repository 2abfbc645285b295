! JSON, tokens, sessions, searches, and what lies beyond the walls.

! ===== Class definition for ServiceTest
doit
GsTestCase subclass: 'ServiceTest'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: UserGlobals
  options: #()
%
doit
ServiceTest comment: 'Classes that stand for services of the system.'
%

category: 'Support'
method: ServiceTest
refuse: texts
	texts do: [:each |
		self should: [JsonParser parse: each] raise: ArgumentError description: each]
%
method: ServiceTest
token
	^JsonWebToken fromJwtString: 'eyJhbGciOiJub25lIiwia2lkIjoiayJ9.eyJzdWIiOiJtZSIsImV4cCI6M30.AQID'
%
category: 'Tests of JSON'
method: ServiceTest
testJsonIsRead
	| read |
	read := JsonParser parse: ' { "a" : [ 1 , -2.5e3, true, false, null, "x\u20aC\n\"\/", {}, [ ] ] } '.
	self assert: read keys asArray equals: #('a').
	read := read at: 'a'.
	self assert: (read copyFrom: 1 to: 5) equals: {1. -2500.0. true. false. nil}.
	self assert: ((read at: 6) asArray collect: [:each | each codePoint]) equals: #(120 8364 10 34 47).
	self assert: (read at: 7) isEmpty.
	self assert: (read at: 7) isDictionary.
	self assert: (read at: 8) equals: #().
	self assert: (JsonParser parse: '"\ud83d\ude00"') first codePoint equals: 16r1F600.
	self assert: (JsonParser parse: '0.1') equals: 0.1.
	self assert: (JsonParser parse: '12E-1') equals: 1.2.
	self assert: (JsonParser parse: '1e-999999999') equals: 0.0.
	self assert: (JsonParser parse: '-0') equals: 0.
	self assert: (JsonParser parse: '123456789012345678901234567890') class equals: LargeInteger.
	self assert: ((JsonParser parse: '{"a":1,"a":2}') at: 'a') equals: 2
%
method: ServiceTest
testWhatIsNotJsonIsRefused
	self refuse: #('' ' ' '[' '[1' '[1,' '[1,]' '[,1]' '{' '{"a"' '{"a":' '{"a":1' '{"a":1,}' '{a:1}' '{1:1}').
	self refuse: #('1 2' '01' '-' '1.' '.5' '1e' '+1' 'tru' 'nul' 'NaN' '1e999' '''a''' '// x').
	self refuse: #('"a' '"\x"' '"\u12"' '"\u12g4"' '"\ud800"' '"\ud800\u0041"' '"\udc00"' '"\').
	self refuse: {String with: $" with: Character lf with: $".  (String new: 501) atAllPut: $[; yourself}.
	self should: [JsonParser parse: 3] raise: ArgumentTypeError
%
method: ServiceTest
testErrorsOfJsonSayWhere
	[JsonParser parse: '[1 2]'] on: ArgumentError do: [:ex |
		self assert: ex messageText equals: 'not JSON: expected a comma or a closing bracket at character 4, found $2'.
		^self].
	self fail
%
method: ServiceTest
testJsonIsWritten
	| dictionary endless |
	dictionary := Dictionary new.
	dictionary at: 'a' put: {1. nil. true. 1 / 4. 'x"\'. $c. #d. #()}.
	self assert: dictionary asJson equals: '{"a":[1,null,true,0.25,"x\"\\","c","d",[]]}'.
	self assert: (String with: Character lf with: (Character codePoint: 1)) asJson equals: '"\n\u0001"'.
	self assert: (JsonParser parse: (String with: (Character codePoint: 128512)) asJson) size equals: 1.
	self should: [Object new asJson] raise: ArgumentTypeError.
	self should: [Float nan asJson] raise: ArgumentTypeError.
	self should: [(Dictionary new at: 3 put: 4; yourself) asJson] raise: ArgumentTypeError.
	endless := OrderedCollection new.
	endless add: endless.
	self should: [endless asJson] raise: ArgumentError
%
category: 'Tests of tokens'
method: ServiceTest
testBaseSixtyFour
	| all |
	all := #((#() '') (#(102) 'Zg==') (#(102 111) 'Zm8=') (#(102 111 111) 'Zm9v') (#(251 255) '+/8=')).
	all do: [:each |
		self assert: (ByteArray withAll: each first) asBase64String equals: each last.
		self assert: (ByteArray fromBase64String: each last) equals: (ByteArray withAll: each first)].
	self assert: (ByteArray withAll: #(251 255)) asBase64UrlString equals: '-_8'.
	self assert: (ByteArray fromBase64String: '-_8') equals: (ByteArray withAll: #(251 255)).
	self should: [ByteArray fromBase64String: 'A'] raise: ArgumentError.
	self should: [ByteArray fromBase64String: 'A?=='] raise: ArgumentError
%
method: ServiceTest
testTokensAreRead
	| token |
	token := self token.
	self assert: (token payload at: 'sub') equals: 'me'.
	self assert: (token payloadClaimAt: 'exp') equals: 3.
	self assert: token algorithm equals: 'none'.
	self assert: token keyId equals: 'k'.
	self assert: token isSigned.
	self assert: token asJwtString equals: 'eyJhbGciOiJub25lIiwia2lkIjoiayJ9.eyJzdWIiOiJtZSIsImV4cCI6M30.AQID'.
	self deny: (token verifySignatureNoErrorWithPublicKey: 'x').
	token subject: 'you'.
	self deny: token isSigned.
	self should: [token asJwtString] raise: ArgumentError.
	self should: [JsonWebToken fromJwtString: 'not.a.jwt'] raise: ArgumentError.
	self should: [JsonWebToken fromJwtString: 'a.b'] raise: ArgumentError.
	self should: [JsonWebToken fromJwtString: 'MQ.MQ.'] raise: ArgumentError
%
method: ServiceTest
testTokensAreNotSignedHere
	| token |
	token := JsonWebToken newForRsa256.
	token subject: 'me'; issuer: 'i'; audience: 'a'; keyId: 'k'; issuedAtTime: 1; expirationTime: 2.
	self assert: token payload size equals: 5.
	self assert: (token header at: #alg) equals: 'RS256'.
	self should: [token signWithPrivateKey: 'x'] raise: SecurityError
%
method: ServiceTest
testSecurityData
	| data |
	data := JwtSecurityData new.
	data userIdKey: #sub; addUserId: 'me'; addIssuer: #*; addAudience: 'a'.
	self assert: data userIdKey equals: #sub.
	self assert: data userIds asArray equals: #('me').
	self assert: data issuers asArray equals: {#*}.
	self assert: data audiences asArray equals: #('a')
%
category: 'Tests of sessions'
method: ServiceTest
testSessionTemps
	| temps |
	temps := SessionTemps current.
	temps at: #ServiceTest put: self.
	self assert: (SessionTemps current at: #ServiceTest) == self.
	temps removeKey: #ServiceTest.
	self deny: (SessionTemps current includesKey: #ServiceTest)
%
method: ServiceTest
testSemaphores
	| semaphore |
	semaphore := Semaphore forMutualExclusion.
	self assert: (semaphore critical: [semaphore isLocked]).
	self deny: semaphore isLocked.
	self should: [semaphore critical: [semaphore critical: [1]]] raise: ImproperOperation.
	self deny: semaphore isLocked.
	self should: [Semaphore new wait] raise: ImproperOperation.
	self assert: (Semaphore new signal; wait; isLocked)
%
method: ServiceTest
testDelays
	| start |
	start := System timeMs.
	(Delay forMilliseconds: 25) wait.
	self assert: System timeMs - start >= 24.
	(Delay forSeconds: 0) wait.
	self should: [Delay forSeconds: -1] raise: OutOfRange.
	self should: [Delay forSeconds: nil] raise: ArgumentTypeError
%
method: ServiceTest
testUsers
	self assert: (AllUsers userWithId: System userId) equals: System myUserProfile.
	self assert: (AllUsers userWithId: 'nobody' ifAbsent: [3]) equals: 3.
	self should: [AllUsers userWithId: 'nobody'] raise: LookupError.
	self should: [AllUsers addNewUserWithId: 'x' password: 'y'] raise: SecurityError.
	self assert: (AllUsers removeAndCleanupUserWithId: 'nobody' ifAbsent: [4]) equals: 4
%
category: 'Tests of walls'
method: ServiceTest
testWallsAnswerClearly
	{[GsSocket new]. [GsSecureSocket newServer]. [GsSecureSocket anything: 3]. [GsTsExternalSession newDefault].
		[GsFile openReadOnServer: 'x']. [GsFile exists: 'x']. [FileStream read: 'x']. [FileStream write: 'x' mode: #create].
		[GsProcess new]. [[3] fork]. [System stopSession: 3]. [System addJwtKey: 'x' withId: 'y']}
			do: [:each | self should: each raise: SecurityError].
	self assert: System jwtPublicKeys isEmpty.
	self assert: GsFile stdout == Transcript
%
category: 'Tests of searches'
method: ServiceTest
testClassOrganizer
	| organizer |
	organizer := ClassOrganizer new.
	self assert: ((organizer implementorsOf: #testClassOrganizer) collect: [:each | each inClass]) equals: {ServiceTest}.
	self assert: ((organizer sendersOf: #implementorsOf:) first anySatisfy: [:each | each selector == #testClassOrganizer]).
	self assert: (organizer sendersOf: #implementorsOf:) last size equals: (organizer sendersOf: #implementorsOf:) first size.
	self assert: ((organizer referencesToObject: ClassOrganizer) anySatisfy: [:each | each inClass == ServiceTest]).
	self assert: ((organizer referencesToLiteral: 'ClassOrganizer') includes: (ServiceTest compiledMethodAt: #testClassOrganizer)).
	self assert: (organizer referencesToLiteral: 'NoSuchName') isEmpty.
	self assert: ((organizer allSubclassesOf: TestCase) includes: ServiceTest).
	self assert: ((organizer searchForString: 'testClass' , 'Organizer') anySatisfy: [:each | each inClass == ServiceTest])
%
