! The framework for tests, tested by itself.

! ===== Class definition for SUnitTest
doit
GsTestCase subclass: 'SUnitTest'
  instVarNames: #( steps)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
SUnitTest comment: 'Tests of TestCase, TestSuite and TestResult. Methods whose names begin with sample are run by the tests.'
%

category: 'Running'
method: SUnitTest
setUp
	steps := OrderedCollection with: #setUp
%
method: SUnitTest
tearDown
	steps addLast: #tearDown
%
method: SUnitTest
steps
	^steps asArray
%
category: 'Samples'
method: SUnitTest
samplePass
	steps addLast: #pass.
	self assert: true
%
method: SUnitTest
sampleFail
	self assert: false
%
method: SUnitTest
sampleError
	^3 / 0
%
method: SUnitTest
sampleHandled
	[3 / 0] on: ZeroDivide do: [:ex | ex return: 0]
%
category: 'Tests'
method: SUnitTest
testAssert
	self assert: true.
	self assert: [true].
	self deny: false.
	self deny: [false].
	self should: [self assert: false] raise: TestFailure.
	self should: [self deny: true] raise: TestFailure.
	self should: [self assert: 3] raise: TestFailure
%
method: SUnitTest
testAssertEquals
	self assert: 3 + 4 equals: 7.
	self should: [self assert: 3 equals: 4] raise: TestFailure.
	self deny: 3 equals: 4.
	self should: [self deny: 3 equals: 3] raise: TestFailure.
	self assert: #a identicalTo: #a
%
method: SUnitTest
testDescriptions
	[self assert: false description: 'as expected'] on: TestFailure do: [:ex |
		self assert: (ex description includesSubstring: 'as expected').
		^self].
	self fail
%
method: SUnitTest
testFail
	self should: [self fail] raise: TestFailure.
	self should: [self fail: 'so'] raise: TestFailure
%
method: SUnitTest
testShouldRaise
	self should: [3 / 0] raise: ZeroDivide.
	self should: [3 / 0] raise: Error.
	self shouldnt: [3 / 1] raise: ZeroDivide.
	self should: [self should: [3 / 1] raise: ZeroDivide] raise: TestFailure.
	self should: [self shouldnt: [3 / 0] raise: ZeroDivide] raise: TestFailure
%
method: SUnitTest
testFixture
	"Each run has its own fixture, and takes it down whatever happens."
	| case |
	case := SUnitTest selector: #samplePass.
	case run.
	self assert: case steps equals: #(#setUp #pass #tearDown).
	case := SUnitTest selector: #sampleError.
	case run.
	self assert: case steps equals: #(#setUp #tearDown)
%
method: SUnitTest
testPassed
	| result |
	result := (SUnitTest selector: #samplePass) run.
	self assert: result runCount equals: 1.
	self assert: result passedCount equals: 1.
	self assert: result hasPassed
%
method: SUnitTest
testFailure
	| result |
	result := (SUnitTest selector: #sampleFail) run.
	self assert: result failureCount equals: 1.
	self assert: result errorCount equals: 0.
	self deny: result hasPassed.
	self assert: result hasFailures.
	self assert: result failures asArray equals: #('SUnitTest debug: #sampleFail')
%
method: SUnitTest
testError
	| result |
	result := (SUnitTest selector: #sampleError) run.
	self assert: result errorCount equals: 1.
	self assert: result failureCount equals: 0.
	self assert: result hasErrors.
	self assert: result errors asArray equals: #('SUnitTest debug: #sampleError')
%
method: SUnitTest
testHandledErrorsPass
	self assert: (SUnitTest selector: #sampleHandled) run hasPassed
%
method: SUnitTest
testRunCaseLetsErrorsThrough
	self should: [(SUnitTest selector: #sampleError) runCase] raise: ZeroDivide.
	self should: [(SUnitTest selector: #sampleFail) runCase] raise: TestFailure
%
method: SUnitTest
testSuite
	| suite result |
	suite := TestSuite named: 'samples'.
	#(#samplePass #sampleFail #sampleError #sampleHandled) do: [:each | suite addTest: (SUnitTest selector: each)].
	result := suite run.
	self assert: suite name equals: 'samples'.
	self assert: suite tests size equals: 4.
	self assert: result runCount equals: 4.
	self assert: result passedCount equals: 2.
	self assert: result printString equals: '4 run, 2 passed, 1 failed, 1 error'
%
method: SUnitTest
testSelectors
	| selectors |
	selectors := SUnitTest testSelectors.
	self assert: (selectors includes: #testSelectors).
	self deny: (selectors includes: #samplePass).
	self deny: (selectors includes: #setUp)
%
method: SUnitTest
testSuiteOfClass
	self assert: SUnitTest suite tests size equals: SUnitTest testSelectors size
%
