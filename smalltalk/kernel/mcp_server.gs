! The server as the image sees it: what may be changed, what the server is called, which toolsets it serves.

! ===== Class definition for McpServer
doit
Object subclass: 'McpServer'
  instVarNames: #( toolsetNames serverName serverVersion serverTitle readOnly toolsets registries)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Lapidary
  options: #()
%
doit
McpServer comment: 'Decides, for one session, what is one answer for all tools: which classes and dictionaries are protected, what the
server is called, which toolsets are served. A subclass that the router names (GS_MCP_WORKER_CLASS) changes these; to
add tools, write a McpToolset instead.'
%

category: 'Identity'
classmethod: McpServer
defaultServerName
	"What the server is called if nobody says otherwise; nil for the name of the program."
	^nil
%
classmethod: McpServer
defaultServerVersion
	"nil for the version of the program."
	^nil
%
method: McpServer
serverName
	"A subclass that implements this decides, whatever the router is told."
	^serverName == nil ifTrue: [self class defaultServerName] ifFalse: [serverName]
%
method: McpServer
serverVersion
	^serverVersion == nil ifTrue: [self class defaultServerVersion] ifFalse: [serverVersion]
%
method: McpServer
serverTitle
	"nil for none."
	^serverTitle
%
method: McpServer
instructions
	"Told to a model at the start, in place of the usual words; nil for those."
	^nil
