! Searching all methods.

! ===== Class definition for ToolSearcher
doit
ToolSupport subclass: 'ToolSearcher'
  instVarNames: #( groups)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
ToolSearcher comment: 'Answers which methods are, send, mention or contain something, as groups: dictionary, class, whether its
class side, and a flat array of selectors and categories. It changes nothing.'
%

category: 'Searching'
classmethod: ToolSearcher
implementorsOf: selector in: dictionaryName
	^self search: dictionaryName for: #implementors with: selector asSymbol
%
classmethod: ToolSearcher
sendersOf: selector in: dictionaryName
	^self search: dictionaryName for: #senders with: selector asSymbol
%
classmethod: ToolSearcher
referencesTo: aString in: dictionaryName
	"By association, as code refers to it: whatever the value is."
	^self answering: [
		| association |
		association := dictionaryName == nil
			ifTrue: [System symbolList resolveSymbol: aString]
			ifFalse: [(self dictionaryNamed: dictionaryName) associationAt: aString otherwise: nil].
		association == nil ifTrue: [self refuse: #notFound saying: 'Global not found: ' , aString].
		self new groupsIn: (self dictionariesFor: nil) for: #references with: association]
%
classmethod: ToolSearcher
sourcesWith: pattern regex: isRegex ignoreCase: ignoreCase in: dictionaryName
	^self answering: [
		| reason |
		reason := isRegex ifTrue: [self _regexError: pattern] ifFalse: [nil].
		reason == nil ifFalse: [
			self refuse: #invalidParams saying: 'Invalid argument pattern: not a regular expression: ' , reason].
		self new
			groupsIn: (self dictionariesFor: dictionaryName)
			for: (isRegex
				ifTrue: [ignoreCase ifTrue: [#regexIgnoringCase] ifFalse: [#regex]]
				ifFalse: [ignoreCase ifTrue: [#textIgnoringCase] ifFalse: [#text]])
			with: pattern]
%
classmethod: ToolSearcher
search: dictionaryName for: kind with: anObject
	^self answering: [self new groupsIn: (self dictionariesFor: dictionaryName) for: kind with: anObject]
%
classmethod: ToolSearcher
_regexError: aString
	"Why aString is no regular expression; nil if it is one."
	<primitive: #regexError>
	^self _primitiveFailed: #regexError
%
category: 'Searching'
method: ToolSearcher
groupsIn: dictionaries for: kind with: anObject
	groups := OrderedCollection new.
	dictionaries do: [:dictionary |
		| name |
		name := ToolSupport nameOfDictionary: dictionary.
		ToolSupport classesOf: dictionary do: [:class |
			self search: class for: kind with: anObject named: {name. class name. false}.
			self search: class class for: kind with: anObject named: {name. class name. true}]].
	^groups asArray
%
method: ToolSearcher
search: behavior for: kind with: anObject named: anArray
	| found |
	found := self _methodsOf: behavior matching: kind with: anObject.
	found size = 0 ifFalse: [groups add: (anArray copyWith: found)]
%
method: ToolSearcher
_methodsOf: behavior matching: kind with: anObject
	"Selectors and categories in turn."
	<primitive: #methodsMatching>
	^self _primitiveFailed: #methodsMatching
%
