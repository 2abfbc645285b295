! Running tests, as the tools of a client do.

! ===== Class definition for ToolTester
doit
ToolSupport subclass: 'ToolTester'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Lapidary
  options: #()
%
doit
ToolTester comment: 'Runs tests and answers how they went. It commits nothing and moves no view.'
%

category: 'Listing'
classmethod: ToolTester
testClasses
	"Pairs: a class below TestCase, its dictionary."
	^self answering: [
		| all |
		all := OrderedCollection new.
		System symbolList do: [:dictionary |
			self classesOf: dictionary do: [:class |
				(class inheritsFrom: TestCase) ifTrue: [all add: {class name. self nameOfDictionary: dictionary}]]].
		all asArray]
%
classmethod: ToolTester
testClassNamed: className in: dictionaryName
	| class |
	class := self classNamed: className in: dictionaryName.
	^(class inheritsFrom: TestCase)
		ifTrue: [class]
		ifFalse: [self refuse: #refused saying: 'Not a test class: ' , className , ' does not inherit from TestCase']
%
classmethod: ToolTester
test: selector of: className in: dictionaryName
	| class |
	class := self testClassNamed: className in: dictionaryName.
	(class canUnderstand: selector) ifFalse: [
		self refuse: #notFound saying: 'No such method: ' , className , '>>' , selector].
	^class selector: selector asSymbol
%
category: 'Running'
classmethod: ToolTester
runClass: className in: dictionaryName
	^self answering: [self summary: (self testClassNamed: className in: dictionaryName) suite run]
%
classmethod: ToolTester
run: selector of: className in: dictionaryName
	^self answering: [self summary: (self test: selector of: className in: dictionaryName) run]
%
classmethod: ToolTester
summary: result
	"How many ran and passed; the failures; the errors."
	^{
		result runCount.
		result passedCount.
		result failures asArray collect: [:each | each asString].
		result errors asArray collect: [:each | each asString]}
%
category: 'Describing'
classmethod: ToolTester
describe: selector of: className in: dictionaryName
	"nil if the test passes; else what ended it."
	^self answering: [
		| test |
		test := self test: selector of: className in: dictionaryName.
		[test runCase. nil]
			on: (ExceptionSet with: TestFailure with: TestSkipped) , Error , Halt , AlmostOutOfStack
			do: [:ex | ex return: ((TestSkipped handles: ex) ifTrue: [nil] ifFalse: [self detailOf: ex])]]
%
classmethod: ToolTester
detailOf: exception
	"Class, description, message text, number, whether it is a failure; receiver and selector of a message that was not
	understood; frames."
	| isLost |
	isLost := exception isKindOf: MessageNotUnderstood.
	^{
		exception class name.
		self saying: [exception description].
		self saying: [exception messageText].
		exception number isInteger ifTrue: [exception number] ifFalse: [nil].
		TestFailure handles: exception.
		isLost ifTrue: [self saying: [exception receiver printString]] ifFalse: [nil].
		isLost ifTrue: [self saying: [exception message selector]] ifFalse: [nil].
		self _frames}
%
classmethod: ToolTester
saying: aBlock
	"What an exception says of itself may fail, or be no string."
	| said |
	said := aBlock on: Error do: [:ex | ex return: nil].
	^said isString ifTrue: [said asString] ifFalse: [nil]
%
classmethod: ToolTester
_frames
	"The frames of the user's own code, innermost first, in words."
	<primitive: #userFrames>
	^#()
%
