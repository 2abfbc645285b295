! Users.

! ===== Class definition for UserProfile
doit
Object subclass: 'UserProfile'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
UserProfile comment: 'Who a session works for.'
%

category: 'Accessing'
method: UserProfile
userId
	^System userId
%
method: UserProfile
symbolList
	^System symbolList
%
method: UserProfile
objectNamed: aString
	^self symbolList objectNamed: aString
%
method: UserProfile
resolveSymbol: aString
	^self symbolList resolveSymbol: aString
%
method: UserProfile
dictionaryNames
	^self symbolList names
%
method: UserProfile
dictionaryAndSymbolOf: anObject
	^self symbolList dictionaryAndSymbolOf: anObject
%
category: 'Printing'
method: UserProfile
printOn: aStream
	super printOn: aStream.
	aStream nextPutAll: '( '; nextPutAll: self userId; nextPut: $)
%
category: 'Accessing'
classmethod: UserProfile
current
	"The profile of this session's user."
	^self basicNew
%
category: 'Comparing'
method: UserProfile
= anObject
	^self class == anObject class
%
method: UserProfile
hash
	^self userId hash
%
