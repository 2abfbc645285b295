! The messages that make subclasses.

category: 'Subclass creation'
method: Class
subclass: aString
	^self subclass: aString instVarNames: #() classVars: #() classInstVars: #() poolDictionaries: #()
		inDictionary: System defaultDictionary options: #()
%
method: Class
subclass: aString instVarNames: names inDictionary: aDictionary
	^self subclass: aString instVarNames: names classVars: #() classInstVars: #() poolDictionaries: #()
		inDictionary: aDictionary options: #()
%
method: Class
subclass: aString instVarNames: names classVars: classVarNames classInstVars: classInstVarNames poolDictionaries: pools inDictionary: aDictionary
	^self subclass: aString instVarNames: names classVars: classVarNames classInstVars: classInstVarNames
		poolDictionaries: pools inDictionary: aDictionary options: #()
%
method: Class
subclass: aString instVarNames: names classVars: classVarNames classInstVars: classInstVarNames poolDictionaries: pools inDictionary: aDictionary options: options
	^ClassDefinition new
		superclass: self;
		name: aString;
		instVarNames: names;
		classVarNames: classVarNames;
		classInstVarNames: classInstVarNames;
		pools: pools;
		dictionary: aDictionary;
		options: options;
		define
%
method: Class
subclass: aString instVarNames: names classVars: classVarNames classInstVars: classInstVarNames poolDictionaries: pools inDictionary: aDictionary description: aComment options: options
	| class |
	class := self subclass: aString instVarNames: names classVars: classVarNames classInstVars: classInstVarNames
		poolDictionaries: pools inDictionary: aDictionary options: options.
	class comment = aComment ifFalse: [class comment: aComment].
	^class
%
method: Class
subclass: aString instVarNames: names classVars: classVarNames classInstVars: classInstVarNames poolDictionaries: pools category: aCategory options: options
	^ClassDefinition new
		superclass: self;
		name: aString;
		instVarNames: names;
		classVarNames: classVarNames;
		classInstVarNames: classInstVarNames;
		pools: pools;
		dictionary: System defaultDictionary;
		category: aCategory;
		options: options;
		define
%
method: Class
indexableSubclass: aString
	^self indexableSubclass: aString instVarNames: #() classVars: #() classInstVars: #() poolDictionaries: #()
		inDictionary: System defaultDictionary options: #()
%
method: Class
indexableSubclass: aString instVarNames: names inDictionary: aDictionary
	^self indexableSubclass: aString instVarNames: names classVars: #() classInstVars: #() poolDictionaries: #()
		inDictionary: aDictionary options: #()
%
method: Class
indexableSubclass: aString instVarNames: names classVars: classVarNames classInstVars: classInstVarNames poolDictionaries: pools inDictionary: aDictionary
	^self indexableSubclass: aString instVarNames: names classVars: classVarNames classInstVars: classInstVarNames
		poolDictionaries: pools inDictionary: aDictionary options: #()
%
method: Class
indexableSubclass: aString instVarNames: names classVars: classVarNames classInstVars: classInstVarNames poolDictionaries: pools inDictionary: aDictionary options: options
	^ClassDefinition new
		superclass: self;
		name: aString;
		kind: #indexable;
		instVarNames: names;
		classVarNames: classVarNames;
		classInstVarNames: classInstVarNames;
		pools: pools;
		dictionary: aDictionary;
		options: options;
		define
%
method: Class
byteSubclass: aString
	^self byteSubclass: aString classVars: #() classInstVars: #() poolDictionaries: #()
		inDictionary: System defaultDictionary options: #()
%
method: Class
byteSubclass: aString inDictionary: aDictionary
	^self byteSubclass: aString classVars: #() classInstVars: #() poolDictionaries: #()
		inDictionary: aDictionary options: #()
%
method: Class
byteSubclass: aString classVars: classVarNames poolDictionaries: pools inDictionary: aDictionary options: options
	^self byteSubclass: aString classVars: classVarNames classInstVars: #() poolDictionaries: pools
		inDictionary: aDictionary options: options
%
method: Class
byteSubclass: aString classVars: classVarNames classInstVars: classInstVarNames poolDictionaries: pools inDictionary: aDictionary
	^self byteSubclass: aString classVars: classVarNames classInstVars: classInstVarNames poolDictionaries: pools
		inDictionary: aDictionary options: #()
