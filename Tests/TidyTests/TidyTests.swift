import Foundation
import Testing

/// Runs every rule over the repository.
@Suite struct TidyTests {
    private static let deadCode = DeadCode(Repository.swift)
    private static let upward = LayerRules.upward(Repository.sources)

    @Test func `the repository has sources, tests and pages`() {
        #expect(Repository.sources.count > 20)
        #expect(Repository.tests.count > 10)
        #expect(Repository.files.contains { $0.path == "README.md" })
    }

    @Test func `no line is wider than 100 columns`() {
        expectNone(Repository.files.flatMap(SizeRules.wideLines))
    }

    @Test func `no function is longer than 70 lines`() {
        expectNone(Repository.swift.flatMap(SizeRules.longFunctions))
    }

    @Test func `no file has more than 500 lines of code`() {
        expectNone(Repository.swift.flatMap(SizeRules.longFiles))
    }

    @Test func `every open member of the stack's classes is overridden in the client package`() {
        expectNone(OverrideRules.check(Repository.swift))
        expectNone(Repository.sources.flatMap(OverrideRules.hiddenInitializers))
    }

    @Test func `every import is in the table of its module`() {
        expectNone(Repository.sources.flatMap(ImportRules.check))
    }

    @Test func `a program that measures is built without the lab, the tool without attacks`() {
        let lab: Set = [
            "FaultlineRecorder", "LabCheck", "LabCommands", "LabReport", "LabResults", "LabRunner",
            "LabScenario", "LabSchedule", "LabTorture", "SQLAnalysis", "ScenarioWriting",
        ]
        #expect(ImportRules.compiled(for: "LabTorture").isSuperset(of: ["LabRunner", "LabCheck"]))
        #expect(ImportRules.compiled(for: "FaultlineBench").intersection(lab) == [])
        #expect(ImportRules.compiled(for: "FaultlineBench").contains("BenchOperations") == false)
        let attacks: Set = ["CoreDataDocuments", "CrashAttacks", "FuzzAttacks", "LabTorture"]
        #expect(ImportRules.compiled(for: "faultline").intersection(attacks) == [])
        #expect(ImportRules.compiled(for: "LabCommands").contains("LabBench") == false)
    }

    @Test func `the umbrella module has only re-exports`() {
        expectNone(Repository.sources.flatMap(ImportRules.umbrella))
    }

    @Test func `every file of a module with layers is in a folder of their order`() {
        expectNone(LayerRules.unknownFolders(Repository.sources))
    }

    @Test func `no folder names a type, a global or a member of a higher folder`() {
        expectNone(Self.upward)
    }

    @Test func `a page of each module with layers shows the layers that are checked`() {
        for layers in ModuleLayers.all {
            let diagram = "```\n\(layers.diagram)\n```"
            let isShown = Repository.files.contains {
                $0.module == layers.module && $0.isMarkdown && $0.text.contains(diagram)
            }
            #expect(isShown, "Sources/\(layers.module) has no page with:\n\(diagram)")
        }
    }

    private func manifest() throws -> Manifest {
        Manifest(try #require(Repository.files.first { $0.path == "Package.swift" }))
    }

    @Test func `the page of the architecture shows the arrows of the manifest`() throws {
        let file = Repository.root.appendingPathComponent(ModuleDrawing.path)
        let page = try String(contentsOf: file, encoding: .utf8)
        let updated = try #require(ModuleDrawing(manifest()).updating(page))
        if ProcessInfo.processInfo.environment["FAULTLINE_REFRESH"] != nil {
            try updated.write(to: file, atomically: true, encoding: .utf8)
        } else {
            #expect(page == updated, "run this test with FAULTLINE_REFRESH=1")
        }
    }

    @Test func `the page of the architecture names every module in 250 lines`() throws {
        let page = try #require(Repository.files.first { $0.path == ModuleDrawing.path })
        for module in try manifest().modules where !module.isTest {
            #expect(page.text.contains("`\(module.name)`"), "add \(module.name) to \(page.path)")
        }
        #expect(page.lines.count <= 251, "move a chapter to a page of its module")
    }

    @Test func `every link of a page leads to a file`() {
        let root = Repository.root
        expectNone(
            Repository.files.flatMap { file in
                TextRules.links(file) {
                    FileManager.default.fileExists(atPath: root.appendingPathComponent($0).path)
                }
            })
    }

    @Test func `the first page's program is the example that is built`() throws {
        let page = try #require(Repository.files.first { $0.path == "README.md" })
        let program = try #require(
            Repository.files.first { $0.path.hasSuffix("/first-steps/main.swift") })
        let text = program.lines.joined(separator: "\n").trimmingCharacters(in: .newlines)
        #expect(page.lines.joined(separator: "\n").contains("```swift\n\(text)\n```"))
    }

    @Test func `no declaration is unused`() {
        expectNone(Self.deadCode.declarations())
    }

    @Test func `no parameter is unused`() {
        expectNone(Self.deadCode.parameters())
    }

    @Test func `every unchecked conformance names its guard`() {
        expectNone(Repository.swift.flatMap(CodeRules.hatches))
    }

