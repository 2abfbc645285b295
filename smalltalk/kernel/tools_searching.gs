! Searching all methods.

! ===== Class definition for ToolSearcher
doit
ToolSupport subclass: 'ToolSearcher'
  instVarNames: #( classes homes groups)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Lapidary
  options: #()
%
doit
ToolSearcher comment: 'Answers which methods are, send, mention or contain something, as groups: dictionary, class, whether its
class side, and a flat array of selectors and categories. It changes nothing.'
%

category: 'Searching'
classmethod: ToolSearcher
implementorsOf: selector in: dictionaryName from: first count: count
	^self answering: [self search: dictionaryName for: #implementors with: selector asSymbol from: first count: count]
%
classmethod: ToolSearcher
sendersOf: selector in: dictionaryName from: first count: count
	^self answering: [self search: dictionaryName for: #senders with: selector asSymbol from: first count: count]
%
classmethod: ToolSearcher
referencesTo: aString in: dictionaryName from: first count: count
	"By association, as code refers to it: whatever the value is."
	^self answering: [
		| association |
		association := dictionaryName == nil
			ifTrue: [System symbolList resolveSymbol: aString]
			ifFalse: [(self dictionaryNamed: dictionaryName) associationAt: aString otherwise: nil].
		association == nil ifTrue: [self refuse: #notFound saying: 'Global not found: ' , aString].
		self search: nil for: #references with: association from: first count: count]
%
classmethod: ToolSearcher
sourcesWith: pattern regex: isRegex ignoreCase: ignoreCase in: dictionaryName from: first count: count
	^self answering: [
		| reason |
		reason := isRegex ifTrue: [self _regexError: pattern] ifFalse: [nil].
		reason == nil ifFalse: [
			self refuse: #invalidParams saying: 'Invalid argument pattern: not a regular expression: ' , reason].
		self
			search: dictionaryName
			for: (isRegex
				ifTrue: [ignoreCase ifTrue: [#regexIgnoringCase] ifFalse: [#regex]]
				ifFalse: [ignoreCase ifTrue: [#textIgnoringCase] ifFalse: [#text]])
			with: pattern
			from: first
			count: count]
%
classmethod: ToolSearcher
search: dictionaryName for: kind with: anObject from: first count: count
	"In so many of all classes, from the first-th on. The groups; how many classes there are; the last one searched."
	^self new
		collectClassesOf: (self dictionariesFor: dictionaryName);
		searchFor: kind with: anObject from: first to: first + count - 1
%
classmethod: ToolSearcher
_regexError: aString
	"Why aString is no regular expression; nil if it is one."
	<primitive: #regexError>
	^self _primitiveFailed: #regexError
%
classmethod: ToolSearcher
_in: classes from: first to: last methodsMatching: kind with: anObject
	"For each side of each class on which there is something: its number, whether it is the class side, and an Array of
	selectors and categories in turn."
	<primitive: #methodsMatching>
	^self _primitiveFailed: #methodsMatching
%
classmethod: ToolSearcher
in: classes from: first to: last methodsMatching: kind with: anObject do: aBlock
	"The same, each handed to aBlock with three arguments. Some classes at a time, so that it can be interrupted."
	first to: last by: 100 do: [:start |
		| found |
		found := self _in: classes from: start to: (start + 99 min: last) methodsMatching: kind with: anObject.
		1 to: found size by: 3 do: [:index |
			aBlock value: (found at: index) value: (found at: index + 1) value: (found at: index + 2)]]
%
category: 'Searching'
method: ToolSearcher
collectClassesOf: dictionaries
	classes := #().
	homes := dictionaries collect: [:dictionary |
		classes := classes , (ToolSupport _classesBoundIn: dictionary).
		{classes size. dictionary}]
%
method: ToolSearcher
searchFor: kind with: anObject from: first to: wanted
	| last |
	groups := OrderedCollection new.
	last := wanted min: classes size.
	ToolSearcher in: classes from: first to: last methodsMatching: kind with: anObject do: [:number :meta :found |
		groups addLast: {self homeOf: number. (classes at: number) name. meta. found}].
	^{
		groups asArray.
		classes size.
		last < first ifTrue: [''] ifFalse: [(classes at: last) name asString]}
%
method: ToolSearcher
homeOf: number
	"The name of the dictionary that the class of this number was found in."
	^ToolSupport nameOfDictionary: (homes detect: [:each | number <= each first]) last
%
