import Testing

@testable import CoreDataPredicate

@Suite struct StringSearchTests {
    @Test(arguments: [
        ("", "", true), ("", "*", true), ("", "?", false), ("abc", "abc", true),
        ("abc", "a*c", true),
        ("abc", "*", true), ("abc", "***", true), ("abc", "a?c", true), ("abc", "??", false),
        ("abcbc", "a*bc", true), ("abcbd", "a*bc", false), ("a*c", "a\\*c", true),
        ("abc", "a\\*c", false), ("a\\", "a\\", true), ("é", "?", true),
        ("x\u{1F600}y", "x?y", true),
        ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "*a*a*a*a*a*a*c", false), ("a\nb", "a*b", true),
    ])
    func `a wildcard matches one character or any run`(text: String, pattern: String, fits: Bool) {
        #expect(WildcardPattern(pattern).matches(text) == fits)
    }

    @Test func `folding removes case and marks according to the options`() {
        #expect(StringSearch.folded("ÀÉ", []) == "ÀÉ")
        #expect(StringSearch.folded("ÀÉ", .caseInsensitive) == "àé")
        #expect(StringSearch.folded("ÀÉ", .diacriticInsensitive) == "AE")
        #expect(StringSearch.folded("ÀÉ", [.caseInsensitive, .diacriticInsensitive]) == "ae")
        #expect(StringSearch.folded("ÀÉ", [.caseInsensitive, .normalized]) == "ÀÉ")
    }

    @Test func `substrings are found at every position`() {
        #expect(StringSearch.contains("abcabd", "abd"))
        #expect(StringSearch.contains("abc", "abc"))
        #expect(!StringSearch.contains("abc", "abcd"))
        #expect(!StringSearch.contains("", "a"))
    }

    @Test func `selectors differ in case and digits`() {
        #expect(StringOrder.binary.compare("B", "a") == .orderedAscending)
        let folded = StringOrder.folded(ignoringCase: true, marks: false)
        #expect(folded.compare("B", "a") == .orderedDescending)
        #expect(folded.compare("A", "a") == .orderedSame)
        #expect(StringOrder.localizedStandard.compare("item 9", "item 10") == .orderedAscending)
        #expect(StringOrder(selector: "length") == nil)
    }

    @Test func `an order without case is Foundation's order`() {
        let words = [
            "Zebra", "Ärger", "apple", "École", "mango", "eb", "Éa", "file", "ﬁle", "Zz", "ß", "ss",
            "straße", "STRASSE", "Ö", "O\u{308}", "o", "p", "", "a", "A_", "aB", "a\u{301}", "İ",
            "🙂", "中",
        ]
        for options: String.CompareOptions in [
            .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
        ] {
            let order = StringOrder.folded(
                ignoringCase: options.contains(.caseInsensitive),
                marks: options.contains(.diacriticInsensitive))
            for left in words {
                for right in words {
                    #expect(
                        order.compare(left, right) == left.compare(right, options: options),
                        "\(left) and \(right)")
                }
            }
        }
    }

    @Test func `options select the order of a comparison`() {
        #expect(StringOrder([.caseInsensitive, .normalized]) == .binary)
        #expect(StringOrder([]) == .binary)
        #expect(StringOrder(.localeSensitive) == .localized(ignoringCase: false, marks: false))
        #expect(StringOrder(.localeSensitive).compare("e\u{301}", "é") == .orderedSame)
        #expect(StringOrder(.caseInsensitive).compare("e\u{301}", "É") == .orderedSame)
        #expect(StringOrder(.normalized).compare("e\u{301}", "é") != .orderedSame)
    }
}
