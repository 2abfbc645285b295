! Versions of classes: what a change of shape leaves behind, and how instances and methods come along.

! ===== Class definition for ClassHistory
doit
OrderedCollection subclass: 'ClassHistory'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
ClassHistory comment: 'The versions of one class, the oldest first. All of them share it.'
%

category: 'Accessing'
method: ClassHistory
name
	"What the newest version is called."
	^self last name
%
method: ClassHistory
currentVersion
	^self last
%
method: ClassHistory
species
	"What is selected of me is no history."
	^OrderedCollection
%
category: 'Versions'
method: Class
currentVersion
	"The newest version of me."
	^self classHistory last
%
method: Class
isCurrentVersion
	^self currentVersion == self
%
method: Class
copyMethodsFrom: aClass dictionaries: aSymbolList
	"Compile the methods of both sides of aClass as mine, in their categories. Answer those that do not compile here: what
	became of them I do not have."
	self _validateClass: aClass.
	^(self _copyMethodsFrom: aClass) collect: [:each |
		| behavior |
		behavior := (each at: 1) isMetaclass ifTrue: [aClass class] ifFalse: [aClass].
		behavior compiledMethodAt: (each at: 2)]
%
method: Class
_copyMethodsFrom: aClass
	"Answer what failed, Arrays: behavior, selector, exception."
	^(self _copyOwnMethodsFrom: aClass) , (self class _copyOwnMethodsFrom: aClass class)
%
method: Behavior
_copyOwnMethodsFrom: aBehavior
	| failures |
	failures := OrderedCollection new.
	aBehavior _selectors asSortedCollection do: [:each |
		| method |
		method := aBehavior compiledMethodAt: each.
		[self compileMethod: method sourceString dictionaries: nil category: method category environmentId: 0]
			on: CompileError
			do: [:ex | failures add: {self. each. ex}]].
	^failures asArray
%
method: Class
_validateClass: anObject
	(anObject isBehavior and: [anObject isMetaclass not]) ifFalse: [^self _typeError: anObject expected: 'a Class']
%
category: 'Migration'
method: Class
migrateTo: aClass
	"From now on an instance of mine becomes one of aClass when it is sent #migrate."
	self _validateClass: aClass.
	self _extra at: #migrationDestination put: aClass
%
method: Class
migrationDestination
	"What my instances become when they are sent #migrate; nil: what they are."
	^extraDict == nil ifTrue: [nil] ifFalse: [extraDict at: #migrationDestination otherwise: nil]
%
method: Class
cancelMigration
	extraDict == nil ifFalse: [extraDict removeKey: #migrationDestination ifAbsent: []]
%
method: Class
_extra
	extraDict == nil ifTrue: [extraDict := SymbolDictionary new].
	^extraDict
%
method: Class
migrateInstances: aCollection to: aClass
	"Make the instances of mine in aCollection instances of aClass; what refers to them goes on doing so. Answer an Array of
	four collections of those that are left as they were: two for lack of rights, which every session here has; those that
	could not move, since code of theirs is at work or aClass has no room for their elements; those that are not mine."
	| mapping stuck others |
	self _validateClass: aClass.
	mapping := aClass instVarMappingTo: self.
	stuck := OrderedCollection new.
	others := OrderedCollection new.
	aCollection do: [:each |
		each class == self
			ifTrue: [[each _migrateTo: aClass map: mapping] on: MigrationError do: [:ex | stuck add: each]]
			ifFalse: [others add: each]].
	^{#(). #(). stuck asArray. others asArray}
%
method: Class
instVarMappingTo: aClass
	"For each of my instances' variables, its number in instances of aClass, found by name; 0 if there is none."
	| theirs |
	theirs := aClass allInstVarNames.
	^self allInstVarNames collect: [:each | theirs indexOf: each ifAbsent: [0]]
%
method: Object
migrate
	"Become an instance of the class that mine names as its destination, if it names one."
	| destination |
	destination := self class migrationDestination.
	destination == nil ifTrue: [^self].
	self _migrateTo: destination map: (destination instVarMappingTo: self class)
%
method: Object
migrateFrom: anObject
	"Take my state from anObject, an instance of another version of my class."
	^self migrateFrom: anObject instVarMap: (self class instVarMappingTo: anObject class)
%
method: Object
migrateFrom: anObject instVarMap: mapping
	"Take my state from anObject: my variable n from its variable number (mapping at: n), unless that is 0. A class that
	needs more than this extends it."
	mapping doWithIndex: [:from :to | from = 0 ifFalse: [self instVarAt: to put: (anObject instVarAt: from)]].
	1 to: (self basicSize min: anObject basicSize) do: [:index | self basicAt: index put: (anObject basicAt: index)]
%
method: Object
_migrateTo: aClass map: mapping
	| new |
	self class kind = aClass kind ifFalse: [^MigrationError signal: self class name , ' and ' , aClass name , ' differ in kind'].
	new := aClass isIndexable ifTrue: [aClass basicNew: self basicSize] ifFalse: [aClass basicNew].
	new migrateFrom: self instVarMap: mapping.
	self _takeShapeOf: new
%
method: Object
_takeShapeOf: anObject
	<primitive: #takeShapeOf:>
	^MigrationError signal: self class articledName , ' cannot become ' , anObject class articledName
		, ': code of its own is at work, or it has more elements than there is room for'
%
