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
insertDictionary: aSymbolDictionary at: index
	"Names are looked up in it before those that now stand at index or behind. Lapidary stays the last in any case."
	| list |
	(aSymbolDictionary isKindOf: SymbolDictionary)
		ifFalse: [^self _typeError: aSymbolDictionary expected: 'a SymbolDictionary'].
	list := self symbolList.
	list insert: aSymbolDictionary at: index.
	self _symbolList: list
%
method: UserProfile
createDictionary: aSymbol
	"Answer a new dictionary of that name; names are looked up in it only when it is inserted."
	self _validateString: aSymbol.
	(self symbolList dictionaryNamed: aSymbol) == nil
		ifFalse: [^ArgumentError signal: 'there is a dictionary ' , aSymbol asString , ' already'].
	^SymbolDictionary new name: aSymbol asSymbol; yourself
%
method: UserProfile
removeDictionaryAt: index
	| list |
	list := self symbolList.
	(list at: index) == Globals ifTrue: [^ArgumentError signal: 'the dictionary Globals holds the kernel and must stay'].
	(list at: index) == Lapidary ifTrue: [^ArgumentError signal: 'the dictionary Lapidary holds the server and must stay'].
	list removeAtIndex: index.
	self _symbolList: list
%
method: UserProfile
_symbolList: aSymbolList
	"What the compiler looks names up in."
	Globals at: #_SymbolList put: aSymbolList asArray
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
