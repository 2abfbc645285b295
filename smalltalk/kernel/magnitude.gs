! Magnitudes and associations.

! ===== Class definition for Magnitude
doit
Object subclass: 'Magnitude'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
Magnitude comment: 'What can be ordered.'
%

category: 'Comparing'
method: Magnitude
< aMagnitude
	^self subclassResponsibility: #<
%
method: Magnitude
> aMagnitude
	^aMagnitude < self
%
method: Magnitude
<= aMagnitude
	^(aMagnitude < self) not
%
method: Magnitude
>= aMagnitude
	^(self < aMagnitude) not
%
method: Magnitude
between: low and: high
	^low <= self and: [self <= high]
%
method: Magnitude
min: aMagnitude
	^self < aMagnitude ifTrue: [self] ifFalse: [aMagnitude]
%
method: Magnitude
max: aMagnitude
	^self > aMagnitude ifTrue: [self] ifFalse: [aMagnitude]
%
method: Magnitude
min: low max: high
	^(self min: low) max: high
%
! ===== Class definition for Association
doit
Object subclass: 'Association'
  instVarNames: #( key value)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
Association comment: 'A key and its value.'
%

! ===== Class definition for SymbolAssociation
doit
Association subclass: 'SymbolAssociation'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
SymbolAssociation comment: 'An association that is a variable: what compiled code refers to.'
%

category: 'Accessing'
method: Association
key
	^key
%
method: Association
key: anObject
	key := anObject
%
method: Association
value
	^value
%
method: Association
value: anObject
	value := anObject
%
method: Association
key: aKey value: anObject
	key := aKey.
	value := anObject
%
category: 'Comparing'
method: Association
= anObject
	^self class == anObject class and: [key = anObject key and: [value = anObject value]]
%
method: Association
hash
	^key hash
%
method: Association
< anAssociation
	^key < anAssociation key
%
category: 'Printing'
method: Association
printOn: aStream
	aStream print: key; nextPutAll: '->'; print: value
%
method: Association
displayOn: aStream
	key displayOn: aStream.
	aStream nextPutAll: '->'.
	value displayOn: aStream
%
category: 'Instance creation'
classmethod: Association
key: aKey value: anObject
	^self basicNew key: aKey value: anObject; yourself
%
classmethod: Association
newWithKey: aKey value: anObject
	^self key: aKey value: anObject
%
