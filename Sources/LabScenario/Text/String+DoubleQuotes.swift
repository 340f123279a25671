/// Text in double quotes, which YAML and JSON read alike.
extension String {
    /// The text in double quotes, with escapes for what would not be read as it stands.
    var inDoubleQuotes: String {
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

    /// Whether YAML takes the character for the end of a line, for a mark of bytes, or for nothing
    /// that a text may have.
    static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0xFEFF: true
        default: false
        }
    }
}
