import Testing

@testable import CoreDataPredicate

/// Sorting by prefix words, and by values that are read once, must equal sorting by sort
/// descriptors.
@Suite struct SortOrderTests {
    private static let integers: [Int64] = [.min, .min + 1, -256, -1, 0, 1, 255, .max - 1, .max]
    private static let doubles: [Double] = [
        -.infinity, -.greatestFiniteMagnitude, -1.5, -.leastNonzeroMagnitude, -0.0, 0,
        .leastNonzeroMagnitude, 1.5, .greatestFiniteMagnitude, .infinity, .nan,
    ]
    private static let texts = [
        "", "\0", "a", "a\0", "a\0b", "ab", "abcdefg", "abcdefg\0", "abcdefgh", "abcdefgh\0",
        "abcdefghi", "abcdefgi", "B", "e\u{301}", "\u{e9}", "\u{e9}clair", "\u{1F600}", "\u{FFFF}",
    ]

    private static func operands(_ random: inout SeededRandom) -> [[Operand]] {
        let bits = (0..<40).map { _ in random.next() }
        return [
            (integers + bits.map { Int64(bitPattern: $0) }).map(Operand.integer),
            (doubles + bits.map { Double(bitPattern: $0) }).map(Operand.double),
            (doubles + bits.map { Double(bitPattern: $0) }).map(Operand.date),
            (texts + bits.map { text($0) }).map(Operand.string),
        ].map { $0 + [.null] }
    }

    /// A text of a small alphabet, so that many texts share prefixes.
    private static func text(_ bits: UInt64) -> String {
        let letters = Array("aab\u{e9}")
        return String((0..<Int(bits % 11)).map { letters[Int(bits >> ($0 * 2 + 8) & 3)] })
    }

    @Test(arguments: [1, 2, 3], [true, false])
    func `a word orders two values as the values do, or is equal`(
        seed: UInt64, ascending: Bool
    ) throws {
        var random = SeededRandom(seed: seed)
        let descriptor = NSSortDescriptor(key: "k", ascending: ascending)
        for group in Self.operands(&random) {
            var told = 0
            for left in group {
                for right in group {
                    let known = SortWord(left, in: descriptor)
                        .order(SortWord(right, in: descriptor))
                    guard let known else { continue }
                    told += 1
                    let order = try descriptor.compareSortValues(left, right)
                    #expect(known == order, "\(left) and \(right)")
                }
            }
            #expect(told > group.count * group.count / 2, "most words tell")
        }
    }

    @Test func `words of two kinds, of other orders and of comparators have no order`() {
        let plain = NSSortDescriptor(key: "k", ascending: true)
        let caseless = NSSortDescriptor(
            key: "k", ascending: true, selector: "caseInsensitiveCompare:")
        let own = NSSortDescriptor(key: "k", ascending: true) { _, _ in .orderedSame }
        func order(
            _ left: Operand, _ right: Operand, _ descriptor: NSSortDescriptor
        ) -> ComparisonResult? {
            SortWord(left, in: descriptor).order(SortWord(right, in: descriptor))
        }
        #expect(order(.string("B"), .string("a"), plain) == .orderedAscending)
        #expect(order(.string("B"), .string("a"), caseless) == nil)
        #expect(order(.string("B"), .string("a"), own) == nil)
        #expect(order(.integer(2), .double(1), plain) == nil)
        #expect(order(.null, .integer(1), plain) == nil)
        #expect(order(.double(.nan), .double(1), plain) == nil)
    }

    @Test(arguments: 1...20)
    func `sorting by words has the result of comparing the objects one by one`(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let kinds: [[Any?]] = [
            Self.texts, Self.integers.map { $0 }, Self.doubles.map { $0 },
            [1, 1.5, 2, 2.5, nil, Int64.max, -0.0],
        ]
        let first = random.element(of: kinds) + [nil]
        let rows: [[String: Any]] = (0..<60).map { number in
            var row: [String: Any] = ["number": number]
            row["first"] = random.element(of: first)
            row["second"] = random.below(3)
            return row
        }
        let descriptors = [
            NSSortDescriptor(key: "first", ascending: seed % 2 == 0),
            NSSortDescriptor(key: "second", ascending: seed % 3 == 0),
        ]
        var expected: [[String: Any]] = []
        for row in rows {
            let place = try expected.firstIndex { other in
                for descriptor in descriptors {
                    let result = try descriptor.compareCore(other, row)
                    if result != .orderedSame { return result == .orderedDescending }
                }
                return false
            }
            expected.insert(row, at: place ?? expected.count)
        }
        let sorted = try SortOrder.sorted(rows, by: descriptors)
        #expect(sorted.map { $0["number"] as? Int } == expected.map { $0["number"] as? Int })
    }

    @Test func `values without an order are refused`() {
        let rows: [[String: Any]] = [["k": "a"], ["k": 1], ["k": "b"]]
        #expect(throws: PredicateEvaluationError.self) {
            try SortOrder.sorted(rows, by: [NSSortDescriptor(key: "k", ascending: true)])
        }
    }
}
