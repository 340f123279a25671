import CoreDataPredicate
import CoreDataSQLite

/// How statements search and order texts: names, flags, and the functions behind them.
///
/// The translator writes the names, `StoreFunctions` installs the functions. Where Core Data's
/// logs show a name or a flag, it is used here too.
enum TextSearch {
    static let searchFunction = "NSCoreDataStringSearch"
    static let likeFunction = "NSCoreDataLike"
    static let matchesFunction = "NSCoreDataMatches"

    // The flags are those of Foundation's string comparison.
    static let caseInsensitive = 1
    static let backwards = 4
    static let anchored = 8
    static let diacriticInsensitive = 128
    static let localeSensitive = 256

    static func flags(_ options: NSComparisonPredicate.Options) -> Int {
        (options.contains(.caseInsensitive) ? caseInsensitive : 0)
            | (options.contains(.diacriticInsensitive) ? diacriticInsensitive : 0)
            | (options.contains(.localeSensitive) ? localeSensitive : 0)
    }

    /// The collation with which `=` and `<` heed the options; nil for the binary one.
    static func collation(options: NSComparisonPredicate.Options) -> String? {
        switch (options.contains(.caseInsensitive), options.contains(.diacriticInsensitive)) {
        case (false, false): nil
        case (true, false): "NSCollateNoCase"
        case (false, true): "NSCollateNoDiacritic"
        case (true, true): "NSCollateNoCaseNoDiacritic"
        }
    }

    /// The collation of a sort descriptor's order; nil for the binary one.
    static func collation(order: StringOrder) -> String? {
        switch order {
        case .binary: nil
        case .caseInsensitive: "NSCollateNoCase"
        case .localized: "NSCollateLocaleSensitive"
        case .localizedCaseInsensitive: "NSCollateLocaleSensitiveNoCase"
        case .localizedStandard: "NSCollateFinderlike"
        }
    }
}

// MARK: Installing

extension TextSearch {
    static func install(on connection: Connection) throws(SQLiteError) {
        try addFunction(searchFunction, on: connection, search)
        try addFunction(likeFunction, on: connection, like)
        let patterns = PatternCache()
        try addFunction(matchesFunction, on: connection) { text, pattern, flags in
            patterns.matches(text, pattern, flags)
        }
        for order in [
            StringOrder.caseInsensitive, .localized, .localizedCaseInsensitive, .localizedStandard,
        ] {
            try addCollation(order, on: connection)
        }
        try addCollation("NSCollateNoDiacritic", [.diacriticInsensitive], on: connection)
        try addCollation(
            "NSCollateNoCaseNoDiacritic", [.caseInsensitive, .diacriticInsensitive], on: connection)
        try addTextFunction("NSCoreDataUppercase", on: connection) { $0.uppercased() }
        try addTextFunction("NSCoreDataLowercase", on: connection) { $0.lowercased() }
        try addTextFunction("NSCoreDataCanonical", on: connection) {
            folded($0, caseInsensitive | diacriticInsensitive)
        }
    }

    /// `name(text, pattern, flags, locale)`: 1, 0, or NULL where either text is missing.
    private static func addFunction(
        _ name: String, on connection: Connection,
        _ test: @escaping (_ text: String, _ pattern: String, _ flags: Int) -> Bool
    ) throws(SQLiteError) {
        try connection.addFunction(named: name, argumentCount: 4, isDeterministic: true) { call in
            let text = call[0], pattern = call[1]
            if text.isNull || pattern.isNull { return .null }
            let holds = test(
                String(decoding: text.bytes, as: UTF8.self),
                String(decoding: pattern.bytes, as: UTF8.self), Int(call[2].integer))
            return .integer(holds ? 1 : 0)
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
        _ order: StringOrder, on connection: Connection
    ) throws(SQLiteError) {
        guard let name = collation(order: order) else { return }
        try connection.addCollation(named: name) { left, right in
            order.compare(
                String(decoding: left, as: UTF8.self), String(decoding: right, as: UTF8.self)
            ).rawValue
        }
    }

    private static func addCollation(
        _ name: String, _ options: String.CompareOptions, on connection: Connection
    ) throws(SQLiteError) {
        try connection.addCollation(named: name) { left, right in
            String(decoding: left, as: UTF8.self)
                .compare(String(decoding: right, as: UTF8.self), options: options).rawValue
        }
    }
}

// MARK: Searching

extension TextSearch {
    private static func folded(_ text: String, _ flags: Int) -> String {
        var options: String.CompareOptions = []
        if flags & caseInsensitive != 0 { options.insert(.caseInsensitive) }
        if flags & diacriticInsensitive != 0 { options.insert(.diacriticInsensitive) }
        return options.isEmpty ? text : text.folding(options: options, locale: nil)
    }

