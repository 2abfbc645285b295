! The kinds of exceptions.

! ===== Class definition for Error
doit
Exception subclass: 'Error'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
Error comment: 'Something went wrong.'
%

! ===== Class definition for Notification
doit
Exception subclass: 'Notification'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
Notification comment: 'Something happened that needs no handling; resumed with nil by default.'
%

! ===== Class definition for Warning
doit
Notification subclass: 'Warning'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
Warning comment: 'Something is doubtful; resumed with nil by default.'
%

! ===== Class definition for UserWarning
doit
Warning subclass: 'UserWarning'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
UserWarning comment: 'A warning of a program.'
%

! ===== Class definition for Deprecated
doit
Warning subclass: 'Deprecated'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
Deprecated comment: 'A message that will go.'
%

! ===== Class definition for MethodsNotRecompiled
doit
Warning subclass: 'MethodsNotRecompiled'
  instVarNames: #( failures)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
MethodsNotRecompiled comment: 'A class has a new version, and some of its methods do not compile in it.'
%

! ===== Class definition for Admonition
doit
Exception subclass: 'Admonition'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
Admonition comment: 'A resource is nearly at its end.'
%

! ===== Class definition for AlmostOutOfStack
doit
Admonition subclass: 'AlmostOutOfStack'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
AlmostOutOfStack comment: 'The stack is nearly as deep as it may be.'
%

! ===== Class definition for AlmostOutOfMemory
doit
Admonition subclass: 'AlmostOutOfMemory'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
AlmostOutOfMemory comment: 'The heap is nearly as large as it may be.'
%

! ===== Class definition for ControlInterrupt
doit
Exception subclass: 'ControlInterrupt'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
ControlInterrupt comment: 'Execution is to stop, by no fault of the code.'
%

! ===== Class definition for Break
doit
ControlInterrupt subclass: 'Break'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
Break comment: 'Somebody asked this execution to stop.'
%

! ===== Class definition for TimeLimitReached
doit
ControlInterrupt subclass: 'TimeLimitReached'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
TimeLimitReached comment: 'This execution has used up its time.'
%

! ===== Class definition for Breakpoint
doit
ControlInterrupt subclass: 'Breakpoint'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
Breakpoint comment: 'A breakpoint was reached.'
%

! ===== Class definition for Halt
doit
ControlInterrupt subclass: 'Halt'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
Halt comment: 'A #halt was reached.'
%

! ===== Class definition for TerminateProcess
doit
ControlInterrupt subclass: 'TerminateProcess'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
TerminateProcess comment: 'A process is being ended.'
%

! ===== Class definition for TestFailure
doit
Exception subclass: 'TestFailure'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
TestFailure comment: 'An assertion of a test does not hold.'
%

! ===== Class definition for AssertionFailed
doit
Error subclass: 'AssertionFailed'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
AssertionFailed comment: 'An assertion of a program does not hold.'
%

! ===== Class definition for UserDefinedError
doit
Error subclass: 'UserDefinedError'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
UserDefinedError comment: 'What #error: signals.'
%

! ===== Class definition for CompileError
doit
Error subclass: 'CompileError'
  instVarNames: #( errors source)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
CompileError comment: 'Source that does not compile. errors: an Array of Arrays: number, line, column, message.'
%

! ===== Class definition for EndOfStream
doit
Error subclass: 'EndOfStream'
  instVarNames: #( stream)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
EndOfStream comment: 'Reading went beyond the end of a stream.'
%

! ===== Class definition for ExternalError
doit
Error subclass: 'ExternalError'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
ExternalError comment: 'Something outside of the image failed.'
%

! ===== Class definition for IOError
doit
ExternalError subclass: 'IOError'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
IOError comment: 'Reading or writing something outside failed.'
%

! ===== Class definition for SocketError
doit
IOError subclass: 'SocketError'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
SocketError comment: 'A connection failed.'
%

! ===== Class definition for SystemCallError
doit
ExternalError subclass: 'SystemCallError'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
SystemCallError comment: 'The operating system refused.'
%

! ===== Class definition for ImproperOperation
doit
Error subclass: 'ImproperOperation'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
ImproperOperation comment: 'An operation that the receiver cannot do in its state.'
%

! ===== Class definition for ArgumentError
doit
ImproperOperation subclass: 'ArgumentError'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
ArgumentError comment: 'An argument that will not do.'
%

! ===== Class definition for MigrationError
doit
ImproperOperation subclass: 'MigrationError'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
MigrationError comment: 'An object that cannot move to the class that it was to move to.'
%

! ===== Class definition for ArgumentTypeError
doit
ImproperOperation subclass: 'ArgumentTypeError'
  instVarNames: #( value)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
ArgumentTypeError comment: 'An argument of a kind that will not do.'
%

! ===== Class definition for CannotReturn
doit
ImproperOperation subclass: 'CannotReturn'
  instVarNames: #( value)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
CannotReturn comment: 'A block returns from a method that has returned already.'
%

! ===== Class definition for IllegalResume
doit
ImproperOperation subclass: 'IllegalResume'
  instVarNames: #( exception)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
IllegalResume comment: 'A handler resumed what cannot be resumed.'
%

! ===== Class definition for UncontinuableError
doit
ImproperOperation subclass: 'UncontinuableError'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
UncontinuableError comment: 'Code that cannot go on did go on.'
%

! ===== Class definition for LookupError
doit
ImproperOperation subclass: 'LookupError'
  instVarNames: #( object key)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
LookupError comment: 'What was looked for is not there.'
%

! ===== Class definition for OffsetError
doit
ImproperOperation subclass: 'OffsetError'
  instVarNames: #( maximum actual)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
OffsetError comment: 'An index outside of the collection.'
%

! ===== Class definition for OutOfRange
doit
ImproperOperation subclass: 'OutOfRange'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
OutOfRange comment: 'A number outside of the range that is allowed.'
%

! ===== Class definition for NameError
doit
Error subclass: 'NameError'
  instVarNames: #( name)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
NameError comment: 'A name that is not known.'
%

! ===== Class definition for MessageNotUnderstood
doit
NameError subclass: 'MessageNotUnderstood'
  instVarNames: #( receiver message)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
MessageNotUnderstood comment: 'A message that the receiver has no method for.'
%

! ===== Class definition for NumericError
doit
Error subclass: 'NumericError'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
NumericError comment: 'Arithmetic that has no result.'
%

! ===== Class definition for ZeroDivide
doit
NumericError subclass: 'ZeroDivide'
  instVarNames: #( dividend)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
ZeroDivide comment: 'A division by zero.'
%

! ===== Class definition for SecurityError
doit
Error subclass: 'SecurityError'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
SecurityError comment: 'What the user may not do.'
%

! ===== Class definition for TransactionError
doit
Error subclass: 'TransactionError'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
TransactionError comment: 'A transaction that cannot do what it was asked.'
%

! ===== Class definition for LockError
doit
Error subclass: 'LockError'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
LockError comment: 'A lock that cannot be had.'
%

! ===== Class definition for InternalError
doit
Error subclass: 'InternalError'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
InternalError comment: 'The virtual machine failed.'
%

category: 'Testing'
method: Error
isResumable
	^false
%
category: 'Signalling'
method: Notification
defaultAction
	"Nobody minds: go on with nil."
	^nil
%
