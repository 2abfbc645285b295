! Toolsets that are written in Smalltalk.

! ===== Class definition for McpToolset
doit
Object subclass: 'McpToolset'
  instVarNames: #( server)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Lapidary
  options: #()
%
doit
McpToolset comment: 'Tools that belong together. A subclass names them by #toolNames, registers them by #registerOn:, and says by
#readOnlySafeToolNames which of them can change nothing that others would ever see: none unless it says so.

A subclass is a toolset if it implements #toolNames itself; one that only inherits it is not.

A handler is the block of a registered tool. It takes McpArguments and answers a String, or text and data by
#answer:data:. It refuses by a McpError; any other exception is told to the client as an error of the code that ran.
Whether a class may be changed is for the server to say: #assertMutableClass: asks it, and refuses where there is none.

Tests need no client: (MyTools on: McpServer new) answers a toolset whose methods can be called, and
(McpServer on: #( ''MyTools'')) a server that calls its tools by name.'
%

category: 'Instance creation'
classmethod: McpToolset
on: aServer
	^self new _server: aServer; yourself
%
category: 'To be implemented'
method: McpToolset
toolNames
	"The names of all the tools that I register."
	^self subclassResponsibility: #toolNames
%
method: McpToolset
registerOn: aRegistry
	"Register my tools, resources and prompts. It runs whenever a session has to know me, and changes nothing that is to
	last."
	^self subclassResponsibility: #registerOn:
%
method: McpToolset
readOnlySafeToolNames
	"Those of my tools that are served in a read-only session."
	^#()
%
method: McpToolset
icon
	"The path of an SVG image on a field of 16 by 16 for all my tools; nil for none."
	^nil
%
method: McpToolset
group
	"What my tools belong to, where somebody looks for one; nil for my own name."
	^nil
%
method: McpToolset
instructions
	"A sentence or two for a model, on when to use my tools; nil for none."
	^nil
%
method: McpToolset
isAdvertised
	"Whether my tools are listed to clients, where the router does not say which are."
	^true
%
category: 'Accessing'
method: McpToolset
server
	"Who says what may be changed; nil if I was made without one."
	^server
%
method: McpToolset
_server: aServer
	server := aServer
%
category: 'Schemas'
method: McpToolset
noArguments
	^self objectSchema: Dictionary new required: #()
%
method: McpToolset
objectSchema: properties required: names
	"A closed schema: what it does not name is refused."
	| schema |
	schema := Dictionary new.
	schema at: 'type' put: 'object'; at: 'properties' put: properties.
	schema at: 'required' put: (names collect: [:each | each asString]) asArray.
	schema at: 'additionalProperties' put: false.
	^schema
%
method: McpToolset
properties: pairs
	"A Dictionary from an Array that names each property before its schema."
	| properties |
	properties := Dictionary new.
	1 to: pairs size - 1 by: 2 do: [:index | properties at: (pairs at: index) asString put: (pairs at: index + 1)].
	^properties
%
method: McpToolset
property: typeString description: aString
	| schema |
	schema := Dictionary new.
	schema at: 'type' put: typeString; at: 'description' put: aString.
	^schema
%
method: McpToolset
propString: aString
	^self property: 'string' description: aString
%
method: McpToolset
propInteger: aString
	^self property: 'integer' description: aString
%
method: McpToolset
propNumber: aString
	^self property: 'number' description: aString
%
method: McpToolset
boolProperty: aString
	^self property: 'boolean' description: aString
%
method: McpToolset
arrayOf: aSchema description: aString
	^(self property: 'array' description: aString) at: 'items' put: aSchema; yourself
%
method: McpToolset
oneOf: strings description: aString
	^(self propString: aString) at: 'enum' put: strings asArray; yourself
%
method: McpToolset
argument: nameString description: aString required: aBoolean
	"An argument of a prompt."
	| argument |
	argument := Dictionary new.
	argument at: 'name' put: nameString; at: 'description' put: aString; at: 'required' put: aBoolean.
	^argument
%
category: 'Answers'
method: McpToolset
answer: aString data: anObject
	"Text for a model, and the same as data for a program: an object, as JSON says it."
	^McpAnswer text: aString data: anObject
%
method: McpToolset
refuse: aSymbol saying: aString
	^McpError signalKind: aSymbol message: aString
%
method: McpToolset
linesFrom: strings
	"Sorted, one a line."
	| stream |
	strings isEmpty ifTrue: [^'(none)'].
	stream := WriteStream on: String new.
	(ToolSupport sorted: strings) do: [:each | stream nextPutAll: each; lf].
	^stream contents
%
method: McpToolset
capResult: aString
	"What is longer than an answer may be is cut anyway; cut here, it costs less on the way."
	| most |
	most := 50000.
	^aString size <= most
		ifTrue: [aString]
		ifFalse: [(aString copyFrom: 1 to: most) , '...[truncated: showing ' , most printString , ' of '
			, aString size printString , ' characters]']
%
category: 'Looking into the image'
method: McpToolset
resolveClass: aString
	"The class of that name, as code sees it; nil if there is none."
	| value |
	value := System objectNamed: aString.
	^(ToolSupport isClass: value) ifTrue: [value] ifFalse: [nil]
%
method: McpToolset
classNamed: aString
	"The class of that name, or a refusal."
	^ToolSupport classNamed: aString in: nil
%
method: McpToolset
classNamed: aString in: dictionaryName
	^ToolSupport classNamed: aString in: dictionaryName
%
method: McpToolset
dictNamed: aString
	"The dictionary of that name; nil if there is none."
	^System symbolList dictionaryNamed: aString
%
method: McpToolset
dictionaryNamed: aString
	"The dictionary of that name, or a refusal."
	^ToolSupport dictionaryNamed: aString
%
category: 'Guards'
method: McpToolset
assertMutableClass: aClass
	"Answer aClass, or refuse. Whoever changes a class asks this first."
	server == nil ifTrue: [
		^self refuse: #refused saying: 'Refused: this toolset has no server to ask whether ' , aClass name
			, ' may be changed. Make it by on: a McpServer.'].
	^server assertMutableClass: aClass
%
method: McpToolset
assertRemovableDictionaryNamed: aString
	"Answer aString, or refuse."
	server == nil ifTrue: [
		^self refuse: #refused saying: 'Refused: this toolset has no server to ask whether ' , aString
			, ' may be removed. Make it by on: a McpServer.'].
	^server assertRemovableDictionaryNamed: aString
%
