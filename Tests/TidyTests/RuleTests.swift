import Testing

/// Tests that each rule rejects a bad file and accepts a corrected copy of it.
@Suite struct RuleTests {
    private func file(_ path: String, _ text: String) -> SourceFile {
        SourceFile(path: path, text: text)
    }

    @Test func `blanking keeps code and interpolations and drops comments and strings`() {
        let text = """
            let a = "x // y \\(call("inner")) z" // note
            /* one /* two */ three */ let b = #"raw "quoted" "#
            """
        let code = file("Sources/A/A.swift", text).code
        #expect(code[0].contains("call("))
        #expect(!code[0].contains("inner") && !code[0].contains("note") && !code[0].contains("y"))
        #expect(code[1].contains("let b = #\""))
        #expect(!code[1].contains("three") && !code[1].contains("quoted"))
    }

    @Test func `a wide line is found and a wide table is not`() {
        let wide = String(repeating: "x", count: 101)
        #expect(SizeRules.wideLines(file("Sources/A/A.swift", wide)).count == 1)
        #expect(SizeRules.wideLines(file("README.md", "| \(wide) |")).isEmpty)
    }

    @Test(arguments: [(68, 0), (69, 1)])
    func `a function is measured from its keyword to its brace`(lines: Int, found: Int) {
        let body = String(repeating: "    f({ $0 })\n", count: lines)
        let text = "struct A {\n  func g(\n_ x: Int) {\n\(body)}\n  func h() {}\n}\n"
        // The signature takes two lines and the opening brace one more.
        let shorter = text.replacing("func g(\n_ x: Int)", with: "func g(_ x: Int)")
        #expect(SizeRules.longFunctions(file("Sources/A/A.swift", shorter)).count == found)
    }

    @Test func `a protocol requirement has no body`() {
        let text = "protocol P {\n  func a() -> Int\n  func b()\n}\n"
        #expect(Functions.all(in: file("Sources/A/A.swift", text)).isEmpty)
    }

    @Test func `an import outside the table is found`() {
        let bad = file("Sources/LabResults/A.swift", "import Foundation\n")
        #expect(ImportRules.check(bad).map(\.line) == [1])
        #expect(ImportRules.check(file("Sources/LabReport/A.swift", "import Foundation")).isEmpty)
        let queue = file("Sources/CoreDataStore/Stores/A.swift", "import Dispatch")
        #expect(ImportRules.check(queue).map(\.rule) == ["import-dispatch"])
        let home = file("Sources/CoreDataStore/Confinement/A.swift", "import Dispatch")
        #expect(ImportRules.check(home).isEmpty)
    }

    @Test func `a lower folder that names a higher type is found`() {
        let high = file("Sources/CoreDataEngine/Migration/A.swift", "final class StageRunner {}")
        let low = file("Sources/CoreDataEngine/Context/B.swift", "let r: StageRunner")
        #expect(LayerRules.upward([high, low]).map(\.path) == [low.path])
        let peer = file("Sources/CoreDataEngine/Container/B.swift", "let r: StageRunner")
        #expect(LayerRules.upward([high, peer]).isEmpty)
    }

    @Test func `a lower folder that uses a member of a higher one is found`() {
        let member = "extension NSPersistentStoreCoordinator {\n    func openBackend() {}\n}"
        let high = file("Sources/CoreDataStore/Coordinator/A.swift", member)
        let low = file("Sources/CoreDataStore/Stores/B.swift", "let b = try openBackend()")
        #expect(LayerRules.upward([high, low]).map(\.path) == [low.path])
        let dotted = file("Sources/CoreDataStore/Stores/C.swift", "let b = self.openBackend")
        #expect(LayerRules.upward([high, dotted]).map(\.path) == [dotted.path])
        // The rule accepts a name that a lower folder or a lower module also declares.
        let same = file("Sources/CoreDataStore/Vocabulary/D.swift", member)
        #expect(LayerRules.upward([high, low, same]).isEmpty)
        let leaf = file("Sources/CoreDataSQLite/E.swift", member)
        #expect(LayerRules.upward([high, low, leaf]).isEmpty)
        let own = file(
            "Sources/CoreDataStore/Stores/F.swift",
            "func make(_ openBackend: () -> Int) -> Int { openBackend() }")
        #expect(LayerRules.upward([high, own]).isEmpty)
    }

    @Test func `a lower folder that uses a constant of a higher one is found`() {
        let high = file("Sources/CoreDataStore/History/A.swift", "public let NSAKey = \"a\"")
        let low = file("Sources/CoreDataStore/Stores/B.swift", "let b = info[NSAKey]")
        #expect(LayerRules.upward([high, low]).map(\.path) == [low.path])
    }

