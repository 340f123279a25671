/// The thread to which an annotation and its statement belong. If the log does not distinguish
/// threads, the process or the whole log.
struct LogScope: Sendable, Hashable {
    var process: UInt64?
    var thread: UInt64?
}

/// The thread, the process and the time at the beginning of a line.
struct LogPrefix: Sendable, Equatable {
    var scope = LogScope()
    /// The seconds of the time stamp, from an arbitrary origin, so only differences have a meaning.
    private(set) var seconds: Double?
    /// The seconds after which the clock repeats; nil if time stamps have a date.
    private(set) var period: Double?
    /// The range of the time stamp in the bytes from which the prefix was read.
    private(set) var stamp: Range<Int>?

    init() {}

    /// Reads one of these prefixes, or an empty one: `2024-05-01 10:11:12.345678+0200 App[123:4567]
    /// `, the columns of `log show`, or a device console's `May  1 10:11:12 iPhone
    /// App(CoreData)[123] `.
    init(_ bytes: [UInt8]) {
        let bytes = bytes.count > Self.lengthMax ? Array(bytes.prefix(Self.lengthMax)) : bytes
        guard bytes.contains(where: ByteText.isDigit) else { return }
        if let found = LogClock.stamp(in: bytes) {
            stamp = found.range
            seconds = found.seconds
            period = found.period
        }
        readBrackets(bytes)
        if scope.thread == nil, let stamp { readColumns(bytes, after: stamp.upperBound) }
        readNames(bytes)
    }

    private static let lengthMax = 400

    /// Whether the prefix shows that a new entry begins on the line.
    var isEntry: Bool { scope != LogScope() || seconds != nil }

    /// Adds the metadata that Xcode writes on a line below the entry.
    mutating func complete(with other: LogPrefix) {
        scope.thread = scope.thread ?? other.scope.thread
        scope.process = scope.process ?? other.scope.process
        guard seconds == nil else { return }
        (seconds, period) = (other.seconds, other.period)
    }

    // MARK: Threads and processes

    /// Reads `[123:4567]`, or `[123]` after the name of a process or a library.
    private mutating func readBrackets(_ bytes: [UInt8]) {
        for start in bytes.indices where bytes[start] == UInt8(ascii: "[") {
            var index = start + 1
            while index < bytes.count, ByteText.isDigit(bytes[index]) { index += 1 }
            guard index > start + 1, index < bytes.count else { continue }
            let process = Self.number(Array(bytes[(start + 1)..<index]))
            if bytes[index] == UInt8(ascii: "]") {
                let isNamed =
                    start > 0
                    && (ByteText.isWord(bytes[start - 1]) || bytes[start - 1] == UInt8(ascii: ")"))
                if isNamed, scope.thread == nil { scope.process = process }
                continue
            }
            guard bytes[index] == UInt8(ascii: ":") else { continue }
            let first = index + 1
            index = first
            while index < bytes.count, ByteText.isHex(bytes[index]) { index += 1 }
            guard index > first, index < bytes.count, bytes[index] == UInt8(ascii: "]")
            else { continue }
            // Without a name before the bracket, `[10:11]` and `[10:11:12]` are times, not process
            // and thread.
            guard start > 0, !ByteText.isSpace(bytes[start - 1]) || index - first > 2
            else { continue }
            scope = LogScope(
                process: process, thread: Self.number(Array(bytes[first..<index]), radix: 16))
        }
    }

    /// Reads the columns of `log stream` and `log show`: thread, type, activity, process.
    private mutating func readColumns(_ bytes: [UInt8], after end: Int) {
        let columns = bytes[end...].split(whereSeparator: ByteText.isSpace)
        // The time zone directly follows the time stamp.
        let first = columns.first.map { $0.startIndex == end } == true ? 1 : 0
        guard columns.count > first, columns[first].starts(with: Array("0x".utf8)),
            let thread = Self.number(Array(columns[first].dropFirst(2)), radix: 16)
        else { return }
        scope.thread = thread
        if columns.count > first + 3, columns[first + 3].allSatisfy(ByteText.isDigit) {
            scope.process = Self.number(Array(columns[first + 3]))
        }
    }

    /// Reads `TID: 0x1a2b` and `PID: 12` in the metadata that Xcode shows below a line.
    private mutating func readNames(_ bytes: [UInt8]) {
        if scope.thread == nil, let place = ByteText.find("TID: 0x", in: bytes) {
            let digits = bytes[(place + 7)...].prefix(while: ByteText.isHex)
            scope.thread = Self.number(Array(digits), radix: 16)
        }
        if scope.process == nil, let place = ByteText.find("PID: ", in: bytes) {
            let digits = bytes[(place + 5)...].prefix(while: ByteText.isDigit)
            scope.process = Self.number(Array(digits))
        }
    }

    /// Reads a number of at most fifteen digits.
    static func number(_ digits: [UInt8]) -> UInt64? {
        if ByteText.starts(digits, with: "0x") {
            return number(Array(digits.dropFirst(2)), radix: 16)
        }
        return number(digits, radix: 10)
    }

    private static func number(_ digits: [UInt8], radix: UInt64) -> UInt64? {
        guard (1...15).contains(digits.count),
            digits.allSatisfy(radix == 10 ? ByteText.isDigit : ByteText.isHex)
        else { return nil }
        return digits.reduce(0) { $0 * radix + ByteText.digit($1) }
    }
}
