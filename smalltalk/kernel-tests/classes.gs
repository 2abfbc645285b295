! Classes and methods.

! ===== Class definition for ClassTest
doit
GsTestCase subclass: 'ClassTest'
  instVarNames: #( dictionary)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: UserGlobals
  options: #()
%
doit
ClassTest comment: 'Making classes, compiling methods, looking at both.'
%

category: 'Running'
method: ClassTest
setUp
	dictionary := SymbolDictionary new
%
method: ClassTest
define: aString instVars: names
	^Object subclass: aString instVarNames: names classVars: #() classInstVars: #() poolDictionaries: #()
		inDictionary: dictionary options: #()
%
category: 'Tests'
method: ClassTest
testDefinition
	| class |
	class := self define: 'KtPoint' instVars: #(#x #y).
	self assert: (dictionary at: #KtPoint) == class.
	self assert: class name equals: 'KtPoint'.
	self assert: class class name equals: 'KtPoint class'.
	self assert: class printString equals: 'KtPoint'.
	self assert: class superclass == Object.
	self assert: class instVarNames equals: #(#x #y).
	self assert: class new printString equals: 'aKtPoint'.
	self assert: (class inheritsFrom: Object).
	self assert: class class class == Metaclass
%
method: ClassTest
testSameDefinitionIsTheSameClass
	| class |
	class := self define: 'KtPoint' instVars: #(#x #y).
	self assert: (self define: 'KtPoint' instVars: #(#x #y)) == class.
	self assert: (self define: 'KtPoint' instVars: 'x y') == class
%
method: ClassTest
testCompiling
	| class |
	class := self define: 'KtThing' instVars: #(#value).
	class compile: 'value ^value' classified: 'access'.
	class compile: 'value: anObject value := anObject' classified: 'access'.
	self assert: (class new value: 7; value) equals: 7.
	self assert: (class sourceCodeAt: #value) equals: 'value ^value'.
	self assert: (class categoryOfSelector: #value) equals: #access.
	self assert: (class canUnderstand: #value:).
	self assert: (class canUnderstand: #printString).
	self deny: (class canUnderstand: #zork).
	self assert: class selectors size equals: 2.
	class compile: 'value ^value + 1' classified: 'access'.
	self assert: (class new value: 7; value) equals: 8.
	class removeSelector: #value.
	self should: [class new value] raise: MessageNotUnderstood.
	self should: [class removeSelector: #value] raise: LookupError
%
method: ClassTest
testCompileErrors
	| class |
	class := self define: 'KtThing' instVars: #().
	self should: [class compile: 'foo ^'] raise: CompileError.
	self should: [class compile: 'foo ^Zork'] raise: CompileError.
	[class compile: 'foo ^'] on: CompileError do: [:ex |
		self assert: ex errors notEmpty.
		self assert: (ex description beginsWith: 'a CompileError occurred (error 1')].
	self assert: class selectors isEmpty
%
method: ClassTest
testRefusals
	self should: [self define: 'no name' instVars: #()] raise: ArgumentError.
	self should: [self define: 'KtThing' instVars: #('a' 'a')] raise: ArgumentError.
	self should: [self define: 'KtThing' instVars: #('self')] raise: ArgumentError.
	self should: [self define: 'KtThing' instVars: #('3x')] raise: ArgumentError.
	self should: [SmallInteger subclass: 'KtThing' instVarNames: #() inDictionary: dictionary] raise: ArgumentError.
	self should: [Object subclass: 'KtThing' instVarNames: #() inDictionary: 3] raise: ArgumentTypeError.
	self assert: dictionary isEmpty
%
method: ClassTest
testClassVariables
	| class |
	class := Object subclass: 'KtCounter' instVarNames: #() classVars: #(Count) classInstVars: #(#own)
		poolDictionaries: #() inDictionary: dictionary options: #().
	class class compile: 'count ^Count'.
	class class compile: 'count: n Count := n. own := n + 1'.
	class class compile: 'own ^own'.
	class count: 4.
	self assert: class count equals: 4.
	self assert: class own equals: 5.
	self assert: (class classVarAt: #Count) equals: 4
%
method: ClassTest
testInheritanceAndSuper
	| base derived |
	base := self define: 'KtBase' instVars: #().
	derived := base subclass: 'KtDerived' instVarNames: #() inDictionary: dictionary.
	base compile: 'name ^''base'''.
	derived compile: 'name ^super name , ''+'''.
	self assert: base new name equals: 'base'.
	self assert: derived new name equals: 'base+'.
	base compile: 'name ^''changed'''.
	self assert: derived new name equals: 'changed+'
%
method: ClassTest
testIndexableAndByteClasses
	| indexable bytes |
	indexable := Object indexableSubclass: 'KtRow' instVarNames: #(#title) inDictionary: dictionary.
	self assert: (indexable new: 3) size equals: 3.
	self assert: ((indexable new: 3) at: 2 put: 5; at: 2) equals: 5.
	bytes := Object byteSubclass: 'KtBytes' inDictionary: dictionary.
	self assert: ((bytes new: 2) at: 1 put: 200; at: 1) equals: 200.
	self should: [(bytes new: 2) at: 1 put: 256] raise: ArgumentTypeError.
	self should: [Object new: 3] raise: ImproperOperation
%
method: ClassTest
testReflection
	self assert: (3 respondsTo: #+).
	self deny: (3 respondsTo: #zork).
	self assert: (3 perform: #+ with: 4) equals: 7.
	self assert: (#(1 2) copy perform: #at:put: withArguments: #(1 7)) equals: 7.
	self assert: (3 perform: 'negated') equals: -3.
	self should: [3 perform: #+] raise: ArgumentError.
	self should: [3 perform: #zork] raise: MessageNotUnderstood.
	self assert: 3 class == SmallInteger.
	self assert: nil class == UndefinedObject.
	self assert: (3 isKindOf: Magnitude)
%
method: ClassTest
testCopies
	| array copy |
	array := {'a' copy. 2}.
	copy := array copy.
	copy at: 2 put: 3.
	self assert: (array at: 2) equals: 2.
	self assert: (array at: 1) == (copy at: 1).
	self deny: (array deepCopy at: 1) == (array at: 1)
%
method: ClassTest
testEvaluation
	self assert: '3 + 4' evaluate equals: 7.
	self assert: (System evaluate: '| a | a := 2. a * a') equals: 4.
	self should: ['3 +' evaluate] raise: CompileError
%
method: ClassTest
testSuiteResults
	| class result |
	class := GsTestCase subclass: 'KtSuite' instVarNames: #() inDictionary: dictionary.
	class compile: 'testGood self assert: true'.
	class compile: 'testBad self assert: false'.
	class compile: 'testWrong nil zork'.
	result := class suite run.
	self assert: result printString equals: '3 run, 1 passed, 1 failed, 1 error'.
	self assert: result failures asArray equals: #('KtSuite debug: #testBad').
	self assert: result errors asArray equals: #('KtSuite debug: #testWrong').
	self assert: result failedTests first value description
		equals: 'a TestFailure occurred (error 2707), Assertion failed'
%
category: 'Tests'
method: ClassTest
testInstanceVariablesByName
	| class object |
	class := self define: 'KtThing' instVars: #(#a #b).
	object := class new.
	object instVarNamed: 'b' put: 5.
	self assert: (object instVarNamed: #b) equals: 5.
	self should: [object instVarNamed: 'c'] raise: LookupError
%
method: ClassTest
testSmalltalkIsTheGlobals
	self assert: (Smalltalk at: #Array) == Array.
	Smalltalk at: #KtGlobal put: 7.
	self assert: (UserGlobals at: #KtGlobal) equals: 7.
	self assert: (Smalltalk includesKey: #KtGlobal).
	Smalltalk removeKey: #KtGlobal.
	self deny: (Smalltalk includesKey: #KtGlobal).
	self should: [Smalltalk at: #KtGlobal] raise: LookupError.
	self assert: (Smalltalk hasClassNamed: 'Array').
	self assert: (Smalltalk classNamed: 'Globals') equals: nil
%
method: ClassTest
testSubclassesOfKernelCollections
	| arrays strings |
	arrays := Array subclass: 'KtArray' instVarNames: #() inDictionary: dictionary.
	self assert: (arrays with: 1) asArray class == Array.
	self assert: ((arrays with: 1) collect: [:each | each]) class == arrays.
	strings := String byteSubclass: 'KtString' inDictionary: dictionary.
	self assert: (strings withAll: 'abc') class == strings.
	self assert: (strings withAll: 'abc') equals: 'abc'.
	self should: [(strings new: 1) at: 1 put: (Character codePoint: 19968)] raise: ArgumentTypeError
%
method: ClassTest
testCompilingAnswersErrors
	| class errors |
	class := self define: 'KtThing' instVars: #().
	self assert: (class compileMethod: 'foo ^3' dictionaries: nil category: 'x') equals: nil.
	self assert: class new foo equals: 3.
	errors := class compileMethod: 'foo ^)' dictionaries: nil category: 'x'.
	self assert: (errors first copyFrom: 1 to: 3) equals: #(1001 1 6).
	self assert: class new foo equals: 3.
	self assert: (class compileMethod: 'bar' dictionaries: nil category: 'x' environmentId: 0) selector equals: #bar.
	self should: [class compileMethod: 'foo ^)' dictionaries: nil category: 'x' environmentId: 0] raise: CompileError.
	self should: [class compileMethod: 'foo' dictionaries: nil category: 'x' environmentId: 1] raise: OutOfRange
%
method: ClassTest
testDictionariesAreCreated
	| created |
	created := System myUserProfile createDictionary: #KtDictionary.
	self assert: created name equals: #KtDictionary.
	self assert: (System symbolList dictionaryNamed: #KtDictionary) equals: nil.
	self should: [System myUserProfile createDictionary: #Globals] raise: ArgumentError
%
method: ClassTest
contextOf: anObject
	^thisContext
%
method: ClassTest
testContexts
	| context dead |
	context := thisContext.
	self assert: context method selector equals: #testContexts.
	self assert: context selector equals: #testContexts.
	self assert: context receiver == self.
	self assert: context arguments equals: #().
	self assert: context lineNumber equals: 8.
	self deny: context isDead.
	self deny: context isBlockContext.
	self assert: context printString equals: 'aGsContext( ClassTest>>testContexts line 11)'.
	self assert: context equals: thisContext.
	#(7) do: [:each |
		self assert: thisContext isBlockContext.
		self assert: thisContext arguments equals: #(7).
		self assert: thisContext receiver == self.
		self assert: (thisContext printString beginsWith: 'aGsContext( [] in ClassTest>>testContexts')].
	context withSendersDo: [:each | dead := each].
	self assert: dead sender equals: nil.
	dead := self contextOf: 3.
	self assert: dead isDead.
	self assert: dead printString equals: 'aGsContext( dead)'.
	self should: [dead method] raise: ImproperOperation.
	self should: [dead sender] raise: ImproperOperation
%
