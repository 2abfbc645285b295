! What toolsets offer: tools, resources, prompts.

! ===== Class definition for McpTool
doit
Object subclass: 'McpTool'
  instVarNames: #( name title description inputSchema outputSchema handler hints keywords icon group)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Lapidary
  options: #()
%
doit
McpTool comment: 'One tool: what clients are told of it, and the block that does its work, which takes McpArguments.'
%

! ===== Class definition for McpOffer
doit
Object subclass: 'McpOffer'
  instVarNames: #( kind name uri description mimeType arguments handler)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Lapidary
  options: #()
%
doit
McpOffer comment: 'A resource, a template of resources, or a prompt: what clients are told of it, and the block that answers it.'
%

! ===== Class definition for McpToolRegistry
doit
Object subclass: 'McpToolRegistry'
  instVarNames: #( tools offers)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Lapidary
  options: #()
%
doit
McpToolRegistry comment: 'Takes what a toolset registers.'
%

category: 'Instance creation'
classmethod: McpTool
name: aString description: descriptionString inputSchema: aDictionary do: aBlock
	^self basicNew _name: aString description: descriptionString inputSchema: aDictionary do: aBlock
%
category: 'Describing'
method: McpTool
title: aString
	"The name for people."
	title := aString
%
method: McpTool
outputSchema: aDictionary
	"What the data of my answers look like."
	outputSchema := aDictionary
%
method: McpTool
readOnly
	"I change nothing, and being called twice is the same as once. This is what clients are told; whether I am served in
	a read-only session is for #readOnlySafeToolNames of my toolset to say."
	hints at: 'readOnly' put: true.
	hints at: 'destructive' put: false.
	hints at: 'idempotent' put: true
%
method: McpTool
additive
	"I destroy nothing."
	hints at: 'destructive' put: false
%
method: McpTool
idempotent
	"To call me twice is the same as to call me once."
	hints at: 'idempotent' put: true
%
method: McpTool
openWorld
	"I reach beyond the image."
	hints at: 'openWorld' put: true
%
method: McpTool
keywords: strings
	"Words by which I may be looked for, beside those of name, title and description."
	keywords := strings
%
method: McpTool
icon: aString
	"The path of an SVG image on a field of 16 by 16."
	icon := aString
%
method: McpTool
group: aString
	"What I belong to, where somebody looks for me."
	group := aString
%
category: 'Accessing'
method: McpTool
name
	^name
%
method: McpTool
description
	^description
%
method: McpTool
inputSchema
	^inputSchema
%
category: 'Calling'
method: McpTool
callWith: aDictionary
	"Answer a McpAnswer."
	^McpAnswer from: (handler value: (McpArguments from: aDictionary)) by: name
