! Points in time and spans between them.

! ===== Class definition for DateAndTimeTest
doit
GsTestCase subclass: 'DateAndTimeTest'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: UserGlobals
  options: #()
%
doit
DateAndTimeTest comment: 'DateAndTime and Duration.'
%

category: 'Support'
method: DateAndTimeTest
moon
	^DateAndTime year: 1969 month: 7 day: 20 hour: 20 minute: 17 second: 40
%
category: 'Tests'
method: DateAndTimeTest
testDurationParts
	| duration |
	duration := Duration days: 1 hours: 2 minutes: 3 seconds: 4.
	self assert: duration days equals: 1.
	self assert: duration hours equals: 2.
	self assert: duration minutes equals: 3.
	self assert: duration seconds equals: 4.
	self assert: duration asSeconds equals: 93784.
	self assert: duration negated days equals: -1.
	self assert: duration negated seconds equals: -4.
	self assert: duration negated negative.
	self assert: duration positive.
	self assert: duration negated abs equals: duration.
	self assert: Duration zero positive.
	self assert: Duration new isZero
%
method: DateAndTimeTest
testDurationArithmetic
	| minute |
	minute := Duration seconds: 60.
	self assert: minute + minute equals: (Duration minutes: 2).
	self assert: minute - (Duration seconds: 1) equals: (Duration seconds: 59).
	self assert: minute * 60 equals: (Duration hours: 1).
	self assert: minute / 4 equals: (Duration seconds: 15).
	self assert: (Duration hours: 1) / minute equals: 60.
	self assert: (Duration seconds: 1) / minute equals: 1 / 60.
	self should: [minute / 0] raise: ZeroDivide.
	self should: [minute / Duration zero] raise: ZeroDivide.
	self should: [minute + 1] raise: ArgumentTypeError.
	self should: [minute < 1] raise: ArgumentTypeError.
	self should: [Duration seconds: 'x'] raise: ArgumentTypeError
%
method: DateAndTimeTest
testDurationsCompare
	self assert: (Duration seconds: 1) < (Duration minutes: 1).
	self assert: (Duration seconds: 60) = (Duration minutes: 1).
	self assert: (Duration seconds: 60) hash equals: (Duration minutes: 1) hash.
	self deny: (Duration seconds: 60) = 60.
	self assert: ((Duration seconds: 1) max: (Duration seconds: 2)) equals: (Duration seconds: 2)
%
method: DateAndTimeTest
testDurationsPrint
	self assert: (Duration days: 1 hours: 2 minutes: 3 seconds: 4) printString equals: '1:02:03:04'.
	self assert: (Duration seconds: -1 / 4) printString equals: '-0:00:00:00.25'.
	self assert: (Duration nanoseconds: 1) printString equals: '0:00:00:00.000000001'.
	self assert: (Duration seconds: 0.1) printString equals: '0:00:00:00.1'
%
method: DateAndTimeTest
testParts
	| moon |
	moon := self moon.
	self assert: moon year equals: 1969.
	self assert: moon month equals: 7.
	self assert: moon dayOfMonth equals: 20.
	self assert: moon dayOfYear equals: 201.
	self assert: moon hour equals: 20.
	self assert: moon hour24 equals: 20.
	self assert: moon hour12 equals: 8.
	self assert: moon meridianAbbreviation equals: #PM.
	self assert: moon minute equals: 17.
	self assert: moon second equals: 40.
	self assert: moon dayOfWeek equals: 1.
	self assert: moon dayOfWeekName equals: #Sunday.
	self assert: moon dayOfWeekAbbreviation equals: #Sun.
	self assert: moon monthName equals: #July.
	self assert: moon monthAbbreviation equals: #Jul.
	self deny: moon isLeapYear.
	self assert: moon asSeconds equals: -14182940
%
method: DateAndTimeTest
testHoursOfTwelve
	| hours |
	hours := #(0 1 11 12 13 23) collect: [:each |
		(DateAndTime year: 2000 day: 1 hour: each minute: 0 second: 0) hour12].
	self assert: hours equals: #(12 1 11 12 1 11)
