! nil.

! ===== Class definition for UndefinedObject
doit
Object subclass: 'UndefinedObject'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
UndefinedObject comment: 'The class of nil.'
%

category: 'Nil tests'
method: UndefinedObject
isNil
	^true
%
method: UndefinedObject
notNil
	^false
%
method: UndefinedObject
ifNil: aBlock
	^aBlock value
%
method: UndefinedObject
ifNotNil: aBlock
	^nil
%
method: UndefinedObject
ifNil: nilBlock ifNotNil: notNilBlock
	^nilBlock value
%
method: UndefinedObject
ifNotNil: notNilBlock ifNil: nilBlock
	^nilBlock value
%
method: UndefinedObject
isNilOr: aBlock
	^true
%
category: 'Copying'
method: UndefinedObject
shallowCopy
	^self
%
method: UndefinedObject
deepCopy
	^self
%
category: 'Printing'
method: UndefinedObject
printOn: aStream
	aStream nextPutAll: 'nil'
%
category: 'Instance creation'
classmethod: UndefinedObject
new
	^self shouldNotImplement: #new
%