%
method: Class
byteSubclass: aString classVars: classVarNames classInstVars: classInstVarNames poolDictionaries: pools inDictionary: aDictionary options: options
	^ClassDefinition new
		superclass: self;
		name: aString;
		kind: #byte;
		classVarNames: classVarNames;
		classInstVarNames: classInstVarNames;
		pools: pools;
		dictionary: aDictionary;
		options: options;
		define
%
category: 'Instance variables'
method: Class
addInstVarName: aString
	"A new version of me with one more variable, bound where I am; answer it."
	^self _redefineWithInstVarNames: (self instVarNames copyWith: aString)
%
method: Class
addInstVarNamed: aString
	^self addInstVarName: aString
%
method: Class
removeInstVarName: aString
	"A new version of me without that variable; its methods that use it are left out and reported."
	self _validateString: aString.
	(self instVarNames includes: aString asSymbol)
		ifFalse: [^LookupError new object: self key: aString; signal].
	^self _redefineWithInstVarNames: (self instVarNames copyWithout: aString asSymbol)
%
method: Class
removeInstVarNamed: aString
	^self removeInstVarName: aString
%
method: Class
_redefineWithInstVarNames: names
	| home |
	home := System symbolList detect: [:each | (each at: self name asSymbol otherwise: nil) == self] ifNone: [
		^ImproperOperation signal: self name , ' is bound in no dictionary'].
	^ClassDefinition new
		superclass: superclass;
		name: self name;
		kind: self kind;
		instVarNames: names;
		classVarNames: self classVarNames;
		classInstVarNames: self class instVarNames;
		pools: self sharedPools;
		dictionary: home;
		options: self options;
		defineWithMethods
%
category: 'Subclass creation, other dialects'
method: Class
subclass: aString instanceVariableNames: names classVariableNames: classVarNames package: aCategory
	^self _subclass: aString kind: #pointer names: names classVars: classVarNames pools: '' category: aCategory
%
method: Class
subclass: aString instanceVariableNames: names classVariableNames: classVarNames category: aCategory
	^self _subclass: aString kind: #pointer names: names classVars: classVarNames pools: '' category: aCategory
%
method: Class
subclass: aString instanceVariableNames: names classVariableNames: classVarNames poolDictionaries: pools
	^self _subclass: aString kind: #pointer names: names classVars: classVarNames pools: pools category: nil
%
method: Class
subclass: aString instanceVariableNames: names classVariableNames: classVarNames poolDictionaries: pools category: aCategory
	^self _subclass: aString kind: #pointer names: names classVars: classVarNames pools: pools category: aCategory
%
method: Class
subclass: aString instanceVariableNames: names package: aCategory
	^self _subclass: aString kind: #pointer names: names classVars: '' pools: '' category: aCategory
%
method: Class
variableSubclass: aString instanceVariableNames: names classVariableNames: classVarNames package: aCategory
	^self _subclass: aString kind: #indexable names: names classVars: classVarNames pools: '' category: aCategory
%
method: Class
variableSubclass: aString instanceVariableNames: names classVariableNames: classVarNames poolDictionaries: pools category: aCategory
	^self _subclass: aString kind: #indexable names: names classVars: classVarNames pools: pools category: aCategory
%
method: Class
variableByteSubclass: aString instanceVariableNames: names classVariableNames: classVarNames package: aCategory
	^self _subclass: aString kind: #byte names: names classVars: classVarNames pools: '' category: aCategory
%
method: Class
variableByteSubclass: aString instanceVariableNames: names classVariableNames: classVarNames poolDictionaries: pools category: aCategory
	^self _subclass: aString kind: #byte names: names classVars: classVarNames pools: pools category: aCategory
%
method: Class
_subclass: aString kind: aSymbol names: names classVars: classVarNames pools: pools category: aCategory
	"Pools are named here. As in the dialects that write so, a class that is there already keeps its class-instance
	variables, and its methods even if its shape changes."
	| existing |
	existing := System defaultDictionary at: aString asSymbol otherwise: nil.
	^ClassDefinition new
		superclass: self;
		name: aString;
		kind: aSymbol;
		instVarNames: names;
		classVarNames: classVarNames;
		classInstVarNames: (existing isClass ifTrue: [existing class instVarNames] ifFalse: [#()]);
		pools: (self _poolsNamed: pools);
		dictionary: System defaultDictionary;
		category: aCategory;
		defineWithMethods
%
method: Class
_poolsNamed: names
	| definition |
	definition := ClassDefinition new.
	^(definition namesFrom: names) collect: [:each | definition poolFor: each]
%
