/// Text in quotes, as in scenario files.
extension String {
    /// The text in double quotes, with escapes for characters that cannot be read back otherwise.
    /// YAML, JSON and the step language read the quoted text with the same result.
    package var inDoubleQuotes: String {
        var quoted = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\\": quoted += "\\\\"
            case "\"": quoted += "\\\""
            case "\n": quoted += "\\n"
            case "\t": quoted += "\\t"
            case _ where Self.needsEscape(scalar):
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    /// The line in single quotes, in which YAML does not interpret backslashes.
    package var inSingleQuotes: String {
        "'\(split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''"))'"
    }

    /// The text for a comment. Characters that end a line or are invisible are replaced by spaces.
    package var onOneLine: String {
        var line = UnicodeScalarView()
        for scalar in unicodeScalars { line.append(Self.needsEscape(scalar) ? " " : scalar) }
        return String(line)
    }

    /// Whether YAML treats the character as the end of a line, as a byte order mark, or as an
    /// invalid character.
    package static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0xFEFF: true
        default: false
        }
    }
}
