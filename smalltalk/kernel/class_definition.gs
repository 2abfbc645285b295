! Making classes, and making them again.

! ===== Class definition for ClassDefinition
doit
Object subclass: 'ClassDefinition'
  instVarNames: #( superclass name kind instVarNames classVarNames classInstVarNames pools dictionary options category)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
ClassDefinition comment: 'What a subclass-creation message asks for. I check it, and make the class, or answer the one that is already so.'
%

category: 'Accessing'
method: ClassDefinition
superclass: aClass
	superclass := aClass
%
method: ClassDefinition
name: aString
	name := aString
%
method: ClassDefinition
kind: aSymbol
	"#pointer, #indexable or #byte; what the superclass is counts too."
	kind := aSymbol
%
method: ClassDefinition
instVarNames: aCollection
	instVarNames := self namesFrom: aCollection
%
method: ClassDefinition
classVarNames: aCollection
	classVarNames := self namesFrom: aCollection
%
method: ClassDefinition
classInstVarNames: aCollection
	classInstVarNames := self namesFrom: aCollection
%
method: ClassDefinition
pools: aCollection
	"Dictionaries, or their names."
	pools := aCollection == nil ifTrue: [#()] ifFalse: [aCollection asArray collect: [:each | self poolFor: each]]
%
method: ClassDefinition
poolFor: anObject
	| pool |
	anObject isString ifFalse: [^anObject].
	pool := System objectNamed: anObject.
	^pool == nil ifTrue: [ArgumentError signal: 'there is no pool dictionary ' , anObject] ifFalse: [pool]
%
method: ClassDefinition
dictionary: aSymbolDictionary
	"Where the class is to be bound; nil: nowhere."
	dictionary := aSymbolDictionary
%
method: ClassDefinition
options: aCollection
	options := aCollection == nil ifTrue: [#()] ifFalse: [aCollection asArray]
%
method: ClassDefinition
category: aString
	category := aString
%
method: ClassDefinition
namesFrom: aCollection
	"Names as Symbols, given in a collection or in one string with blanks between them."
	aCollection == nil ifTrue: [^#()].
	aCollection isSymbol ifTrue: [^Array with: aCollection].
	aCollection isString ifTrue: [^aCollection substrings collect: [:each | each asSymbol]].
	aCollection isCollection ifFalse: [^self _typeError: aCollection expected: 'a collection of names'].
	^aCollection asArray collect: [:each | self _validateString: each. each asSymbol]
%
category: 'Making the class'
method: ClassDefinition
define
	"Answer the class: the one that is bound already if it is as asked for, else a new one or a new version."
	| existing |
	self validate.
	existing := self existingClass.
	existing == nil ifTrue: [^self bind: self newClass].
	(self hasSameShapeAs: existing) ifTrue: [^self update: existing].
	^self bind: (self newVersionOf: existing)
%
method: ClassDefinition
defineWithMethods
	"As #define; a new version gets the methods of the one before it, compiled anew. Those that no longer compile are
	left out and reported."
	| existing class failures |
	existing := self existingClass.
	class := self define.
	(existing == nil or: [existing == class]) ifTrue: [^class].
	failures := class _copyMethodsFrom: existing.
	failures isEmpty ifFalse: [MethodsNotRecompiled new failures: failures; signal].
	^class
%
method: ClassDefinition
existingClass
	"The class that is bound under my name where the new one is to be; nil if there is none."
	| value |
	dictionary == nil ifTrue: [^nil].
	value := dictionary at: name asSymbol otherwise: nil.
	^(value isBehavior and: [value isMetaclass not]) ifTrue: [value] ifFalse: [nil]
%
method: ClassDefinition
hasSameShapeAs: aClass
	^aClass superclass == superclass
		and: [aClass kind == self effectiveKind
		and: [aClass instVarNames asArray = instVarNames
		and: [aClass class instVarNames asArray = classInstVarNames]]]
%
method: ClassDefinition
effectiveKind
	"What the superclass is, the class is too."
	^(kind == #pointer and: [superclass ~~ nil]) ifTrue: [superclass kind] ifFalse: [kind]
%
method: ClassDefinition
newClass
	| class |
	class := Class
		_newClassUnder: superclass
		name: name asSymbol
		instVarNames: instVarNames
		classVars: (self classVarsFrom: nil)
		pools: pools
		classInstVarNames: classInstVarNames
		kind: self effectiveKind.
	category == nil ifFalse: [class category: category].
	class _options: options.
	class _classHistory: (ClassHistory new addLast: class; yourself).
	^class
%
method: ClassDefinition
newVersionOf: aClass
	"A new version, without methods, in the history that it shares with aClass, whose subclasses and instances stay with it."
	| class history |
	class := Class
		_newClassUnder: superclass
		name: name asSymbol
		instVarNames: instVarNames
		classVars: (self classVarsFrom: aClass)
		pools: pools
		classInstVarNames: classInstVarNames
		kind: self effectiveKind.
	class _options: options.
	category == nil
		ifTrue: [class category: aClass category]
		ifFalse: [class category: category].
	aClass comment isEmpty ifFalse: [class comment: aClass comment].
	history := aClass _sharedHistory.
	history addLast: class.
	class _classHistory: history.
	^class
%
method: ClassDefinition
classVarsFrom: aClass
	"The dictionary of class variables: those of aClass that stay are shared with it."
	| old variables |
	classVarNames isEmpty ifTrue: [^nil].
	variables := SymbolDictionary new.
	old := aClass == nil ifTrue: [nil] ifFalse: [aClass classVars].
	classVarNames do: [:each |
		| association |
		association := old == nil ifTrue: [nil] ifFalse: [old associationAt: each otherwise: nil].
		association == nil
			ifTrue: [variables at: each put: nil]
			ifFalse: [variables addAssociation: association]].
	^variables
%
method: ClassDefinition
update: aClass
	"aClass is of the right shape. Change only what differs, so that asking for the same again writes nothing."
	| names |
	names := aClass classVarNames.
	classVarNames do: [:each | (names includes: each) ifFalse: [aClass addClassVarName: each]].
	names do: [:each | (classVarNames includes: each) ifFalse: [aClass removeClassVarName: each]].
	aClass sharedPools asArray = pools ifFalse: [aClass _sharedPools: pools].
	aClass options = options ifFalse: [aClass _options: options].
	(category == nil or: [aClass category = category]) ifFalse: [aClass category: category].
	^aClass
%
method: ClassDefinition
bind: aClass
	dictionary == nil ifFalse: [dictionary at: name asSymbol put: aClass].
	^aClass
%
category: 'Checking'
method: ClassDefinition
validate
	self validateName; validateSuperclass; validateVariables; validatePools; validateOptions; validateDictionary
%
method: ClassDefinition
validateName
	self _validateString: name.
	(name notEmpty and: [name first isLetter or: [name first == $_]]) ifFalse: [^self refuse: 'is not a name for a class'].
	(name allSatisfy: [:each | each isAlphaNumeric or: [each == $_]])
		ifFalse: [^self refuse: 'is not a name for a class'].
	(name size > 1024) ifTrue: [^self refuse: 'is too long']
%
method: ClassDefinition
validateSuperclass
	superclass == nil ifTrue: [^self].
	(superclass isBehavior and: [superclass isMetaclass not])
		ifFalse: [^self _typeError: superclass expected: 'a Class as superclass'].
	(self class immediateClasses includesIdentical: superclass)
		ifTrue: [^self refuse: 'cannot inherit from ' , superclass name , ', whose instances are special'].
	(superclass options includes: #subclassesDisallowed)
		ifTrue: [^self refuse: 'cannot inherit from ' , superclass name , ', which allows no subclasses'].
	(kind == #byte and: [superclass kind ~~ #byte and: [superclass instSize > 0]])
		ifTrue: [^self refuse: 'cannot hold bytes: ' , superclass name , ' has instance variables'].
	(kind == #indexable and: [superclass kind == #byte])
		ifTrue: [^self refuse: 'cannot hold objects: ' , superclass name , ' holds bytes']
%
method: ClassDefinition
validateVariables
	| all |
	all := superclass == nil ifTrue: [#()] ifFalse: [superclass allInstVarNames asArray].
	self validate: instVarNames inherited: all.
	(self effectiveKind == #byte and: [instVarNames notEmpty])
		ifTrue: [^self refuse: 'holds bytes and cannot have instance variables'].
	superclass == nil ifFalse: [self validate: classInstVarNames inherited: superclass class allInstVarNames asArray].
	self validate: classVarNames inherited: #()
%
method: ClassDefinition
validate: names inherited: inherited
	| seen |
	seen := Set new.
	seen addAll: inherited.
	names do: [:each |
		self class validateVariableName: each.
		(seen includes: each) ifTrue: [^self refuse: 'would have the variable ' , each , ' twice'].
		seen add: each]
%
method: ClassDefinition
validatePools
	pools do: [:each |
		(each isKindOf: SymbolDictionary) ifFalse: [^self _typeError: each expected: 'a SymbolDictionary as pool']]
%
method: ClassDefinition
validateOptions
	options do: [:each |
		(each isSymbol and: [self class knownOptions includesIdentical: each])
			ifFalse: [^self refuse: 'cannot have the option ' , each _briefPrintString]]
%
method: ClassDefinition
validateDictionary
	dictionary == nil ifTrue: [^self].
	(dictionary isKindOf: SymbolDictionary) ifFalse: [^self _typeError: dictionary expected: 'a SymbolDictionary'].
	(dictionary at: name asSymbol otherwise: nil) == dictionary
		ifTrue: [^self refuse: 'is the name of its own dictionary']
%
method: ClassDefinition
refuse: aString
	^ArgumentError signal: 'the class ' , name _briefPrintString , ' ' , aString
%
category: 'Instance creation'
classmethod: ClassDefinition
new
	^self basicNew
		kind: #pointer;
		instVarNames: #();
		classVarNames: #();
		classInstVarNames: #();
		pools: #();
		options: #();
		yourself
%
category: 'Checking'
classmethod: ClassDefinition
validateVariableName: aString
	"Answer aString if a variable can be called so."
	| valid |
	self _validateString: aString.
	valid := aString notEmpty
		and: [(aString first isLetter or: [aString first == $_])
		and: [aString allSatisfy: [:each | each isAlphaNumeric or: [each == $_]]]].
	valid ifFalse: [^ArgumentError signal: aString printString , ' is not a name for a variable'].
	(self reservedNames includes: aString asString)
		ifTrue: [^ArgumentError signal: aString printString , ' is a reserved word'].
	^aString asString
%
classmethod: ClassDefinition
reservedNames
	^#('self' 'super' 'nil' 'true' 'false' 'thisContext')
%
classmethod: ClassDefinition
knownOptions
	^#(#dbTransient #disallowGciStore #instancesInvariant #instancesNonPersistent #logCreation #modifiable
		#noInheritOptions #selfCanBeSpecial #subclassesDisallowed #traverseByCallback)
%
classmethod: ClassDefinition
immediateClasses
	^{SmallInteger. SmallDouble. Float. Character. UndefinedObject. Boolean. True. False. LargeInteger. Symbol. QuadByteSymbol.
		Behavior. Class. Metaclass. ExecBlock. GsNMethod. GsMethodDictionary}
%
category: 'Private'
method: Class
_classHistory: aClassHistory
	classHistory := aClassHistory
%
method: Class
_sharedHistory
	"The history that a new version of me is to share; a class of the kernel has none so far."
	classHistory == nil ifTrue: [classHistory := ClassHistory new addLast: self; yourself].
	^classHistory
%
method: Class
_sharedPools: anArray
	poolDictionaries := anArray isEmpty ifTrue: [nil] ifFalse: [anArray]
%
category: 'Private'
classmethod: Class
_newClassUnder: aClass name: aSymbol instVarNames: names classVars: variables pools: pools classInstVarNames: classNames kind: kind
	"A new class and its metaclass, bound nowhere yet."
	<primitive: #newClass>
	^ArgumentError signal: 'the class ' , aSymbol printString , ' cannot be made'
%