%
method: McpTool
validationErrorFor: aDictionary
	"What is unknown or missing among these arguments, in words; nil if nothing is. Types are not looked at here."
	| properties unknown missing |
	properties := inputSchema at: 'properties' ifAbsent: [Dictionary new].
	unknown := aDictionary keys reject: [:each | properties includesKey: each].
	unknown isEmpty ifFalse: [
		^'Unknown argument(s): ' , (self _list: unknown) , (properties isEmpty
			ifTrue: ['. This tool takes no arguments.']
			ifFalse: ['. Allowed: ' , (self _list: properties keys)])].
	missing := (inputSchema at: 'required' ifAbsent: [#()]) reject: [:each | aDictionary includesKey: each].
	^missing isEmpty ifTrue: [nil] ifFalse: ['Missing required argument(s): ' , (self _list: missing)]
%
method: McpTool
descriptor
	"What clients are told, as JSON can say it."
	| all |
	all := Dictionary new.
	all at: 'name' put: name; at: 'title' put: title; at: 'description' put: description.
	all at: 'inputSchema' put: inputSchema; at: 'outputSchema' put: outputSchema; at: 'hints' put: hints.
	all at: 'keywords' put: (keywords collect: [:each | each asString]) asArray.
	all at: 'icon' put: icon; at: 'group' put: group.
	^all
%
category: 'Private'
method: McpTool
_name: aString description: descriptionString inputSchema: aDictionary do: aBlock
	self _validateString: aString.
	self _validateString: descriptionString.
	name := aString asString.
	description := descriptionString.
	inputSchema := aDictionary.
	handler := aBlock.
	keywords := #().
	hints := Dictionary new.
	hints at: 'readOnly' put: false; at: 'destructive' put: true.
	hints at: 'idempotent' put: false; at: 'openWorld' put: false
%
method: McpTool
_list: strings
	^(ToolSupport sorted: strings) inject: '' into: [:all :each |
		all isEmpty ifTrue: [each] ifFalse: [all , ', ' , each]]
%
method: McpOffer
_kind: aString name: nameString uri: uriString description: descriptionString
	kind := aString.
	name := nameString.
	uri := uriString.
	description := descriptionString
%
method: McpOffer
_mimeType: aString arguments: anArray do: aBlock
	mimeType := aString.
	arguments := anArray.
	handler := aBlock
%
method: McpOffer
_value: anObject
	^handler value: anObject
%
category: 'Accessing'
method: McpOffer
kind
	^kind
%
method: McpOffer
name
	^name
%
method: McpOffer
descriptor
	| all |
	all := Dictionary new.
	all at: 'kind' put: kind; at: 'name' put: name; at: 'uri' put: uri; at: 'description' put: description.
	all at: 'mimeType' put: mimeType; at: 'arguments' put: arguments.
	^all
%
category: 'Instance creation'
classmethod: McpToolRegistry
new
	^self basicNew _initialize
%
category: 'Registering'
method: McpToolRegistry
name: aString description: descriptionString inputSchema: aDictionary do: aBlock
	"Register a tool and answer it, so that more can be said of it. aBlock takes McpArguments and answers a String, or
	what McpToolset>>answer:data: answers."
	^self register: (McpTool name: aString description: descriptionString inputSchema: aDictionary do: aBlock)
%
method: McpToolRegistry
register: aTool
	(tools includesKey: aTool name) ifTrue: [
		^McpError signalKind: #refused message: 'the tool ' , aTool name , ' is registered twice'].
	tools at: aTool name put: aTool.
	^aTool
%
method: McpToolRegistry
resource: uriString name: nameString description: aString mimeType: mimeString do: aBlock
	"aBlock takes the URI and answers a String, a ByteArray, or nil if there is nothing now."
	^self _offer: (McpOffer basicNew
		_kind: 'resource' name: nameString uri: uriString description: aString;
		_mimeType: mimeString arguments: #() do: aBlock;
		yourself)
%
method: McpToolRegistry
template: uriString name: nameString description: aString mimeType: mimeString do: aBlock
	"Resources whose URIs follow a template, such as report://{month}: all that begin like it, up to its first brace."
	^self _offer: (McpOffer basicNew
		_kind: 'template' name: nameString uri: uriString description: aString;
		_mimeType: mimeString arguments: #() do: aBlock;
		yourself)
%
method: McpToolRegistry
prompt: nameString description: aString arguments: anArray do: aBlock
	"aBlock takes McpArguments and answers a String, or an Array of them: one for each message."
	^self _offer: (McpOffer basicNew
		_kind: 'prompt' name: nameString uri: nil description: aString;
		_mimeType: nil arguments: anArray do: aBlock;
		yourself)
%
category: 'Accessing'
method: McpToolRegistry
at: aString
	"The tool of that name; nil if there is none."
	^tools at: aString otherwise: nil
%
method: McpToolRegistry
toolNames
	^ToolSupport sorted: tools keys
%
method: McpToolRegistry
descriptors
	"Those of all tools, in the order of their names."
	^self toolNames collect: [:each | (tools at: each) descriptor]
%
method: McpToolRegistry
offers
	^offers
%
method: McpToolRegistry
offer: nameString ofKind: kindString
	^offers detect: [:each | each name = nameString and: [each kind = kindString]] ifNone: [nil]
%
category: 'Private'
method: McpToolRegistry
_initialize
	tools := Dictionary new.
	offers := OrderedCollection new
%
method: McpToolRegistry
_offer: anOffer
	(self offer: anOffer name ofKind: anOffer kind) == nil ifFalse: [
		^McpError signalKind: #refused message: 'the ' , anOffer kind , ' ' , anOffer name , ' is registered twice'].
	offers addLast: anOffer.
	^anOffer
%
