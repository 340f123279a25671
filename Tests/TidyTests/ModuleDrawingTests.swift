import Testing

/// Tests of the drawing of modules: it must show each arrow of a manifest that does not follow
/// from others.
@Suite struct ModuleDrawingTests {
    private let sample = Manifest(
        SourceFile(
            path: "Package.swift",
            text: """
                let package = Package(
                    products: [.library(name: "Top", targets: ["Top"])],
                    targets: [
                        // A comment, with a comma and "quotes"
                        .target(name: "CLeaf", linkerSettings: [.linkedLibrary("z")]),
                        module("Low", ["CLeaf"], swiftSettings: plain),
                        module(
                            "High",
                            [
                                "Low", argumentParser, "CLeaf",
                                // Only for its symbols
                                .product(name: "Yams", package: "Yams"),
                            ]),
                        .executableTarget(
                            name: "top", dependencies: ["Low", "High"] + other),
                        .plugin(
                            name: "Gate", capability: .command(permissions: [.write("Low")])),
                        .target(name: "Help", dependencies: ["Low"], path: "Tests/Help"),
                        .testTarget(name: "topTests", dependencies: ["top"]),
                        tests("LowTests", ["Low"], exclude: ["High"]),
                    ]
                )
                """))

    @Test func `a manifest is read with its targets and their dependencies`() {
        let modules = sample.modules.filter { !$0.isTest }
        #expect(modules.map(\.name) == ["CLeaf", "Low", "High", "top", "Gate"])
        #expect(
            modules.map(\.dependencies)
                == [[], ["CLeaf"], ["Low", "CLeaf"], ["Low", "High"], []])
        let tests = sample.modules.filter(\.isTest)
        #expect(tests.map(\.name) == ["Help", "topTests", "LowTests"])
        #expect(tests.map(\.dependencies) == [["Low"], ["top"], ["Low"]])
    }

    @Test func `arrows that follow from others are left out, and no arrow points up`() {
        let drawing = """
            3   top   →  High
            2   High  →  Low
            1   Low   →  CLeaf
            0   Gate
                CLeaf
            """
        #expect(ModuleDrawing(sample).text == drawing)
    }

    @Test func `only the drawing of a page is replaced`() {
        func page(_ drawing: String) -> String {
            "# A\n\n\(ModuleDrawing.mark)\(drawing)\n```\n\nMore.\n\n```\nother\n```\n"
        }
        let drawing = ModuleDrawing(sample)
        #expect(drawing.updating(page("old\n\nlines")) == page(drawing.text))
        #expect(drawing.updating("# A\n\n```\nold\n```\n") == nil)
    }

    @Test func `a link to a missing file is found`() {
        let page = SourceFile(
            path: "Sources/A/A.md",
            text: "# A\n[b](../B/B.md#top), [c](C.md) and [d](https://example.org/d)\n[e](#e)")
        let found = TextRules.links(page) { $0 == "Sources/B/B.md" }
        #expect(found.map(\.line) == [2])
        #expect(found.first?.fix.contains("C.md") == true)
    }
}
