! Changing dictionaries, classes and methods, as the tools of a client do. Nothing is committed here.

! ===== Class definition for ToolEditor
doit
ToolSupport subclass: 'ToolEditor'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Lapidary
  options: #()
%
doit
ToolEditor comment: 'Makes the changes that a client asks for, and refuses those that would bend the kernel.'
%

category: 'Guards'
classmethod: ToolEditor
assertMutable: class
	"Refuse a class that this session's server protects."
	McpServer _current assertMutableClass: class.
	^class
%
classmethod: ToolEditor
mutableClassNamed: aString in: dictionaryName
	^self assertMutable: (self classNamed: aString in: dictionaryName)
%
classmethod: ToolEditor
mutableBehavior: aString in: dictionaryName meta: aBoolean
	| class |
	class := self mutableClassNamed: aString in: dictionaryName.
	^aBoolean ifTrue: [class class] ifFalse: [class]
%
category: 'Looking before writing'
classmethod: ToolEditor
stateOfMethod: selector of: className in: dictionaryName meta: meta
	"Behavior, dictionary, source and category if there is such a method, the last view in which somebody else changed it."
	^self answering: [
		| behavior method |
		behavior := self mutableBehavior: className in: dictionaryName meta: meta.
		method := behavior compiledMethodAt: selector otherwise: nil.
		{
			behavior name.
			self dictionaryNameOf: behavior thisClass.
			method == nil ifTrue: [nil] ifFalse: [method sourceString].
			method == nil ifTrue: [nil] ifFalse: [ToolBrowser categoryOf: method].
			self _methodsOf: behavior changedAt: selector asSymbol}]
%
classmethod: ToolEditor
stateOfClass: className in: dictionaryName
	"Name, dictionary, definition, comment, the last view in which somebody else changed it."
	^self answering: [self stateOf: (self mutableClassNamed: className in: dictionaryName)]
%
classmethod: ToolEditor
stateOfClassIfAny: className in: dictionaryName
	"As above; nil if the dictionary, or all of them, hold no class of that name."
	^self answering: [
		| value |
		value := dictionaryName == nil
			ifTrue: [System objectNamed: className]
			ifFalse: [(self dictionaryNamed: dictionaryName) at: className otherwise: nil].
		(self isClass: value) ifTrue: [self stateOf: (self assertMutable: value)] ifFalse: [nil]]
%
classmethod: ToolEditor
stateOf: class
	^{class name. self dictionaryNameOf: class. class definition. class comment. self lastChangeOf: class}
%
classmethod: ToolEditor
lastChangeOf: class
	| home last |
	home := self dictionaryOf: class.
	last := (self _changedAt: class) max: (self _changedAt: class class).
	last := last max: (self _changedAt: class classVars).
	home == nil ifFalse: [
		last := last max: (self _changedAt: (home associationAt: class name asSymbol otherwise: nil))].
	^last
%
classmethod: ToolEditor
_changedAt: anObject
	"The last view in which this session learned that somebody else had changed anObject; 0 if there was none."
	<primitive: #changedAt>
	^self _primitiveFailed: #changedAt
%
classmethod: ToolEditor
_methodsOf: behavior changedAt: selector
	<primitive: #methodChangedAt>
	^self _primitiveFailed: #methodChangedAt