    /// Compares code points, after folding what the flags say.
    private static func search(_ text: String, _ pattern: String, _ flags: Int) -> Bool {
        let text = Array(folded(text, flags).utf8)
        let pattern = Array(folded(pattern, flags).utf8)
        if flags & anchored != 0 {
            return flags & backwards != 0
                ? text.suffix(pattern.count) == pattern[...] : text.starts(with: pattern)
        }
        guard pattern.count <= text.count else { return false }
        return (0...(text.count - pattern.count)).contains { start in
            text[start..<(start + pattern.count)] == pattern[...]
        }
    }

    /// `?` is one character, `*` any run of characters, a backslash takes the next one as it is.
    private static func like(_ text: String, _ pattern: String, _ flags: Int) -> Bool {
        let text = Array(folded(text, flags))
        let pattern = likeElements(folded(pattern, flags))
        // Greedy with one step back: only the last run can need more.
        var place = 0, index = 0
        var runStart: Int?
        var runPlace = 0
        while place < text.count {
            if index < pattern.count, pattern[index].matches(text[place]) {
                place += 1
                index += 1
            } else if index < pattern.count, case .run = pattern[index] {
                runStart = index
                runPlace = place
                index += 1
            } else if let start = runStart {
                runPlace += 1
                place = runPlace
                index = start + 1
            } else {
                return false
            }
        }
        return pattern[index...].allSatisfy { if case .run = $0 { true } else { false } }
    }

    private enum LikeElement {
        case character(Character)
        case any
        case run

        func matches(_ character: Character) -> Bool {
            switch self {
            case .character(let own): own == character
            case .any: true
            case .run: false
            }
        }
    }

    private static func likeElements(_ pattern: String) -> [LikeElement] {
        var elements: [LikeElement] = []
        var isEscaped = false
        for character in pattern {
            if !isEscaped, character == "\\" {
                isEscaped = true
                continue
            }
            switch (character, isEscaped) {
            case ("?", false): elements.append(.any)
            case ("*", false): elements.append(.run)
            default: elements.append(.character(character))
            }
            isEscaped = false
        }
        return elements
    }

    /// Keeps the last regular expression of a connection compiled.
    private final class PatternCache {
        private var pattern = ""
        private var flags = -1
        private var compiled: NSRegularExpression?

        func matches(_ text: String, _ pattern: String, _ flags: Int) -> Bool {
            if pattern != self.pattern || flags != self.flags {
                let options: NSRegularExpression.Options =
                    flags & caseInsensitive != 0 ? [.caseInsensitive] : []
                let source = flags & diacriticInsensitive != 0
                    ? folded(pattern, diacriticInsensitive) : pattern
                compiled = try? NSRegularExpression(pattern: "\\A(?:\(source))\\z", options: options)
                self.pattern = pattern
                self.flags = flags
            }
            let text = flags & diacriticInsensitive != 0 ? folded(text, diacriticInsensitive) : text
            let all = NSRange(text.startIndex..., in: text)
            return compiled?.firstMatch(in: text, options: [], range: all) != nil
        }
    }
}
