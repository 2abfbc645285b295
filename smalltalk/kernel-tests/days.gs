! Days, times of the day, and small things of daily use.

! ===== Class definition for DailyTest
doit
GsTestCase subclass: 'DailyTest'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: UserGlobals
  options: #()
%
doit
DailyTest comment: 'Date and Time, accessors that are written by themselves, other names.'
%

category: 'Tests'
method: DailyTest
testDates
	| date |
	date := Date newDay: 30 month: #Nov year: 2026.
	self assert: date printString equals: '30/11/2026'.
	self assert: date equals: (Date fromString: '30/11/2026').
	self assert: date hash equals: (Date newDay: 30 month: 11 year: 2026) hash.
	self assert: {date year. date month. date day. date dayOfMonth} equals: #(2026 11 30 30).
	self assert: date monthName equals: #November.
	self assert: date weekDayName equals: #Monday.
	self assert: date dayOfWeek equals: 2.
	self assert: date dayOfYear equals: 334.
	self assert: (Date newDay: 334 year: 2026) equals: date.
	self assert: date daysInMonth equals: 30.
	self assert: date daysInYear equals: 365.
	self deny: date leap.
	self assert: date < date next.
	self assert: date previous < date.
	self assert: (Date today subtractDate: date) isInteger
%
method: DailyTest
testDateArithmetic
	| date |
	date := Date newDay: 31 month: 'January' year: 2024.
	self assert: (date addDays: 1) printString equals: '01/02/2024'.
	self assert: (date subtractDays: 31) printString equals: '31/12/2023'.
	self assert: (date addMonths: 1) printString equals: '29/02/2024'.
	self assert: (date addMonths: -2) printString equals: '30/11/2023'.
	self assert: ((date addMonths: 1) addYears: 1) printString equals: '28/02/2025'.
	self assert: ((date addDays: 40) subtractDate: date) equals: 40.
	self should: [Date newDay: 31 month: 2 year: 2024] raise: OutOfRange.
	self should: [Date newDay: 1 month: 'Zork' year: 2024] raise: ArgumentError.
	self should: [Date fromString: '1.2.2024'] raise: ArgumentError.
	self should: [date < 3] raise: ArgumentTypeError.
	self should: [Date new] raise: ImproperOperation
%
method: DailyTest
testTimes
	| time |
	time := Time fromString: '09:05:07'.
	self assert: time printString equals: '09:05:07'.
	self assert: {time hours. time minutes. time seconds} equals: #(9 5 7).
	self assert: time asSeconds equals: 32707.
	self assert: time asMilliseconds equals: 32707000.
	self assert: time equals: (Time fromSeconds: 32707).
	self assert: time equals: (Time hours: 9 minutes: 5 seconds: 7).
	self assert: time hash equals: (Time fromSeconds: 32707) hash.
	self assert: (time addSeconds: 86400) equals: time.
	self assert: (time subtractSeconds: 7) printString equals: '09:05:00'.
	self assert: (time subtractTime: (Time fromString: '09:05')) printString equals: '00:00:07'.
	self assert: (Time fromSeconds: 1) < time.
	self assert: Time now class equals: Time.
	self assert: (Time millisecondsToRun: [3]) >= 0.
	self should: [Time fromString: 'noon'] raise: ArgumentError.
	self should: [Time hours: 24 minutes: 0 seconds: 0] raise: OutOfRange.
	self should: [Time new] raise: ImproperOperation
%
method: DailyTest
testPointsInTimeComeApart
	| point |
	point := DateAndTime year: 2026 month: 11 day: 30 hour: 9 minute: 5 second: 7.
	self assert: point asDate printString equals: '30/11/2026'.
	self assert: point asTime printString equals: '09:05:07'
%
method: DailyTest
testAccessorsAreWritten
	| class |
	class := Object subclass: 'KtThing' instVarNames: #( a b) inDictionary: SymbolDictionary new.
	class compile: 'a ^7' classified: 'own'.
	class compileMissingAccessingMethods.
	self assert: class selectors equals: (IdentitySet withAll: #(a a: b b:)).
	self assert: (class new b: 3; b) equals: 3.
	self assert: class new a equals: 7.
	class compileAccessingMethodsFor: #( a).
	self assert: (class new a: 4; a) equals: 4.
	self assert: (class categoryOfSelector: #b:) equals: #Accessing.
	self should: [class compileAccessingMethodsFor: #( zork)] raise: LookupError
%
method: DailyTest
testOtherNames
	self assert: (AppendStream on: String new) class equals: WriteStream.
	self assert: (ReadStreamPortable on: 'a') next equals: $a.
	self assert: ((WriteStreamPortable on: String new) nextPutAll: 'a'; contents) equals: 'a'.
	self assert: GsCurrentSession currentSession serialNumber equals: System session.
	self assert: GsCurrentSession currentSession userProfile equals: System myUserProfile.
	self assert: GsCurrentSession currentSession printString equals: 'aGsCurrentSession( ' , System session printString , ')'
%
method: DailyTest
testWhatTheSystemSays
	self assert: System transactionMode equals: #autoBegin.
	self should: [System transactionMode: #manualBegin] raise: ImproperOperation.
	self assert: (System transactionMode: #autoBegin) equals: #autoBegin
%