    @Test func `every forced operation in the sources says why it is safe`() {
        expectNone(Repository.sources.flatMap(CodeRules.forced))
    }

    @Test func `every fatal error has a message`() {
        expectNone(Repository.swift.flatMap(CodeRules.fatalErrors))
    }

    @Test func `the engine ends a process with a text in release builds too`() {
        expectNone(Repository.sources.flatMap(CodeRules.traps))
    }

    @Test func `only the executable prints`() {
        expectNone(Repository.sources.flatMap(CodeRules.printing))
    }

    @Test func `only SQLite opens files near SQLite stores`() {
        expectNone(Repository.sources.flatMap(CodeRules.fileReads))
    }

    @Test func `only the folder of stores names the class of SQLite stores`() {
        expectNone(Repository.sources.flatMap(CodeRules.concreteStores))
    }

    @Test func `no condition follows several patterns`() {
        expectNone(Repository.swift.flatMap(CodeRules.conditionsOfOnePattern))
    }

    @Test func `no test sleeps`() {
        expectNone(Repository.tests.flatMap(CodeRules.sleeping))
    }

    @Test func `no marker of unfinished work is left`() {
        expectNone(Repository.files.flatMap(CodeRules.markers))
    }

    @Test func `every class of the contract is in the file with its name`() {
        expectNone(Repository.sources.flatMap(CodeRules.contractFiles))
    }

    @Test func `every page has exactly one title`() {
        expectNone(Repository.files.flatMap(TextRules.titles))
    }

    @Test func `the top of the repository has only the files of the list`() {
        expectNone(Repository.files.flatMap(TextRules.strays))
    }

    @Test func `no file begins with a header`() {
        expectNone(Repository.swift.flatMap(TextRules.headers))
    }

    @Test func `no path of one machine is left`() {
        expectNone(Repository.files.flatMap(TextRules.machinePaths))
    }

    @Test func `no file names the tools it was written with`() {
        expectNone(Repository.files.flatMap(TextRules.tools))
    }

    @Test func `no line ends in white space and every file in a newline`() {
        expectNone(Repository.files.flatMap(TextRules.whiteSpace))
    }

    @Test func `every deviation has a test and every named deviation an entry`() throws {
        let register = try #require(Repository.files.first { $0.path == "DEVIATIONS.md" })
        let tests = Repository.tests.filter { $0.module != "TidyTests" }
        expectNone(DeviationRules.check(register: register, tests: tests))
    }

    private func conformance() throws -> ConformancePage {
        let list = try #require(Repository.files.first { $0.path == "Tests/Statements.txt" })
        return ConformancePage(
            list: list, tests: Repository.tests.filter { $0.module != "TidyTests" })
    }

    @Test func `every statement about Core Data has a test or a deviation`() throws {
        let register = try #require(Repository.files.first { $0.path == "DEVIATIONS.md" })
        expectNone(try conformance().violations(register: register))
    }

    @Test func `the page of conformance matches list and tests`() throws {
        let file = Repository.root.appendingPathComponent(ConformancePage.path)
        let page = try conformance().markdown
        if ProcessInfo.processInfo.environment["FAULTLINE_REFRESH"] != nil {
            try page.write(to: file, atomically: true, encoding: .utf8)
        }
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text == page, "run this test with FAULTLINE_REFRESH=1")
    }

    @Test func `no text has an idiom that the page of style replaces`() throws {
        let file = Repository.root.appendingPathComponent(ProseRules.path)
        let list = try String(contentsOf: file, encoding: .utf8)
        let rules = ProseRules(list: list, files: Repository.files)
        expectNone(rules.violations)
        if ProcessInfo.processInfo.environment["FAULTLINE_REFRESH"] != nil {
            try rules.lowered.write(to: file, atomically: true, encoding: .utf8)
        } else {
            #expect(list == rules.lowered, "run this test with FAULTLINE_REFRESH=1")
        }
    }

    @Test func `every exception is still needed`() {
        let paths = Set(Exceptions.all.map(\.path))
        let files = Repository.files.filter { paths.contains($0.path) }
        let (swift, sources) = (files.filter(\.isSwift), files.filter { $0.isSwift && $0.isSource })
        let found =
            files.flatMap(SizeRules.wideLines) + swift.flatMap(SizeRules.longFunctions)
            + swift.flatMap(SizeRules.longFiles) + sources.flatMap(ImportRules.check)
            + Self.upward + swift.flatMap(CodeRules.hatches) + sources.flatMap(CodeRules.forced)
            + sources.flatMap(CodeRules.contractFiles) + files.flatMap(TextRules.machinePaths)
            + swift.flatMap(TextRules.headers) + files.flatMap(TextRules.whiteSpace)
        for exception in Exceptions.all {
            let isNeeded = found.contains {
                $0.rule == exception.rule && $0.path == exception.path
            }
            #expect(isNeeded, "\(exception.path): \(exception.rule): remove the exception")
            #expect(!exception.reason.isEmpty)
        }
    }
}
