/// Reads logs in CSV format, where each log entry is a quoted field.
enum CSVText {
    private static let separators = Array(",;".utf8)
    private static let quote = UInt8(ascii: "\"")

    /// The CSV row without the quotes of its fields. Other lines are returned unchanged.
    static func plain(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(quote), let place = ByteText.find("CoreData:", in: bytes) else {
            return bytes
        }
        var start = 0
        while start < place {
            guard bytes[start] == quote else {
                let comma = bytes[start...].firstIndex(where: separators.contains)
                guard let comma, comma < place else { return bytes }
                start = comma + 1
                continue
            }
            guard let (text, end) = field(bytes, from: start + 1) else { return bytes }
            // The comma before the entry would look like the start of an unquoted field, so a space
            // replaces it.
            if end > place { return Array(bytes[..<max(0, start - 1)]) + [0x20] + text }
            start = end + 1
        }
        return bytes
    }

    /// The text of a quoted field, and the index of the separator after it. A field may continue on
    /// the next line. A doubled quote is one quote.
    private static func field(_ bytes: [UInt8], from start: Int) -> (text: [UInt8], end: Int)? {
        var text: [UInt8] = []
        var index = start
        while index < bytes.count {
            if bytes[index] == quote {
                index += 1
                guard index < bytes.count, bytes[index] == quote else { break }
            }
            text.append(bytes[index])
            index += 1
        }
        guard index >= bytes.count || separators.contains(bytes[index]) else { return nil }
        return (text, index)
    }
}
