! Days of the calendar and times of the day.

! ===== Class definition for Date
doit
Magnitude subclass: 'Date'
  instVarNames: #( days)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
Date comment: 'A day of the Gregorian calendar. days counts from the first of January 1970. It prints as 30/11/2026.'
%

! ===== Class definition for Time
doit
Magnitude subclass: 'Time'
  instVarNames: #( milliseconds)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
Time comment: 'A time of the day; milliseconds counts from midnight. It prints as 09:05:07.'
%

category: 'Accessing'
method: Date
year
	^self _asDateAndTime year
%
method: Date
month
	^self _asDateAndTime month
%
method: Date
monthName
	^self _asDateAndTime monthName
%
method: Date
day
	"Of the month."
	^self _asDateAndTime dayOfMonth
%
method: Date
dayOfMonth
	^self day
%
method: Date
dayOfYear
	^self _asDateAndTime dayOfYear
%
method: Date
dayOfWeek
	"From 1, Sunday, to 7."
	^self _asDateAndTime dayOfWeek
%
method: Date
weekDayName
	^self _asDateAndTime dayOfWeekName
%
method: Date
leap
	^self _asDateAndTime isLeapYear
%
method: Date
daysInMonth
	^(self addMonths: 1) _firstOfMonth - self _firstOfMonth
%
method: Date
daysInYear
	^self leap ifTrue: [366] ifFalse: [365]
%
category: 'Arithmetic'
method: Date
addDays: count
	self _validateInteger: count.
	^Date _days: days + count
%
method: Date
subtractDays: count
	self _validateInteger: count.
	^Date _days: days - count
%
method: Date
subtractDate: aDate
	"How many days I am after aDate."
	(aDate isKindOf: Date) ifFalse: [^self _typeError: aDate expected: 'a Date'].
	^days - aDate _days
%
method: Date
addMonths: count
	"The same day of another month, or the last day of it."
	| months year month |
	self _validateInteger: count.
	months := self year * 12 + self month - 1 + count.
	year := months // 12.
	month := months \\ 12 + 1.
	^Date newDay: (self day min: (Date _daysInMonth: month year: year)) month: month year: year
%
method: Date
addYears: count
	self _validateInteger: count.
	^self addMonths: count * 12
%
method: Date
next
	^self addDays: 1
%
method: Date
previous
	^self addDays: -1
%
category: 'Comparing'
method: Date
= anObject
	^self class == anObject class and: [days = anObject _days]
%
method: Date
hash
	^days hash
%
method: Date
< aDate
	(aDate isKindOf: Date) ifFalse: [^self _typeError: aDate expected: 'a Date'].
	^days < aDate _days
%
category: 'Printing'
method: Date
printOn: aStream
	aStream
		nextPutAll: (self day printPaddedWith: $0 to: 2); nextPut: $/;
		nextPutAll: (self month printPaddedWith: $0 to: 2); nextPut: $/;
		nextPutAll: (self year printPaddedWith: $0 to: 4)
%
category: 'Private'
method: Date
_days
	^days
%
method: Date
_days: anInteger
	days := anInteger
%
method: Date
_firstOfMonth
	^days - self day
%
method: Date
_asDateAndTime
	^DateAndTime _nanoseconds: days * 86400000000000 offset: Duration zero
%
category: 'Instance creation'
classmethod: Date
today
	"In UTC, in which sessions live."
	^self _days: System microsecondClock // 86400000000
%
classmethod: Date
newDay: day month: month year: year
	"month: a number, or a name or the first three letters of one."
	| point |
	point := DateAndTime year: year month: (self _monthNumber: month) day: day hour: 0 minute: 0 second: 0.
	^self _days: point asSeconds // 86400
%
classmethod: Date
newDay: dayOfYear year: year
	^self _days: (DateAndTime year: year day: dayOfYear hour: 0 minute: 0 second: 0) asSeconds // 86400
%
classmethod: Date
fromString: aString
	"As I print: 30/11/2026."
	| parts |
	self _validateString: aString.
	parts := aString substrings: '/'.
	(parts size = 3 and: [parts allSatisfy: [:each | each isDigits]])
		ifFalse: [^ArgumentError signal: aString printString , ' is not a date such as 30/11/2026'].
	^self newDay: (parts at: 1) asInteger month: (parts at: 2) asInteger year: (parts at: 3) asInteger
%
classmethod: Date
new
	^self shouldNotImplement: #new
