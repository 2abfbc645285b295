! Points in time.

! ===== Class definition for DateAndTime
doit
Magnitude subclass: 'DateAndTime'
  instVarNames: #( nanoseconds offset)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: Globals
  options: #()
%
doit
DateAndTime comment: 'A point in time, exact to the nanosecond, as seen at an offset from UTC. nanoseconds counts from the
beginning of 1970, UTC; offset is a Duration. Dates are those of the Gregorian calendar at all times.'
%

category: 'Accessing'
method: DateAndTime
offset
	^offset
%
method: DateAndTime
offset: aDuration
	"The same point in time as seen at another offset from UTC."
	DateAndTime _validateOffset: aDuration.
	^DateAndTime _nanoseconds: nanoseconds offset: aDuration
%
method: DateAndTime
asUTC
	^self offset: Duration zero
%
method: DateAndTime
asLocal
	"Sessions live in UTC, wherever their users are."
	^self asUTC
%
method: DateAndTime
asSeconds
	"Since the beginning of 1970, UTC."
	^nanoseconds / 1000000000
%
method: DateAndTime
year
	^self _civil at: 1
%
method: DateAndTime
month
	^self _civil at: 2
%
method: DateAndTime
dayOfMonth
	^self _civil at: 3
%
method: DateAndTime
dayOfYear
	^self _localDays - (DateAndTime _daysOfYear: self year month: 1 day: 1) + 1
%
method: DateAndTime
dayOfWeek
	"From 1, Sunday, to 7."
	^self _localDays + 4 \\ 7 + 1
%
method: DateAndTime
hour
	^self hour24
%
method: DateAndTime
hour24
	^self _localSecond // 3600
%
method: DateAndTime
hour12
	^self hour24 - 1 \\ 12 + 1
%
method: DateAndTime
minute
	^self _localSecond // 60 \\ 60
%
method: DateAndTime
second
	"With its fraction: an Integer if there is none."
	^self _localNanoseconds \\ 60000000000 / 1000000000
%
category: 'Names'
method: DateAndTime
dayOfWeekName
	^#(#Sunday #Monday #Tuesday #Wednesday #Thursday #Friday #Saturday) at: self dayOfWeek
%
method: DateAndTime
dayOfWeekAbbreviation
	^(self dayOfWeekName copyFrom: 1 to: 3) asSymbol
%
method: DateAndTime
monthName
	^#(#January #February #March #April #May #June #July #August #September #October #November #December)
		at: self month
%
method: DateAndTime
monthAbbreviation
	^(self monthName copyFrom: 1 to: 3) asSymbol
