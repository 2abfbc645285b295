! Compiled methods.

! ===== Class definition for GsNMethod
doit
Object subclass: 'GsNMethod'
  instVarNames: #( selector methodClass source category literals code header cacheBase positions)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
GsNMethod comment: 'A compiled method. The virtual machine alone knows what its code means.'
%

category: 'Accessing'
method: GsNMethod
selector
	^selector
%
method: GsNMethod
inClass
	^methodClass
%
method: GsNMethod
methodClass
	^methodClass
%
method: GsNMethod
sourceString
	^source
%
method: GsNMethod
category
	^category
%
method: GsNMethod
setCategory: aSymbol
	category := aSymbol
%
method: GsNMethod
environmentId
	"There is one method environment."
	^0
%
method: GsNMethod
numArgs
	^selector numArgs
%
category: 'Executing'
method: GsNMethod
value
	"Run me, a do-it, with nil as the receiver."
	<primitive: #executeMethod>
	^ImproperOperation signal: 'only a do-it can be run by itself: a method needs a receiver'
%
category: 'Printing'
method: GsNMethod
printOn: aStream
	aStream nextPutAll: self class articledName; nextPutAll: '( '.
	methodClass == nil ifFalse: [aStream print: methodClass; nextPutAll: '>>'].
	selector == nil ifFalse: [aStream nextPutAll: selector asString].
	aStream nextPut: $)
%
! ===== Class definition for GsMethodDictionary
doit
Object subclass: 'GsMethodDictionary'
  instVarNames: #( tally table uses)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
GsMethodDictionary comment: 'The methods of one class, by selector. Only the virtual machine reads or changes it.'
%
