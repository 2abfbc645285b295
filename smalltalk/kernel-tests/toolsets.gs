! Toolsets that are written in Smalltalk, and the server that they ask.

! ===== Class definition for GreetingTools
doit
McpToolset subclass: 'GreetingTools'
  instVarNames: #( greeted)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: UserGlobals
  options: #()
%
doit
GreetingTools comment: 'Two tools, a resource and a prompt.'
%

! ===== Class definition for LoudGreetingTools
doit
GreetingTools subclass: 'LoudGreetingTools'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: UserGlobals
  options: #()
%
doit
LoudGreetingTools comment: 'Names no tools itself.'
%

! ===== Class definition for HardServer
doit
McpServer subclass: 'HardServer'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: UserGlobals
  options: #()
%
doit
HardServer comment: 'Protects UserGlobals as well, and says what it is called.'
%

! ===== Class definition for ToolsetTest
doit
GsTestCase subclass: 'ToolsetTest'
  instVarNames: #( server tools)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: UserGlobals
  options: #()
%
doit
ToolsetTest comment: 'What toolsets and servers promise.'
%

category: 'Tools'
method: GreetingTools
toolNames
	^#('greet' 'count_greeted')
%
method: GreetingTools
readOnlySafeToolNames
	^#('count_greeted')
%
method: GreetingTools
registerOn: aRegistry
	(aRegistry
		name: 'greet'
		description: 'Call this to greet somebody.'
		inputSchema: (self
			objectSchema: (self properties: {
				'name'. self propString: 'Whom to greet.'.
				'times'. self propInteger: 'How often.'})
			required: #('name'))
		do: [:arguments | self greet: arguments])
			title: 'Greet'; additive; keywords: #('hello' #welcome).
	(aRegistry
		name: 'count_greeted'
		description: 'Call this to learn how many were greeted.'
		inputSchema: self noArguments
		do: [:arguments | self answer: self greeted printString data: (self properties: {'count'. self greeted})])
			readOnly.
	aRegistry
		resource: 'greetings://last' name: 'last' description: 'The last greeting.' mimeType: 'text/plain'
		do: [:uri | self greeted = 0 ifTrue: [nil] ifFalse: ['Hello']].
	aRegistry
		prompt: 'welcome' description: 'Welcomes somebody.'
		arguments: {self argument: 'name' description: 'Whom.' required: true}
		do: [:arguments | 'Say hello to ' , (arguments string: 'name')]
%
method: GreetingTools
greet: arguments
	| stream |
	stream := WriteStream on: String new.
	(arguments integer: 'times' default: 1) timesRepeat: [
		greeted := self greeted + 1.
		stream nextPutAll: 'Hello, '; nextPutAll: (arguments string: 'name'); lf].
	^stream contents
%
method: GreetingTools
greeted
	^greeted == nil ifTrue: [0] ifFalse: [greeted]
%
category: 'Servers'
method: HardServer
protectedDictionaryNames
	^super protectedDictionaryNames , #('UserGlobals')
%
method: HardServer
serverName
	^'hard'
%
method: HardServer
toolsetNames
	^super toolsetNames , #('GreetingTools')
%
classmethod: HardServer
defaultServerVersion
	^'9.9'
%
category: 'Running'
method: ToolsetTest
setUp
	server := McpServer on: #('GreetingTools').
	tools := GreetingTools on: server
%
method: ToolsetTest
refusalOf: aBlock
	^[aBlock value. 'it was not refused'] on: McpError do: [:ex | ex return: ex kind asString , ': ' , ex messageText]
%
category: 'Tests of calling'
method: ToolsetTest
testAToolIsCalledByName
	| arguments |
	arguments := Dictionary new.
	arguments at: 'name' put: 'Ada'.
	self assert: (server call: 'greet' with: arguments) text equals: 'Hello, Ada
'.
	self assert: (server call: 'greet' with: arguments) data equals: nil.
	self assert: ((server call: 'count_greeted' with: Dictionary new) data at: 'count') equals: 2.
	self assert: server toolNames equals: #('count_greeted' 'greet')
%
method: ToolsetTest
testAHandlerIsCalledWithoutAServer
	| alone arguments |
	alone := GreetingTools new.
	arguments := McpArguments new.
	arguments at: 'name' put: 'Bob'.
	self assert: (alone greet: arguments) equals: 'Hello, Bob
'
%
method: ToolsetTest
testWhatDoesNotFitIsRefused
	| arguments |
	arguments := Dictionary new.
	self assert: (self refusalOf: [server call: 'greet' with: arguments])
		equals: 'invalidParams: Missing required argument(s): name'.
	arguments at: 'nom' put: 'Ada'.
	self assert: (self refusalOf: [server call: 'greet' with: arguments])
		equals: 'invalidParams: Unknown argument(s): nom. Allowed: name, times'.
	self assert: (self refusalOf: [server call: 'count_greeted' with: arguments])
		equals: 'invalidParams: Unknown argument(s): nom. This tool takes no arguments.'.
	self assert: (self refusalOf: [server call: 'zap' with: arguments]) equals: 'notFound: Unknown tool: zap'
%
method: ToolsetTest
testArgumentsHaveTypes
	| arguments |
	arguments := McpArguments from: (JsonParser parse:
		'{"s": "x", "i": 3, "n": 2.5, "b": false, "a": [1], "o": {"k": 1}, "nothing": null}').
	self assert: (arguments string: 's') equals: 'x'.
	self assert: (arguments integer: 'i') equals: 3.
	self assert: (arguments number: 'n') equals: 2.5.
	self assert: (arguments boolean: 'b') equals: false.
	self assert: (arguments array: 'a') equals: #(1).
	self assert: ((arguments object: 'o') at: 'k') equals: 1.
	self assert: (arguments string: 'nothing' default: 'y') equals: 'y'.
	self assert: (arguments boolean: 'b' default: true) equals: false.
	self assert: (self refusalOf: [arguments string: 'i'])
		equals: 'invalidParams: Invalid argument i: it must be a string'.
	self assert: (self refusalOf: [arguments integer: 'n' default: 1])
		equals: 'invalidParams: Invalid argument n: it must be an integer'.
	self assert: (self refusalOf: [arguments array: 'nothing'])
		equals: 'invalidParams: Missing required argument(s): nothing'
%
method: ToolsetTest
testAnswersAreTextsOrTextAndData
	| tool |
	tool := McpTool name: 'odd' description: 'Odd.' inputSchema: tools noArguments do: [:arguments | 3].
	self assert: (self refusalOf: [tool callWith: Dictionary new]) equals: 'other: The tool odd answered an instance of '
		, 'SmallInteger; a handler answers a String, or text and data by #answer:data:.'.
	self should: [tools answer: 3 data: nil] raise: ArgumentTypeError
%
category: 'Tests of toolsets'
method: ToolsetTest
testOnlyWhoNamesToolsIsAToolset
	self assert: (McpServer toolsetClassNamed: 'GreetingTools') == GreetingTools.
	self assert: (self refusalOf: [McpServer toolsetClassNamed: 'LoudGreetingTools'])
		equals: 'unknownToolset: Unknown toolset: LoudGreetingTools. It is no toolset of the worker, and in the image it does not '
			, 'implement toolNames itself, and an inherited one does not count'.
	self assert: (self refusalOf: [McpServer toolsetClassNamed: 'Array'])
		equals: 'unknownToolset: Unknown toolset: Array. It is no toolset of the worker, and in the image it is no class below the '
			, 'McpToolset of the dictionary Lapidary'.
	self assert: (self refusalOf: [McpServer toolsetClassNamed: 'Zork'])
		equals: 'unknownToolset: Unknown toolset: Zork. It is no toolset of the worker, and in the image no dictionary of this '
			, 'user holds a class of that name: commit it first'.
	self assert: McpServer _toolsets equals: {nil. #('GreetingTools')}
%
method: ToolsetTest
testNamesAndRegistrationsAgree
	| odd |
	odd := McpToolset subclass: 'OddTools' instVarNames: #() inDictionary: UserGlobals.
	[
		self assert: ((self refusalOf: [McpServer toolsetClassNamed: 'OddTools']) includesString: 'implement toolNames').
		odd compile: 'toolNames ^#(''a'' ''b'')' classified: 'tools'.
		self assert: ((self refusalOf: [McpServer toolsetClassNamed: 'OddTools']) includesString: 'implement registerOn:').
		odd compile: 'registerOn: aRegistry
			aRegistry name: ''b'' description: ''B.'' inputSchema: self noArguments do: [:arguments | '''']'
			classified: 'tools'.
		self assert: (self refusalOf: [McpServer on: #('OddTools')])
			equals: 'refused: its toolNames are anArray( ''a'', ''b''), but registerOn: registers anArray( ''b'')'.
		odd compile: 'toolNames ^#(''b'')' classified: 'tools'.
		odd compile: 'readOnlySafeToolNames ^#(''c'')' classified: 'tools'.
		self assert: (self refusalOf: [McpServer on: #('OddTools')])
			equals: 'refused: its readOnlySafeToolNames name what is none of its tools: anArray( ''c'')'.
		odd compile: 'readOnlySafeToolNames ^#()' classified: 'tools'.
		self assert: (McpServer on: #('OddTools')) toolNames equals: #('b')
	] ensure: [UserGlobals removeKey: #OddTools]
%
method: ToolsetTest
testClientsAreToldWhatToolsSay
	| told |
	told := (server addToolset: GreetingTools) descriptors.
	self assert: (told collect: [:each | each at: 'name']) equals: #('count_greeted' 'greet').
	told := told last.
	self assert: (told at: 'title') equals: 'Greet'.
	self assert: (told at: 'keywords') equals: #('hello' 'welcome').
	self assert: ((told at: 'hints') at: 'destructive') equals: false.
	self assert: ((told at: 'inputSchema') at: 'additionalProperties') equals: false.
	self assert: ((told at: 'inputSchema') at: 'required') equals: #('name')
%
method: ToolsetTest
testNamesAreRegisteredOnce
	| registry |
	registry := McpToolRegistry new.
	tools registerOn: registry.
	self assert: (self refusalOf: [tools registerOn: registry])
		equals: 'refused: the tool greet is registered twice'
%
category: 'Tests of guards'
method: ToolsetTest
testTheKernelIsProtected
	self assert: (tools assertMutableClass: GreetingTools) == GreetingTools.
	self assert: ((self refusalOf: [tools assertMutableClass: Array])
		includesString: 'refused: Refused: Array is a protected class (home dictionary Globals)').
	self assert: ((self refusalOf: [tools assertMutableClass: Array class])
		includesString: 'Array is a protected class').
	self assert: ((self refusalOf: [tools assertMutableClass: McpServer])
		includesString: 'McpServer is a protected class (home dictionary Lapidary)').
	self assert: ((self refusalOf: [tools assertRemovableDictionaryNamed: 'Lapidary'])
		includesString: 'Lapidary is a protected system dictionary').
	self assert: (tools assertRemovableDictionaryNamed: 'Published') equals: 'Published'
%
method: ToolsetTest
testAToolsetWithoutAServerChangesNothing
	self assert: ((self refusalOf: [GreetingTools new assertMutableClass: GreetingTools]) includesString: 'no server').
	self assert: ((self refusalOf: [GreetingTools new assertRemovableDictionaryNamed: 'X']) includesString: 'no server')
%
method: ToolsetTest
testAServerMayProtectMore
	| hard |
	hard := GreetingTools on: HardServer new.
	self assert: ((self refusalOf: [hard assertMutableClass: GreetingTools])
		includesString: 'GreetingTools is a protected class (home dictionary UserGlobals)').
	self assert: ((self refusalOf: [hard assertMutableClass: Array]) includesString: 'home dictionary Globals').
	self assert: ((self refusalOf: [hard assertRemovableDictionaryNamed: 'UserGlobals']) includesString: 'protected')
%
category: 'Tests of identity'
method: ToolsetTest
testAnOverrideDecidesThenTheRouterThenTheClass
	| identity |
	identity := self identityOf: 'HardServer' given:
		'{"toolsets":["a"],"readOnly":true,"name":"n","version":null,"title":"t"}'.
	self assert: (identity at: 'name') equals: 'hard'.
	self assert: (identity at: 'version') equals: '9.9'.
	self assert: (identity at: 'title') equals: 't'.
	self assert: (identity at: 'toolsets') equals: #('a' 'GreetingTools').
	identity := self identityOf: nil given: '{"toolsets":[],"readOnly":false,"name":"n","version":"1","title":null}'.
	self assert: (identity at: 'name') equals: 'n'.
	self assert: (identity at: 'version') equals: '1'.
	self assert: (identity at: 'title') equals: nil
%
method: ToolsetTest
testAWorkerClassMustBeOne
	#('Zork' 'GreetingTools' 'UserGlobals') with: #('not in the image' 'no subclass of the McpServer' 'but no class')
		do: [:each :words | | told |
			told := McpServer _open: each with: '{}'.
			self assert: told first equals: #notFound.
			self assert: ((told at: 2) includesString: words)]
%
method: ToolsetTest
identityOf: className given: aString
	| told |
	told := McpServer _open: className with: aString.
	self assert: told first equals: nil.
	SessionTemps _root at: 2 put: nil.
	^JsonParser parse: told last
%
category: 'Tests of names'
method: ToolsetTest
testOurDictionaryIsTheLast
	| own |
	self assert: System symbolList names last equals: #Lapidary.
	self deny: (Globals includesKey: #Lapidary).
	#(#ToolSupport #ToolEditor #McpToolset #McpServer #McpError) do: [:each |
		self deny: (Globals includesKey: each).
		self assert: (Lapidary includesKey: each)].
	own := SymbolDictionary new name: #Own; yourself.
	System myUserProfile insertDictionary: own at: System symbolList size + 1.
	self assert: System symbolList names last equals: #Lapidary.
	self assert: (System symbolList names includes: #Own).
	self should: [System myUserProfile removeDictionaryAt: System symbolList size] raise: ArgumentError.
	System myUserProfile removeDictionaryAt: (System symbolList indexOfIdentical: own)
%
method: ToolsetTest
testOwnClassesOfOurNamesDoNoHarm
	| own |
	own := Object subclass: 'McpToolset' instVarNames: #() inDictionary: UserGlobals.
	[
		self assert: (System objectNamed: 'McpToolset') == own.
		self assert: (McpServer on: #('GreetingTools')) toolNames size equals: 2.
		self assert: McpServer _toolsets last equals: #('GreetingTools')
	] ensure: [UserGlobals removeKey: #McpToolset]
%
