! Tests, suites and results.

category: 'Running'
method: TestCase
setUp
	"Hook: prepare what a test needs."
	^self
%
method: TestCase
tearDown
	"Hook: clean up after a test."
	^self
%
method: TestCase
runCase
	self resources do: [:each | each availableFor: self].
	[self setUp. self performTest] ensure: [self tearDown]
%
method: TestCase
performTest
	self perform: testSelector
%
method: TestCase
run
	"Run me and answer the result."
	| result |
	result := TestResult new.
	self run: result.
	^result
%
method: TestCase
run: aResult
	aResult runCase: self
%
method: TestCase
debug
	"Run me and let what goes wrong go on."
	self runCase
%
method: TestCase
logFailure: aString
	Transcript show: aString; cr
%
category: 'Accessing'
method: TestCase
selector
	^testSelector
%
method: TestCase
testSelector
	^testSelector
%
method: TestCase
setTestSelector: aSymbol
	testSelector := aSymbol
%
method: TestCase
resources
	^self class resources
%
method: TestCase
name
	^self printString
%
category: 'Printing'
method: TestCase
printOn: aStream
	aStream nextPutAll: self class name; nextPutAll: ' debug: #'; nextPutAll: testSelector
%
category: 'Instance creation'
classmethod: TestCase
selector: aSymbol
	^self new setTestSelector: aSymbol asSymbol; yourself
%
classmethod: TestCase
run: aSymbol
	^(self selector: aSymbol) run
%
classmethod: TestCase
debug: aSymbol
	^(self selector: aSymbol) debug
%
category: 'Suites'
classmethod: TestCase
suite
	^self buildSuite
%
classmethod: TestCase
buildSuite
	"My tests; if I am abstract, those of my subclasses."
	| suite |
	suite := TestSuite named: self name.
	self isAbstract
		ifTrue: [self allSubclasses do: [:each | each isAbstract ifFalse: [each addTestsTo: suite]]]
		ifFalse: [self addTestsTo: suite].
	^suite
%
classmethod: TestCase
addTestsTo: aSuite
	self testSelectors do: [:each | aSuite addTest: (self selector: each)]
%
classmethod: TestCase
run
	^self suite run
%
classmethod: TestCase
isAbstract
	"Whether I only serve to be inherited from."
	^self == TestCase or: [self == GsTestCase]
%
classmethod: TestCase
testSelectors
	"The selectors of my tests, sorted; inherited ones too if I say so."
	| selectors |
	selectors := (self _selectors select: [:each | self isTestSelector: each]) asSet.
	(self shouldInheritSelectors and: [superclass inheritsFrom: TestCase])
		ifTrue: [selectors addAll: superclass testSelectors].
	^selectors asSortedCollection asArray
%
classmethod: TestCase
allTestSelectors
	^self testSelectors
%
classmethod: TestCase
isTestSelector: aSymbol
	^(aSymbol beginsWith: 'test') and: [aSymbol numArgs = 0]
%
classmethod: TestCase
shouldInheritSelectors
	"A class without tests of its own, or with an abstract superclass, runs what it inherits."
	^superclass ~~ TestCase and: [superclass ~~ GsTestCase and: [superclass inheritsFrom: TestCase]]
%
classmethod: TestCase
resources
	^#()
%
category: 'Accessing'
method: TestSuite
name
	^name
%
method: TestSuite
name: aString
	name := aString
%
method: TestSuite
tests
	tests == nil ifTrue: [tests := OrderedCollection new].
	^tests
%
method: TestSuite
addTest: aTest
	^self tests add: aTest
%
method: TestSuite
addTests: aCollection
	^self tests addAll: aCollection
%
method: TestSuite
testCount
	^self tests inject: 0 into: [:sum :each | sum + ((each isKindOf: TestSuite) ifTrue: [each testCount] ifFalse: [1])]
%
category: 'Running'
method: TestSuite
run
	| result |
	result := TestResult new.
	self run: result.
	^result
%
method: TestSuite
run: aResult
	self tests do: [:each | each run: aResult]
%
category: 'Instance creation'
classmethod: TestSuite
named: aString
	^self new name: aString; yourself
%
category: 'Running'
method: TestResult
runCase: aTestCase
	"Limits of the session are not the test's business; endless recursion is."
	[aTestCase runCase.
	passed add: aTestCase printString]
		on: (ExceptionSet with: TestFailure with: TestSkipped) , Error , Halt , AlmostOutOfStack
		do: [:ex | self record: ex for: aTestCase. ex return: nil]
%
method: TestResult
record: anException for: aTestCase
	(TestSkipped handles: anException) ifTrue: [^passed add: aTestCase printString].
	failed add: aTestCase -> anException.
	(TestFailure handles: anException)
		ifTrue: [failures add: aTestCase printString]
		ifFalse: [errors add: aTestCase printString]
%
method: TestResult
initialize
	passed := OrderedCollection new.
	failures := OrderedCollection new.
	errors := OrderedCollection new.
	failed := OrderedCollection new
%
category: 'Accessing'
method: TestResult
passed
	^passed
%
method: TestResult
failures
	^failures
%
method: TestResult
errors
	^errors
%
method: TestResult
defects
	^errors , failures
%
method: TestResult
failedTests
	"Associations from tests that did not pass to the exceptions that ended them."
	^failed
%
method: TestResult
passedCount
	^passed size
%
method: TestResult
correctCount
	^passed size
%
method: TestResult
failureCount
	^failures size
%
method: TestResult
errorCount
	^errors size
%
method: TestResult
runCount
	^passed size + failures size + errors size
%
method: TestResult
hasPassed
	^failures isEmpty and: [errors isEmpty]
%
method: TestResult
hasErrors
	^errors notEmpty
%
method: TestResult
hasFailures
	^failures notEmpty
%
method: TestResult
isFailure: aTestCase
	^failures includes: aTestCase printString
%
method: TestResult
isError: aTestCase
	^errors includes: aTestCase printString
%
method: TestResult
isPassed: aTestCase
	^passed includes: aTestCase printString
%
category: 'Printing'
method: TestResult
printOn: aStream
	"4 run, 1 passed, 1 failed, 2 errors"
	aStream
		print: self runCount; nextPutAll: ' run, ';
		print: self passedCount; nextPutAll: ' passed, ';
		print: self failureCount; nextPutAll: ' failed, ';
		print: self errorCount; nextPutAll: (self errorCount = 1 ifTrue: [' error'] ifFalse: [' errors'])
%
category: 'Instance creation'
classmethod: TestResult
new
	^self basicNew initialize; yourself
%
category: 'Running'
method: TestResource
setUp
	^self
%
method: TestResource
tearDown
	^self
%
method: TestResource
isAvailable
	^true
%
method: TestResource
availableFor: aTestAsserter
	self isAvailable ifFalse: [aTestAsserter signalFailure: 'the resource ' , self class name , ' is not available']
%
category: 'Accessing'
classmethod: TestResource
current
	current == nil ifTrue: [current := self new. current setUp].
	^current
%
classmethod: TestResource
isAvailable
	^self current isAvailable
%
classmethod: TestResource
availableFor: aTestAsserter
	self current availableFor: aTestAsserter
%
classmethod: TestResource
reset
	current == nil ifFalse: [current tearDown. current := nil]
%
