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
    func `a wildcard fits one character or any run`(text: String, pattern: String, fits: Bool) {
        #expect(WildcardPattern(pattern).matches(text) == fits)
    }

    @Test func `folding takes away case and marks as the options say`() {
        #expect(StringSearch.folded("ÀÉ", []) == "ÀÉ")
        #expect(StringSearch.folded("ÀÉ", .caseInsensitive) == "àé")
        #expect(StringSearch.folded("ÀÉ", .diacriticInsensitive) == "AE")
        #expect(StringSearch.folded("ÀÉ", [.caseInsensitive, .diacriticInsensitive]) == "ae")
        #expect(StringSearch.folded("ÀÉ", [.caseInsensitive, .normalized]) == "ÀÉ")
        #expect(StringSearch.equals("e\u{301}", "é", .caseInsensitive))
        #expect(!StringSearch.equals("e\u{301}", "é", []))
    }

    @Test func `substrings are found at every place`() {
        #expect(StringSearch.contains("abcabd", "abd"))
        #expect(StringSearch.contains("abc", "abc"))
        #expect(!StringSearch.contains("abc", "abcd"))
        #expect(!StringSearch.contains("", "a"))
    }

    @Test func `orders differ in case and digits`() {
        #expect(StringOrder.binary.compare("B", "a") == .orderedAscending)
        #expect(StringOrder.caseInsensitive.compare("B", "a") == .orderedDescending)
        #expect(StringOrder.caseInsensitive.compare("A", "a") == .orderedSame)
        #expect(StringOrder.localizedStandard.compare("item 9", "item 10") == .orderedAscending)
        #expect(StringOrder(selector: "length") == nil)
    }
}
