! Browsing, defining, testing, the session.

! ===== Class definition for BehaviorProtocolTest
doit
GsTestCase subclass: 'BehaviorProtocolTest'
  instVarNames: #( dictionary class)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: UserGlobals
  options: #()
%
doit
BehaviorProtocolTest comment: 'Classes, metaclasses and methods as objects.'
%

category: 'Running'
method: BehaviorProtocolTest
setUp
	dictionary := SymbolDictionary new.
	class := Object subclass: 'KtThing' instVarNames: #( a) classVars: #( Shared) classInstVars: #( own)
		poolDictionaries: #() inDictionary: dictionary options: #()
%
method: BehaviorProtocolTest
tearDown
	#(#KtOther #KtPool) do: [:each | UserGlobals removeKey: each ifAbsent: [nil]]
%
category: 'Tests'
method: BehaviorProtocolTest
testHierarchy
	self assert: SmallInteger allSuperclasses equals: {Object. Magnitude. Number. Integer}.
	self assert: Integer withAllSuperclasses equals: {Object. Magnitude. Number. Integer}.
	self assert: Integer superClass == Number.
	self assert: (Integer isSubclassOf: Number).
	self assert: (Integer isSubclassOf: Integer).
	self deny: (Number isSubclassOf: Integer).
	self assert: (Integer includesBehavior: Number).
	self assert: (Integer subclasses includesIdentical: SmallInteger).
	self assert: (Number withAllSubclasses includesIdentical: SmallInteger).
	self assert: (Number withAllSubclasses includesIdentical: Number)
%
method: BehaviorProtocolTest
testKinds
	self assert: Array isVariable.
	self assert: Array isPointers.
	self deny: String isPointers.
	self deny: Object isVariable.
	self assert: Integer asString equals: 'Integer'.
	self assert: Integer displayString equals: 'Integer'
