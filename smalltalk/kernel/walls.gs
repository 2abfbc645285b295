! What lies beyond the walls of a session: files, sockets, other processes. The classes are there for the code that
! names them; what they are asked for is refused.

! ===== Class definition for GsSocket
doit
Object subclass: 'GsSocket'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
GsSocket comment: 'A socket. Sessions have none: to make one is a SecurityError.'
%

! ===== Class definition for GsSecureSocket
doit
GsSocket subclass: 'GsSecureSocket'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
GsSecureSocket comment: 'A socket with encryption. Sessions have none: to make one is a SecurityError.'
%

! ===== Class definition for GsTsExternalSession
doit
Object subclass: 'GsTsExternalSession'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
GsTsExternalSession comment: 'A session that this one would steer. Sessions start no others: to make one is a SecurityError.'
%

! ===== Class definition for GsFile
doit
Object subclass: 'GsFile'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
GsFile comment: 'A file. Sessions have none: to open one is a SecurityError. What is meant for a log goes to the Transcript.'
%

! ===== Class definition for FileStream
doit
Stream subclass: 'FileStream'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
FileStream comment: 'A stream on a file. Sessions have none: to open one is a SecurityError.'
%

! ===== Class definition for GsProcess
doit
Object subclass: 'GsProcess'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
GsProcess comment: 'A thread of execution. A session has one; to start another is a SecurityError.'
%

category: 'Errors'
method: Object
_beyondWalls: aString
	^SecurityError signal: aString , ' is beyond the walls of a session: it reaches its repository and nothing else'
%
category: 'Instance creation'
classmethod: GsSocket
new
	^self _beyondWalls: 'a socket'
%
classmethod: GsSocket
newServer
	^self _beyondWalls: 'a socket'
%
classmethod: GsSocket
doesNotUnderstand: aMessage
	"Settings of sockets are of no use either."
	^self _beyondWalls: 'a socket'
%
classmethod: GsTsExternalSession
new
	^self _beyondWalls: 'another session'
%
classmethod: GsTsExternalSession
newDefault
	^self _beyondWalls: 'another session'
%
classmethod: GsTsExternalSession
newDefaultForGemHost: aString
	^self _beyondWalls: 'another session'
%
classmethod: GsFile
new
	^self _beyondWalls: 'a file'
%
classmethod: GsFile
doesNotUnderstand: aMessage
	"However a file is asked for."
	^self _beyondWalls: 'a file'
%
classmethod: FileStream
new
	^self _beyondWalls: 'a file'
%
classmethod: FileStream
read: aString
	^self _beyondWalls: 'a file'
%
classmethod: FileStream
write: aString
	^self _beyondWalls: 'a file'
%
classmethod: FileStream
doesNotUnderstand: aMessage
	^self _beyondWalls: 'a file'
%
category: 'Log'
classmethod: GsFile
gciLogServer: aString
	Transcript show: aString; cr
%
classmethod: GsFile
gciLogClient: aString
	Transcript show: aString; cr
%
classmethod: GsFile
stdout
	^Transcript
%
classmethod: GsFile
stderr
	^Transcript
%
category: 'Processes'
classmethod: GsProcess
new
	^self _beyondWalls: 'another process'
%
method: ExecBlock
fork
	^self _beyondWalls: 'another process'
%
method: ExecBlock
forkAt: priority
	^self _beyondWalls: 'another process'
%
method: ExecBlock
newProcess
	^self _beyondWalls: 'another process'
%
category: 'Other sessions'
classmethod: System
stopSession: anInteger
	^self _beyondWalls: 'another session'
%
classmethod: System
performOnServer: aString
	^self _beyondWalls: 'a command of the system'
%
category: 'Keys'
classmethod: System
jwtPublicKeys
	"Keys by their names: none."
	^Dictionary new
%
classmethod: System
addJwtKey: aKey withId: aString
	^self _beyondWalls: 'a key'
%
classmethod: System
removeJwtKeyWithId: aString
	^self _beyondWalls: 'a key'
%
