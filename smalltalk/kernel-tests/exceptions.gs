! Blocks and exceptions.

! ===== Class definition for BlockTest
doit
GsTestCase subclass: 'BlockTest'
  instVarNames: #( log)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: UserGlobals
  options: #()
%
doit
BlockTest comment: 'Blocks, non-local return, unwinding.'
%

category: 'Running'
method: BlockTest
setUp
	log := OrderedCollection new
%
method: BlockTest
findFirst: aBlock in: aCollection
	aCollection do: [:each | (aBlock value: each) ifTrue: [^each]].
	^nil
%
method: BlockTest
returnThroughEnsure
	[^1] ensure: [log add: #ensured].
	^2
%
method: BlockTest
returnThroughTwo
	[[^1] ensure: [log add: #inner]] ensure: [log add: #outer].
	^2
%
method: BlockTest
returnFromEnsure
	[^1] ensure: [^3].
	^2
%
method: BlockTest
blockThatReturns
	^[:value | ^value]
%
category: 'Tests'
method: BlockTest
testValues
	self assert: [3] value equals: 3.
	self assert: [] value equals: nil.
	self assert: ([:a :b :c :d | a + b + c + d] value: 1 value: 2 value: 3 value: 4) equals: 10.
	self assert: ([:a :b | a - b] valueWithArguments: #(5 3)) equals: 2.
	self assert: ([:a | a] cull: 1) equals: 1.
	self assert: ([7] cull: 1) equals: 7.
	self assert: [:a :b | a] numArgs equals: 2.
	self should: [[:a | a] value] raise: ArgumentError.
	self should: [[1] value: 1] raise: ArgumentError
%
method: BlockTest
testCapturedVariables
	| counter blocks |
	counter := 0.
	[:step | counter := counter + step] value: 3.
	self assert: counter equals: 3.
	blocks := (1 to: 3) collect: [:each | [each * 10]].
	self assert: (blocks collect: [:each | each value]) equals: #(10 20 30)
%
method: BlockTest
testNonLocalReturn
	self assert: (self findFirst: [:each | each > 2] in: #(1 2 3 4)) equals: 3.
	self assert: (self findFirst: [:each | each > 9] in: #(1 2 3 4)) equals: nil
%
method: BlockTest
testNonLocalReturnRunsUnwindBlocks
	self assert: self returnThroughEnsure equals: 1.
	self assert: log asArray equals: #(#ensured).
	log removeAll.
	self assert: self returnThroughTwo equals: 1.
	self assert: log asArray equals: #(#inner #outer).
	self assert: self returnFromEnsure equals: 3
%
method: BlockTest
testReturnFromDeadMethod
	self should: [self blockThatReturns value: 3] raise: CannotReturn
%
method: BlockTest
testEnsure
	self assert: ([log add: 1. 5] ensure: [log add: 2]) equals: 5.
	self assert: log asArray equals: #(1 2).
	log removeAll.
	[[1 / 0] ensure: [log add: 3]] on: ZeroDivide do: [:ex | ex return: nil].
	self assert: log asArray equals: #(3)
%
method: BlockTest
testIfCurtailed
	self assert: ([5] ifCurtailed: [log add: 1]) equals: 5.
	self assert: log isEmpty.
	[[Error signal] ifCurtailed: [log add: 2]] on: Error do: [:ex | ex return: 0].
	self assert: log asArray equals: #(2)
%
method: BlockTest
testControl
	| count condition |
	count := 0.
	condition := [count < 5].
	condition whileTrue: [count := count + 1].
	self assert: count equals: 5.
	[count = 0] whileFalse: [count := count - 1].
	self assert: count equals: 0.
	condition := [true].
	self assert: (condition value and: condition).
	self assert: (3 > 2 ifTrue: ['yes'] ifFalse: ['no']) equals: 'yes'.
	self assert: (3 > 2 ifFalse: ['no']) equals: nil.
	self assert: (nil ifNil: [1]) equals: 1.
	self assert: (3 ifNotNil: [:it | it + 1]) equals: 4.
	self should: [3 ifTrue: [4]] raise: ArgumentTypeError
%
! ===== Class definition for ExceptionTest
doit
GsTestCase subclass: 'ExceptionTest'
  instVarNames: #( log)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: UserGlobals
  options: #()
%
doit
ExceptionTest comment: 'Every action on exceptions, nested ones, and the order of unwinding.'
%

category: 'Running'
method: ExceptionTest
setUp
	log := OrderedCollection new
%
category: 'Tests'
method: ExceptionTest
testReturn
	self assert: ([Error signal. 1] on: Error do: [:ex | ex return: 2]) equals: 2.
	self assert: ([Error signal. 1] on: Error do: [:ex | 3]) equals: 3.
	self assert: ([Error signal. 1] on: Error do: [:ex | ex return]) equals: nil.
	self assert: ([1] on: Error do: [:ex | 2]) equals: 1.
	self assert: ([Error signal] on: Error do: [4]) equals: 4
%
method: ExceptionTest
testResume
	self assert: ([(Warning signal: 'w') + 1] on: Warning do: [:ex | ex resume: 5]) equals: 6.
	self assert: ([Notification signal] on: Notification do: [:ex | ex resume]) equals: nil.
	self assert: ([ZeroDivide new signal. 7] on: ZeroDivide do: [:ex | ex resume: 1]) equals: 7.
	self should: [[Error signal] on: Error do: [:ex | ex resume: 1]] raise: IllegalResume
%
method: ExceptionTest
testRetry
	| count |
	count := 0.
	self assert: ([count := count + 1. count < 3 ifTrue: [Error signal]. count] on: Error do: [:ex | ex retry]) equals: 3.
	self assert: ([Error signal. 1] on: Error do: [:ex | ex retryUsing: ['other']]) equals: 'other'
%
method: ExceptionTest
testPass
	self assert: ([[Error signal: 'x'] on: Error do: [:ex | log add: 1. ex pass. log add: 2]]
		on: Error do: [:ex | log add: 3. ex return: ex messageText]) equals: 'x'.
	self assert: log asArray equals: #(1 3).
	self assert: ([[Warning signal + 1] on: Warning do: [:ex | ex pass]]
		on: Warning do: [:ex | ex resume: 4]) equals: 5.
	self assert: ([Notification signal. 8] on: Notification do: [:ex | ex pass]) equals: 8
%
method: ExceptionTest
testOuter
	self assert: ([[Warning signal + 1] on: Warning do: [:ex | log add: ex outer. ex resume: 10]]
		on: Warning do: [:ex | ex resume: 4]) equals: 11.
	self assert: log asArray equals: #(4).
	self assert: ([[Error signal. 1] on: Error do: [:ex | ex outer. 2]] on: Error do: [:ex | 3]) equals: 3
%
method: ExceptionTest
testSignalAgain
	self assert: ([[Error signal: 'a'] on: Error do: [:ex | ex signal. 1]] on: Error do: [:ex | 2]) equals: 2
%
method: ExceptionTest
testResignalAs
	self assert: ([[Error signal: 'a'. 1] on: Error do: [:ex | ex resignalAs: (Warning new messageText: 'b')]]
		on: Warning do: [:ex | ex messageText]) equals: 'b'.
	self assert: ([Error signal. 5] on: Error do: [:ex | ex resignalAs: Notification new]) equals: 5
%
method: ExceptionTest
testIsNested
	[[Error signal] on: Error do: [:ex | log add: ex isNested]] on: Error do: [:ex | nil].
	[Error signal] on: Error do: [:ex | log add: (ex isNested or: [true])].
	self assert: log first
%
method: ExceptionTest
testHandlerIsNotInForceWithinItself
	self assert: ([[Error signal: 'first'] on: Error do: [:ex | Error signal: 'second']]
		on: Error do: [:ex | ex messageText]) equals: 'second'
%
method: ExceptionTest
testInnermostHandlerWins
	self assert: ([[Error signal] on: Error do: [:ex | 1]] on: Error do: [:ex | 2]) equals: 1.
	self assert: ([[1 / 0] on: LookupError do: [:ex | 1]] on: ZeroDivide do: [:ex | 2]) equals: 2
%
method: ExceptionTest
testExceptionSets
	self assert: ([1 / 0] on: LookupError , ZeroDivide do: [:ex | 1]) equals: 1.
	self assert: ([1 / 0] on: Error do: [:ex | 1] on: ZeroDivide do: [:ex | 2]) equals: 1.
	self assert: ([1 foo] on: ZeroDivide do: [:ex | 1] on: MessageNotUnderstood do: [:ex | 2]) equals: 2
%
method: ExceptionTest
testEnsureOrder
	[[[Error signal. log add: #never] ensure: [log add: #inner]] ensure: [log add: #outer]]
		on: Error do: [:ex | log add: #handler. ex return: nil].
	self assert: log asArray equals: #(#handler #inner #outer)
%
method: ExceptionTest
testEnsureOnResume
	[[Warning signal. log add: #after] ensure: [log add: #ensure]] on: Warning do: [:ex | log add: #handler. ex resume].
	self assert: log asArray equals: #(#handler #after #ensure)
%
method: ExceptionTest
testEnsureOnRetry
	| count |
	count := 0.
	[[count := count + 1. count < 2 ifTrue: [Error signal]] ensure: [log add: count]] on: Error do: [:ex | ex retry].
	self assert: log asArray equals: #(1 2)
%
method: ExceptionTest
testErrorInUnwindBlockGoesToOuterHandler
	| value |
	value := [[[Error signal: 'a'] ensure: [LookupError signal: 'b']] on: LookupError do: [:ex | ex return: 'inner']]
		on: Error do: [:ex | ex return: 'outer'].
	self assert: value equals: 'inner'
%
method: ExceptionTest
testUnwindBlockRunsOnce
	[[log add: 1] ensure: [log add: 2. Error signal]] on: Error do: [:ex | ex return: nil].
	self assert: log asArray equals: #(1 2)
%
method: ExceptionTest
testErrorsDoNotCoverOtherKinds
	self assert: ([[Halt signal] on: Error do: [:ex | 1]] on: Halt do: [:ex | 2]) equals: 2.
	self assert: ([[TestFailure signal] on: Error do: [:ex | 1]] on: TestFailure do: [:ex | 2]) equals: 2.
	self assert: ([Notification signal. 3] on: Error do: [:ex | 1]) equals: 3
%
method: ExceptionTest
testDescriptions
	self assert: ([self error: 'oops'] on: Error do: [:ex | ex description])
		equals: 'a UserDefinedError occurred (error 2318), reason:halt, oops'.
	self assert: ([self halt] on: Halt do: [:ex | ex description]) equals: 'a Halt occurred (error 2709)'.
	self assert: ([nil zork] on: MessageNotUnderstood do: [:ex | ex description])
		equals: 'a MessageNotUnderstood occurred (error 2010), a UndefinedObject does not understand  #''zork'''.
	self assert: ([#(1 2 3) at: 5] on: Error do: [:ex | ex description])
		equals: 'a OffsetError occurred (error 2003), reason:objErrBadOffsetIncomplete, max:3 actual:5'.
	self assert: ([Error signal: 'x'] on: Error do: [:ex | ex messageText]) equals: 'x'.
	self assert: ([Error signal] on: Error do: [:ex | ex messageText]) equals: 'a Error occurred (error 2710)'
%
method: ExceptionTest
testMessageNotUnderstood
	[3 foo: 4 bar: 5] on: MessageNotUnderstood do: [:ex |
		self assert: ex receiver equals: 3.
		self assert: ex message selector equals: #foo:bar:.
		self assert: ex message arguments equals: #(4 5)].
	self assert: ([3 zork + 1] on: MessageNotUnderstood do: [:ex | ex resume: 4]) equals: 5
%
method: ExceptionTest
testStaleException
	| stale |
	[Error signal] on: Error do: [:ex | stale := ex].
	self should: [stale return: 3] raise: ImproperOperation.
	self should: [stale retry] raise: ImproperOperation.
	self should: [Error new return: 3] raise: ImproperOperation
%
method: ExceptionTest
testReturnFromHandlerBlock
	self assert: self returnFromHandler equals: 1
%
method: ExceptionTest
returnFromHandler
	[Error signal] on: Error do: [:ex | ^1].
	^2
%
method: ExceptionTest
testSignalWithinDeepCalls
	self assert: ([#(1 2 3) do: [:each | each = 2 ifTrue: [Error signal: each printString]]]
		on: Error do: [:ex | ex messageText]) equals: '2'
%
category: 'Tests'
method: ExceptionTest
testHandlersThatCannotBeAsked
	"What is no exception selector does not understand handles: where the handler stands."
	self should: [[nil zork] on: 3 do: [:ex | ex return: 4]] raise: MessageNotUnderstood withExceptionDo: [:ex |
		self assert: ex message selector equals: #handles:].
	self assert: ([[1/0] on: nil do: [:ex | ex return: 4]] on: MessageNotUnderstood do: [:ex | ex return: ex receiver])
		equals: nil
%
method: ExceptionTest
testAssertionsTakeBlocksAndBooleans
	self assert: [true]; assert: true; deny: [false]; deny: false.
	self should: [self assert: [false]] raise: TestFailure.
	self should: [self assert: nil] raise: TestFailure.
	self should: [self assert: 3 equals: 4] raise: TestFailure whoseDescriptionIncludes: 'expected 4 but got 3'.
	self assert: 3 identical: 3; assert: 0.1 + 0.2 closeTo: 0.3; assertCollection: #(1 2) hasSameElements: #(2 1)
%
method: ExceptionTest
testNamesOfOtherDialects
	self assert: ([Dictionary new at: 1] on: KeyNotFound do: [:ex | ex return: 2]) equals: 2.
	self assert: ([#(1) at: 2] on: SubscriptOutOfBounds do: [:ex | ex return: 2]) equals: 2.
	self assert: ([#(1) detect: [:each | false]] on: NotFound do: [:ex | ex return: 2]) equals: 2
%
