! Small things of daily use: accessors that write themselves, and names that code of others uses.

! ===== Class definition for GsCurrentSession
doit
Object subclass: 'GsCurrentSession'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
GsCurrentSession comment: 'This session as an object.'
%

category: 'Accessing'
method: GsCurrentSession
serialNumber
	^System session
%
method: GsCurrentSession
userProfile
	^System myUserProfile
%
category: 'Printing'
method: GsCurrentSession
printOn: aStream
	aStream nextPutAll: self class articledName; nextPutAll: '( '; print: self serialNumber; nextPut: $)
%
category: 'Instance creation'
classmethod: GsCurrentSession
currentSession
	^self basicNew
%
category: 'Accessors'
method: Behavior
compileAccessingMethodsFor: names
	"For each of these variables of mine a message that answers it and one that sets it."
	names do: [:each |
		(self instVarNames includes: each asSymbol) ifFalse: [^LookupError new object: self key: each; signal].
		self compile: each asString , '
	^' , each asString classified: #Accessing.
		self compile: each asString , ': anObject
	' , each asString , ' := anObject' classified: #Accessing]
%
method: Behavior
compileMissingAccessingMethods
	"As compileAccessingMethodsFor:, for all variables, where there is no method of that name yet."
	self instVarNames do: [:each |
		(self includesSelector: each) ifFalse: [
			self compile: each asString , '
	^' , each asString classified: #Accessing].
		(self includesSelector: each , ':') ifFalse: [
			self compile: each asString , ': anObject
	' , each asString , ' := anObject' classified: #Accessing]]
%
category: 'Transactions'
classmethod: System
transactionMode
	"A session is always within a transaction: one begins when another ends."
	^#autoBegin
%
classmethod: System
transactionMode: aSymbol
	aSymbol == #autoBegin ifTrue: [^aSymbol].
	^ImproperOperation signal: 'the only transaction mode is #autoBegin'
%
doit
Globals at: #AppendStream put: WriteStream; at: #WriteStreamPortable put: WriteStream; at: #ReadStreamPortable put: ReadStream
%
