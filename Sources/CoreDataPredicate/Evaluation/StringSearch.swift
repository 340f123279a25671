import Foundation
import Synchronization

/// Prefix, suffix, substring and pattern tests with the options of predicates.
///
/// The evaluation in memory calls these functions, and a store registers them with SQLite, so
/// memory and SQL agree.
package enum StringSearch {
    package typealias Options = NSComparisonPredicate.Options

    /// Removes the differences of case and marks that the options ignore, for a search.
    ///
    /// Folded strings are searched byte by byte.
    package static func folded(_ text: String, _ options: Options) -> String {
        if options.contains(.normalized) { return text }
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            return options.contains(.caseInsensitive) ? text.lowercased() : text
        }
        var compare: String.CompareOptions = []
        if options.contains(.caseInsensitive) { compare.insert(.caseInsensitive) }
        if options.contains(.diacriticInsensitive) { compare.insert(.diacriticInsensitive) }
        let composed = text.precomposedStringWithCanonicalMapping
        if compare.isEmpty { return composed }
        return composed.folding(
            options: compare, locale: options.contains(.localeSensitive) ? .current : nil)
    }

    /// Whether folded `text` starts with folded `prefix`; false for an empty prefix.
    package static func begins(_ text: String, with prefix: String) -> Bool {
        !prefix.isEmpty && text.utf8.starts(with: prefix.utf8)
    }

    /// Whether folded `text` ends with folded `suffix`; false for an empty suffix.
    package static func ends(_ text: String, with suffix: String) -> Bool {
        !suffix.isEmpty && text.utf8.count >= suffix.utf8.count
            && text.utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }

    /// Whether folded `part` occurs in folded `text`; false for an empty part.
    package static func contains(_ text: String, _ part: String) -> Bool {
        guard !part.isEmpty else { return false }
        var text = text
        var part = part
        return text.withUTF8 { text in
            part.withUTF8 { part in
                guard text.count >= part.count else { return false }
                let first = part[0]
                for start in 0...(text.count - part.count) where text[start] == first {
                    if text[start..<(start + part.count)].elementsEqual(part) { return true }
                }
                return false
            }
        }
    }
}

/// A pattern of `LIKE`: `?` matches one character, `*` any number of them, and a backslash escapes
/// both.
package struct WildcardPattern: Sendable {
    private enum Part: Equatable, Sendable {
        case character(Character)
        case one
        case run
    }

    private let parts: [Part]

    /// Reads a pattern that was folded like the text.
    package init(_ pattern: String) {
        var parts: [Part] = []
        var isEscaped = false
        for character in pattern {
            if isEscaped {
                parts.append(.character(character))
                isEscaped = false
                continue
            }
            switch character {
            case "\\": isEscaped = true
            case "?": parts.append(.one)
            case "*": if parts.last != .run { parts.append(.run) }
            default: parts.append(.character(character))
            }
        }
        if isEscaped { parts.append(.character("\\")) }
        self.parts = parts
    }

    /// Whether the whole text matches. Takes at most time in proportion to the product of both
    /// lengths.
    package func matches(_ text: String) -> Bool {
        let text = Array(text)
        var position = 0
        var part = 0
        var retry: (part: Int, position: Int)?
        while position < text.count {
            if part < parts.count, parts[part] == .run {
                retry = (part, position)
                part += 1
            } else if part < parts.count, fits(parts[part], text[position]) {
                part += 1
                position += 1
            } else if let last = retry {
                retry = (last.part, last.position + 1)
                part = last.part + 1
                position = last.position + 1
            } else {
                return false
            }
        }
        return parts[part...].allSatisfy { $0 == .run }
    }

    private func fits(_ part: Part, _ character: Character) -> Bool {
        switch part {
        case .one: true
        case .character(let wanted): wanted == character
        case .run: false
        }
    }
}

/// A pattern of `MATCHES`, which must match the whole text.
package struct RegularExpressionPattern: Sendable {
    private let expression: NSRegularExpression
    private let options: NSComparisonPredicate.Options

    /// Compiles a pattern of ICU's syntax.
    ///
    /// - Throws: ``PredicateEvaluationError`` for an invalid pattern.
    package init(
        _ pattern: String, _ options: NSComparisonPredicate.Options
    ) throws(PredicateEvaluationError) {
        self.options = options.subtracting(.caseInsensitive)
        let text = StringSearch.folded(pattern, self.options)
        var flags: NSRegularExpression.Options = []
        if options.contains(.caseInsensitive) { flags.insert(.caseInsensitive) }
        do {
            // The pattern is first compiled without the group around it, which would make an
            // invalid pattern such as `a)(b` valid.
            if !text.isEmpty { _ = try NSRegularExpression(pattern: text, options: flags) }
            expression = try NSRegularExpression(pattern: "\\A(?:\(text))\\z", options: flags)
        } catch {
            throw PredicateEvaluationError(
                "Can't do regex matching: '\(pattern)' is not a regular expression; "
                    + "check its brackets and backslashes")
        }
    }

    /// The maximum number of thousands of steps for matching one text; 0 for no limit.
    private static let limit = Atomic(0)

    /// The maximum number of thousands of steps for patterns from untrusted files.
    package static let strangersLimit = 10_000

    /// Sets the limit for the whole process. Matching a text that needs more steps fails.
    package static func limitSteps(toThousands limit: Int) {
        self.limit.store(limit, ordering: .relaxed)
    }

    /// Whether the whole text matches.
    ///
    /// - Throws: ``PredicateEvaluationError`` for a text that exceeds the step limit.
    package func matches(_ text: String) throws(PredicateEvaluationError) -> Bool {
        let text = StringSearch.folded(text, options)
        let range = NSRange(location: 0, length: text.utf16.count)
        let limit = Self.limit.load(ordering: .relaxed)
        if limit == 0 { return expression.firstMatch(in: text, options: [], range: range) != nil }
        // ICU calls the closure after every ten thousand steps.
        var reportsLeft = max(1, limit / 10)
        var fits = false
        expression.enumerateMatches(in: text, options: [.reportProgress], range: range) {
            result, flags, stop in
            if result != nil { fits = true }
            if flags.contains(.progress) { reportsLeft -= 1 }
            if fits || reportsLeft == 0 { stop.pointee = true }
        }
        if fits || reportsLeft > 0 { return fits }
        throw PredicateEvaluationError(
            "Can't do regex matching: '\(expression.pattern)' takes more than \(limit) thousand"
                + " steps for a text of \(range.length) characters; write it without a repetition"
                + " inside of a repetition")
    }
}
