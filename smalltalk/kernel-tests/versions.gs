! What a change of a class's shape does, and what it leaves alone.

! ===== Class definition for ClassVersionTest
doit
GsTestCase subclass: 'ClassVersionTest'
  instVarNames: #( dictionary)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: UserGlobals
  options: #()
%
doit
ClassVersionTest comment: 'Versions of classes: history, methods, subclasses, instances.'
%

category: 'Running'
method: ClassVersionTest
setUp
	dictionary := SymbolDictionary new
%
method: ClassVersionTest
define: aString instVars: names
	^self define: aString under: Object instVars: names
%
method: ClassVersionTest
define: aString under: aClass instVars: names
	^aClass subclass: aString instVarNames: names classVars: #( Shared) classInstVars: #() poolDictionaries: #()
		inDictionary: dictionary options: #()
%
category: 'Tests of versions'
method: ClassVersionTest
testNewVersionHasNoMethods
	| first second |
	first := self define: 'KtPoint' instVars: #( x).
	first compile: 'x ^x' classified: 'access'.
	first class compile: 'origin ^self new'.
	first comment: 'Where something is.'.
	second := self define: 'KtPoint' instVars: #( y x).
	self deny: first == second.
	self assert: (dictionary at: #KtPoint) == second.
	self assert: second selectors isEmpty.
	self assert: second class selectors isEmpty.
	self assert: second comment equals: 'Where something is.'.
	self assert: (first includesSelector: #x).
	self assert: (first class includesSelector: #origin)
%
method: ClassVersionTest
testVersionsShareTheirHistory
	| first second third |
	first := self define: 'KtPoint' instVars: #( x).
	self assert: first classHistory asArray equals: {first}.
	self assert: first isCurrentVersion.
	second := self define: 'KtPoint' instVars: #( x y).
	third := self define: 'KtPoint' instVars: #( y).
	self assert: third classHistory asArray equals: {first. second. third}.
	self assert: first classHistory == third classHistory.
	self assert: first classHistory printString equals: 'aClassHistory( KtPoint, KtPoint, KtPoint)'.
	self assert: first classHistory name equals: 'KtPoint'.
	self assert: first classHistory currentVersion == third.
	self assert: first currentVersion == third.
	self deny: first isCurrentVersion.
	self assert: (first isVersionOf: third).
	self assert: (third isVersionOf: first).
	self deny: (first isVersionOf: Object).
	self assert: (first classHistory select: [:each | each == second]) class equals: OrderedCollection
%
method: ClassVersionTest
testSameShapeIsTheSameClass
	| class |
	class := self define: 'KtPoint' instVars: #( x).
	class compile: 'x ^x'.
	self assert: (self define: 'KtPoint' instVars: #( x)) == class.
	self assert: (class includesSelector: #x).
	self assert: class classHistory size equals: 1
%
method: ClassVersionTest
testSubclassesStayWithTheOldVersion
	| first second derived |
	first := self define: 'KtPoint' instVars: #( x).
	derived := self define: 'KtPoint3' under: first instVars: #( z).
	second := self define: 'KtPoint' instVars: #( x y).
	self assert: derived superclass == first.
	self assert: derived allInstVarNames equals: #( x z).
	self assert: (derived inheritsFrom: first).
	self deny: (derived inheritsFrom: second)
%
method: ClassVersionTest
testInstancesStayWithTheOldVersion
	| first second object |
	first := self define: 'KtPoint' instVars: #( x).
	first compile: 'x ^x'.
	object := first new.
	object instVarNamed: #x put: 3.
	second := self define: 'KtPoint' instVars: #( y x).
	self assert: object class == first.
	self assert: object x equals: 3.
	self deny: (object isKindOf: second).
	self should: [second new x] raise: MessageNotUnderstood
%
method: ClassVersionTest
testClassVariablesAreShared
	| first second |
	first := self define: 'KtPoint' instVars: #( x).
	first class compile: 'shared: anObject Shared := anObject'.
	second := self define: 'KtPoint' instVars: #( y).
	first shared: 7.
	self assert: (second classVarAt: #Shared) equals: 7
%
method: ClassVersionTest
testAnotherSuperclassOrKindIsAnotherShape
	| first second third |
	first := self define: 'KtPoint' instVars: #().
	second := self define: 'KtPoint' under: Array instVars: #().
	self deny: first == second.
	third := self define: 'KtPoint' under: Object instVars: #().
	self assert: third classHistory size equals: 3
%
category: 'Tests of methods'
method: ClassVersionTest
testMethodsAreCopied
	| first second failures |
	first := self define: 'KtPoint' instVars: #( x).
	first compile: 'x ^x' classified: 'access'.
	first compile: 'twice | y | y := x + x. ^y' classified: 'sums'.
	first class compile: 'origin ^self new' classified: 'making'.
	second := self define: 'KtPoint' instVars: #( y x).
	failures := second copyMethodsFrom: first dictionaries: nil.
	self assert: failures size equals: 1.
	self assert: failures first == (first compiledMethodAt: #twice).
	self assert: second selectors equals: (IdentitySet with: #x).
	self assert: (second categoryOfSelector: #x) equals: #access.
	self assert: (second class categoryOfSelector: #origin) equals: #making.
	self assert: second origin x equals: nil.
	self should: [second copyMethodsFrom: 3 dictionaries: nil] raise: ArgumentTypeError
%
method: ClassVersionTest
testATemporaryThatCollidesIsError1030
	| first second numbers |
	first := self define: 'KtPoint' instVars: #( x).
	first compile: 'twice | y | y := x + x. ^y' classified: 'sums'.
	second := self define: 'KtPoint' instVars: #( y x).
	numbers := (second compileMethod: (first sourceCodeAt: #twice) dictionaries: nil category: 'sums')
		collect: [:each | each first].
	self assert: numbers equals: #( 1030)
%
method: ClassVersionTest
testAddingAVariableKeepsMethods
	| first second third told |
	first := Object subclass: 'KtGrowing' instVarNames: #( a) inDictionary: UserGlobals.
	first compile: 'a ^a'.
	second := first addInstVarName: 'b'.
	self assert: second instVarNames equals: #( a b).
	self assert: (UserGlobals at: #KtGrowing) == second.
	self assert: (second includesSelector: #a).
	third := [second removeInstVarName: 'a'] on: MethodsNotRecompiled do: [:ex |
		told := ex description.
		self assert: (ex failures first at: 2) equals: #a.
		ex resume: nil].
	self assert: (told includesString: 'KtGrowing>>a').
	self assert: third instVarNames equals: #( b).
	self assert: third selectors isEmpty.
	self assert: third classHistory size equals: 3.
	self should: [third removeInstVarName: 'zork'] raise: LookupError.
	UserGlobals removeKey: #KtGrowing
%
method: ClassVersionTest
testTheFormOfOtherDialectsKeepsMethods
	| first second |
	first := Object subclass: #KtOther instanceVariableNames: 'a' classVariableNames: '' package: 'Kt'.
	first compile: 'a ^a'.
	second := Object subclass: #KtOther instanceVariableNames: 'a b' classVariableNames: '' package: 'Kt'.
	self deny: first == second.
	self assert: (second includesSelector: #a).
	UserGlobals removeKey: #KtOther
%
category: 'Tests of migration'
method: ClassVersionTest
testMappingByName
	| first second |
	first := self define: 'KtPoint' instVars: #( x y).
	second := self define: 'KtPoint' instVars: #( z y x).
	self assert: (second instVarMappingTo: first) equals: #( 0 2 1).
	self assert: (first instVarMappingTo: second) equals: #( 3 2)
%
method: ClassVersionTest
testMigrateInstances
	| first second one other holder left |
	first := self define: 'KtPoint' instVars: #( x y).
	one := first new.
	one instVarNamed: #x put: 1; instVarNamed: #y put: 2.
	other := first new.
	holder := {one. other. Set with: one}.
	second := self define: 'KtPoint' instVars: #( z y x).
	left := first migrateInstances: {one. other. 3} to: second.
	self assert: left equals: {#(). #(). #(). #( 3)}.
	self assert: one class == second.
	self assert: other class == second.
	self assert: (one instVarNamed: #x) equals: 1.
	self assert: (one instVarNamed: #y) equals: 2.
	self assert: (one instVarNamed: #z) equals: nil.
	self assert: (holder at: 1) == one.
	self assert: ((holder at: 3) includes: one)
%
method: ClassVersionTest
testMigrateToFewerVariables
	| first second object |
	first := self define: 'KtPoint' instVars: #( x y z).
	object := first new.
	object instVarNamed: #z put: 7.
	second := self define: 'KtPoint' instVars: #( z).
	first migrateInstances: {object} to: second.
	self assert: (object instVarNamed: #z) equals: 7.
	self assert: object basicSize equals: 0.
	self should: [object basicAt: 1] raise: ImproperOperation.
	self should: [object instVarAt: 2] raise: OffsetError.
	self assert: (object copy instVarNamed: #z) equals: 7
%
method: ClassVersionTest
testMigrateOneByOne
	| first second object |
	first := self define: 'KtPoint' instVars: #( x).
	object := first new.
	self assert: object migrate == object.
	second := self define: 'KtPoint' instVars: #( x y).
	self assert: first migrationDestination equals: nil.
	first migrateTo: second.
	self assert: first migrationDestination == second.
	object migrate.
	self assert: object class == second.
	first cancelMigration.
	self assert: first migrationDestination equals: nil.
	self assert: first new migrate class == first.
	self should: [first migrateTo: 3] raise: ArgumentTypeError
%
method: ClassVersionTest
testStateOfAnotherVersion
	| first second object |
	first := self define: 'KtPoint' instVars: #( x).
	object := first new.
	object instVarNamed: #x put: 4.
	second := self define: 'KtPoint' instVars: #( y x).
	self assert: (second new migrateFrom: object; instVarNamed: #x) equals: 4
%
method: ClassVersionTest
testMigrationCanBeExtended
	| first second object |
	first := self define: 'KtPoint' instVars: #( x).
	object := first new.
	object instVarNamed: #x put: 4.
	second := self define: 'KtPoint' instVars: #( square).
	second compile: 'migrateFrom: anObject instVarMap: mapping
		super migrateFrom: anObject instVarMap: mapping.
		square := (anObject instVarNamed: #x) squared'.
	first migrateInstances: {object} to: second.
	self assert: (object instVarNamed: #square) equals: 16
%
method: ClassVersionTest
testElementsComeAlong
	| first second row |
	first := Object indexableSubclass: 'KtRow' instVarNames: #( title) inDictionary: dictionary.
	row := first new: 2.
	row at: 1 put: 5; instVarNamed: #title put: 'a'.
	second := Object indexableSubclass: 'KtRow' instVarNames: #( owner title) inDictionary: dictionary.
	first migrateInstances: {row} to: second.
	self assert: (row at: 1) equals: 5.
	self assert: row basicSize equals: 2.
	self assert: (row instVarNamed: #title) equals: 'a'
%
method: ClassVersionTest
testWhatCannotMove
	| first second row object left |
	first := Object indexableSubclass: 'KtRow' instVarNames: #( a b) inDictionary: dictionary.
	row := first new: 2.
	second := Object indexableSubclass: 'KtRow' instVarNames: #( a) inDictionary: dictionary.
	left := first migrateInstances: {row} to: second.
	self assert: (left at: 3) equals: {row}.
	self assert: row class == first.
	first := self define: 'KtPoint' instVars: #( x).
	first compile: 'moveTo: aClass self class migrateTo: aClass. self migrate. ^x'.
	object := first new.
	second := self define: 'KtPoint' instVars: #( y x).
	self should: [object moveTo: second] raise: MigrationError.
	self assert: object class == first.
	self should: [3 _migrateTo: second map: #()] raise: MigrationError
%
