! The transcript, and other names for classes.

! ===== Class definition for TranscriptStream
doit
Stream subclass: 'TranscriptStream'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
TranscriptStream comment: 'Collects text for whoever looks on. The text belongs to the session and is bounded: it is never committed.'
%

category: 'Writing'
method: TranscriptStream
nextPut: aCharacter
	self _append: aCharacter asString.
	^aCharacter
%
method: TranscriptStream
nextPutAll: aString
	self _append: aString asString.
	^aString
%
method: TranscriptStream
show: anObject
	self _append: anObject displayString
%
method: TranscriptStream
displayNl: anObject
	self _append: anObject displayString; nl
%
method: TranscriptStream
_append: aString
	<primitive: #transcriptAppend:>
	^self _typeError: aString expected: 'a String'
%
category: 'Accessing'
method: TranscriptStream
contents
	"The text so far, or the last of it."
	<primitive: #transcriptContents>
	^''
%
method: TranscriptStream
clear
	<primitive: #transcriptClear>
	^self
%
method: TranscriptStream
atEnd
	^true
%
method: TranscriptStream
next
	^nil
%
doit
Globals at: #Transcript put: TranscriptStream new
%

doit
Globals at: #KeyValueDictionary put: Dictionary; at: #IdentityKeyValueDictionary put: IdentityDictionary; at: #CompiledMethod put: GsNMethod; at: #BlockClosure put: ExecBlock;
	at: #KeyNotFound put: LookupError; at: #NotFound put: LookupError; at: #SubscriptOutOfBounds put: OffsetError
%