%
method: DateAndTime
meridianAbbreviation
	^self hour24 < 12 ifTrue: [#AM] ifFalse: [#PM]
%
method: DateAndTime
timeZoneName
	"UTC, or my offset from it."
	| stream |
	offset isZero ifTrue: [^'UTC'].
	stream := WriteStream on: String new.
	self _printOffsetOn: stream.
	^stream contents
%
method: DateAndTime
timeZoneAbbreviation
	^self timeZoneName
%
category: 'Testing'
method: DateAndTime
isLeapYear
	^DateAndTime _isLeapYear: self year
%
category: 'Comparing'
method: DateAndTime
= anObject
	"The same point in time, from wherever it is seen."
	^self class == anObject class and: [nanoseconds = anObject _nanoseconds]
%
method: DateAndTime
hash
	^nanoseconds hash
%
method: DateAndTime
< aDateAndTime
	(aDateAndTime isKindOf: DateAndTime) ifFalse: [^self _typeError: aDateAndTime expected: 'a DateAndTime'].
	^nanoseconds < aDateAndTime _nanoseconds
%
category: 'Arithmetic'
method: DateAndTime
+ aDuration
	(aDuration isKindOf: Duration) ifFalse: [^self _typeError: aDuration expected: 'a Duration'].
	^DateAndTime _nanoseconds: nanoseconds + aDuration asNanoseconds offset: offset
%
method: DateAndTime
- anObject
	"The Duration since another point in time, or the point that a Duration leads back to."
	(anObject isKindOf: DateAndTime) ifTrue: [^Duration nanoseconds: nanoseconds - anObject _nanoseconds].
	(anObject isKindOf: Duration) ifFalse: [^self _typeError: anObject expected: 'a DateAndTime or a Duration'].
	^self + anObject negated
%
category: 'Printing'
method: DateAndTime
printOn: aStream
	"As ISO 8601 has it: 2026-11-30T09:05:07.25+01:00."
	| civil second |
	civil := self _civil.
	civil first < 0 ifTrue: [aStream nextPut: $-].
	aStream nextPutAll: (civil first abs printPaddedWith: $0 to: 4).
	2 to: 3 do: [:index | aStream nextPut: $-; nextPutAll: ((civil at: index) printPaddedWith: $0 to: 2)].
	second := self _localSecond.
	aStream nextPut: $T; nextPutAll: (second // 3600 printPaddedWith: $0 to: 2).
	aStream nextPut: $:; nextPutAll: (second // 60 \\ 60 printPaddedWith: $0 to: 2).
	aStream nextPut: $:; nextPutAll: (second \\ 60 printPaddedWith: $0 to: 2).
	Duration _printFraction: nanoseconds \\ 1000000000 on: aStream.
	self _printOffsetOn: aStream
%
method: DateAndTime
_printOffsetOn: aStream
	| seconds |
	seconds := offset asSeconds.
	aStream nextPut: (seconds < 0 ifTrue: [$-] ifFalse: [$+]).
	seconds := seconds abs.
	aStream nextPutAll: (seconds // 3600 printPaddedWith: $0 to: 2).
	aStream nextPut: $:; nextPutAll: (seconds // 60 \\ 60 printPaddedWith: $0 to: 2).
	seconds \\ 60 = 0 ifFalse: [aStream nextPut: $:; nextPutAll: (seconds \\ 60 printPaddedWith: $0 to: 2)]
%
category: 'Private'
method: DateAndTime
_nanoseconds
	^nanoseconds
%
method: DateAndTime
_nanoseconds: anInteger offset: aDuration
	nanoseconds := anInteger.
	offset := aDuration
%
method: DateAndTime
_localNanoseconds
	^nanoseconds + offset asNanoseconds
%
method: DateAndTime
_localSecond
	"Whole seconds since midnight."
	^self _localNanoseconds \\ 86400000000000 // 1000000000
%
method: DateAndTime
_localDays
	"Days since the first of January 1970."
	^self _localNanoseconds // 86400000000000
%
method: DateAndTime
_civil
	"{year. month. day}. The computation has years begin in March, so that a leap day is a year's last."
	| days era ofEra year ofYear shifted month |
	days := self _localDays + 719468.
	era := days // 146097.
	ofEra := days \\ 146097.
	year := ofEra - (ofEra // 1460) + (ofEra // 36524) - (ofEra // 146096) // 365.
	ofYear := ofEra - (365 * year + (year // 4) - (year // 100)).
	shifted := 5 * ofYear + 2 // 153.
	month := shifted < 10 ifTrue: [shifted + 3] ifFalse: [shifted - 9].
	^{era * 400 + year + (month <= 2 ifTrue: [1] ifFalse: [0]). month. ofYear - (153 * shifted + 2 // 5) + 1}
%
category: 'Instance creation'
classmethod: DateAndTime
now
	^self _nanoseconds: System microsecondClock * 1000 offset: Duration zero
%
classmethod: DateAndTime
new
	^self now
%
classmethod: DateAndTime
clockPrecision
	"What #now can tell apart."
	^Duration nanoseconds: 1000
%
classmethod: DateAndTime
year: year day: dayOfYear hour: hour minute: minute second: second
	^self year: year day: dayOfYear hour: hour minute: minute second: second offset: Duration zero
%
classmethod: DateAndTime
year: year day: dayOfYear hour: hour minute: minute second: second offset: offset
	self _validate: year name: 'year' from: -999999 to: 999999.
	self _validate: dayOfYear name: 'day of the year' from: 1 to: ((self _isLeapYear: year) ifTrue: [366] ifFalse: [365]).
	^self
		_days: (self _daysOfYear: year month: 1 day: 1) + dayOfYear - 1
		hour: hour
		minute: minute
		second: second
		offset: offset
%
classmethod: DateAndTime
year: year month: month day: dayOfMonth hour: hour minute: minute second: second
	^self year: year month: month day: dayOfMonth hour: hour minute: minute second: second offset: Duration zero
%
classmethod: DateAndTime
year: year month: month day: dayOfMonth hour: hour minute: minute second: second offset: offset
	self _validate: year name: 'year' from: -999999 to: 999999.
	self _validate: month name: 'month' from: 1 to: 12.
	self _validate: dayOfMonth name: 'day of the month' from: 1 to: (self _daysInMonth: month ofYear: year).
	^self
		_days: (self _daysOfYear: year month: month day: dayOfMonth)
		hour: hour
		minute: minute
		second: second
		offset: offset
%
category: 'Private'
classmethod: DateAndTime
_nanoseconds: anInteger offset: aDuration
	^self basicNew _nanoseconds: anInteger offset: aDuration; yourself
%
classmethod: DateAndTime
_days: days hour: hour minute: minute second: second offset: offset
	| local |
	self _validate: hour name: 'hour' from: 0 to: 23.
	self _validate: minute name: 'minute' from: 0 to: 59.
	(second isNumber and: [second >= 0 and: [second < 60]])
		ifFalse: [^OutOfRange signal: 'a second is at least 0 and less than 60, but was ' , second _briefPrintString].
	self _validateOffset: offset.
	local := Duration days: days hours: hour minutes: minute seconds: second asFraction.
	^self _nanoseconds: (local - offset) asNanoseconds offset: offset
%
classmethod: DateAndTime
_daysOfYear: year month: month day: day
	"Days from the first of January 1970 to that day. Years begin in March here, see #_civil."
	| shifted era ofEra ofYear |
	shifted := month <= 2 ifTrue: [year - 1] ifFalse: [year].
	era := shifted // 400.
	ofEra := shifted \\ 400.
	ofYear := 153 * (month + 9 \\ 12) + 2 // 5 + day - 1.
	^era * 146097 + (ofEra * 365 + (ofEra // 4) - (ofEra // 100) + ofYear) - 719468
%
classmethod: DateAndTime
_daysInMonth: month ofYear: year
	(month = 2 and: [self _isLeapYear: year]) ifTrue: [^29].
	^#(31 28 31 30 31 30 31 31 30 31 30 31) at: month
%
classmethod: DateAndTime
_isLeapYear: year
	^year \\ 4 = 0 and: [year \\ 100 ~= 0 or: [year \\ 400 = 0]]
%
classmethod: DateAndTime
_validate: anObject name: aString from: low to: high
	self _validateInteger: anObject.
	(anObject between: low and: high) ifFalse: [
		^OutOfRange signal: 'a ' , aString , ' is between ' , low printString , ' and ' , high printString
			, ', but was ' , anObject printString]
%
classmethod: DateAndTime
_validateOffset: aDuration
	(aDuration isKindOf: Duration) ifFalse: [^self _typeError: aDuration expected: 'a Duration'].
	(aDuration abs asSeconds < 86400 and: [aDuration asSeconds isInteger]) ifFalse: [
		^OutOfRange signal: 'an offset from UTC is whole seconds and less than a day, but was ' , aDuration printString]
%
