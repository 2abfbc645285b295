! Dictionaries by identity, and those that hold the names of variables.

category: 'Private'
method: IdentityDictionary
_hashOfSlot: slot
	^slot key identityHash
%
method: IdentityDictionary
_keySetClass
	^IdentitySet
%
method: IdentityDictionary
_find: aKey
	| index size slot |
	size := table size.
	index := (aKey identityHash bitAnd: size - 1) + 1.
	[(slot := table at: index) == nil or: [slot key == aKey]] whileFalse: [
		index := index = size ifTrue: [1] ifFalse: [index + 1]].
	^index
%
category: 'Accessing'
method: SymbolDictionary
name
	"The key under which I hold myself; nil if there is none."
	<primitive: #dictionaryName>
	^self _primitiveFailed: #dictionaryName
%
method: SymbolDictionary
name: aSymbol
	"Hold myself under that name."
	self at: aSymbol put: self
%
category: 'Printing'
method: SymbolDictionary
printOn: aStream
	"A dictionary with a name is printed by it: what it holds may be much."
	| name |
	name := self name.
	name == nil ifTrue: [^super printOn: aStream].
	aStream nextPutAll: self class articledName; nextPutAll: '( name: '; print: name; nextPut: $)
%
category: 'Private'
method: SymbolDictionary
_associationFor: aKey value: anObject
	^SymbolAssociation key: aKey value: anObject
%
method: SymbolDictionary
_find: aKey
	"Strings are taken as the symbols that they spell."
	aKey isSymbol ifTrue: [^super _find: aKey].
	aKey isString ifFalse: [^self _typeError: aKey expected: 'a Symbol'].
	^super _find: aKey asSymbol
%
method: SymbolDictionary
at: aKey put: anObject
	^super at: (aKey isString ifTrue: [aKey asSymbol] ifFalse: [aKey]) put: anObject
%
method: SymbolDictionary
includesKey: aKey
	^aKey isString and: [super includesKey: aKey]
%
! ===== Class definition for SymbolList
doit
OrderedCollection subclass: 'SymbolList'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
SymbolList comment: 'Symbol dictionaries in the order in which names are looked up.'
%

category: 'Accessing'
method: SymbolList
resolveSymbol: aString
	"The association that aString is bound by; nil if it is not bound."
	self do: [:each |
		| association |
		association := each associationAt: aString otherwise: nil.
		association == nil ifFalse: [^association]].
	^nil
%
method: SymbolList
objectNamed: aString
	"The value that aString is bound to; nil if it is not bound."
	| association |
	association := self resolveSymbol: aString.
	^association == nil ifTrue: [nil] ifFalse: [association value]
%
method: SymbolList
dictionaryNamed: aString
	"The dictionary that holds itself under aString; nil if there is none."
	^self detect: [:each | (each at: aString otherwise: nil) == each] ifNone: [nil]
%
method: SymbolList
names
	^self asArray collect: [:each | each name]
%
method: SymbolList
dictionaryAndSymbolOf: anObject
	"{dictionary. key} for the first dictionary that holds anObject; nil if none does."
	self do: [:each |
		| key |
		key := each keyAtIdentityValue: anObject ifAbsent: [nil].
		key == nil ifFalse: [^{each. key}]].
	^nil
%
