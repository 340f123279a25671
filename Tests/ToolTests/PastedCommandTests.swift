import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import faultline

/// Tests that every command line of a page or a message can be pasted into a shell. Short commands
/// run on small files. Long ones are only parsed with all their options.
@Suite(.enabled(if: Tool.isBuilt, "the faultline executable has not been built"))
struct PastedCommandTests {
    /// Lines that are only parsed, with the reasons.
    private static let parsedOnly = [
        "./faultline": "runs everything and writes Reports",
        "./faultline selfcheck": "explores for minutes",
        "./faultline torture": "attacks for minutes",
        "./faultline matrix --bless": "writes into the catalogue",
        "./faultline gate --baseline FILE --format markdown": "measures for minutes",
        "./faultline bench --save FILE": "measures for minutes",
        "./faultline sql LOG --format html": "reads a log of the reader's",
        "./faultline fetch STORE ENTITY --format html": "reads a store of the reader's",
    ]

    /// Prefixes of lines that are only parsed, with the reasons.
    private static let longBeginnings = [
        "./faultline bench --preset": "measures for minutes",
        "faultline bench --preset": "measures for minutes",
        "faultline gate --preset": "measures for minutes",
        "./faultline torture --": "attacks for a night",
        "./faultline port": "builds a program of its own",
    ]

    private static let pages = [
        "README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "HACKING.md", "Scenarios/README.md",
        "Scenarios/REFERENCE.md", "Workloads/README.md", "Benchmarks/README.md",
        "Reports/index.md", "Reports/scenarios.md", "Reports/matrix.md", "Reports/bench.md",
    ]

    private static func text(_ page: String) throws -> String {
        try String(contentsOf: Tool.root.appendingPathComponent(page), encoding: .utf8)
    }

    /// The command lines of all pages and messages, which all tests share.
    private static let all = Result { try find() }

    private static func shown() throws -> [ShownCommand] { try all.get() }

    private static func find() throws -> [ShownCommand] {
        var all = try pages.flatMap { ShownCommand.lines(of: try text($0), at: $0) }
        let sources = Tool.root.appendingPathComponent("Sources")
        let names = FileManager.default.enumerator(atPath: sources.path)?.compactMap {
            $0 as? String
        }
        for name in (names ?? []).filter({ $0.hasSuffix(".swift") }).sorted() {
            all += ShownCommand.messages(of: try text("Sources/\(name)"), at: name)
        }
        return all
    }

    private static func reason(_ line: String) -> String? {
        parsedOnly[line] ?? longBeginnings.first { line.hasPrefix($0.key) }?.value
    }

    @Test func `every page shows commands, and every exclusion occurs on a page`() throws {
        let lines = Set(try Self.shown().map(\.line))
        #expect(lines.count > 30)
        #expect(lines.contains { $0.hasPrefix("./test") })
        for line in Self.parsedOnly.keys where !lines.contains(line) {
            Issue.record("no page and no message shows '\(line)' any more")
        }
        for start in Self.longBeginnings.keys where !lines.contains(where: { $0.hasPrefix(start) })
        {
            Issue.record("no page and no message shows a line '\(start)…' any more")
        }
    }

    @Test func `every shown command line has the arguments of a command`() throws {
        for command in try Self.shown() {
            guard let arguments = command.arguments else { continue }
            if command.isName {
                let commands = Faultline.configuration.subcommands.map { $0._commandName }
                #expect(arguments.allSatisfy(commands.contains), "\(command)")
                continue
            }
            do {
                _ = try Faultline.parseAsRoot(arguments)
            } catch {
                Issue.record("\(command.place): \(command.line): \(Faultline.message(for: error))")
            }
        }
    }

    @Test func `commands in messages begin as a shell requires`() throws {
        let pages = Set(Self.pages)
        for command in try Self.shown() where !pages.contains(command.place) {
            #expect(command.words.first == "./faultline", "\(command.place): \(command.line)")
        }
    }

    @Test func `every short command line on a page succeeds`() throws {
        let scratch = try Scratch()
        let token = try Self.prepare(scratch)
        for command in try Self.shown() where Self.reason(command.line) == nil && !command.isName {
            guard let arguments = command.arguments, !command.place.hasPrefix("Reports/") else {
                continue
            }
            let filled = arguments.map { word in
                switch word {
                case "NAME": "written"
                case "FILE": "two-raises.yaml"
                case "PRODUCT", ".build/debug/MyPackageTests.xctest": Tool.testProduct
                case "TOKEN": token
                default: word
                }
            }
            // `new` does not overwrite a file, so it runs in an empty folder.
            let folder = filled.first == "new" ? try Scratch() : scratch
            let result = try Tool.run(list: filled, in: folder.folder)
            #expect(
                [0, 1, 3].contains(result.status),
                "\(command.place): \(command.line): \(result.status) \(result.complaint)")
        }
    }

    /// Creates the files that pages mention in a new folder.
    ///
    /// - Returns: the token of a finding.
    private static func prepare(_ scratch: Scratch) throws -> String {
        let readme = try text("README.md")
        let block = try #require(readme.components(separatedBy: "```yaml\n").dropFirst().first)
        let raises = block.components(separatedBy: "```")[0]
        _ = try scratch.write(raises, to: "two-raises.yaml")
        let made = try Tool.run("new", "two-tills", in: scratch.folder)
        #expect(made.status == 0)
        // Commands without a path read this folder.
        let catalogue = scratch.folder.appendingPathComponent("Scenarios")
        try FileManager.default.createDirectory(at: catalogue, withIntermediateDirectories: true)
        for name in ["two-raises.yaml", "two-tills.yaml"] {
            try FileManager.default.copyItem(
                atPath: scratch.path(name), toPath: catalogue.path + "/" + name)
        }
        let explored = try Tool.run("explore", "two-raises.yaml", in: scratch.folder)
        let line = try #require(
            explored.output.split(separator: "\n").first { $0.contains("./faultline replay '") })
        return String(try #require(line.split(separator: "'").dropFirst().first))
    }

    @Test func `the replay lines of reports lead to their schedules`() throws {
        let lines = try Self.pages.filter { $0.hasPrefix("Reports/") }.flatMap { page in
            ShownCommand.lines(of: try Self.text(page), at: page).filter {
                $0.arguments?.first == "replay"
            }
        }
        // Each line runs in a new process, so the test runs one line of every fourth scenario.
        let byScenario = Dictionary(grouping: lines) { $0.line.split(separator: "@")[0] }
        let chosen = byScenario.values.compactMap(\.first).sorted { $0.line < $1.line }
        #expect(!chosen.isEmpty)
        for command in chosen.enumerated().filter({ $0.offset % 4 == 0 }).map(\.element) {
            let result = try Tool.run(list: try #require(command.arguments))
            #expect(
                [0, 1].contains(result.status), "\(command.line): \(result.complaint)")
            #expect(!result.complaint.contains("file has changed"), "\(command.line)")
        }
    }
}
