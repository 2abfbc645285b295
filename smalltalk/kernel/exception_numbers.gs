! The numbers that programs know kinds of exceptions by.

category: 'Exception selectors'
classmethod: Exception
errorNumber
	^2701
%
category: 'Exception selectors'
classmethod: Error
errorNumber
	^2710
%
category: 'Exception selectors'
classmethod: Notification
errorNumber
	^2703
%
category: 'Exception selectors'
classmethod: Warning
errorNumber
	^2704
%
category: 'Exception selectors'
classmethod: UserWarning
errorNumber
	^2702
%
category: 'Exception selectors'
classmethod: Deprecated
errorNumber
	^2717
%
category: 'Exception selectors'
classmethod: Admonition
errorNumber
	^2705
%
category: 'Exception selectors'
classmethod: AlmostOutOfStack
errorNumber
	^6012
%
category: 'Exception selectors'
classmethod: AlmostOutOfMemory
errorNumber
	^6013
%
category: 'Exception selectors'
classmethod: ControlInterrupt
errorNumber
	^2706
%
category: 'Exception selectors'
classmethod: Break
errorNumber
	^6003
%
category: 'Exception selectors'
classmethod: TimeLimitReached
errorNumber
	^6020
%
category: 'Exception selectors'
classmethod: Breakpoint
errorNumber
	^6005
%
category: 'Exception selectors'
classmethod: Halt
errorNumber
	^2709
%
category: 'Exception selectors'
classmethod: TerminateProcess
errorNumber
	^2711
%
category: 'Exception selectors'
classmethod: TestFailure
errorNumber
	^2707
%
category: 'Exception selectors'
classmethod: AssertionFailed
errorNumber
	^2712
%
category: 'Exception selectors'
classmethod: UserDefinedError
errorNumber
	^2318
%
category: 'Exception selectors'
classmethod: CompileError
errorNumber
	^1001
%
category: 'Exception selectors'
classmethod: EndOfStream
errorNumber
	^2713
%
category: 'Exception selectors'
classmethod: ExternalError
errorNumber
	^2714
%
category: 'Exception selectors'
classmethod: IOError
errorNumber
	^2715
%
category: 'Exception selectors'
classmethod: ImproperOperation
errorNumber
	^2402
%
category: 'Exception selectors'
classmethod: ArgumentError
errorNumber
	^2004
%
category: 'Exception selectors'
classmethod: ArgumentTypeError
errorNumber
	^2094
%
category: 'Exception selectors'
classmethod: CannotReturn
errorNumber
	^2079
%
category: 'Exception selectors'
classmethod: IllegalResume
errorNumber
	^6010
%
category: 'Exception selectors'
classmethod: UncontinuableError
errorNumber
	^6011
%
category: 'Exception selectors'
classmethod: LookupError
errorNumber
	^2319
%
category: 'Exception selectors'
classmethod: OffsetError
errorNumber
	^2003
%
category: 'Exception selectors'
classmethod: OutOfRange
errorNumber
	^2061
%
category: 'Exception selectors'
classmethod: NameError
errorNumber
	^2404
%
category: 'Exception selectors'
classmethod: MessageNotUnderstood
errorNumber
	^2010
%
category: 'Exception selectors'
classmethod: NumericError
errorNumber
	^2403
%
category: 'Exception selectors'
classmethod: ZeroDivide
errorNumber
	^2026
%
category: 'Exception selectors'
classmethod: SecurityError
errorNumber
	^2405
%
category: 'Exception selectors'
classmethod: TransactionError
errorNumber
	^2409
%
category: 'Exception selectors'
classmethod: LockError
errorNumber
	^2418
%
category: 'Exception selectors'
classmethod: InternalError
errorNumber
	^2406
%