%
method: DateAndTimeTest
testCalendar
	"Every day of four centuries follows the one before."
	| point day |
	point := DateAndTime year: 1899 month: 12 day: 31 hour: 12 minute: 0 second: 0.
	day := Duration days: 1.
	1900 to: 2300 by: 25 do: [:year |
		1 to: 12 do: [:month |
			| first last |
			first := DateAndTime year: year month: month day: 1 hour: 12 minute: 0 second: 0.
			last := first - day.
			self assert: {first year. first month. first dayOfMonth} equals: {year. month. 1}.
			self assert: last month equals: month - 2 \\ 12 + 1.
			self assert: first dayOfWeek equals: last dayOfWeek \\ 7 + 1]].
	self assert: (DateAndTime year: 2000 day: 366 hour: 0 minute: 0 second: 0) month equals: 12.
	self assert: (DateAndTime year: 2000 day: 60 hour: 0 minute: 0 second: 0) dayOfMonth equals: 29.
	self assert: (DateAndTime year: 1900 day: 60 hour: 0 minute: 0 second: 0) month equals: 3.
	self assert: (DateAndTime year: 2000 day: 1 hour: 0 minute: 0 second: 0) isLeapYear.
	self deny: (DateAndTime year: 1900 day: 1 hour: 0 minute: 0 second: 0) isLeapYear
%
method: DateAndTimeTest
testOffsets
	| offset there |
	offset := Duration hours: -5.
	there := DateAndTime year: 1969 month: 7 day: 20 hour: 15 minute: 17 second: 40 offset: offset.
	self assert: there equals: self moon.
	self assert: there hash equals: self moon hash.
	self assert: there hour equals: 15.
	self assert: there offset equals: offset.
	self assert: there asUTC hour equals: 20.
	self assert: there asLocal printString equals: '1969-07-20T20:17:40+00:00'.
	self assert: (self moon offset: offset) hour equals: 15.
	self assert: there timeZoneName equals: '-05:00'.
	self assert: there asUTC timeZoneName equals: 'UTC'.
	self assert: there asUTC timeZoneAbbreviation equals: 'UTC'
%
method: DateAndTimeTest
testArithmetic
	self assert: (self moon + (Duration days: 1)) dayOfMonth equals: 21.
	self assert: self moon + (Duration days: 1) - self moon equals: (Duration days: 1).
	self assert: (self moon - (Duration hours: 21)) dayOfMonth equals: 19.
	self assert: self moon < (self moon + (Duration nanoseconds: 1)).
	self assert: self moon < DateAndTime now.
	self assert: (self moon between: self moon and: DateAndTime now).
	self should: [self moon + 1] raise: ArgumentTypeError.
	self should: [self moon - 1] raise: ArgumentTypeError.
	self should: [self moon < 1] raise: ArgumentTypeError
%
method: DateAndTimeTest
testPrinting
	self assert: self moon printString equals: '1969-07-20T20:17:40+00:00'.
	self
		assert: (DateAndTime year: 2026 month: 11 day: 30 hour: 9 minute: 5 second: 7.25 offset: (Duration minutes: 90)) printString
		equals: '2026-11-30T09:05:07.25+01:30'.
	self
		assert: (DateAndTime year: -44 day: 75 hour: 0 minute: 0 second: 0 offset: (Duration seconds: -61)) printString
		equals: '-0044-03-15T00:00:00-00:01:01'
%
method: DateAndTimeTest
testRefusals
	self should: [DateAndTime year: 1999 month: 2 day: 29 hour: 0 minute: 0 second: 0] raise: OutOfRange.
	self should: [DateAndTime year: 1999 month: 13 day: 1 hour: 0 minute: 0 second: 0] raise: OutOfRange.
	self should: [DateAndTime year: 1999 day: 366 hour: 0 minute: 0 second: 0] raise: OutOfRange.
	self should: [DateAndTime year: 1999 day: 1 hour: 24 minute: 0 second: 0] raise: OutOfRange.
	self should: [DateAndTime year: 1999 day: 1 hour: 0 minute: 0 second: 60] raise: OutOfRange.
	self should: [DateAndTime year: 1999 day: 1 hour: 0 minute: 0 second: nil] raise: OutOfRange.
	self should: [DateAndTime year: 'x' day: 1 hour: 0 minute: 0 second: 0] raise: ArgumentTypeError.
	self should: [self moon offset: (Duration days: 2)] raise: OutOfRange.
	self should: [self moon offset: 3] raise: ArgumentTypeError
%
method: DateAndTimeTest
testClock
	| before |
	before := DateAndTime now.
	self assert: DateAndTime new - before < (Duration minutes: 5).
	self assert: before <= DateAndTime now.
	self assert: DateAndTime clockPrecision asNanoseconds equals: 1000
%
