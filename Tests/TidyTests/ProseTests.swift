import Testing

/// Tests that the rule about idioms finds planted idioms and accepts their replacements.
@Suite struct ProseTests {
    private func idioms(_ path: String, _ text: String) -> [Violation] {
        ProseRules.idioms(SourceFile(path: path, text: text))
    }

    @Test(arguments: [
        ("Sources/A/A.swift", "struct A {\n    /// The caller is told.\n    let a = 1\n}"),
        ("Sources/A/A.swift", "\nlet a = \"the caller is \" + \"told of \\(name)\""),
        ("Sources/A/A.docc/A.md", "# A\nThe caller\nis told.\n"),
        ("Tests/Statements.txt", "# 1\nS1-1 A The caller is told\n"),
        ("Scripts/a.sh", "\n# The caller is told.\n"),
        ("Sources/A/a.c", "\n// The caller is told.\n"),
    ])
    func `a planted idiom is found in each kind of text`(path: String, text: String) {
        let found = idioms(path, text)
        #expect(found.map(\.line) == [2])
        #expect(found.allSatisfy { $0.fix.contains("'is told'") })
        #expect(idioms(path, text.replacing("told", with: "asked")).isEmpty)
    }

    @Test(arguments: Idiom.names)
    func `each idiom is found once, and not in code`(name: String) {
        let planted = name.replacing(", Who …", with: "").replacing("…", with: "row")
        let text = "// \(planted == "makes of" ? "makes of it" : planted) a row."
        #expect(idioms("Tests/A/A.swift", text).count == 1)
        #expect(idioms("Tests/A/A.swift", "// `\(planted)`").isEmpty)
    }

    @Test(arguments: [
        "Rows that are told apart by their versions.", "There is no row.", "It is no longer there.",
        "An element stands for its group.", "What is a row?", "It gives up after ten attempts.",
        "Not many more rows.", "A lock tells one process apart from another.",
    ])
    func `ordinary phrases are accepted`(text: String) {
        #expect(idioms("Sources/A/A.swift", "/// \(text)\nlet a = 1").isEmpty)
    }

    @Test func `code in comments and pages, and literals that are not messages, are left out`() {
        let sample =
            "/// A row:\n///\n///     print(\"alone\")\n/// ```\n/// alone\n/// ```\nlet a = 1"
        #expect(idioms("Sources/A/A.swift", sample).isEmpty)
        #expect(idioms("README.md", "```\nalone\n```\n").isEmpty)
        #expect(idioms("Reports/matrix.md", "alone\n").isEmpty)
        #expect(idioms("Sources/A/A.swift", "let a = \"alone\"").isEmpty)
        #expect(idioms("Tests/A/A.swift", "let a = \"the row is alone here\"").isEmpty)
        #expect(idioms("Sources/A/A.swift", "let a = \"the row is alone here\"").count == 1)
    }

    @Test func `a count of the list is never exceeded and only falls`() {
        let files = [
            SourceFile(path: "Sources/A/A.swift", text: "// alone\nlet a = 1\n// anew"),
            SourceFile(path: "Tests/B/B.swift", text: "// alone"),
        ]
        func rules(_ list: String) -> ProseRules { ProseRules(list: list, files: files) }
        #expect(rules("2 Sources/A\n1 Tests/B\n").violations.isEmpty)
        #expect(rules("1 Sources/A\n1 Tests/B\n").violations.map(\.line) == [1, 3])
        #expect(rules("2 Sources/A\n").violations.map(\.path) == ["Tests/B/B.swift"])
        #expect(rules("9 Sources/A\n3 Tests/C\n").lowered == "2 Sources/A\n")
        #expect(rules("1 Sources/A\n").lowered == "1 Sources/A\n")
    }
}
