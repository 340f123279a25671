/// Removes the backslashes that Markdown editors put before special characters. In other logs,
/// backslashes belong to values.
enum MarkdownText {
    /// Escaped names, of which each escaped log of Core Data contains at least one.
    private static let marks = [" Z\\_", ".Z\\_", "(Z\\_", "COUNT(\\*)", "SQLite bind\\["]
        .map { Array($0.utf8) }
    private static let backslash = UInt8(ascii: "\\")

    static func isEscaped(_ lines: [[UInt8]]) -> Bool { lines.contains(where: isEscaped) }

    private static func isEscaped(_ line: [UInt8]) -> Bool {
        guard line.contains(backslash) else { return false }
        return marks.contains { mark in
            guard let place = ByteText.find(mark, in: line) else { return false }
            // A backslash inside quotes belongs to a value.
            return [UInt8(ascii: "'"), UInt8(ascii: "\"")].allSatisfy { quote in
                line[..<place].count { $0 == quote } % 2 == 0
            }
        }
    }

    /// The line without backslashes. A line with an unescaped `Z_PK` was not escaped and is
    /// returned unchanged.
    static func plain(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(backslash), isEscaped(bytes) || ByteText.find("Z_", in: bytes) == nil
        else { return bytes }
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let isEscape =
                bytes[index] == backslash && index + 1 < bytes.count && isSign(bytes[index + 1])
            if isEscape { index += 1 }
            result.append(bytes[index])
            index += 1
        }
        return result
    }

    private static func isSign(_ byte: UInt8) -> Bool {
        (0x21..<0x7F).contains(byte) && !ByteText.isDigit(byte) && !ByteText.isLetter(byte)
    }
}
