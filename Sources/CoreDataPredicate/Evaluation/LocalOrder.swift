import Foundation

/// Compares strings by the rules of the user's language, in memory and as a collation of stores.
///
/// Foundation's comparisons are cyclic for some strings with ignored characters and decomposed
/// letters, so they cannot sort. So the strings are composed first, and ignored characters are
/// removed. `Predicates.md` lists the remaining cycles.
struct LocalOrder {
    private let options: String.CompareOptions

    init(ignoringCase: Bool, marks: Bool) {
        options = String.CompareOptions(ignoringCase: ignoringCase, marks: marks)
    }

    func compare(_ left: String, _ right: String) -> ComparisonResult {
        form(left).localizedCompare(form(right))
    }

    private func form(_ text: String) -> String {
        let shown = Self.shown(text) { $0.precomposedStringWithCanonicalMapping }
        return options.isEmpty ? shown : shown.folding(options: options, locale: .current)
    }

    /// Compares file names: numbers by their values, and case only if nothing else differs.
    static func compareNames(_ left: String, _ right: String) -> ComparisonResult {
        let order = folded(left).localizedStandardCompare(folded(right))
        if order != .orderedSame { return order }
        return LocalOrder(ignoringCase: false, marks: false).compare(left, right)
    }

    private static func folded(_ text: String) -> String {
        shown(text) { $0.precomposedStringWithCompatibilityMapping }
            .folding(options: .caseInsensitive, locale: .current)
    }

    /// Converts a string with `form` and removes ignored characters. An ASCII string is returned
    /// unchanged.
    private static func shown(_ text: String, _ form: (String) -> String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
        let scalars = form(text).unicodeScalars.filter {
            !$0.properties.isDefaultIgnorableCodePoint
        }
        return String(String.UnicodeScalarView(scalars))
    }
}
