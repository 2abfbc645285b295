! Listing dictionaries and classes, and looking into them.

! ===== Class definition for ToolBrowser
doit
ToolSupport subclass: 'ToolBrowser'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Lapidary
  options: #()
%
doit
ToolBrowser comment: 'Answers what the tools for listing and browsing show. It changes nothing.'
%

category: 'Listing'
classmethod: ToolBrowser
dictionaries
	^self answering: [System symbolList asArray collect: [:each | self nameOfDictionary: each]]
%
classmethod: ToolBrowser
allClasses
	"Pairs: a class, its dictionary."
	^self answering: [
		| all |
		all := OrderedCollection new.
		System symbolList do: [:dictionary |
			| home |
			home := self nameOfDictionary: dictionary.
			self classesOf: dictionary do: [:class | all add: {class name. home}]].
		all asArray]
%
classmethod: ToolBrowser
classesIn: dictionaryName
	^self answering: [
		| names |
		names := OrderedCollection new.
		self classesOf: (self dictionaryNamed: dictionaryName) do: [:class | names add: class name].
		names asArray]
%
classmethod: ToolBrowser
entriesIn: dictionaryName
	"Pairs: a key, whether its value is a class."
	^self answering: [
		| entries |
		entries := OrderedCollection new.
		(self dictionaryNamed: dictionaryName) keysAndValuesDo: [:key :value |
			entries add: {key asString. self isClass: value}].
		entries asArray]
%
category: 'Browsing'
classmethod: ToolBrowser
describe: className in: dictionaryName
	^self answering: [self description: (self classNamed: className in: dictionaryName)]
%
classmethod: ToolBrowser
description: class
	| selectors |
	selectors := self sorted: class _selectors.
	^{
		class name.
		class superclass == nil ifTrue: [nil] ifFalse: [class superclass name].
		(class instVarNames collect: [:each | each asSymbol]) asArray printString.
		(selectors collect: [:each | each asSymbol]) printString.
		self sorted: class _selectors.
		self sorted: class class _selectors.
		class instVarNames collect: [:each | each asString].
		class classVarNames collect: [:each | each asString].
		class class instVarNames collect: [:each | each asString].
		self dictionaryNameOf: class.
		class category == nil ifTrue: [nil] ifFalse: [class category asString].
		class comment.
		class definition}
%
classmethod: ToolBrowser
definitionOf: className in: dictionaryName
	"The definition, the comment, the name, the dictionary."
	^self answering: [
		| class |
		class := self classNamed: className in: dictionaryName.
		{class definition. class comment. class name. self dictionaryNameOf: class}]
%
classmethod: ToolBrowser
sourceOf: className in: dictionaryName
	"The class as text to be filed in, its definition, its comment, its name, its dictionary."
	^self answering: [
		| class |
		class := self classNamed: className in: dictionaryName.
		{class fileOutClass. class definition. class comment. class name. self dictionaryNameOf: class}]
%
classmethod: ToolBrowser
hierarchyOf: className in: dictionaryName
	"Names: the superclasses, the root first; the class; its direct subclasses."
	^self answering: [
		| class |
		class := self classNamed: className in: dictionaryName.
		{
			class allSuperclasses collect: [:each | each name].
			class name.
			self sorted: (class subclasses collect: [:each | each name])}]
%
classmethod: ToolBrowser
methodSource: selector of: className in: dictionaryName meta: meta
	"Behavior, selector, source, category, dictionary."
	^self answering: [
		| behavior method |
		behavior := self behaviorOf: className in: dictionaryName meta: meta.
		method := self methodOf: behavior selector: selector.
		{behavior name. method selector asString. method sourceString asString. self categoryOf: method.
			self dictionaryNameOf: behavior thisClass}]
%
classmethod: ToolBrowser
methodsOf: className in: dictionaryName
	"Two arrays, of the class and of its metaclass: pairs of selector and category."
	^self answering: [
		| class |
		class := self classNamed: className in: dictionaryName.
		{self categorized: class. self categorized: class class}]
%
classmethod: ToolBrowser
categorized: behavior
	^behavior _selectors collect: [:each | {each asString. self categoryOf: (behavior compiledMethodAt: each)}]
%
classmethod: ToolBrowser
categoryOf: method
	"nil if there is none."
	| protocol |
	protocol := method category.
	^(protocol == nil or: [protocol isEmpty]) ifTrue: [nil] ifFalse: [protocol asString]
%
