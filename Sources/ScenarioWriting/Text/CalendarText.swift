/// Writes dates in the notation of scenario files. It does not use Foundation, so a program's
/// calendar settings have no effect.
enum CalendarText {
    /// The date in double quotes, without fractions of a second.
    ///
    /// - Parameter seconds: the seconds since 2001-01-01 UTC.
    static func date(_ seconds: Double) -> String {
        let bounded = Swift.min(Swift.max(seconds, -63_000_000_000), 252_000_000_000)
        let whole = Int(bounded.rounded(.down))
        let days = (whole - (whole % 86_400 + 86_400) % 86_400) / 86_400
        let time = whole - days * 86_400
        let (year, month, day) = civil(days + 11_323)
        return "\"\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
            + "T\(padded(time / 3600, 2)):\(padded(time / 60 % 60, 2)):\(padded(time % 60, 2))Z\""
    }

    /// The date in the Gregorian calendar for a number of days since 1970-01-01.
    private static func civil(_ day: Int) -> (Int, Int, Int) {
        // Years begin in March in this calculation, so that the leap day is the last day of a year.
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let ofEra = shifted - era * 146_097
        let year = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * year + year / 4 - year / 100)
        let month = (5 * ofYear + 2) / 153
        let calendarMonth = month < 10 ? month + 3 : month - 9
        return (
            year + era * 400 + (calendarMonth <= 2 ? 1 : 0), calendarMonth,
            ofYear - (153 * month + 2) / 5 + 1
        )
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
    }
}

enum Base64 {
    private static let digits = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")

    static func text(_ bytes: [UInt8]) -> String {
        var result = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let part = bytes[start..<Swift.min(start + 3, bytes.count)]
            let padded = Array(part) + Array(repeating: 0, count: 3 - part.count)
            let word = Int(padded[0]) << 16 | Int(padded[1]) << 8 | Int(padded[2])
            for place in 0..<4 {
                let isPadding = place > part.count
                result.append(isPadding ? "=" : digits[word >> (18 - 6 * place) & 63])
            }
        }
        return result
    }
}
