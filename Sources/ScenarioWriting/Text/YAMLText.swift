/// Words of a scenario file.
enum YAMLText {
    /// A line in single quotes, which YAML takes as it is.
    static func quoted(_ line: String) -> String {
        "'\(line.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''"))'"
    }

    /// A text in double quotes, as steps have it.
    static func literal(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case _
            where scalar.value < 0x20 || scalar.value == 0x7f || scalar.value == 0x85
                || scalar.value == 0x2028 || scalar.value == 0x2029 || scalar.value == 0xfeff:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// A text without line breaks, for comments.
    static func comment(_ text: String) -> String {
        String(text.map { $0.isNewline ? " " : $0 })
    }

    /// A name of the scenario language: letters, digits, `-` and `_`, after a letter.
    static func name(_ text: String, or other: String) -> String {
        let kept = text.unicodeScalars.map { isWord($0) ? Character($0) : "-" }
        let start = kept.drop { !$0.isLetter }
        return start.isEmpty ? other : String(start.prefix(40))
    }

    /// Whether a name of the model can be written as it is.
    static func isName(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, isWord(first), Character(first).isLetter
        else { return false }
        return text.unicodeScalars.allSatisfy(isWord)
    }

    private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_": true
        default: false
        }
    }
}
