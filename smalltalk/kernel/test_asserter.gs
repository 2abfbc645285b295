! Assertions, and the classes of the test framework.

! ===== Class definition for TestAsserter
doit
Object subclass: 'TestAsserter'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
TestAsserter comment: 'What can make assertions.'
%

! ===== Class definition for TestCase
doit
TestAsserter subclass: 'TestCase'
  instVarNames: #( testSelector)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
TestCase comment: 'A test: its selector names the method to run, with #setUp before and #tearDown after.'
%

! ===== Class definition for GsTestCase
doit
TestCase subclass: 'GsTestCase'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
GsTestCase comment: 'A test case by the name that many suites inherit from.'
%

! ===== Class definition for TestSuite
doit
Object subclass: 'TestSuite'
  instVarNames: #( tests name resources)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
TestSuite comment: 'Tests and suites of tests, run together.'
%

! ===== Class definition for TestResult
doit
Object subclass: 'TestResult'
  instVarNames: #( passed failures errors failed)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
TestResult comment: 'What became of tests: their printStrings, in the order in which they ran.'
%

! ===== Class definition for TestResource
doit
TestAsserter subclass: 'TestResource'
  instVarNames: #()
  classVars: #()
  classInstVars: #( current)
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
TestResource comment: 'Something that tests share and that is costly to set up.'
%

category: 'Asserting'
method: TestAsserter
assert: aBooleanOrBlock
	aBooleanOrBlock _valueIfBlock == true ifFalse: [self signalFailure: 'Assertion failed']
%
method: TestAsserter
assert: aBooleanOrBlock description: aString
	aBooleanOrBlock _valueIfBlock == true ifFalse: [self signalFailure: 'Assertion failed: ' , aString _valueIfBlock asString]
%
method: TestAsserter
deny: aBooleanOrBlock
	aBooleanOrBlock _valueIfBlock == false ifFalse: [self signalFailure: 'Assertion failed']
%
method: TestAsserter
deny: aBooleanOrBlock description: aString
	aBooleanOrBlock _valueIfBlock == false ifFalse: [self signalFailure: 'Assertion failed: ' , aString _valueIfBlock asString]
%
method: TestAsserter
assert: actual equals: expected
	actual = expected ifFalse: [
		self signalFailure: 'Assertion failed: expected ' , (expected _printStringUpTo: 500) , ' but got ' , (actual _printStringUpTo: 500)]
%
method: TestAsserter
assert: actual equals: expected description: aString
	actual = expected ifFalse: [self signalFailure: 'Assertion failed: ' , aString _valueIfBlock asString]
%
method: TestAsserter
deny: actual equals: unexpected
	actual = unexpected ifTrue: [self signalFailure: 'Assertion failed: unexpected ' , (unexpected _printStringUpTo: 500)]
%
method: TestAsserter
assert: actual identicalTo: expected
	actual == expected ifFalse: [
		self signalFailure: 'Assertion failed: not the same object as ' , (expected _printStringUpTo: 500)]
%
method: TestAsserter
assert: aNumber isCloseTo: expected
	(aNumber - expected) abs <= (expected abs * 1.0e-9 max: 1.0e-9) ifFalse: [
		self signalFailure: 'Assertion failed: expected about ' , expected printString , ' but got ' , aNumber printString]
%
method: TestAsserter
assertEmpty: aCollection
	aCollection isEmpty ifFalse: [self signalFailure: 'Assertion failed: not empty']
%
method: TestAsserter
should: aBlock
	self assert: aBlock value
%
method: TestAsserter
should: aBlock description: aString
	self assert: aBlock value description: aString
%
method: TestAsserter
shouldnt: aBlock
	self deny: aBlock value
%
method: TestAsserter
should: aBlock raise: exceptionSelector
	(self _does: aBlock raise: exceptionSelector)
		ifFalse: [self signalFailure: 'Assertion failed: no ' , exceptionSelector printString , ' was signalled']
%
method: TestAsserter
should: aBlock raise: exceptionSelector description: aString
	(self _does: aBlock raise: exceptionSelector)
		ifFalse: [self signalFailure: 'Assertion failed: ' , aString _valueIfBlock asString]
%
method: TestAsserter
should: aBlock raise: exceptionSelector withExceptionDo: handlerBlock
	"Also evaluate handlerBlock with the exception, for more assertions."
	| exception |
	exception := nil.
	aBlock on: exceptionSelector do: [:ex | exception := ex. ex return: nil].
	exception == nil ifTrue: [self signalFailure: 'Assertion failed: no ' , exceptionSelector printString , ' was signalled'].
	handlerBlock cull: exception
%
method: TestAsserter
should: aBlock raise: exceptionSelector whoseDescriptionIncludes: aString
	self should: aBlock raise: exceptionSelector withExceptionDo: [:ex |
		self assert: (ex description includesSubstring: aString) description: [
			'"' , aString , '" expected in: ' , ex description]]
%
method: TestAsserter
assert: actual identical: expected
	self assert: actual identicalTo: expected
%
method: TestAsserter
deny: actual identicalTo: unexpected
	actual == unexpected ifTrue: [
		self signalFailure: 'Assertion failed: unexpectedly the same object as ' , (unexpected _printStringUpTo: 500)]
%
method: TestAsserter
assert: aNumber closeTo: expected
	self assert: aNumber isCloseTo: expected
%
method: TestAsserter
assertCollection: actual equals: expected
	self assert: actual equals: expected
%
method: TestAsserter
assertCollection: actual hasSameElements: expected
	"Whatever their order."
	actual asBag = expected asBag ifFalse: [
		self signalFailure: 'Assertion failed: expected the elements of ' , (expected _printStringUpTo: 500)
			, ' but got ' , (actual _printStringUpTo: 500)]
%
method: TestAsserter
shouldnt: aBlock raise: exceptionSelector
	(self _does: aBlock raise: exceptionSelector)
		ifTrue: [self signalFailure: 'Assertion failed: ' , exceptionSelector printString , ' was signalled']
%
method: TestAsserter
shouldnt: aBlock raise: exceptionSelector description: aString
	(self _does: aBlock raise: exceptionSelector)
		ifTrue: [self signalFailure: 'Assertion failed: ' , aString _valueIfBlock asString]
%
method: TestAsserter
fail
	self signalFailure: 'Assertion failed'
%
method: TestAsserter
fail: aString
	self signalFailure: 'Assertion failed: ' , aString asString
%
method: TestAsserter
skip
	self skip: 'skipped'
%
method: TestAsserter
skip: aString
	^TestSkipped signal: aString
%
method: TestAsserter
signalFailure: aString
	^TestFailure signal: aString
%
method: TestAsserter
_does: aBlock raise: exceptionSelector
	^[aBlock value. false] on: exceptionSelector do: [:ex | ex return: true]
%
! ===== Class definition for TestSkipped
doit
Exception subclass: 'TestSkipped'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
TestSkipped comment: 'A test that does not want to run here.'
%

category: 'Exception selectors'
classmethod: TestSkipped
errorNumber
	^2716
%
