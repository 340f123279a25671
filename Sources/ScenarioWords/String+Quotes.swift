/// Text in quotes, as in scenario files.
extension String {
    /// The string in double quotes. Characters are escaped if necessary, in a form that YAML, JSON
    /// and the step language read alike.
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

    /// The string in single quotes. YAML does not interpret backslashes in them.
    package var inSingleQuotes: String {
        "'\(split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''"))'"
    }

    /// The string for a comment. Spaces replace invisible characters and line ends.
    package var onOneLine: String {
        var line = UnicodeScalarView()
        for scalar in unicodeScalars { line.append(Self.needsEscape(scalar) ? " " : scalar) }
        return String(line)
    }

    /// Whether YAML does not permit the character, or treats it as a line end or a byte order mark.
    package static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0xFEFF: true
        default: false
        }
    }
}
