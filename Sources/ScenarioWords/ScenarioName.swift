/// Names of the scenario language.
package enum ScenarioName {
    package static func isName(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, first.properties.isAlphabetic else {
            return false
        }
        return text.unicodeScalars.allSatisfy { isWord($0) || $0 == "-" }
    }

    /// Whether steps can use the name without quotes, because it is one word.
    package static func isWord(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, first.properties.isAlphabetic else {
            return false
        }
        return text.unicodeScalars.allSatisfy { isWord($0) }
    }

    /// A valid name that resembles the string; `other` if the string contains no letter.
    package static func name(like text: String, or other: String) -> String {
        let words = text.unicodeScalars.split { !isWord($0) }
            .map { String(String.UnicodeScalarView($0)) }
        let start = words.joined(separator: "-").unicodeScalars
            .drop { !$0.properties.isAlphabetic }.prefix(40)
        var kept = String.UnicodeScalarView(start)
        while kept.last == "-" { kept.removeLast() }
        return kept.isEmpty ? other : String(kept)
    }

    /// Whether a word of a step may begin with the character.
    package static func isWordStart(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar == "_"
    }

    package static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

    private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        isWordStart(scalar) || isDigit(scalar)
    }
}
