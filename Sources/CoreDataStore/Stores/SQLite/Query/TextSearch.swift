import CoreDataPredicate
import CoreDataSQLite

/// The SQL functions and collations that search and sort strings, and their flags.
///
/// Names and flags are those of Core Data's logs, as far as they are known.
enum TextSearch {
    static let searchFunction = "NSCoreDataStringSearch"
    static let likeFunction = "NSCoreDataLike"
    static let matchesFunction = "NSCoreDataMatches"

    // The flags are those of Foundation's string comparison.
    static let caseInsensitive = 1
    /// The flag for strings that are already normalized.
    static let literal = 2
    static let backwards = 4
    static let anchored = 8
    static let diacriticInsensitive = 128
    static let localeSensitive = 256

    package static func flags(_ options: NSComparisonPredicate.Options) -> Int {
        (options.contains(.caseInsensitive) ? caseInsensitive : 0)
            | (options.contains(.diacriticInsensitive) ? diacriticInsensitive : 0)
            | (options.contains(.localeSensitive) ? localeSensitive : 0)
            | (options.contains(.normalized) ? literal : 0)
    }

    /// The collation for sort descriptors and for `=` and `<` with options; nil for the binary
    /// collation.
    static func collation(_ order: StringOrder) -> String? {
        switch order {
        case .binary: nil
        case .folded(let ignoringCase, let marks): "NSCollate" + suffix(ignoringCase, marks)
        case .localized(let ignoringCase, let marks):
            "NSCollateLocaleSensitive" + suffix(ignoringCase, marks)
        case .localizedStandard: "NSCollateFinderlike"
        }
    }

    private static func suffix(_ ignoresCase: Bool, _ ignoresMarks: Bool) -> String {
        (ignoresCase ? "NoCase" : "") + (ignoresMarks ? "NoDiacritic" : "")
    }
}

// MARK: Installing

extension TextSearch {
    static func install(on connection: Connection) throws(SQLiteError) {
        try addTest(searchFunction, on: connection, PreparedPattern.search)
        try addTest(likeFunction, on: connection, PreparedPattern.like)
        try addTest(matchesFunction, on: connection, PreparedPattern.matches)
        for order in StringOrder.all {
            guard let name = collation(order) else { continue }
            try addCollation(name, on: connection, order.compare)
        }
        try addTextFunction("NSCoreDataUppercase", on: connection) { $0.uppercased() }
        try addTextFunction("NSCoreDataLowercase", on: connection) { $0.lowercased() }
        try addTextFunction("NSCoreDataCanonical", on: connection) {
            StringSearch.folded($0, [.caseInsensitive, .diacriticInsensitive])
        }
    }

    /// The SQL function `name(text, pattern, flags, locale)`. It returns 1, 0, or NULL if the text
    /// or the pattern is NULL.
    ///
    /// The last pattern stays prepared, because a statement usually tests all rows with one
    /// pattern.
    private static func addTest(
        _ name: String, on connection: Connection,
        _ prepare: @escaping (_ pattern: String, _ flags: Int) -> PreparedPattern
    ) throws(SQLiteError) {
        var last: (pattern: String, flags: Int, prepared: PreparedPattern)?
        try connection.addFunction(named: name, argumentCount: 4, isDeterministic: true) { call in
            if call[0].isNull || call[1].isNull { return .null }
            let pattern = String(decoding: call[1].bytes, as: UTF8.self)
            let flags = Int(truncatingIfNeeded: call[2].integer)
            let text = String(decoding: call[0].bytes, as: UTF8.self)
            let prepared: PreparedPattern
            if let last, last.flags == flags, StringOrder.areSame(last.pattern, pattern) {
                prepared = last.prepared
            } else {
                prepared = prepare(pattern, flags)
                last = (pattern, flags, prepared)
            }
            do throws(PredicateEvaluationError) {
                return .integer(try prepared.holds(text) ? 1 : 0)
            } catch {
                return .failure("\(error)")
            }
        }
    }

    private static func addTextFunction(
        _ name: String, on connection: Connection, _ change: @escaping (String) -> String
    ) throws(SQLiteError) {
        try connection.addFunction(named: name, argumentCount: 1, isDeterministic: true) { call in
            call[0].isNull
                ? .null : .text(change(String(decoding: call[0].bytes, as: UTF8.self)))
        }
    }

    private static func addCollation(
        _ name: String, on connection: Connection,
        _ compare: @escaping (String, String) -> ComparisonResult
    ) throws(SQLiteError) {
        try connection.addCollation(named: name) { left, right in
            compare(String(decoding: left, as: UTF8.self), String(decoding: right, as: UTF8.self))
                .rawValue
        }
    }

    package static func options(_ flags: Int) -> NSComparisonPredicate.Options {
        var options: NSComparisonPredicate.Options = []
        if flags & caseInsensitive != 0 { options.insert(.caseInsensitive) }
        if flags & diacriticInsensitive != 0 { options.insert(.diacriticInsensitive) }
        if flags & localeSensitive != 0 { options.insert(.localeSensitive) }
        if flags & literal != 0 { options.insert(.normalized) }
        return options
    }
}

/// A pattern that is prepared for testing many strings, by the functions that the evaluation in
/// memory uses too.
private struct PreparedPattern {
    let holds: (String) throws(PredicateEvaluationError) -> Bool

    static func search(_ pattern: String, _ flags: Int) -> PreparedPattern {
        let options = TextSearch.options(flags)
        let pattern = StringSearch.folded(pattern, options)
        let test: (String, String) -> Bool =
            switch (flags & TextSearch.anchored != 0, flags & TextSearch.backwards != 0) {
            case (false, _): { StringSearch.contains($0, $1) }
            case (true, false): { StringSearch.begins($0, with: $1) }
            case (true, true): { StringSearch.ends($0, with: $1) }
            }
        return PreparedPattern { test(StringSearch.folded($0, options), pattern) }
    }

    static func like(_ pattern: String, _ flags: Int) -> PreparedPattern {
        let options = TextSearch.options(flags)
        let pattern = WildcardPattern(StringSearch.folded(pattern, options))
        return PreparedPattern { pattern.matches(StringSearch.folded($0, options)) }
    }

    static func matches(_ pattern: String, _ flags: Int) -> PreparedPattern {
        // A pattern in a column may be invalid, and then matches nothing. Constant patterns are
        // checked earlier.
        let pattern = try? RegularExpressionPattern(pattern, TextSearch.options(flags))
        return PreparedPattern { text throws(PredicateEvaluationError) in
            try pattern?.matches(text) ?? false
        }
    }
}
