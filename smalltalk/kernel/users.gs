! All users of the repository.

! ===== Class definition for UserProfileSet
doit
Object subclass: 'UserProfileSet'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
UserProfileSet comment: 'The users of the repository, as far as a session can see: its own. Others are neither shown nor changed from within.'
%

category: 'Accessing'
method: UserProfileSet
userWithId: aString
	^self userWithId: aString ifAbsent: [LookupError new object: self key: aString; signal]
%
method: UserProfileSet
userWithId: aString ifAbsent: aBlock
	^aString = System userId ifTrue: [UserProfile current] ifFalse: [aBlock value]
%
method: UserProfileSet
size
	^1
%
method: UserProfileSet
do: aBlock
	aBlock value: UserProfile current
%
category: 'Changing'
method: UserProfileSet
addNewUserWithId: aString password: passwordString
	^self _beyondWalls: 'another user'
%
method: UserProfileSet
removeAndCleanupUserWithId: aString ifAbsent: aBlock
	^(self userWithId: aString ifAbsent: [nil]) == nil
		ifTrue: [aBlock value]
		ifFalse: [self _beyondWalls: 'the removal of a user']
%
doit
Globals at: #AllUsers put: UserProfileSet new
%