%
classmethod: Date
_days: anInteger
	^self basicNew _days: anInteger; yourself
%
classmethod: Date
_daysInMonth: month year: year
	month = 2 ifTrue: [^(DateAndTime _isLeapYear: year) ifTrue: [29] ifFalse: [28]].
	^(#(4 6 9 11) includes: month) ifTrue: [30] ifFalse: [31]
%
classmethod: Date
_monthNumber: month
	| index |
	month isInteger ifTrue: [^month].
	self _validateString: month.
	index := #('jan' 'feb' 'mar' 'apr' 'may' 'jun' 'jul' 'aug' 'sep' 'oct' 'nov' 'dec')
		indexOf: (month asString asLowercase first: 3).
	^index = 0 ifTrue: [ArgumentError signal: month printString , ' is not a month'] ifFalse: [index]
%
category: 'Accessing'
method: Time
hours
	^milliseconds // 3600000
%
method: Time
minutes
	^milliseconds // 60000 \\ 60
%
method: Time
seconds
	^milliseconds // 1000 \\ 60
%
method: Time
asSeconds
	"Since midnight."
	^milliseconds // 1000
%
method: Time
asMilliseconds
	^milliseconds
%
category: 'Arithmetic'
method: Time
addSeconds: count
	"Around midnight."
	self _validateInteger: count.
	^Time _milliseconds: milliseconds + (count * 1000) \\ 86400000
%
method: Time
subtractSeconds: count
	self _validateInteger: count.
	^self addSeconds: count negated
%
method: Time
subtractTime: aTime
	"What lies between the two, as a time."
	(aTime isKindOf: Time) ifFalse: [^self _typeError: aTime expected: 'a Time'].
	^Time _milliseconds: (milliseconds - aTime asMilliseconds) abs
%
category: 'Comparing'
method: Time
= anObject
	^self class == anObject class and: [milliseconds = anObject asMilliseconds]
%
method: Time
hash
	^milliseconds hash
%
method: Time
< aTime
	(aTime isKindOf: Time) ifFalse: [^self _typeError: aTime expected: 'a Time'].
	^milliseconds < aTime asMilliseconds
%
category: 'Printing'
method: Time
printOn: aStream
	aStream
		nextPutAll: (self hours printPaddedWith: $0 to: 2); nextPut: $:;
		nextPutAll: (self minutes printPaddedWith: $0 to: 2); nextPut: $:;
		nextPutAll: (self seconds printPaddedWith: $0 to: 2)
%
category: 'Private'
method: Time
_milliseconds: anInteger
	milliseconds := anInteger
%
category: 'Instance creation'
classmethod: Time
now
	"In UTC, in which sessions live."
	^self _milliseconds: System microsecondClock // 1000 \\ 86400000
%
classmethod: Time
fromSeconds: count
	"Since midnight."
	self _validateInteger: count.
	^self _milliseconds: count * 1000 \\ 86400000
%
classmethod: Time
hours: hours minutes: minutes seconds: seconds
	{hours. minutes. seconds} do: [:each | self _validateInteger: each].
	((hours between: 0 and: 23) and: [(minutes between: 0 and: 59) and: [seconds between: 0 and: 59]])
		ifFalse: [^OutOfRange signal: 'this is not a time of the day'].
	^self fromSeconds: hours * 60 + minutes * 60 + seconds
%
classmethod: Time
fromString: aString
	"As I print: 09:05:07, or 09:05."
	| parts |
	self _validateString: aString.
	parts := aString substrings: ':'.
	((parts size between: 2 and: 3) and: [parts allSatisfy: [:each | each isDigits]])
		ifFalse: [^ArgumentError signal: aString printString , ' is not a time such as 09:05:07'].
	^self hours: (parts at: 1) asInteger minutes: (parts at: 2) asInteger
		seconds: (parts size = 3 ifTrue: [(parts at: 3) asInteger] ifFalse: [0])
%
classmethod: Time
millisecondsToRun: aBlock
	^System millisecondsToRun: aBlock
%
classmethod: Time
new
	^self shouldNotImplement: #new
%
classmethod: Time
_milliseconds: anInteger
	^self basicNew _milliseconds: anInteger; yourself
%
category: 'Converting'
method: DateAndTime
asDate
	^Date _days: self _localDays
%
method: DateAndTime
asTime
	^Time _milliseconds: self _localNanoseconds \\ 86400000000000 // 1000000
%