%
method: BehaviorProtocolTest
testMethods
	class compile: 'a ^a' category: 'access'.
	class compileMethod: 'b ^1'.
	class compileMethod: 'c ^2' category: 'access' using: nil.
	class compileClassMethod: 'make ^self new' classified: 'making'.
	self assert: class make a equals: nil.
	self assert: (class selectorsIn: 'access') equals: #(a c).
	self assert: class categoryNames equals: #(access #'as yet unclassified').
	self assert: (class allSelectors includes: #printString).
	self assert: (class lookupSelector: #a) == (class >> #a).
	self assert: (class lookupSelector: #printString) == (Object >> #printString).
	self assert: (class lookupSelector: #zork) equals: nil.
	self assert: (class sourceCodeAt: #zork otherwise: 'none') equals: 'none'.
	class moveMethod: #a toCategory: 'other'.
	self assert: (class categoryOfSelector: #a) equals: #other.
	self assert: (class >> #a) methodClass == class.
	self assert: (class >> #a) environmentId equals: 0.
	self assert: (Object >> #perform:with:) numArgs equals: 2.
	self assert: (class >> #a) printString equals: 'aGsNMethod( KtThing>>a)'.
	class removeAllMethods.
	self assert: class selectors isEmpty.
	self should: [class new a] raise: MessageNotUnderstood
%
method: BehaviorProtocolTest
testSides
	self assert: class classSide == class class.
	self assert: class instanceSide == class.
	self assert: class thisClass == class.
	self assert: class theNonMetaClass == class.
	self assert: class class instanceSide == class.
	self assert: class class thisClass == class.
	self assert: class class theNonMetaClass == class.
	self assert: class class soleInstance == class.
	self assert: class class isMetaclass.
	class comment: 'c'; category: 'k'.
	self assert: class class comment equals: 'c'.
	self assert: class class category equals: 'k'.
	self should: [class class new] raise: ImproperOperation.
	self should: [Metaclass new new] raise: ImproperOperation
%
method: BehaviorProtocolTest
testClassVariables
	| derived |
	class addClassVarName: 'More'.
	self assert: class classVarNames equals: #(More Shared).
	derived := class subclass: 'KtDerived' instVarNames: #() classVars: #(Own) classInstVars: #() poolDictionaries: #()
		inDictionary: dictionary.
	self assert: derived allClassVarNames equals: #(More Shared Own).
	class removeClassVarName: 'More'.
	self assert: class classVarNames equals: #(Shared).
	self should: [class removeClassVarName: 'More'] raise: LookupError
%
method: BehaviorProtocolTest
testForms
	| made pool |
	made := OrderedCollection new.
	made add: (Object subclass: 'KtOther').
	made add: (Object indexableSubclass: 'KtOther').
	made add: (Object byteSubclass: 'KtOther').
	made add: (Object subclass: #KtOther instanceVariableNames: 'x y' classVariableNames: 'Z' category: 'Kt').
	made add: (Object subclass: #KtOther instanceVariableNames: '' classVariableNames: '' poolDictionaries: '').
	made add: (Object subclass: #KtOther instanceVariableNames: 'x' package: 'Kt').
	made add: (Object variableSubclass: #KtOther instanceVariableNames: 'x' classVariableNames: '' package: 'Kt').
	made add: (Object variableByteSubclass: #KtOther instanceVariableNames: '' classVariableNames: '' package: 'Kt').
	made add: (Object variableSubclass: #KtOther instanceVariableNames: '' classVariableNames: '' poolDictionaries: '' category: 'Kt').
	made add: (Object variableByteSubclass: #KtOther instanceVariableNames: '' classVariableNames: '' poolDictionaries: '' category: 'Kt').
	self assert: (made collect: [:each | each kind]) asArray
		equals: #(pointer indexable byte pointer pointer pointer indexable byte indexable byte).
	self assert: made asIdentitySet size equals: made size.
	self assert: (made at: 4) instVarNames equals: #(x y).
	self assert: (made at: 4) classVarNames equals: #(Z).
	self assert: (made at: 4) category equals: 'Kt'.
	self assert: made last currentVersion == made last.
	pool := SymbolDictionary new at: #Depth put: 7; yourself.
	UserGlobals at: #KtPool put: pool.
	made := Object subclass: #KtOther instanceVariableNames: '' classVariableNames: '' poolDictionaries: 'KtPool' category: 'Kt'.
	self assert: made sharedPools first == pool.
	self should: [Object subclass: #KtOther instanceVariableNames: '' classVariableNames: '' poolDictionaries: 'KtNone' category: 'Kt']
		raise: ArgumentError.
	self should: [Object subclass: 'KtOther' instVarNames: #() classVars: #() classInstVars: #() poolDictionaries: {3}
		inDictionary: dictionary options: #()] raise: ArgumentTypeError
%
method: BehaviorProtocolTest
testFormsOfTheSystem
	| made |
	made := Object subclass: 'KtA' instVarNames: #( x) classVars: #() classInstVars: #() poolDictionaries: #()
		inDictionary: dictionary description: 'what it is' options: #().
	self assert: made comment equals: 'what it is'.
	made := Object subclass: 'KtOther' instVarNames: #( x) classVars: #() classInstVars: #() poolDictionaries: #()
		category: 'Kt' options: #().
	self assert: made category equals: 'Kt'.
	made := Object indexableSubclass: 'KtB' instVarNames: #( x) classVars: #() classInstVars: #() poolDictionaries: #()
		inDictionary: dictionary.
	self assert: made isIndexable.
	made := Object byteSubclass: 'KtC' classVars: #() classInstVars: #() poolDictionaries: #() inDictionary: dictionary.
	self assert: made isBytes.
	made := Object byteSubclass: 'KtD' classVars: #() poolDictionaries: #() inDictionary: dictionary options: #( dbTransient).
	self assert: made options equals: #( dbTransient).
	self assert: (ClassDefinition knownOptions includes: #dbTransient)
%
method: BehaviorProtocolTest
testAddingVariablesByAnotherName
	| second |
	UserGlobals at: #KtOther put: nil.
	second := (Object subclass: 'KtOther' instVarNames: #( a) inDictionary: UserGlobals) addInstVarNamed: 'b'.
	self assert: second instVarNames equals: #( a b).
	self assert: (second removeInstVarNamed: 'a') instVarNames equals: #( b)
%
method: BehaviorProtocolTest
testAsText
	| text stream |
	UserGlobals at: #KtOther put: nil.
	class := Object subclass: 'KtOther' instVarNames: #( a) inDictionary: UserGlobals.
	self assert: (class definition beginsWith: 'Object subclass: ''KtOther''').
	self assert: class definition evaluate == class.
	text := class fileOutClass.
	stream := WriteStream on: String new.
	class fileOutClassOn: stream.
	self assert: stream contents equals: text.
	self assert: (text includesSubstring: 'removeallmethods KtOther')
%
method: BehaviorProtocolTest
testOrganizer
	| organizer |
	organizer := ClassOrganizer new.
	self assert: (organizer classes includesIdentical: Array).
	self assert: (organizer subclassesOf: Integer) asSet equals: Integer subclasses asSet.
	self assert: (organizer allSuperclassesOf: Integer) equals: {Object. Magnitude. Number}
%

! ===== Class definition for FrameworkTest
doit
GsTestCase subclass: 'FrameworkTest'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: UserGlobals
  options: #()
%
doit
FrameworkTest comment: 'Assertions, tests, results, resources.'
%

category: 'Tests'
method: FrameworkTest
failing: aBlock
	self should: aBlock raise: TestFailure
%
method: FrameworkTest
testAssertions
	self assert: 3 equals: 3 description: 'same'.
	self failing: [self assert: 3 equals: 4 description: 'same'].
	self assertCollection: #(1) equals: #(1).
	self assertCollection: #(1 2) hasSameElements: #(2 1).
	self failing: [self assertCollection: #(1 2) hasSameElements: #(2)].
	self assertEmpty: #().
	self failing: [self assertEmpty: #(1)].
	self deny: false description: 'no'.
	self failing: [self deny: true description: 'no'].
	self deny: 'a' identicalTo: 'a' copy.
	self failing: [self deny: #a identicalTo: #a].
	self should: [true].
	self failing: [self should: [false]].
	self should: [true] description: 'yes'.
	self failing: [self should: [false] description: 'yes'].
	self shouldnt: [false].
	self failing: [self shouldnt: [true]].
	self shouldnt: [3] raise: Error description: 'fine'.
	self failing: [self shouldnt: [1/0] raise: Error description: 'fine'].
	self assert: 0.1 + 0.2 isCloseTo: 0.3.
	self failing: [self assert: 0.1 isCloseTo: 0.2]
%
method: FrameworkTest
testSkipping
	self should: [self skip] raise: TestSkipped.
	self should: [self skip: 'not here'] raise: TestSkipped.
	self assert: TestSkipped errorNumber equals: 2716
%
method: FrameworkTest
suiteClass
	| class |
	class := TestCase subclass: 'KtSuite' instVarNames: #() inDictionary: SymbolDictionary new.
	class compile: 'testGood self assert: true'.
	class compile: 'testBad self assert: false'.
	class compile: 'testWrong nil zork'.
	class compile: 'testSkipped self skip'.
	^class
%
method: FrameworkTest
testRunningTests
	| class test |
	class := self suiteClass.
	self assert: class allTestSelectors equals: #(testBad testGood testSkipped testWrong).
	test := class selector: #testGood.
	self assert: test selector equals: #testGood.
	self assert: test testSelector equals: #testGood.
	self assert: test name equals: 'KtSuite debug: #testGood'.
	self assert: test run hasPassed.
	self assert: (class run: #testGood) hasPassed.
	test debug.
	class debug: #testGood.
	self failing: [class debug: #testBad].
	self failing: [(class selector: #testBad) debug].
	test logFailure: 'noted'.
	self assert: class run runCount equals: 4
%
method: FrameworkTest
testResults
	| class result test |
	class := self suiteClass.
	result := class suite run.
	test := class selector: #testBad.
	self assert: (result isFailure: test).
	self deny: (result isError: test).
	self deny: (result isPassed: test).
	self assert: (result isError: (class selector: #testWrong)).
	self assert: (result isPassed: (class selector: #testGood)).
	self assert: result correctCount equals: 2.
	self assert: result passed size equals: 2.
	self assert: result defects asArray equals: #('KtSuite debug: #testWrong' 'KtSuite debug: #testBad')
%
method: FrameworkTest
testSuites
	| suite |
	suite := TestSuite named: 'all'.
	suite addTests: {self suiteClass selector: #testGood. self suiteClass suite}.
	self assert: suite testCount equals: 5.
	self assert: suite run runCount equals: 5
%
method: FrameworkTest
testResources
	| class test |
	class := TestResource subclass: 'KtResource' instVarNames: #() inDictionary: SymbolDictionary new.
	self assert: class current == class current.
	self assert: class isAvailable.
	class availableFor: self.
	class reset.
	class compile: 'isAvailable ^false'.
	self deny: class isAvailable.
	self failing: [class availableFor: self].
	class reset; reset
%

! ===== Class definition for SessionProtocolTest
doit
GsTestCase subclass: 'SessionProtocolTest'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: UserGlobals
  options: #()
%
doit
SessionProtocolTest comment: 'The session, its user and its names. Views are moved in the last test only, which puts nothing in danger.'
%

category: 'Tests'
method: SessionProtocolTest
testTheSession
	self assert: System session isInteger.
	self assert: System stoneName isString.
	self assert: System inTransaction.
	self assert: System timeGmt > 1700000000.
	self assert: (System millisecondsToRun: [3 + 4]) >= 0.
	self assert: (System objectNamed: 'Array') == Array.
	self assert: (System objectNamed: #KtNone) equals: nil.
	self should: [System performOnServer: 'ls'] raise: SecurityError.
	self should: [System removeJwtKeyWithId: 'x'] raise: SecurityError
%
method: SessionProtocolTest
testTheUser
	| profile |
	profile := System myUserProfile.
	self assert: profile userId equals: System userId.
	self assert: (profile dictionaryNames first: 3) equals: #(UserGlobals Globals Published).
	self assert: (profile objectNamed: #Array) == Array.
	self assert: (profile resolveSymbol: #Array) value == Array.
	self assert: (profile dictionaryAndSymbolOf: Array) equals: {Globals. #Array}.
	self assert: (profile symbolList dictionaryAndSymbolOf: Array) equals: {Globals. #Array}.
	self assert: profile symbolList names equals: profile dictionaryNames.
	self assert: (profile symbolList objectNamed: 'Array') == Array.
	self assert: profile printString equals: 'anUserProfile( ' , System userId , ')'.
	self assert: profile hash equals: UserProfile current hash.
	self assert: AllUsers size equals: 1.
	AllUsers do: [:each | self assert: each equals: profile]
%
method: SessionProtocolTest
testTheSymbolList
	| profile added |
	profile := System myUserProfile.
	added := profile createDictionary: #KtAdded.
	added at: #KtName put: 7.
	profile insertDictionary: added at: 1.
	self assert: 'KtName' evaluate equals: 7.
	self assert: profile dictionaryNames first equals: #KtAdded.
	profile removeDictionaryAt: 1.
	self should: ['KtName' evaluate] raise: CompileError.
	self should: [profile insertDictionary: 3 at: 1] raise: ArgumentTypeError.
	self should: [profile removeDictionaryAt: 2] raise: ArgumentError.
	self assert: (profile dictionaryNames first: 3) equals: #(UserGlobals Globals Published)
%
method: SessionProtocolTest
testSmalltalkNames
	self assert: (Smalltalk at: #Array ifPresent: [:each | each name]) equals: 'Array'.
	self assert: (Smalltalk at: #KtNone ifPresent: [:each | each name]) equals: nil.
	self assert: (Smalltalk allClasses includesIdentical: Array).
	self assert: Smalltalk globals == Smalltalk
%
method: SessionProtocolTest
testWalls
	self should: [GsFile new] raise: SecurityError.
	self should: [FileStream new] raise: SecurityError.
	self should: [FileStream write: 'x'] raise: SecurityError.
	self should: [GsTsExternalSession new] raise: SecurityError.
	self should: [GsTsExternalSession newDefaultForGemHost: 'x'] raise: SecurityError.
	self should: [JsonWebToken example_publicKey] raise: SecurityError.
	self should: [JsonWebToken example_privateKey] raise: SecurityError.
	self should: [JsonWebToken newForRsa256 verifySignatureWithPublicKey: nil] raise: SecurityError.
	GsFile gciLogServer: 'a'; gciLogClient: 'b'.
	self assert: GsFile stderr == Transcript.
	self assert: (Object >> #yourself) class equals: GsNMethod
%
method: SessionProtocolTest
testTransactions
	"The classes of these tests are not committed when they begin, and are when this has run."
	| mark |
	self assert: System commitTransaction.
	self deny: System needsCommit.
	UserGlobals at: #KtMark put: 1.
	self assert: System needsCommit.
	self assert: System continueTransaction.
	self assert: (UserGlobals at: #KtMark) equals: 1.
	System abort.
	self deny: (UserGlobals includesKey: #KtMark).
	UserGlobals at: #KtMark put: (mark := Array new: 1).
	self assert: System commit.
	mark at: 1 put: 2.
	System abortTransaction.
	self assert: (UserGlobals at: #KtMark) first equals: nil.
	System beginTransaction.
	UserGlobals removeKey: #KtMark.
	self assert: System commit
%
