! What every object understands; booleans, nil, blocks, exceptions.

! ===== Class definition for ObjectProtocolTest
doit
GsTestCase subclass: 'ObjectProtocolTest'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: UserGlobals
  options: #()
%
doit
ObjectProtocolTest comment: 'Objects as such. Messages that the compiler turns into jumps are performed here, so that the methods behind them run.'
%

category: 'Helpers'
method: ObjectProtocolTest
that: anObject answers: anArray to: selector
	self assert: (anObject perform: selector withArguments: (anArray copyFrom: 2 to: anArray size)) equals: anArray first
%
category: 'Tests'
method: ObjectProtocolTest
testIdentity
	self that: 3 answers: #(true 3) to: #==.
	self that: 3 answers: #(true 4) to: #~~.
	self that: 3 answers: #(false 3) to: #~~.
	self assert: (3 isMemberOf: SmallInteger).
	self deny: (3 isMemberOf: Integer)
%
method: ObjectProtocolTest
testWhatAnObjectIsNot
	| object |
	object := Object new.
	#(isNil isBlock isBoolean isByteArray isCollection isException isExceptionClass isInterval isMetaclass isSequenceable
		isStream isIndexable isArray isBehavior isCharacter isClass isDictionary isFloat isFraction isInteger isNumber
		isString isSymbol isImmutable) do: [:each | self deny: (object perform: each) description: each].
	self assert: #(1) isIndexable.
	self assert: object notNil.
	self assert: Error isExceptionClass.
	self assert: Error new isException.
	self assert: [] isBlock.
	self assert: true isBoolean.
	self assert: Object class isMetaclass
%
method: ObjectProtocolTest
testNilTests
	self that: 3 answers: {3. [4]} to: #ifNil:.
	self that: 3 answers: {4. [:each | each + 1]} to: #ifNotNil:.
	self that: 3 answers: {4. [0]. [:each | each + 1]} to: #ifNil:ifNotNil:.
	self that: 3 answers: {4. [:each | each + 1]. [0]} to: #ifNotNil:ifNil:.
	self that: 3 answers: #(false) to: #isNil.
	self that: 3 answers: #(true) to: #notNil.
	self assert: (3 isNilOr: [:each | each > 2]).
	self that: nil answers: {4. [4]} to: #ifNil:.
	self that: nil answers: {nil. [:each | 4]} to: #ifNotNil:.
	self that: nil answers: {0. [0]. [:each | each + 1]} to: #ifNil:ifNotNil:.
	self that: nil answers: {0. [:each | each + 1]. [0]} to: #ifNotNil:ifNil:.
	self that: nil answers: #(true) to: #isNil.
	self that: nil answers: #(false) to: #notNil.
	self assert: (nil isNilOr: [:each | false]).
	self assert: nil shallowCopy == nil.
	self assert: nil deepCopy == nil.
	self should: [UndefinedObject new] raise: ImproperOperation
%
method: ObjectProtocolTest
testBooleans
	self that: true answers: #(false false) to: #&.
	self that: false answers: #(false true) to: #&.
	self that: true answers: #(true false) to: #|.
	self that: false answers: #(true true) to: #|.
	self that: true answers: {3. [3]} to: #and:.
	self that: false answers: {false. [3]} to: #and:.
	self that: true answers: {true. [3]} to: #or:.
	self that: false answers: {3. [3]} to: #or:.
	self that: true answers: {false. [false]} to: #==>.
	self that: false answers: {true. [false]} to: #==>.
	self that: true answers: {1. [1]} to: #ifTrue:.
	self that: false answers: {nil. [1]} to: #ifTrue:.
	self that: true answers: {nil. [1]} to: #ifFalse:.
	self that: false answers: {1. [1]} to: #ifFalse:.
	self that: true answers: {1. [1]. [2]} to: #ifTrue:ifFalse:.
	self that: false answers: {2. [1]. [2]} to: #ifTrue:ifFalse:.
	self that: true answers: {2. [1]. [2]} to: #ifFalse:ifTrue:.
	self that: false answers: {1. [1]. [2]} to: #ifFalse:ifTrue:.
	self that: true answers: #(false) to: #not.
	self that: false answers: #(true) to: #not.
	self assert: (true xor: false).
	self deny: (true xor: true).
	self assert: (false eqv: false).
	self assert: false printString equals: 'false'.
	self assert: true deepCopy == true.
	self assert: true shallowCopy == true.
	self should: [Boolean new] raise: ImproperOperation
