! Symbols.

category: 'Testing'
method: Symbol
isSymbol
	^true
%
method: Symbol
isKeyword
	^self numArgs > 0 and: [self last == $:]
%
method: Symbol
isUnary
	^self numArgs = 0
%
method: Symbol
isInfix
	^self numArgs = 1 and: [self last ~~ $:]
%
method: Symbol
isImmutable
	^true
%
category: 'Comparing'
method: Symbol
= anObject
	^self == anObject
%
method: Symbol
hash
	<primitive: #identityHash>
	^0
%
category: 'Converting'
method: Symbol
asSymbol
	^self
%
method: Symbol
asString
	<primitive: #symbolAsString>
	^self _primitiveFailed: #asString
%
method: Symbol
cull: anObject
	^self value: anObject
%
method: Symbol
value: anObject
	"A unary selector serves as a block of one argument."
	^anObject perform: self
%
method: Symbol
value: first value: second
	"A selector of one argument serves as a block of two."
	^first perform: self with: second
%
category: 'Copying'
method: Symbol
shallowCopy
	^self
%
method: Symbol
deepCopy
	^self
%
method: Symbol
add: anObject
	^self shouldNotImplement: #add:
%
method: Symbol
addAll: aString
	^self shouldNotImplement: #addAll:
%
method: Symbol
at: index put: anObject
	^self shouldNotImplement: #at:put:
%
category: 'Printing'
method: Symbol
printOn: aStream
	aStream nextPut: $#.
	super printOn: aStream
%
method: Symbol
displayString
	^self asString
%
category: 'Instance creation'
classmethod: Symbol
new
	^self shouldNotImplement: #new
%
classmethod: Symbol
new: size
	^self shouldNotImplement: #new:
%
classmethod: Symbol
withAll: aString
	^(String withAll: aString) asSymbol
%
classmethod: Symbol
with: aCharacter
	^(String with: aCharacter) asSymbol
%
classmethod: Symbol
intern: aString
	^aString asSymbol
%
classmethod: Symbol
fromString: aString
	^aString asSymbol
%