    @Test func `a lower folder of the lab that uses a member of a higher one is found`() {
        let member = "extension Scenario {\n    var isChecked: Bool { true }\n}"
        let high = file("Sources/LabScenario/Check/A.swift", member)
        let low = file("Sources/LabScenario/Steps/B.swift", "let b = scenario.isChecked")
        #expect(LayerRules.upward([high, low]).map(\.path) == [low.path])
        let global = file("Sources/LabScenario/Check/C.swift", "func checked() {}")
        let caller = file("Sources/LabScenario/Steps/D.swift", "let d = checked()")
        #expect(LayerRules.upward([global, caller]).map(\.path) == [caller.path])
        let peer = file("Sources/LabScenario/Keys/E.swift", "let e = scenario.isChecked")
        #expect(LayerRules.upward([high, peer]).isEmpty)
        // A folder of another module is not a lower folder, even if it has the same name.
        let other = file("Sources/LabReport/Text/F.swift", "let f = scenario.isChecked")
        #expect(LayerRules.upward([high, other]).isEmpty)
    }

    @Test func `a file outside the order of its module is found`() {
        let loose = file("Sources/LabScenario/A.swift", "struct A {}")
        let unknown = file("Sources/LabScenario/Elsewhere/B.swift", "struct B {}")
        let known = file("Sources/LabScenario/Text/C.swift", "struct C {}")
        let found = LayerRules.unknownFolders([loose, unknown, known])
        #expect(found.map(\.path) == [loose.path, unknown.path])
    }

    @Test func `a header of a file is found and documentation is accepted`() {
        let header = file("Sources/A/A.swift", "// Owns it.\n\nstruct A {}")
        #expect(TextRules.headers(header).map(\.line) == [1])
        let good = file("Sources/A/B.swift", "/// It.\nstruct B {}")
        #expect(TextRules.headers(good).isEmpty)
        let manifest = file("Package.swift", "// swift-tools-version: 6.2\n")
        #expect(TextRules.headers(manifest).isEmpty)
    }

    @Test func `an escape hatch needs its reason`() {
        let bad = "extension A: @unchecked Sendable {}"
        #expect(CodeRules.hatches(file("Sources/A/A.swift", bad)).count == 1)
        let good = "// `@unchecked Sendable` because a mutex guards it.\n" + bad
        #expect(CodeRules.hatches(file("Sources/A/A.swift", good)).isEmpty)
    }

    @Test(arguments: ["let a = b!", "let a = try! f()", "let a = b as! C", "f()!.g()", "a[0]!"])
    func `a forced operation needs its reason`(line: String) {
        #expect(CodeRules.forced(file("Sources/A/A.swift", line)).count == 1)
        #expect(CodeRules.forced(file("Sources/A/A.swift", line + " // Safe: it is")).isEmpty)
    }

    @Test(arguments: [
        "public var a: String! { b }", "open var a: Int! { b }", "public var a: [Int]!",
        "if !a {}", "a != b", "x = !y",
        "// wait!", "let s = \"no!\"",
    ])
    func `negation and text are not forced operations`(line: String) {
        #expect(CodeRules.forced(file("Sources/A/A.swift", line)).isEmpty)
    }

    @Test func `printing, sleeping and silent traps are found`() {
        #expect(CodeRules.printing(file("Sources/LabReport/A.swift", "print(1)")).count == 1)
        #expect(CodeRules.printing(file("Sources/LabReport/A.swift", "a.print(1)")).isEmpty)
        #expect(CodeRules.sleeping(file("Tests/ATests/A.swift", "usleep(1)")).count == 1)
        #expect(CodeRules.fatalErrors(file("Sources/A/A.swift", "fatalError()")).count == 1)
        #expect(CodeRules.fatalErrors(file("Sources/A/A.swift", "fatalError(\"a\")")).isEmpty)
        for call in ["fatalError(\"a\")", "precondition(a, \"b\")", "preconditionFailure(\"a\")"] {
            #expect(CodeRules.traps(file("Sources/CoreDataModel/A.swift", call)).count == 1)
            #expect(CodeRules.traps(file("Sources/LabBench/A.swift", call)).isEmpty)
        }
        let traps = "trap(\"a\")\ntrap(unless: a, \"b\")\norTrap { try a() }"
        #expect(CodeRules.traps(file("Sources/CoreDataModel/A.swift", traps)).isEmpty)
    }

    @Test(arguments: [
        "guard let a = FileHandle(forReadingAtPath: path) else {",
        "let b = try Data(contentsOf: c)",
        "let d = open(path, O_RDONLY)", "FileManager.default.contents(atPath: path)",
    ])
    func `opening a file near SQLite stores is found`(line: String) {
        let near = "Sources/CoreDataStore/Stores/SQLite/Schema/A.swift"
        #expect(CodeRules.fileReads(file(near, line)).count == 1)
        #expect(CodeRules.fileReads(file("Sources/LabBench/A.swift", line)).isEmpty)
        #expect(CodeRules.fileReads(file(near, "let opened = try opening.open()")).isEmpty)
        #expect(CodeRules.fileReads(file(near, "keys.append(contentsOf: more)")).isEmpty)
    }

    @Test func `a declaration that nothing names is found`() {
        let dead = file("Sources/A/A.swift", "struct A {\n    let unused = 1\n    let used = 2\n}")
        let user = file("Tests/B/B.swift", "let b = A().used")
        #expect(DeadCode([dead, user]).declarations().map(\.line) == [2])
        let open = file("Sources/A/A.swift", "public struct A {\n    public let unused = 1\n}")
        #expect(DeadCode([open]).declarations().isEmpty)
        let named = file("Sources/A/A.swift", "let a = 1\nprint(\"\\(a)\")")
        #expect(DeadCode([named]).declarations().isEmpty)
    }

