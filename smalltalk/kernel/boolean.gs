! true and false. The compiler inlines these messages when their arguments are literal blocks; the methods serve all else.

! ===== Class definition for Boolean
doit
Object subclass: 'Boolean'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
Boolean comment: 'The common superclass of the classes of true and false.'
%

! ===== Class definition for True
doit
Boolean subclass: 'True'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
True comment: 'The class of true.'
%

! ===== Class definition for False
doit
Boolean subclass: 'False'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
False comment: 'The class of false.'
%

category: 'Testing'
method: Boolean
isBoolean
	^true
%
category: 'Copying'
method: Boolean
shallowCopy
	^self
%
method: Boolean
deepCopy
	^self
%
category: 'Logic'
method: Boolean
eqv: aBoolean
	^self == aBoolean
%
method: Boolean
xor: aBoolean
	^self ~~ aBoolean
%
category: 'Instance creation'
classmethod: Boolean
new
	^self shouldNotImplement: #new
%
category: 'Logic'
method: True
& aBoolean
	^aBoolean
%
method: True
| aBoolean
	^true
%
method: True
not
	^false
%
method: True
and: aBlock
	^aBlock value
%
method: True
or: aBlock
	^true
%
method: True
==> aBlock
	^aBlock value
%
category: 'Control'
method: True
ifTrue: aBlock
	^aBlock value
%
method: True
ifFalse: aBlock
	^nil
%
method: True
ifTrue: trueBlock ifFalse: falseBlock
	^trueBlock value
%
method: True
ifFalse: falseBlock ifTrue: trueBlock
	^trueBlock value
%
category: 'Printing'
method: True
printOn: aStream
	aStream nextPutAll: 'true'
%
category: 'Logic'
method: False
& aBoolean
	^false
%
method: False
| aBoolean
	^aBoolean
%
method: False
not
	^true
%
method: False
and: aBlock
	^false
%
method: False
or: aBlock
	^aBlock value
%
method: False
==> aBlock
	^true
%
category: 'Control'
method: False
ifTrue: aBlock
	^nil
%
method: False
ifFalse: aBlock
	^aBlock value
%
method: False
ifTrue: trueBlock ifFalse: falseBlock
	^falseBlock value
%
method: False
ifFalse: falseBlock ifTrue: trueBlock
	^falseBlock value
%
category: 'Printing'
method: False
printOn: aStream
	aStream nextPutAll: 'false'
%
