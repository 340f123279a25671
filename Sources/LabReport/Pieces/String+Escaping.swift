/// Replacing the scalars that mean something to whoever reads a text. HTML and annotations call
/// it with their own tables.
extension String {
    /// The text with some of its scalars written otherwise.
    ///
    /// - Parameter replacement: what stands for a scalar, or nil to keep it.
    func escaped(_ replacement: (Unicode.Scalar) -> String?) -> String {
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

/// Text that came from a file, for those who read it on a terminal or on a page.
extension String {
    /// The text with control characters and marks of direction written as JSON writes them, so that
    /// a reader sees them and a JSON text stays the same.
    ///
    /// Line ends and tabulators stay. A name in a file must not clear the screen, set a window's
    /// title, or look like the tool's own verdict.
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
    /// Whether the scalar is a control character, or a mark of direction.
    fileprivate var steers: Bool {
        switch value {
        case 0x0A, 0x09: false
        case 0..<0x20, 0x7F..<0xA0: true
        // Separators of lines, embeddings and overrides, isolates.
        case 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
