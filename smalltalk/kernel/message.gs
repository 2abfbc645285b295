! Messages as objects.

! ===== Class definition for Message
doit
Object subclass: 'Message'
  instVarNames: #( selector arguments)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
Message comment: 'A message as an object: a selector and its arguments.'
%

category: 'Accessing'
method: Message
selector
	^selector
%
method: Message
arguments
	^arguments
%
method: Message
setSelector: aSymbol arguments: anArray
	selector := aSymbol.
	arguments := anArray
%
category: 'Sending'
method: Message
sendTo: anObject
	^anObject perform: selector withArguments: arguments
%
category: 'Printing'
method: Message
printOn: aStream
	aStream nextPutAll: self class articledName; nextPutAll: '( '; print: selector.
	arguments do: [:each | aStream nextPutAll: ', '; print: each].
	aStream nextPut: $)
%
category: 'Instance creation'
classmethod: Message
selector: aSymbol arguments: anArray
	^self basicNew setSelector: aSymbol arguments: anArray; yourself
%
classmethod: Message
selector: aSymbol
	^self selector: aSymbol arguments: #()
%
