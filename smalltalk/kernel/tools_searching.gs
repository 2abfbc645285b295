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
category: 'Searching'
method: ToolSearcher
collectClassesOf: dictionaries
	classes := OrderedCollection new.
	homes := OrderedCollection new.
	dictionaries do: [:dictionary |
		| home |
		home := ToolSupport nameOfDictionary: dictionary.
		ToolSupport classesOf: dictionary do: [:class |
			classes addLast: class.
			homes addLast: home]]
%
method: ToolSearcher
searchFor: kind with: anObject from: first to: wanted
	"Some classes at a time, so that it can be interrupted."
	| last |
	groups := OrderedCollection new.
	last := wanted min: classes size.
	first to: last by: 100 do: [:start |
		self searchFrom: start to: (start + 99 min: last) for: kind with: anObject].
	^{
		groups asArray.
		classes size.
		last < first ifTrue: [''] ifFalse: [(classes at: last) name asString]}
%
method: ToolSearcher
searchFrom: start to: stop for: kind with: anObject
	| behaviors found |
	behaviors := Array new: stop - start + 1 * 2.
	start to: stop do: [:index |
		behaviors at: index - start * 2 + 1 put: (classes at: index).
		behaviors at: index - start * 2 + 2 put: (classes at: index) class].
	found := self _methodsOf: behaviors matching: kind with: anObject.
	start to: stop do: [:index |
		self add: (found at: index - start * 2 + 1) of: index meta: false.
		self add: (found at: index - start * 2 + 2) of: index meta: true]
%
method: ToolSearcher
add: selectorsAndCategories of: index meta: meta
	selectorsAndCategories == nil ifFalse: [
		groups addLast: {homes at: index. (classes at: index) name. meta. selectorsAndCategories}]
%
method: ToolSearcher
_methodsOf: behaviors matching: kind with: anObject
	"For each behavior nil, or selectors and categories in turn."
	<primitive: #methodsMatching>
	^self _primitiveFailed: #methodsMatching
%
