/// A log line that a tool wrote as JSON: `log show --style ndjson` and `json`, continuous
/// integration servers, journals.
///
/// The line is searched for keys and not parsed, so a line that was cut off can be read.
struct JSONText {
    /// The log message; nil if the line has only other fields of an entry.
    private(set) var message: [UInt8]?
    private(set) var prefix = LogPrefix()

    private static let messageKeys: [[UInt8]] = keys([
        "eventMessage", "composedMessage", "message", "msg", "MESSAGE", "textPayload", "text",
        "log", "line", "output",
    ])
    private static let threadKeys = keys(["threadID", "thread_id", "threadId", "thread", "tid"])
    private static let processKeys = keys(["processID", "process_id", "pid"])
    private static let timeKeys = keys(["timestamp", "@timestamp", "time", "date", "ts"])

    private static func keys(_ names: [String]) -> [[UInt8]] {
        names.map { Array("\"\($0)\"".utf8) }
    }

    /// Nil if the line is not JSON.
    init?(_ line: ArraySlice<UInt8>) {
        let text = ByteText.trimmed(line)
        guard let first = text.first else { return nil }
        let bytes = Array(text)
        let object = ByteText.find("{\"", in: bytes)
        let isString = first == UInt8(ascii: "\"")
        guard isString || object != nil || first == UInt8(ascii: "{") else { return nil }
        if isString, object == nil, let literal = Self.literal(bytes) {
            message = literal
            return
        }
        let found = Self.messageKeys.lazy.compactMap { Self.value($0, in: bytes) }.first
        let number = { (keys: [[UInt8]]) -> UInt64? in
            keys.lazy.compactMap { Self.value($0, in: bytes) }.first.flatMap(LogPrefix.number)
        }
        let time = Self.timeKeys.lazy.compactMap { Self.value($0, in: bytes) }.first
        let thread = number(Self.threadKeys)
        let process = number(Self.processKeys)
        guard found != nil || isString && (thread != nil || process != nil || time != nil) else {
            // A line of a pretty-printed object is JSON even if none of its keys is known.
            if isString, Self.isMember(bytes) { return }
            return nil
        }
        message = found
        if let time { prefix = LogPrefix(time) }
        prefix.scope.thread = thread ?? prefix.scope.thread
        prefix.scope.process = process ?? prefix.scope.process
    }

    /// Whether the line is a member `"key" : value` of a pretty-printed object.
    private static func isMember(_ bytes: [UInt8]) -> Bool {
        guard let end = bytes.dropFirst().firstIndex(of: UInt8(ascii: "\"")) else { return false }
        return ByteText.trimmed(bytes[(end + 1)...]).first == UInt8(ascii: ":")
    }

    /// The string of a line that contains only this string, such as an element of an array.
    private static func literal(_ bytes: [UInt8]) -> [UInt8]? {
        guard !isMember(bytes) else { return nil }
        let (value, end) = unescaped(bytes, from: 1)
        let rest = bytes[min(end, bytes.count)...].filter { !ByteText.isSpace($0) }
        guard rest.isEmpty || rest == [UInt8(ascii: ",")] else { return nil }
        return value
    }

    /// The value of a key: an unescaped string, or the text of a number.
    private static func value(_ key: [UInt8], in bytes: [UInt8]) -> [UInt8]? {
        var start = 0
        while let place = ByteText.find(key, in: bytes, from: start) {
            var index = place + key.count
            start = index
            if place > 0, bytes[place - 1] == UInt8(ascii: "\\") { continue }
            while index < bytes.count, ByteText.isSpace(bytes[index]) { index += 1 }
            guard index < bytes.count, bytes[index] == UInt8(ascii: ":") else { continue }
            index += 1
            while index < bytes.count, ByteText.isSpace(bytes[index]) { index += 1 }
            guard index < bytes.count else { return nil }
            if bytes[index] == UInt8(ascii: "\"") { return unescaped(bytes, from: index + 1).0 }
            let number = bytes[index...].prefix { ByteText.isWord($0) || $0 == UInt8(ascii: ".") }
            if !number.isEmpty { return Array(number) }
        }
        return nil
    }

    // MARK: Escapes

    /// A string that ends at its closing quote or at the end of the line, and the index after the
    /// string.
    private static func unescaped(_ bytes: [UInt8], from start: Int) -> ([UInt8], Int) {
        var result: [UInt8] = []
        var index = start
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index = append(bytes, at: index, to: &result)
        }
        return (result, index + 1)
    }

    private static func append(_ bytes: [UInt8], at index: Int, to result: inout [UInt8]) -> Int {
        guard bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count else {
            result.append(bytes[index])
            return index + 1
        }
        switch bytes[index + 1] {
        case UInt8(ascii: "n"): result.append(0x0A)
        case UInt8(ascii: "t"): result.append(0x09)
        case UInt8(ascii: "r"), UInt8(ascii: "b"), UInt8(ascii: "f"): break
        case UInt8(ascii: "u"):
            let digits = bytes[(index + 2)...].prefix(4)
            if digits.count == 4, digits.allSatisfy(ByteText.isHex),
                let scalar = Unicode.Scalar(
                    UInt32(digits.reduce(0) { $0 * 16 + ByteText.digit($1) }))
            {
                result += Array(String(Character(scalar)).utf8)
                return index + 6
            }
        default: result.append(bytes[index + 1])
        }
        return index + 2
    }

    /// The line without escapes and outer quotes, if the whole line is an escaped string. Other
    /// lines are returned unchanged.
    static func withoutEscapes(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(UInt8(ascii: "\\")) else { return bytes }
        let isEscaped =
            ByteText.find("\\\"", in: bytes) != nil || ByteText.find("\\/", in: bytes) != nil
            || ByteText.find("\\nCoreData: ", in: bytes) != nil
            || ByteText.find("\\n20", in: bytes) != nil
            || ByteText.find("\\u00", in: bytes) != nil
        guard isEscaped else { return bytes }
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count { index = append(bytes, at: index, to: &result) }
        return result
    }
}
