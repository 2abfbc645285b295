! What the handler of a tool is given, and what it answers.

! ===== Class definition for McpArguments
doit
Dictionary subclass: 'McpArguments'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Lapidary
  options: #()
%
doit
McpArguments comment: 'The arguments of a call by their names, which are Strings. The typed accessors refuse, in words for the client, what
is missing or is something else; nil counts as missing.'
%

! ===== Class definition for McpAnswer
doit
Object subclass: 'McpAnswer'
  instVarNames: #( text data)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Lapidary
  options: #()
%
doit
McpAnswer comment: 'What a tool answers: a text for a model and, perhaps, the same as data for a program. Data are what JSON can say.'
%

category: 'Instance creation'
classmethod: McpArguments
from: aDictionary
	| arguments |
	arguments := self new.
	aDictionary keysAndValuesDo: [:key :value | arguments at: key asString put: value].
	^arguments
%
category: 'Accessing'
method: McpArguments
string: name
	^self _required: name as: 'a string' if: [:value | value isString]
%
method: McpArguments
string: name default: anObject
	^self _optional: name as: 'a string' if: [:value | value isString] default: anObject
%
method: McpArguments
integer: name
	^self _required: name as: 'an integer' if: [:value | value isInteger]
%
method: McpArguments
integer: name default: anObject
	^self _optional: name as: 'an integer' if: [:value | value isInteger] default: anObject
%
method: McpArguments
number: name
	^self _required: name as: 'a number' if: [:value | value isNumber]
%
method: McpArguments
number: name default: anObject
	^self _optional: name as: 'a number' if: [:value | value isNumber] default: anObject
%
method: McpArguments
boolean: name
	^self _required: name as: 'a boolean' if: [:value | value == true or: [value == false]]
%
method: McpArguments
boolean: name default: anObject
	^self _optional: name as: 'a boolean' if: [:value | value == true or: [value == false]] default: anObject
%
method: McpArguments
array: name
	^self _required: name as: 'an array' if: [:value | value isArray]
%
method: McpArguments
array: name default: anObject
	^self _optional: name as: 'an array' if: [:value | value isArray] default: anObject
%
method: McpArguments
object: name
	"A Dictionary with Strings as keys."
	^self _required: name as: 'an object' if: [:value | value isDictionary]
%
method: McpArguments
object: name default: anObject
	^self _optional: name as: 'an object' if: [:value | value isDictionary] default: anObject
%
category: 'Private'
method: McpArguments
_required: name as: kind if: aBlock
	^(self at: name otherwise: nil) == nil
		ifTrue: [McpError signalKind: #invalidParams message: 'Missing required argument(s): ' , name]
		ifFalse: [self _optional: name as: kind if: aBlock default: nil]
%
method: McpArguments
_optional: name as: kind if: aBlock default: anObject
	| value |
	value := self at: name otherwise: nil.
	value == nil ifTrue: [^anObject].
	(aBlock value: value) ifTrue: [^value].
	^McpError signalKind: #invalidParams message: 'Invalid argument ' , name , ': it must be ' , kind
%
category: 'Instance creation'
classmethod: McpAnswer
text: aString
	^self text: aString data: nil
%
classmethod: McpAnswer
text: aString data: anObject
	self _validateString: aString.
	^self basicNew _text: aString data: anObject
%
classmethod: McpAnswer
from: anObject by: toolName
	"What the handler of a tool has answered."
	anObject class == self ifTrue: [^anObject].
	anObject isString ifTrue: [^self text: anObject].
	^McpError signalKind: #other message: 'The tool ' , toolName , ' answered an instance of ' , anObject class name
		, '; a handler answers a String, or text and data by #answer:data:.'
%
category: 'Accessing'
method: McpAnswer
text
	^text
%
method: McpAnswer
data
	^data
%
category: 'Private'
method: McpAnswer
_text: aString data: anObject
	text := aString.
	data := anObject
%