%
category: 'Methods'
classmethod: ToolEditor
compile: source protocol: aString of: className in: dictionaryName meta: meta
	"The selector and the category. A method that is there already keeps its category unless one is given."
	^self answering: [
		| behavior protocol result |
		behavior := self mutableBehavior: className in: dictionaryName meta: meta.
		protocol := aString == nil ifTrue: [#mcp] ifFalse: [aString asSymbol].
		result := behavior _compile: source category: protocol dictionaries: nil.
		result isArray ifTrue: [self refuse: #compileError saying: 'Compile errors' with: result].
		{result selector asString. protocol asString}]
%
classmethod: ToolEditor
deleteMethod: selector of: className in: dictionaryName meta: meta
	^self answering: [
		| behavior |
		behavior := self mutableBehavior: className in: dictionaryName meta: meta.
		(behavior includesSelector: selector) ifFalse: [
			self refuse: #notFound saying: 'Method not found: ' , className , '>>' , selector].
		behavior _removeSelector: selector asSymbol.
		true]
%
category: 'Classes'
classmethod: ToolEditor
setComment: aString of: className in: dictionaryName
	^self answering: [
		| class |
		class := self mutableClassNamed: className in: dictionaryName.
		class comment: aString.
		class name]
%
classmethod: ToolEditor
deleteClass: className in: dictionaryName
	"The name of the dictionary that held it."
	^self answering: [
		| class home subclasses |
		class := self mutableClassNamed: className in: dictionaryName.
		home := dictionaryName == nil
			ifTrue: [self dictionaryOf: class]
			ifFalse: [self dictionaryNamed: dictionaryName].
		(home ~~ nil and: [(home at: class name asSymbol otherwise: nil) == class]) ifFalse: [
			self refuse: #refused saying: 'Class is not resident in a dictionary: ' , className].
		subclasses := class subclasses.
		subclasses isEmpty ifFalse: [
			self refuse: #refused saying: 'Refused: ' , className , ' has subclasses ' , (self namesOf: subclasses)
				, '. Delete them first, or give them another superclass.'].
		home removeKey: class name asSymbol.
		self nameOfDictionary: home]
%
classmethod: ToolEditor
namesOf: classes
	^((self sorted: (classes collect: [:each | each name])) collect: [:each | each asSymbol]) printString
%
classmethod: ToolEditor
define: source named: className in: dictionaryName recompile: recompile
	"source is a class definition and nothing else. Name, whether there is a new version, how many methods it was to
	take over, and those that failed: side, selector, reason."
	^self answering: [
		| old class |
		old := self classNamedIfAny: className in: dictionaryName.
		old == nil ifFalse: [self assertMutable: old].
		class := [self valueOfDefinition: source] on: MethodsNotRecompiled do: [:ex | ex resume: nil].
		(self isClass: class) ifFalse: [
			self refuse: #refused saying: 'Source did not evaluate to a class (got ' , class class name
				, '). Use execute_code to evaluate arbitrary expressions.'].
		(old == nil or: [old == class])
			ifTrue: [{class name. false. 0. #()}]
			ifFalse: [self replaced: old with: class recompile: recompile]]
%
classmethod: ToolEditor
classNamedIfAny: className in: dictionaryName
	| value home |
	home := dictionaryName == nil ifTrue: [nil] ifFalse: [System symbolList dictionaryNamed: dictionaryName].
	value := home == nil ifTrue: [nil] ifFalse: [home at: className otherwise: nil].
	^(self isClass: value) ifTrue: [value] ifFalse: [nil]
%
classmethod: ToolEditor
valueOfDefinition: source
	| method |
	method := System _compileDoIt: source.
	method isArray ifTrue: [self refuse: #compileError saying: 'Compile errors' with: method].
	^method value
%
classmethod: ToolEditor
replaced: old with: class recompile: recompile
	| subclasses failures |
	subclasses := old subclasses.
	(recompile and: [subclasses notEmpty]) ifTrue: [
		(self dictionaryOf: class) at: old name asSymbol put: old.
		self refuse: #refused saying: 'Refused: ' , old name , ' has subclasses ' , (self namesOf: subclasses)
			, '. A new shape would leave them on the old version. Pass recompileMethods=false to redefine it without '
			, 'its methods, or redefine the hierarchy from its root with execute_code.'].
	"A definition in the form of another dialect has brought the methods along."
	class removeAllMethods.
	class class removeAllMethods.
	recompile ifFalse: [^{class name. true. 0. #()}].
	failures := class _copyMethodsFrom: old.
	^{
		class name.
		true.
		old _selectors size + old class _selectors size.
		failures collect: [:each | self describeFailure: each]}
%
classmethod: ToolEditor
describeFailure: anArray
	"Behavior, selector, exception: as side, selector, reason."
	^{
		(anArray at: 1) isMetaclass ifTrue: ['class'] ifFalse: ['instance'].
		(anArray at: 2) asString.
		(anArray at: 3) messageText}
%
category: 'Dictionaries'
classmethod: ToolEditor
addDictionary: aString
	^self answering: [
		| dictionary list |
		(self isNameOfDictionary: aString) ifFalse: [
			self refuse: #invalidParams saying: 'Invalid argument dictionaryName: ' , aString printString
				, ' is not a name: a letter, then letters, digits and underscores'].
		list := System symbolList.
		(list dictionaryNamed: aString) == nil ifFalse: [
			self refuse: #refused saying: 'Dictionary already exists: ' , aString].
		dictionary := SymbolDictionary new.
		dictionary name: aString asSymbol.
		System myUserProfile insertDictionary: dictionary at: list size + 1.
		true]
%
classmethod: ToolEditor
isNameOfDictionary: aString
	^aString size > 0 and: [aString size <= 128
		and: [aString first isLetter
		and: [aString allSatisfy: [:each | each isAlphaNumeric or: [each == $_]]]]]
%
classmethod: ToolEditor
removeDictionary: aString
	^self answering: [
		| dictionary list key |
		dictionary := self dictionaryNamed: aString.
		McpServer _current assertRemovableDictionaryNamed: aString.
		list := System symbolList.
		System myUserProfile removeDictionaryAt: (list indexOfIdentical: dictionary).
		key := aString asSymbol.
		System symbolList do: [:each |
			(each at: key otherwise: nil) == dictionary ifTrue: [each removeKey: key]].
		true]
%
