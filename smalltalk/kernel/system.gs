! The session as seen from within: transactions, names, the outermost frame.

! ===== Class definition for System
doit
Object subclass: 'System'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
System comment: 'What a program can ask of its session. Class-side messages only.'
%

category: 'Transactions'
classmethod: System
commit
	"Whether everything changed so far is now committed. If not, nothing is lost: the transaction goes on."
	^self _outcome: self _commit
%
classmethod: System
commitTransaction
	^self commit
%
classmethod: System
abort
	"Forget all changes and see the newest commit."
	self abortTransaction
%
classmethod: System
abortTransaction
	<primitive: #abort>
	^TransactionError signal: 'this session has no repository to abort to'
%
classmethod: System
beginTransaction
	^self abortTransaction
%
classmethod: System
continueTransaction
	"See the newest commit and keep all changes. Answer whether they can still be committed."
	^self _outcome: self _continue
%
classmethod: System
needsCommit
	<primitive: #needsCommit>
	^false
%
classmethod: System
inTransaction
	^true
%
classmethod: System
_outcome: anArray
	"Whether the transaction did as it was told; an error if the stone refuses."
	^anArray first == nil
		ifTrue: [TransactionError signal: (anArray at: 2)]
		ifFalse: [anArray first]
%
classmethod: System
_commit
	"{true}, or {false. names of what conflicts}, or {nil. why the stone refuses}."
	<primitive: #commit>
	^TransactionError signal: 'this session has no repository to commit to'
%
classmethod: System
_continue
	<primitive: #continue>
	^TransactionError signal: 'this session has no repository'
%
category: 'Session'
classmethod: System
session
	<primitive: #sessionNumber>
	^0
%
classmethod: System
myUserProfile
	^UserProfile current
%
classmethod: System
userId
	<primitive: #userName>
	^'DataCurator'
%
classmethod: System
stoneName
	<primitive: #stoneName>
	^'none'
%
classmethod: System
microsecondClock
	"Microseconds since the beginning of 1970, UTC."
	<primitive: #microsecondClock>
	^self _primitiveFailed: #microsecondClock
%
classmethod: System
timeMs
	"Milliseconds since the beginning of 1970, UTC."
	^self microsecondClock // 1000
%
classmethod: System
_timeMs
	^self timeMs
%
classmethod: System
millisecondsToRun: aBlock
	| start |
	start := self timeMs.
	aBlock value.
	^self timeMs - start
%
category: 'Names'
classmethod: System
symbolList
	"My user's dictionaries in the order of lookup."
	^SymbolList withAll: self _symbolDictionaries
%
classmethod: System
objectNamed: aString
	"The value of a global; nil if there is none of that name."
	^self symbolList objectNamed: aString
%
classmethod: System
defaultDictionary
	"Where a new class goes if nothing is said."
	^self symbolList first
%
classmethod: System
allClasses
	"Every class that my user's dictionaries hold, once each, in the order of lookup."
	| all |
	all := OrderedCollection new.
	self symbolList do: [:dictionary | self _addClassesIn: dictionary to: all].
	^all asArray
%
classmethod: System
_addClassesIn: dictionary to: all
	"A class under another name than its own is an alias and does not count."
	dictionary keysAndValuesDo: [:key :value |
		(value isClass and: [key = value name asSymbol]) ifTrue: [all add: value]]
%
classmethod: System
_symbolDictionaries
	<primitive: #allSymbolDictionaries>
	^#()
%
category: 'Code'
classmethod: System
evaluate: aString
	"The value of the code in aString; a CompileError says what is wrong with it."
	| method |
	self _validateString: aString.
	method := self _compileDoIt: aString.
	^method isArray
		ifTrue: [CompileError signalErrors: method source: aString]
		ifFalse: [method value]
%
classmethod: System
_compileDoIt: aString
	"Answer a method without arguments, or an Array of Arrays: number, line, column, message."
	<primitive: #compileDoIt:>
	^self _primitiveFailed: #evaluate:
%
category: 'Virtual machine'
classmethod: System
_execute: aMethod
	"The outermost message of an execution: the printString of what aMethod, a do-it, answers."
	| string |
	string := aMethod value printString.
	string isString ifFalse: [^self _typeError: string expected: 'a String from printString'].
	^string asString
%
classmethod: System
_interrupt: kind
	"Sent by the virtual machine when a limit is reached or somebody wants this execution to stop."
	kind == #timeout ifTrue: [^TimeLimitReached signal: 'the time for this execution is used up'].
	kind == #stackDepth ifTrue: [^AlmostOutOfStack signal: 'too many calls within calls: endless recursion?'].
	kind == #memory ifTrue: [^AlmostOutOfMemory signal: 'the memory for this session is nearly used up'].
	^Break signal: 'this execution was cancelled'
%
classmethod: System
_describe: anException
	"{class name. description}; whatever a description of the user's does, an answer comes."
	| description |
	description := [anException description asString]
		on: AbstractException
		do: [:ex | ex return: 'a ' , anException class name , ' occurred'].
	^{anException class name asString. description}
%
classmethod: System
_runUnwindBlocksAbove: frame from: start
	"Sent by the virtual machine when an execution ends by an exception."
	GsStack unwindTo: frame from: start
%
