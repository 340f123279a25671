/// What the start of a line says about who wrote it and when.
///
/// Pieces of lines carry it.
struct LogPrefix: Sendable, Equatable {
    /// The number of the thread as the console writes it.
    private(set) var thread: String?
    /// Seconds since 1970 by the console's own clock; good for differences alone.
    private(set) var seconds: Double?

    /// Reads `2024-05-01 10:11:12.345678+0200 App[123:4567] `, `log stream`'s columns, or nothing.
    init(_ text: String) {
        let bytes = Array(text.utf8.prefix(400))
        let stamp = Self.timeStamp(in: bytes)
        seconds = stamp?.seconds
        thread = Self.bracketed(in: bytes)
        if thread == nil, let stamp { thread = Self.column(in: bytes, after: stamp.end) }
        if thread == nil { thread = Self.named(in: bytes) }
    }

    /// Whether the line says of itself that it is an entry.
    var isEntry: Bool { thread != nil || seconds != nil }

    /// Takes what a line below the entry says: Xcode writes metadata there.
    mutating func complete(with other: LogPrefix) {
        thread = thread ?? other.thread
        seconds = seconds ?? other.seconds
    }

    /// Where a time stamp begins.
    static func start(in bytes: ArraySlice<UInt8>) -> Int? {
        timeStamp(in: Array(bytes)).map { bytes.startIndex + $0.start }
    }

    // MARK: Threads

    /// The second number of `[123:4567]`.
    private static func bracketed(in bytes: [UInt8]) -> String? {
        var found: String?
        for start in bytes.indices where bytes[start] == UInt8(ascii: "[") {
            var index = start + 1
            while index < bytes.count, isDigit(bytes[index]) { index += 1 }
            guard index > start + 1, index < bytes.count, bytes[index] == UInt8(ascii: ":")
            else { continue }
            let first = index + 1
            index = first
            while index < bytes.count, isHex(bytes[index]) { index += 1 }
            guard index > first, index < bytes.count, bytes[index] == UInt8(ascii: "]")
            else { continue }
            found = String(decoding: bytes[first..<index], as: UTF8.self)
        }
        return found
    }

    /// The `0x1a2b` after the time stamp of `log stream` and `log show`.
    private static func column(in bytes: [UInt8], after end: Int) -> String? {
        var index = end
        while index < bytes.count, bytes[index] != UInt8(ascii: " ") { index += 1 }
        while index < bytes.count, bytes[index] == UInt8(ascii: " ") { index += 1 }
        return hexNumber(in: bytes, at: index)
    }

    /// The number after `TID: ` in the metadata that Xcode shows below a line.
    private static func named(in bytes: [UInt8]) -> String? {
        let mark = Array("TID: ".utf8)
        guard bytes.count > mark.count,
            let start = bytes.indices.first(where: { bytes[$0...].starts(with: mark) })
        else { return nil }
        return hexNumber(in: bytes, at: start + mark.count)
    }

    private static func hexNumber(in bytes: [UInt8], at start: Int) -> String? {
        guard start + 2 < bytes.count, bytes[start] == UInt8(ascii: "0"),
            bytes[start + 1] == UInt8(ascii: "x")
        else { return nil }
        let digits = bytes[(start + 2)...].prefix(while: isHex)
        return digits.isEmpty ? nil : "0x" + String(decoding: digits, as: UTF8.self)
    }

    // MARK: Time

    private struct Stamp {
        var start: Int
        var end: Int
        var seconds: Double
    }

    /// `YYYY-MM-DD HH:MM:SS` with a fraction or without.
    private static func timeStamp(in bytes: [UInt8]) -> Stamp? {
        let form = Array("dddd-dd-dd dd:dd:dd".utf8)
        guard bytes.count >= form.count else { return nil }
        for start in 0...(bytes.count - form.count) {
            let part = bytes[start..<(start + form.count)]
            guard zip(part, form).allSatisfy(fits) else { continue }
            return read(bytes, start)
        }
        return nil
    }

    private static func fits(_ byte: UInt8, _ form: UInt8) -> Bool {
        switch form {
        case UInt8(ascii: "d"): isDigit(byte)
        case UInt8(ascii: " "): byte == form || byte == UInt8(ascii: "T")
        default: byte == form
        }
    }

    private static func read(_ bytes: [UInt8], _ start: Int) -> Stamp {
        func number(_ offset: Int, _ count: Int) -> Int {
            bytes[(start + offset)..<(start + offset + count)].reduce(0) {
                $0 * 10 + Int($1 - UInt8(ascii: "0"))
            }
        }
        let days = days(number(0, 4), number(5, 2), number(8, 2))
        var seconds = Double(days * 86_400)
        seconds += Double(number(11, 2) * 3_600 + number(14, 2) * 60 + number(17, 2))
        var end = start + 19
        if end < bytes.count, bytes[end] == UInt8(ascii: ".") {
            end += 1
            var unit = 0.1
            while end < bytes.count, isDigit(bytes[end]) {
                seconds += Double(bytes[end] - UInt8(ascii: "0")) * unit
                unit /= 10
                end += 1
            }
        }
        return Stamp(start: start, end: end, seconds: seconds)
    }

    /// Days since 1970 in the Gregorian calendar; months beyond the year count on.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
            - 719_468
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isHex(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
            || (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte)
    }
}
