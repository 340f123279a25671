import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import TestSupport
import Testing

import class Foundation.ProcessInfo

/// SQL statements and the evaluation in memory compare, search and sort strings alike.
@Suite struct TextAgreementTests {
    /// Letters of one, two and three cases, composed and decomposed letters, ligatures, digits,
    /// standalone combining marks, joined emoji, and characters outside of the BMP.
    private static let pieces = [
        "a", "A", "b", "B", "z", "Z", "é", "e\u{301}", "É", "E\u{301}", "ß", "ss", "SS", "ﬁ", "fi",
        "İ", "i", "I", "ı", "Ö", "o\u{308}", "o", "Å", "\u{212B}", "_", " ", "-", "0", "9", "10",
        "🙂", "👨‍👩‍👧", "\u{200D}", "\u{301}", "Σ", "σ", "ς", "Ǆ", "ǆ", "ｱ", "ア", "か\u{3099}", "が",
        "\u{FEFF}", "中", "한", "\u{1112}\u{1161}\u{11ab}", "𝒜", "\u{10FFFF}", "\u{AD}", "*", "?",
    ]

    /// `FAULTLINE_THOROUGH=1` compares 10,000 pairs with each operator and option.
    private static let count =
        ProcessInfo.processInfo.environment["FAULTLINE_THOROUGH"] == nil ? 1_000 : 10_000

    private static func pairs(_ count: Int) -> [(String, String)] {
        var random = SeededGenerator(seed: 7)
        func text() -> String {
            (0..<Int.random(in: 0..<5, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
        }
        return (0..<count).map { _ in
            let left = text()
            switch Int.random(in: 0..<6, using: &random) {
            case 0: return (left, left.decomposedStringWithCanonicalMapping)
            case 1: return (left, left.uppercased())
            case 2: return (left + text(), left.precomposedStringWithCanonicalMapping)
            case 3: return (text() + left, left.lowercased())
            case 4: return (left, left.folding(options: .diacriticInsensitive, locale: nil))
            default: return (left, text())
            }
        }
    }

    /// A store with a row for each pair of strings, and these pairs for the evaluation in memory.
    private static func store(
        of pairs: [(String, String)]
    ) throws -> (StoreFixture, keys: [ObjectKey], rows: [[String: Any]]) {
        let fixture = try StoreFixture()
        let keys = try fixture.insert(
            "ShortFilm", pairs.map { ["name": .string($0.0), "festival": .string($0.1)] })
        fixture.log.forget()
        return (fixture, keys, pairs.map { ["name": $0.0, "festival": $0.1] })
    }

    /// Every combination of the options c, d, n and l.
    private static let options = (0..<16).map { bits in
        let set = ["c", "d", "n", "l"].enumerated().filter { bits >> $0.offset & 1 == 1 }
        return set.isEmpty ? "" : "[\(set.map(\.element).joined())]"
    }

    @Test(arguments: ["==", "<", "CONTAINS", "BEGINSWITH", "LIKE"])
    func `an operator finds the same pairs with all options`(_ name: String) throws {
        let (fixture, keys, rows) = try Self.store(of: Self.pairs(Self.count))
        for option in Self.options {
            let predicate = NSPredicate(format: "name \(name)\(option) festival")
            let found = Set(try fixture.store.fetchKeys(try fixture.plan("ShortFilm", predicate)))
            var odd: [[String: Any]] = []
            for (key, row) in zip(keys, rows)
            where try predicate.evaluateCore(with: row) != found.contains(key) { odd.append(row) }
            #expect(
                odd.count == 0, "\(name)\(option): \(odd.count) differ, first \(odd.first ?? [:])")
        }
    }

    @Test(arguments: [
        "compare:", "caseInsensitiveCompare:", "localizedCompare:",
        "localizedCaseInsensitiveCompare:", "localizedStandardCompare:",
    ])
    func `a selector has one order`(_ selector: String) throws {
        let (fixture, _, _) = try Self.store(of: Self.pairs(Self.count))
        for isAscending in [true, false] {
            let order = NSSortDescriptor(
                key: "name", ascending: isAscending, selector: Selector(selector))
            let plan = try fixture.plan("ShortFilm", sort: [order])
            let found = try fixture.values("name", plan).map { value -> String in
                if case .string(let text) = value { text } else { "-" }
            }
            // No string precedes one that is smaller in memory. Equal strings may have any order.
            let odd = try zip(found, found.dropFirst()).filter {
                let result = try order.compareValues(.string($0), .string($1))
                return result == (isAscending ? .orderedDescending : .orderedAscending)
            }
            #expect(odd.count == 0, "\(selector): \(odd.count) places differ")
        }
    }
}
