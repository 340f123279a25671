extension String {
    /// - Parameter replacement: returns the replacement of a character, or nil to keep it.
    package func escaped(_ replacement: (Unicode.Scalar) -> String?) -> String {
        var escaped = ""
        escaped.reserveCapacity(utf8.count)
        for scalar in unicodeScalars {
            if let replacement = replacement(scalar) {
                escaped += replacement
            } else {
                escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

extension String {
    /// The text with control characters and direction marks escaped as in JSON. JSON text keeps its
    /// meaning. Line ends and tabs are not escaped.
    ///
    /// Without escaping, a name in a file could clear the screen, set the title of the window, or
    /// imitate a verdict of the tool.
    package var printable: String {
        guard unicodeScalars.contains(where: \.steers) else { return self }
        return replacing("\r\n", with: "\n").escaped { scalar in
            guard scalar.steers else { return nil }
            let digits = String(scalar.value, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is a control character or a direction mark.
    fileprivate var steers: Bool {
        switch value {
        case 0x0A, 0x09: false
        case 0..<0x20, 0x7F..<0xA0: true
        // Line and paragraph separators, directional embeddings and overrides, and directional
        // isolates.
        case 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
