! Names that programmers of other Smalltalks use for the globals.

! ===== Class definition for SmalltalkGlobals
doit
Object subclass: 'SmalltalkGlobals'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
SmalltalkGlobals comment: 'The globals as one dictionary, for code that says Smalltalk at: #Name. New names go where new classes go.'
%

category: 'Accessing'
method: SmalltalkGlobals
at: aSymbol
	^self at: aSymbol ifAbsent: [LookupError new object: self key: aSymbol; signal]
%
method: SmalltalkGlobals
at: aSymbol ifAbsent: aBlock
	| home |
	home := self _homeOf: aSymbol.
	^home == nil ifTrue: [aBlock value] ifFalse: [home at: aSymbol]
%
method: SmalltalkGlobals
at: aSymbol ifPresent: aBlock
	| home |
	home := self _homeOf: aSymbol.
	^home == nil ifTrue: [nil] ifFalse: [aBlock cull: (home at: aSymbol)]
%
method: SmalltalkGlobals
at: aSymbol put: anObject
	"Where the name is, or else where new names go."
	^((self _homeOf: aSymbol) ifNil: [System defaultDictionary]) at: aSymbol put: anObject
%
method: SmalltalkGlobals
removeKey: aSymbol
	^self removeKey: aSymbol ifAbsent: [LookupError new object: self key: aSymbol; signal]
%
method: SmalltalkGlobals
removeKey: aSymbol ifAbsent: aBlock
	| home |
	home := self _homeOf: aSymbol.
	^home == nil ifTrue: [aBlock value] ifFalse: [home removeKey: aSymbol]
%
method: SmalltalkGlobals
includesKey: aSymbol
	^(self _homeOf: aSymbol) ~~ nil
%
method: SmalltalkGlobals
hasClassNamed: aString
	^(self at: aString asSymbol ifAbsent: [nil]) isClass
%
method: SmalltalkGlobals
classNamed: aString
	| value |
	value := self at: aString asSymbol ifAbsent: [nil].
	^value isClass ifTrue: [value] ifFalse: [nil]
%
method: SmalltalkGlobals
allClasses
	^System allClasses
%
method: SmalltalkGlobals
globals
	^self
%
method: SmalltalkGlobals
_homeOf: aSymbol
	self _validateString: aSymbol.
	^System symbolList detect: [:each | each includesKey: aSymbol] ifNone: [nil]
%
doit
Globals at: #Smalltalk put: SmalltalkGlobals new
%
