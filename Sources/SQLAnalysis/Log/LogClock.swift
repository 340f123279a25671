/// Finds and reads time stamps in the prefixes of lines.
enum LogClock {
    struct Stamp {
        var range: Range<Int>
        var seconds: Double
        /// The seconds after which time stamps repeat, because they lack the date or the year.
        var period: Double?
    }

    /// The first time stamp in the text: `2024-05-01 10:11:12.345`, `May  1 10:11:12` or
    /// `10:11:12.345`.
    static func stamp(in bytes: [UInt8]) -> Stamp? {
        var index = 0
        while index + 8 <= bytes.count {
            // A date may directly follow a letter, because an entry may interrupt another one
            // within a word.
            let isNumber = index == 0 || !ByteText.isDigit(bytes[index - 1])
            if isNumber, let stamp = dated(bytes, index) { return stamp }
            let isStart = index == 0 || !ByteText.isWord(bytes[index - 1])
            if isStart, let stamp = named(bytes, index) ?? time(bytes, index) { return stamp }
            index += 1
        }
        return nil
    }

    /// Reads `YYYY-MM-DD HH:MM:SS`. A `T` between date and time, and slashes in the date, are also
    /// accepted.
    private static func dated(_ bytes: [UInt8], _ start: Int) -> Stamp? {
        guard fits(bytes, start, "dddd-dd-dd dd:dd:dd") else { return nil }
        let days = days(
            number(bytes, start, 4), number(bytes, start + 5, 2), number(bytes, start + 8, 2))
        return stamp(bytes, start, clock: start + 11, days: days)
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ].map { Array($0.utf8) }

    /// Reads `May  1 10:11:12`, with an arbitrary year.
    private static func named(_ bytes: [UInt8], _ start: Int) -> Stamp? {
        guard ByteText.isLetter(bytes[start]), fits(bytes, start + 6, " dd:dd:dd"),
            let month = months.firstIndex(where: { bytes[start...].starts(with: $0) }),
            ByteText.isDigit(bytes[start + 5])
        else { return nil }
        let tens = ByteText.isDigit(bytes[start + 4]) ? number(bytes, start + 4, 1) : 0
        let day = tens * 10 + number(bytes, start + 5, 1)
        let days = days(2000, month + 1, day)
        return stamp(bytes, start, clock: start + 7, days: days, period: 366 * 86_400)
    }

    private static func time(_ bytes: [UInt8], _ start: Int) -> Stamp? {
        guard fits(bytes, start, "dd:dd:dd") else { return nil }
        var found = stamp(bytes, start, clock: start, days: 0, period: 86_400)
        // A twelve-hour clock repeats after twelve hours.
        let end = found.range.upperBound
        if ByteText.starts(bytes, at: end, with: " AM")
            || ByteText.starts(bytes, at: end, with: " PM")
        {
            found.period = 43_200
        }
        return found
    }

    private static func stamp(
        _ bytes: [UInt8], _ start: Int, clock: Int, days: Int, period: Double? = nil
    ) -> Stamp {
        var seconds = Double(days * 86_400)
        seconds += Double(number(bytes, clock, 2) * 3_600 + number(bytes, clock + 3, 2) * 60)
        seconds += Double(number(bytes, clock + 6, 2))
        var end = clock + 8
        if end < bytes.count, bytes[end] == UInt8(ascii: ".") || bytes[end] == UInt8(ascii: ",") {
            end += 1
            var unit = 0.1
            while end < bytes.count, ByteText.isDigit(bytes[end]) {
                seconds += Double(bytes[end] - UInt8(ascii: "0")) * unit
                unit /= 10
                end += 1
            }
        }
        return Stamp(range: start..<end, seconds: seconds, period: period)
    }

    private static func fits(_ bytes: [UInt8], _ start: Int, _ form: StaticString) -> Bool {
        let count = form.utf8CodeUnitCount
        guard start + count <= bytes.count else { return false }
        return form.withUTF8Buffer { form in
            for index in 0..<count {
                let byte = bytes[start + index]
                let isRight =
                    switch form[index] {
                    case UInt8(ascii: "d"): ByteText.isDigit(byte)
                    case UInt8(ascii: "-"): byte == form[index] || byte == UInt8(ascii: "/")
                    case UInt8(ascii: " "): byte == form[index] || byte == UInt8(ascii: "T")
                    default: byte == form[index]
                    }
                guard isRight else { return false }
            }
            return true
        }
    }

    private static func number(_ bytes: [UInt8], _ start: Int, _ count: Int) -> Int {
        bytes[start..<(start + count)].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    /// The number of days since 1970 in the Gregorian calendar. Months above twelve are in the next
    /// year.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
            - 719_468
    }
}

/// Converts time stamps to seconds that never repeat. Time stamps without a date repeat at
/// midnight, and those without a year repeat each year.
struct RunningClock: Sendable {
    private var last: Double?
    /// The number of seconds in the completed periods.
    private var past = 0.0

    /// The maximum number of seconds by which a line may be older than earlier lines of other
    /// threads.
    private static let delayMax = 60.0

    mutating func read(_ seconds: Double, period: Double?) -> Double {
        guard let period else { return seconds }
        let step = seconds - (last ?? seconds)
        // This line is from before midnight, although another thread has already logged one from
        // after midnight.
        if past > 0, step > period - Self.delayMax { return seconds + past - period }
        if step < -period / 2 { past += period }
        last = seconds
        return seconds + past
    }
}