    @Test func `a parameter that nothing reads is found`() {
        func found(_ text: String) -> Int {
            DeadCode([file("Sources/A/A.swift", text)]).parameters().count
        }
        #expect(found("func f(_ a: Int, at b: [Int: Int]) -> Int {\n    a\n}") == 1)
        #expect(found("func f(_ a: (Int, Int) -> Int, b: Int = 1) {\n    a(b, b)\n}") == 0)
        #expect(found("func f<T>(_ type: T.Type) -> T? {\n    nil\n}") == 0)
        #expect(found("public func f(a: Int) {\n}") == 0)
        // The functions share a name, because a protocol requires the parameter.
        #expect(found("protocol P {\n    func f(a: Int)\n}\nfunc f(a: Int) {\n}") == 0)
    }

    @Test(arguments: [
        "case .a, .b where c:", "case .a,\n    .b\n    where c:", "case (1, 2), (3, 4) where c:",
    ])
    func `a condition after several patterns is found`(line: String) {
        #expect(CodeRules.conditionsOfOnePattern(file("Sources/A/A.swift", line)).count == 1)
    }

    @Test(arguments: [
        "case .a where c:", "case (let a, 2) where c:", "case .a, .b:\n    f(where: c)",
        "case a, b\n\nfunc f<T>(_ t: T) where T: P {}", "case .a where c, .b where c:",
    ])
    func `a condition of one pattern is accepted`(line: String) {
        #expect(CodeRules.conditionsOfOnePattern(file("Sources/A/A.swift", line)).isEmpty)
    }

    @Test func `markers, machine paths and second titles are found`() {
        #expect(CodeRules.markers(file("Sources/A/A.swift", "// TO" + "DO: later")).count == 1)
        #expect(TextRules.machinePaths(file("README.md", "see /ho" + "me/me/x")).count == 1)
        #expect(TextRules.titles(file("README.md", "# A\n# B\n")).count == 1)
        #expect(TextRules.titles(file("README.md", "# A\n```\n# b\n```\n")).isEmpty)
        #expect(TextRules.whiteSpace(file("README.md", "a \nb")).count == 2)
    }

    @Test func `a public class of the contract outside its file is found`() {
        let text = "public final class NSThing {}"
        #expect(CodeRules.contractFiles(file("Sources/A/Other.swift", text)).count == 1)
        #expect(CodeRules.contractFiles(file("Sources/A/NSThing.swift", text)).isEmpty)
        let stray = file("Sources/A/NSThing+X.swift", "struct B {}")
        #expect(CodeRules.contractFiles(stray).count == 1)
    }

    @Test func `deviations and their tests are tied in both directions`() {
        let register = file("DEVIATIONS.md", "## D-001 One\n## D-002 Two\n")
        let tests = file("Tests/ATests/A.swift", "// D-001\n// D-009\n")
        let found = DeviationRules.check(register: register, tests: [tests])
        #expect(found.map(\.path) == ["DEVIATIONS.md", tests.path])
        #expect(found.map(\.line) == [2, 2])
    }

    @Test func `a statement without a test, and a mark without a statement, are found`() {
        let list = file(
            "Tests/Statements.txt",
            "Preface\n# 1 One\nS1-1 A is shown\nS1-2 M is not\nS1-3 A differs [D-001]\n"
                + "S1-4 A waits [open]\nS1-4 A twice\nS1-5 M differs [D-009]\n")
        let text = """
            struct Suite {
                // Proves S1-1, S1-4
                @Test func `a name`() {}
                // Proves S1-7
                func testName() {}
                // Proves S1-1
                let noTest = 0
            }
            """
        let page = ConformancePage(list: list, tests: [file("Tests/ATests/A.swift", text)])
        let found = page.violations(register: file("DEVIATIONS.md", "## D-001 One\n"))
        #expect(
            found.map { "\($0.path):\($0.line)" } == [
                "Tests/Statements.txt:7", "Tests/ATests/A.swift:6", "Tests/ATests/A.swift:4",
                "Tests/Statements.txt:4", "Tests/Statements.txt:6", "Tests/Statements.txt:8",
            ])
        #expect(page.markdown.contains("| S1-1 | A | is shown | `Suite.a name` |"))
        #expect(
            page.markdown.contains("5 statements: 2 shown by tests, 2 with a deviation, 1 open."))
    }

    @Test func `an open member that the client does not override is found`() {
        let path = "Tests/Clients/Overrides/Sources/EveryContext.swift"
        let files = Repository.swift.map { file in
            guard file.path == path else { return file }
            let lines = file.lines.map { $0.replacing("override func save", with: "func keep") }
            return SourceFile(path: path, text: lines.joined(separator: "\n"))
        }
        let told = OverrideRules.check(files).map(\.fix)
        #expect(told == ["override save in EveryContext, 1 of that name are open"])
    }
}