%
category: 'Wiring'
method: McpServer
toolsetNames
	"The names of the toolsets to serve, of the worker and of the image; the router has chosen these."
	^toolsetNames == nil ifTrue: [#()] ifFalse: [toolsetNames]
%
method: McpServer
isReadOnly
	^readOnly == true
%
category: 'Guards'
method: McpServer
protectedDictionaryNames
	"Dictionaries whose classes tools do not change, and which they do not remove. Globals and Lapidary are protected
	whatever is answered here."
	^#('Globals' 'Lapidary')
%
method: McpServer
isProtectedClass: aClass
	^(self _protectorOf: aClass) ~~ nil
%
method: McpServer
assertMutableClass: aClass
	"Answer aClass, or refuse."
	| home |
	home := self _protectorOf: aClass.
	(home == nil and: [(self isProtectedClass: aClass) == false]) ifTrue: [^aClass].
	^McpError signalKind: #refused message: 'Refused: ' , aClass thisClass name , ' is a protected class ('
		, (home == nil ifTrue: ['by the rules of this server'] ifFalse: ['home dictionary ' , home])
		, '); tools that change code do not modify ' , (self _kindOfHome: home) , ' classes. '
		, 'Remedy: change a class of your own in a dictionary such as UserGlobals, make a subclass, '
		, 'or use execute_code if you really mean to change the ' , (self _kindOfHome: home) , '.'
%
method: McpServer
assertRemovableDictionaryNamed: aString
	"Answer aString, or refuse."
	| dictionary |
	dictionary := System symbolList dictionaryNamed: aString.
	(dictionary == Globals or: [dictionary == Lapidary
		or: [self protectedDictionaryNames includes: aString asString]]) ifFalse: [^aString].
	^McpError signalKind: #refused
		message: 'Refused: ' , aString , ' is a protected system dictionary and cannot be removed.'
%
method: McpServer
_kindOfHome: aString
	^(#('Globals' 'Lapidary') includes: aString) ifTrue: ['kernel'] ifFalse: ['protected']
%
method: McpServer
_protectorOf: aClass
	"The name of the protected dictionary that binds aClass under its own name; neither an alias nor another dictionary
	that holds it makes a difference."
	| class key |
	class := aClass thisClass.
	key := class name asSymbol.
	(Globals at: key otherwise: nil) == class ifTrue: [^'Globals'].
	(Lapidary at: key otherwise: nil) == class ifTrue: [^'Lapidary'].
	^self protectedDictionaryNames asArray
		detect: [:each |
			| dictionary |
			dictionary := System symbolList dictionaryNamed: each.
			dictionary ~~ nil and: [(dictionary at: key otherwise: nil) == class]]
		ifNone: [nil]
%
category: 'Instance creation'
classmethod: McpServer
new
	^self basicNew _initialize; yourself
%
classmethod: McpServer
on: names
	"With the toolsets of these names, which are classes of the image."
	| server |
	server := self new.
	names do: [:each | server addToolset: (self toolsetClassNamed: each)].
	^server
%
classmethod: McpServer
toolsetClassNamed: aString
	"The toolset that is served by that name, or a refusal that says what to do."
	| found |
	found := McpServer _boundToolsets detect: [:each | (each at: 2) = aString] ifNone: [nil].
	found == nil ifTrue: [
		^self _unknown: aString because: ((System objectNamed: aString) == nil
			ifTrue: ['no dictionary of this user holds a class of that name: commit it first']
			ifFalse: ['it is no class below the McpToolset of the dictionary Lapidary'])].
	(found at: 3) ifFalse: [
		^self _unknown: aString because: 'it does not implement toolNames itself, and an inherited one does not count'].
	(found at: 4) ifFalse: [^self _unknown: aString because: 'it does not implement registerOn:'].
	^found at: 1
%
classmethod: McpServer
_unknown: aString because: whyString
	^McpError signalKind: #unknownToolset message: 'Unknown toolset: ' , aString
		, '. It is no toolset of the worker, and in the image ' , whyString
%
category: 'Calling'
method: McpServer
addToolset: aClass
	"Serve the tools of aClass as well; answer its registry."
	^self _register: (aClass on: self) as: aClass name
%
method: McpServer
toolNames
	"Those of all toolsets of the image that I serve, sorted."
	| all |
	all := OrderedCollection new.
	registries do: [:each | all addAll: each toolNames].
	^ToolSupport sorted: all
%
method: McpServer
call: aString with: aDictionary
	"Answer what that tool answers to these arguments, as a McpAnswer."
	| registry tool fault |
	registry := registries detect: [:each | (each at: aString) ~~ nil] ifNone: [nil].
	registry == nil ifTrue: [^McpError signalKind: #notFound message: 'Unknown tool: ' , aString].
	tool := registry at: aString.
	fault := tool validationErrorFor: aDictionary.
	fault == nil ifFalse: [^McpError signalKind: #invalidParams message: fault].
	^tool callWith: aDictionary
%
category: 'Private'
method: McpServer
_initialize
	toolsets := Dictionary new.
	registries := Dictionary new
%
method: McpServer
_register: aToolset as: aString
	| registry named safe |
	registry := McpToolRegistry new.
	aToolset registerOn: registry.
	named := ToolSupport sorted: aToolset toolNames.
	named = registry toolNames ifFalse: [
		^McpError signalKind: #refused message: 'its toolNames are ' , named printString , ', but registerOn: registers '
			, registry toolNames printString].
	safe := aToolset readOnlySafeToolNames asArray reject: [:each | named includes: each asString].
	safe isEmpty ifFalse: [
		^McpError signalKind: #refused message: 'its readOnlySafeToolNames name what is none of its tools: '
			, safe printString].
	toolsets at: aString put: aToolset.
	registries at: aString put: registry.
	^registry
%
method: McpServer
_describe: aString
	"What the session has to know of that toolset, as JSON."
	| toolset registry all |
	self _forget: aString.
	toolset := (McpServer toolsetClassNamed: aString) on: self.
	registry := self _register: toolset as: aString.
	all := Dictionary new.
	all at: 'tools' put: registry descriptors.
	all at: 'safe' put: (ToolSupport sorted: toolset readOnlySafeToolNames).
	all at: 'offers' put: (registry offers asArray collect: [:each | each descriptor]).
	all at: 'icon' put: toolset icon; at: 'group' put: toolset group.
	all at: 'instructions' put: toolset instructions; at: 'isAdvertised' put: toolset isAdvertised == true.
	^all asJson
%
method: McpServer
_forget: aString
	toolsets removeKey: aString ifAbsent: [nil].
	registries removeKey: aString ifAbsent: [nil]
%
method: McpServer
_registry: aString
	^registries at: aString ifAbsent: [
		McpError signalKind: #notFound message: 'The toolset ' , aString , ' is not served any more']
%
method: McpServer
_configure: aDictionary
	toolsetNames := aDictionary at: 'toolsets'.
	readOnly := aDictionary at: 'readOnly'.
	serverName := aDictionary at: 'name'.
	serverVersion := aDictionary at: 'version'.
	serverTitle := aDictionary at: 'title'
%
method: McpServer
_identity
	| all |
	all := Dictionary new.
	all at: 'name' put: self serverName; at: 'version' put: self serverVersion; at: 'title' put: self serverTitle.
	all at: 'instructions' put: self instructions.
	all at: 'toolsets' put: (self toolsetNames collect: [:each | each asString]) asArray.
	^all asJson
%
category: 'What the worker asks'
classmethod: McpServer
_current
	"The server of this session."
	| root |
	root := SessionTemps _root.
	(root at: 2) == nil ifTrue: [root at: 2 put: McpServer new].
	^root at: 2
%
classmethod: McpServer
_boundToolsets
	"For each class below McpToolset that is bound under its name: class, name, whether it names tools itself, whether
	it registers any. From now on the session notices when some of this changes as its view moves."
	<primitive: #boundToolsets>
	^self _primitiveFailed: #boundToolsets
%
classmethod: McpServer
_open: className with: aString
	"Make the server of this session, of the class that is named or of this one; answer its identity."
	^ToolSupport answering: [
		| class server |
		class := className == nil ifTrue: [McpServer] ifFalse: [self _workerClassNamed: className].
		server := class new.
		server _configure: (JsonParser parse: aString).
		SessionTemps _root at: 2 put: server.
		server _identity]
%
classmethod: McpServer
_workerClassNamed: aString
	| value |
	value := System objectNamed: aString.
	value == nil ifTrue: [
		^McpError signalKind: #notFound message: 'The worker class ' , aString
			, ' is not in the image: commit it first, or start without a worker class'].
	(ToolSupport isClass: value) ifFalse: [
		^McpError signalKind: #notFound message: 'The worker class ' , aString , ' is in the image, but no class'].
	(value isSubclassOf: McpServer) ifFalse: [
		^McpError signalKind: #notFound message: 'The worker class ' , aString
			, ' is no subclass of the McpServer of the dictionary Lapidary: make it one, or start without a worker class'].
	^value
%
classmethod: McpServer
_toolsets
	"The names of all toolsets of the image, sorted."
	^ToolSupport answering: [
		ToolSupport sorted: ((self _boundToolsets select: [:each | (each at: 3) and: [each at: 4]])
			collect: [:each | each at: 2])]
%
classmethod: McpServer
_describe: aString
	^ToolSupport answering: [self _current _describe: aString]
%
classmethod: McpServer
_forget: aString
	^ToolSupport answering: [
		self _current _forget: aString.
		true]
%
classmethod: McpServer
_call: toolName of: toolsetName with: aString
	"Text, and data as JSON or nil."
	^ToolSupport answering: [
		| answer |
		answer := ((self _current _registry: toolsetName) at: toolName) callWith: (JsonParser parse: aString).
		{answer text asString. answer data == nil ifTrue: [nil] ifFalse: [answer data asJson]}]
%
classmethod: McpServer
_read: offerName ofKind: kind of: toolsetName uri: aString
	"Text, or bytes in base 64; both nil if there is nothing."
	^ToolSupport answering: [
		| value |
		value := ((self _current _registry: toolsetName) offer: offerName ofKind: kind) _value: aString.
		value == nil
			ifTrue: [#(nil nil)]
			ifFalse: [value isString ifTrue: [{value asString. nil}] ifFalse: [{nil. self _bytesOf: value}]]]
%
classmethod: McpServer
_bytesOf: anObject
	(anObject isKindOf: ByteArray) ifTrue: [^anObject asBase64String].
	^McpError signalKind: #other message: 'The resource answered an instance of ' , anObject class name
		, '; it answers a String, a ByteArray or nil.'
%
classmethod: McpServer
_prompt: promptName of: toolsetName with: aString
	"An Array of texts."
	^ToolSupport answering: [
		| value arguments |
		arguments := McpArguments from: (JsonParser parse: aString).
		value := ((self _current _registry: toolsetName) offer: promptName ofKind: 'prompt') _value: arguments.
		(value isString ifTrue: [{value}] ifFalse: [value asArray]) collect: [:each |
			each isString
				ifTrue: [each asString]
				ifFalse: [McpError signalKind: #other message: 'The prompt answered an instance of ' , each class name
					, '; it answers Strings.']]]
%
