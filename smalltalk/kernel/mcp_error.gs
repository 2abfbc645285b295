! Why a tool does not do what it was asked.

! ===== Class definition for McpError
doit
Error subclass: 'McpError'
  instVarNames: #( kind detail)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Lapidary
  options: #()
%
doit
McpError comment: 'A tool cannot do what it was asked: a word for programs, a text for people, and perhaps more data.'
%

category: 'Signalling'
classmethod: McpError
signalKind: aSymbol message: aString
	"Words that programs know: notFound, refused, invalidParams, other."
	^self signalKind: aSymbol message: aString detail: nil
%
classmethod: McpError
signalKind: aSymbol message: aString detail: anObject
	^self new kind: aSymbol detail: anObject; signal: aString
%
category: 'Accessing'
method: McpError
kind
	^kind == nil ifTrue: [#other] ifFalse: [kind]
%
method: McpError
detail
	^detail
%
method: McpError
kind: aSymbol detail: anObject
	kind := aSymbol.
	detail := anObject
%
