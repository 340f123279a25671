/// Text in quotes, as scenario files have it.
extension String {
    /// The text in double quotes, with escapes for what would not be read as it stands: YAML, JSON
    /// and steps read them alike.
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

    /// A line in single quotes, which YAML takes as it is.
    package var inSingleQuotes: String {
        "'\(split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''"))'"
    }

    /// The text with spaces for what ends a line or cannot be read, as comments have it.
    package var onOneLine: String {
        var line = UnicodeScalarView()
        for scalar in unicodeScalars { line.append(Self.needsEscape(scalar) ? " " : scalar) }
        return String(line)
    }

    /// Whether YAML takes the character for the end of a line, for a mark of bytes, or for nothing
    /// that a text may have.
    package static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0xFEFF: true
        default: false
        }
    }
}