%
method: ObjectProtocolTest
testPrinting
	self assert: Object new asString equals: 'anObject'.
	self assert: Object new displayString equals: 'anObject'.
	self assert: (#(1 2 3) printString: 8) equals: 'anArray(...'.
	self assert: (#(1) printString: 80) equals: 'anArray( 1)'.
	self should: [#(1) printString: -1] raise: OutOfRange
%
method: ObjectProtocolTest
testPerforming
	self assert: (#(1 2 3 4) copy perform: #replaceFrom:to:withObject: with: 1 with: 2 with: 0; yourself) notNil.
	self assert: (3 perform: #between:and: with: 1 with: 5).
	self assert: (#(1 2 3) copy perform: #replaceFrom:to:with:startingAt: with: 1 with: 1 with: #(9) with: 1; yourself) notNil.
	self should: [3 perform: #between:and: with: 1] raise: ArgumentError.
	self should: [3 perform: #zork:with:with: with: 1 with: 2 with: 3] raise: MessageNotUnderstood
%
method: ObjectProtocolTest
testErrors
	| ends |
	ends := OrderedCollection new.
	[3 halt: 'here'] on: Halt do: [:ex | ends add: ex messageText].
	[3 pause] on: Halt do: [:ex | ends add: ex class].
	self assert: ends asArray equals: {'here'. Halt}.
	self should: [3 shouldNotImplement] raise: ImproperOperation.
	self should: [3 subclassResponsibility] raise: ImproperOperation.
	self should: [3 subclassResponsibility: #foo] raise: ImproperOperation.
	Object new assert: true; assert: [true]; assert: true description: 'fine'.
	self should: [Object new assert: false] raise: AssertionFailed.
	self should: [Object new assert: [false] description: 'bad'] raise: AssertionFailed.
	self assert: Object initialize == Object
%
method: ObjectProtocolTest
testMessages
	| message |
	message := Message selector: #between:and: arguments: #(1 5).
	self assert: (message sendTo: 3).
	self assert: message printString equals: 'aMessage( #''between:and:'', 1, 5)'.
	message setSelector: #negated arguments: #().
	self assert: (message sendTo: 3) equals: -3.
	self assert: (Message selector: #negated) arguments equals: #().
	self assert: ([nil zork] on: MessageNotUnderstood do: [:ex | ex return: ex selector]) equals: #zork
%

! ===== Class definition for BlockProtocolTest
doit
GsTestCase subclass: 'BlockProtocolTest'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: UserGlobals
  options: #()
%
doit
BlockProtocolTest comment: 'Blocks as objects, and contexts.'
%

category: 'Tests'
method: BlockProtocolTest
testEvaluating
	self assert: [:a :b :c | a + b + c] numArgs equals: 3.
	self assert: [:a :b | a] argumentCount equals: 2.
	self assert: ([:a :b :c | a + b + c] value: 1 value: 2 value: 3) equals: 6.
	self assert: ([:a :b :c :d :e | a + e] value: 1 value: 2 value: 3 value: 4 value: 5) equals: 6.
	self assert: ([:a | a] cull: 1 cull: 2) equals: 1.
	self assert: ([7] cull: 1 cull: 2) equals: 7.
	self assert: ([:a :b | b] cull: 1 cull: 2) equals: 2.
	self assert: ([:a :b :c | c] cull: 1 cull: 2 cull: 3) equals: 3.
	self assert: ([:a | a] cull: 1 cull: 2 cull: 3) equals: 1.
	self should: [[:a | a] value: 1 value: 2 value: 3] raise: ArgumentError.
	self assert: [] shallowCopy isBlock.
	self assert: [] deepCopy isBlock.
	self should: [ExecBlock new] raise: ImproperOperation
%
method: BlockProtocolTest
testLoopsAsMessages
	| count block |
	count := 0.
	block := [count := count + 1. count < 3].
	block perform: #whileTrue.
	self assert: count equals: 3.
	block := [count := count - 1. count < 1].
	block perform: #whileFalse.
	self assert: count equals: 0.
	block := [count >= 3].
	block perform: #whileFalse: with: [count := count + 1].
	self assert: count equals: 3.
	[count := count - 1] doWhileTrue: [count > 0].
	self assert: count equals: 0.
	[count := count + 1] doWhileFalse: [count > 2].
	self assert: count equals: 3.
	[count := count + 1] untilTrue: [count > 5].
	self assert: count equals: 6.
	block := [count := count + 1. count > 9 ifTrue: [^self assert: count equals: 10]].
	block perform: #repeat
%
method: BlockProtocolTest
testHandlers
	self assert: ([1/0] onException: ZeroDivide do: [:ex | 7]) equals: 7.
	self assert: ([nil zork] on: ZeroDivide do: [:ex | 1] on: MessageNotUnderstood do: [:ex | 2]) equals: 2.
	self assert: ([1/0] on: ZeroDivide do: [:ex | 1] on: MessageNotUnderstood do: [:ex | 2]) equals: 1.
	self assert: ([#() first] on: ZeroDivide do: [:ex | 1] on: MessageNotUnderstood do: [:ex | 2] on: OffsetError do: [:ex | 3]) equals: 3
%
method: BlockProtocolTest
testNoOtherProcesses
	self should: [[] fork] raise: SecurityError.
	self should: [[] forkAt: 3] raise: SecurityError.
	self should: [[] newProcess] raise: SecurityError
%
method: BlockProtocolTest
contextOf: anObject with: another
	| sum unset |
	sum := anObject + another.
	^{thisContext tempNames. thisContext temporaries. thisContext tempNamed: 'sum'}
%
method: BlockProtocolTest
testVariablesOfContexts
	| seen outer later context |
	seen := self contextOf: 3 with: 4.
	self assert: (seen at: 1) equals: #(anObject another sum unset).
	self assert: ((seen at: 2) at: #sum) equals: 7.
	self assert: ((seen at: 2) at: #unset) equals: nil.
	self assert: ((seen at: 2) at: #another) equals: 4.
	self assert: (seen at: 3) equals: 7.
	outer := 1.
	later := 2.
	#(5) do: [:each |
		| inner |
		inner := each * 2.
		context := thisContext.
		self assert: context tempNames asSet equals: #(outer later context each inner) asSet.
		self assert: (context tempNamed: #each) equals: 5.
		self assert: (context tempNamed: #inner) equals: 10.
		self assert: (context tempNamed: #outer) equals: 1.
		later := later + outer.
		self assert: (context tempNamed: #later) equals: 3].
	self assert: (thisContext tempNamed: #later) equals: 3.
	self should: [thisContext tempNamed: #zork] raise: LookupError.
	self should: [context tempNames] raise: ImproperOperation.
	1 to: 1 do: [:index | | inlined | inlined := 8. self assert: (thisContext tempNamed: 'inlined') equals: 8].
	self assert: ('| a | a := 3. thisContext tempNamed: #a' evaluate) equals: 3
%
method: BlockProtocolTest
testContextsAsObjects
	| context |
	context := thisContext.
	self assert: context hash equals: thisContext hash.
	self should: [GsContext new] raise: ImproperOperation.
	self assert: (GsStack isAlive: GsStack base)
%

! ===== Class definition for ExceptionProtocolTest
doit
GsTestCase subclass: 'ExceptionProtocolTest'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: UserGlobals
  options: #()
%
doit
ExceptionProtocolTest comment: 'What exceptions know.'
%

category: 'Tests'
method: ExceptionProtocolTest
testEveryKindHasANumber
	| kinds |
	kinds := AbstractException withAllSubclasses.
	self assert: kinds size > 30.
	kinds do: [:each |
		self assert: each errorNumber isInteger description: each name.
		self assert: each new number equals: each errorNumber].
	self assert: ZeroDivide errorNumber equals: 2026.
	self assert: MessageNotUnderstood errorNumber equals: 2010.
	self assert: Halt errorNumber equals: 2709.
	self assert: UserWarning errorNumber equals: 2702.
	self assert: OutOfRange errorNumber equals: 2061.
	self assert: ArgumentTypeError errorNumber equals: 2094.
	self assert: AlmostOutOfMemory errorNumber equals: 6013.
	self assert: Break errorNumber equals: 6003
%
method: ExceptionProtocolTest
testParts
	| error copy |
	error := Error new.
	error tag: 7.
	self assert: error tag equals: 7.
	self assert: Error new tag equals: Error new messageText.
	self assert: error asString equals: error description.
	self assert: error printString equals: error description.
	self assert: ([Error new signal: 'a' with: 3] on: Error do: [:ex | ex return: {ex messageText. ex tag}]) equals: #('a' 3).
	copy := [Error signal] on: Error do: [:ex | ex return: ex copy].
	self should: [copy return: 3] raise: ImproperOperation
%
method: ExceptionProtocolTest
testDetails
	[Object compile: 'foo ^)'] on: CompileError do: [:ex |
		self assert: ex sourceString equals: 'foo ^)'.
		self assert: ex errorDetails first first equals: 1001].
	[Dictionary new at: 3] on: LookupError do: [:ex |
		self assert: ex key equals: 3.
		self assert: ex details equals: '3 was not found in a Dictionary'.
		self assert: ex object isDictionary].
	[#(1) at: 3] on: OffsetError do: [:ex |
		self assert: ex maximum equals: 1.
		self assert: ex actual equals: 3].
	[3 bitAnd: nil] on: ArgumentTypeError do: [:ex | self assert: ex value equals: nil].
	[self error: 'x'] on: UserDefinedError do: [:ex | self assert: ex isResumable].
	self assert: (ZeroDivide dividend: 7) dividend equals: 7.
	[[Error signal] on: Error do: [:ex | ex resume: 3]] on: IllegalResume do: [:ex |
		self assert: ex exception class equals: Error.
		self assert: ex details equals: 'Error cannot be resumed']
%
method: ExceptionProtocolTest
homeOf: aSymbol
	^[:x | ^x]
%
method: ExceptionProtocolTest
testADeadHome
	[(self homeOf: #x) value: 7] on: CannotReturn do: [:ex | ^self assert: ex value equals: 7].
	self fail
%
method: ExceptionProtocolTest
testSets
	| set |
	set := ExceptionSet with: ZeroDivide with: Halt with: Warning.
	self assert: set selectors size equals: 3.
	self assert: ([1/0] on: set do: [:ex | ex return: 1]) equals: 1.
	self assert: ([3 halt. 2] on: set do: [:ex | ex return: 1]) equals: 1
%
method: ExceptionProtocolTest
testDefaultActions
	self assert: (Notification new signal) equals: nil.
	self assert: Notification new defaultAction equals: nil.
	self assert: EndOfStream new defaultAction equals: nil
%
