! Sorting.

! ===== Class definition for MergeSort
doit
Object subclass: 'MergeSort'
  instVarNames: #( array buffer block)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
MergeSort comment: 'Sorts an Array: merge sort from the bottom up, runs of eight by insertion.'
%

category: 'Sorting'
method: MergeSort
on: anArray by: sortBlock
	array := anArray copy.
	buffer := Array new: anArray size.
	block := sortBlock == nil ifTrue: [[:a :b | a <= b]] ifFalse: [sortBlock]
%
method: MergeSort
sort
	| size width |
	size := array size.
	1 to: size by: 8 do: [:start | self insertFrom: start to: (start + 7 min: size)].
	width := 8.
	[width < size] whileTrue: [
		self mergeRunsOf: width.
		width := width * 2].
	^array
%
method: MergeSort
insertFrom: start to: stop
	start + 1 to: stop do: [:index |
		| element place |
		element := array at: index.
		place := index - 1.
		[place >= start and: [(block value: (array at: place) value: element) not]] whileTrue: [
			array at: place + 1 put: (array at: place).
			place := place - 1].
		array at: place + 1 put: element]
%
method: MergeSort
mergeRunsOf: width
	"Merge runs two by two into the buffer, which then changes places with the array."
	| size start exchange |
	size := array size.
	start := 1.
	[start <= size] whileTrue: [
		self mergeFrom: start middle: (start + width - 1 min: size) to: (start + width + width - 1 min: size).
		start := start + width + width].
	exchange := array.
	array := buffer.
	buffer := exchange
%
method: MergeSort
mergeFrom: start middle: middle to: stop
	| left right |
	left := start.
	right := middle + 1.
	start to: stop do: [:place |
		(right > stop or: [left <= middle and: [block value: (array at: left) value: (array at: right)]])
			ifTrue: [buffer at: place put: (array at: left). left := left + 1]
			ifFalse: [buffer at: place put: (array at: right). right := right + 1]]
%
category: 'Sorting'
classmethod: MergeSort
sort: anArray by: sortBlock
	"Answer an Array of the elements, sorted; anArray stays as it is, so that a sort block that fails loses nothing."
	^self basicNew on: anArray by: sortBlock; sort
%
