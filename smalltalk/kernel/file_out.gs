! Classes as source text.

category: 'Filing out'
method: Class
definition
	"The expression that makes this class."
	| stream |
	stream := WriteStream on: String new.
	stream
		nextPutAll: (superclass == nil ifTrue: ['nil'] ifFalse: [superclass name]);
		space;
		nextPutAll: self _definitionKeyword;
		space;
		print: self name.
	self isBytes ifFalse: [self _on: stream put: 'instVarNames:' names: self instVarNames].
	self _on: stream put: 'classVars:' names: self classVarNames.
	self _on: stream put: 'classInstVars:' names: self class instVarNames.
	self _on: stream put: 'poolDictionaries:' names: (self sharedPools collect: [:each | self _nameOfPool: each]).
	stream nl; nextPutAll: '  inDictionary: '; nextPutAll: self _dictionaryName.
	self _on: stream put: 'options:' names: self options.
	stream nl.
	^stream contents
%
method: Class
_definitionKeyword
	(superclass == nil or: [superclass kind ~~ self kind]) ifFalse: [^self isBytes ifTrue: ['byteSubclass:'] ifFalse: ['subclass:']].
	self isBytes ifTrue: [^'byteSubclass:'].
	^self isIndexable ifTrue: ['indexableSubclass:'] ifFalse: ['subclass:']
%
method: Class
_on: aStream put: keyword names: names
	aStream nl; nextPutAll: '  '; nextPutAll: keyword; nextPutAll: ' #('.
	names doWithIndex: [:each :index |
		(index > 1 and: [index - 1 \\ 3 = 0])
			ifTrue: [aStream nl; next: 20 put: $ ]
			ifFalse: [aStream space].
		aStream nextPutAll: each].
	aStream nextPut: $)
%
method: Class
_nameOfPool: aDictionary
	"The name by which code finds it; one that has none cannot be written down."
	| own found |
	own := aDictionary name.
	(own ~~ nil and: [(System objectNamed: own) == aDictionary]) ifTrue: [^own].
	found := System symbolList dictionaryAndSymbolOf: aDictionary.
	^found == nil
		ifTrue: [ImproperOperation signal: 'a pool dictionary of ' , self name , ' has no name']
		ifFalse: [found at: 2]
%
method: Class
_dictionaryName
	| dictionary |
	dictionary := System symbolList detect: [:each | (each at: name asSymbol otherwise: nil) == self] ifNone: [^'nil'].
	^(dictionary name ifNil: ['nil']) asString
%
