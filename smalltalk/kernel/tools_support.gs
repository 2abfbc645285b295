! What the tools of a client ask the image. Answers are plain data: strings, symbols, numbers, booleans and arrays of them.

! ===== Class definition for ToolSupport
doit
Object subclass: 'ToolSupport'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Lapidary
  options: #()
%
doit
ToolSupport comment: 'What all tools of a client need: looking names up, and saying why not. Class-side messages only.'
%

category: 'Answering'
classmethod: ToolSupport
answering: aBlock
	"{nil. value of aBlock}, or {kind. text. detail} if it refuses."
	^[{nil. aBlock value}] on: McpError do: [:ex | ex return: {ex kind. ex messageText. ex detail}]
%
classmethod: ToolSupport
refuse: kind saying: aString
	^self refuse: kind saying: aString with: nil
%
classmethod: ToolSupport
refuse: kind saying: aString with: anObject
	^McpError signalKind: kind message: aString detail: anObject
%
category: 'Names'
classmethod: ToolSupport
isClass: anObject
	"Asked of the class of anObject, so that no object of a user's can say what it is not."
	^(anObject class isKindOf: Metaclass)
%
classmethod: ToolSupport
dictionaryNamed: aString
	^(System symbolList dictionaryNamed: aString) ifNil: [
		self refuse: #notFound saying: 'Dictionary not found: ' , aString]
%
classmethod: ToolSupport
classNamed: aString in: dictionaryName
	"The class of that name in the dictionary of that name, or, if that is nil, the first that look-up finds."
	| value |
	value := dictionaryName == nil
		ifTrue: [System objectNamed: aString]
		ifFalse: [(self dictionaryNamed: dictionaryName) at: aString otherwise: nil].
	^(self isClass: value)
		ifTrue: [value]
		ifFalse: [self refuse: #notFound saying: 'Class not found: ' , aString]
%
classmethod: ToolSupport
behaviorOf: aString in: dictionaryName meta: aBoolean
	| class |
	class := self classNamed: aString in: dictionaryName.
	^aBoolean == true ifTrue: [class class] ifFalse: [class]
%
classmethod: ToolSupport
methodOf: behavior selector: aString
	^(behavior compiledMethodAt: aString otherwise: nil) ifNil: [
		self refuse: #notFound saying: 'No such method: ' , behavior name , '>>' , aString]
%
classmethod: ToolSupport
nameOfDictionary: aSymbolDictionary
	"A text in any case, for people."
	^(aSymbolDictionary name ifNil: ['(unnamed)']) asString
%
classmethod: ToolSupport
dictionaryOf: aClass
	"The first dictionary that binds aClass under its own name; nil if none does."
	| key |
	key := aClass name asSymbol.
	^System symbolList detect: [:each | (each at: key otherwise: nil) == aClass] ifNone: [nil]
%
classmethod: ToolSupport
dictionaryNameOf: aClass
	| dictionary |
	dictionary := self dictionaryOf: aClass.
	^dictionary == nil ifTrue: [nil] ifFalse: [self nameOfDictionary: dictionary]
%
classmethod: ToolSupport
dictionariesFor: dictionaryName
	"All of the user's dictionaries, or the one of that name."
	^dictionaryName == nil
		ifTrue: [System symbolList asArray]
		ifFalse: [Array with: (self dictionaryNamed: dictionaryName)]
%
classmethod: ToolSupport
classesOf: aSymbolDictionary do: aBlock
	"The classes bound under their own names: an alias does not count."
	(self _classesBoundIn: aSymbolDictionary) do: aBlock
%
classmethod: ToolSupport
_classesBoundIn: aSymbolDictionary
	"An Array of them, loaded many at a time."
	<primitive: #classesBound>
	^self _primitiveFailed: #classesBound
%
category: 'Texts'
classmethod: ToolSupport
sorted: aCollection
	"Strings and symbols in the order of their characters."
	^(aCollection collect: [:each | each asString]) asSortedCollection asArray
%
