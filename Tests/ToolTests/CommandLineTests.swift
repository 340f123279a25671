import ArgumentParser
import CommandLineSupport
import Foundation
import TestSupport
import Testing

@testable import faultline

/// Tests of the command line: versions, suggestions for misspelt words, examples and colours.
@Suite(.enabled(if: Tool.isBuilt, "the faultline executable has not been built"))
struct CommandLineTests {
    @Test func `the version is that of the changelog`() throws {
        let file = Tool.root.appendingPathComponent("CHANGELOG.md")
        let heading = try String(contentsOf: file, encoding: .utf8)
            .split(separator: "\n").first { $0.hasPrefix("## ") }
        let version = try #require(heading?.dropFirst(3).split(separator: " ").first)
        #expect(FaultlineVersion.text == version)
        #expect(try Tool.run("--version").output == "\(version)\n")
    }

    @Test(arguments: [
        ("rnu", "run"), ("explroe", "explore"), ("sqll", "sql"), ("comapre", "compare"),
        ("self", "selfcheck"), ("Bench", "bench"), ("gat", "gate"),
    ])
    func `a mistyped command is reported with the nearest one`(typed: String, meant: String)
        throws
    {
        let result = try Tool.run(typed, "some.yaml")
        #expect(result.status == 64)
        #expect(
            result.complaint
                == "faultline: unknown command '\(typed)'; did you mean '\(meant)'?\n")
        #expect(try Tool.run("help", typed).status == 64)
    }

    @Test func `a word that resembles no command is reported with a reference to the help`() throws
    {
        let result = try Tool.run("bookshelf")
        #expect(result.status == 64)
        #expect(result.complaint.contains("unknown command 'bookshelf'"))
        #expect(result.complaint.contains("--help"))
    }

    @Test func `the help of every command has examples, which are commands`() throws {
        for command in Faultline.configuration.subcommands
        where command.configuration.shouldDisplay {
            let help = Faultline.helpMessage(for: command, columns: 200)
            let lines = help.components(separatedBy: "\n")
            guard let start = lines.firstIndex(where: { $0.hasSuffix("Examples:") }) else {
                Issue.record("\(command) has no examples")
                continue
            }
            let examples = lines[(start + 1)...].prefix { $0.hasPrefix("  faultline ") }
            #expect(!examples.isEmpty, "\(command)")
            for example in examples where !example.contains(" port ") {
                let shown = ShownCommand(
                    place: "help", line: example.trimmingCharacters(in: .whitespaces))
                guard let words = shown.arguments else { continue }
                do {
                    _ = try Faultline.parseAsRoot(words)
                } catch {
                    Issue.record("\(example): \(Faultline.message(for: error))")
                }
            }
        }
    }

    @Test func `colours can be forced and disabled, at any position of the option`() throws {
        let scratch = try Scratch()
        let saved = try scratch.write(Saved.bench(), to: "saved.json")
        for arguments in [
            ["compare", saved, saved, "--color", "always"],
            ["--color", "always", "compare", saved, saved],
            ["compare", "--color=always", saved, saved],
        ] {
            let result = try Tool.run(list: arguments)
            #expect(result.status == 0, "\(result.complaint)")
            #expect(result.output.contains("\u{1B}[32mgate passed"))
        }
        let never = try Tool.run("--color=never", "compare", saved, saved)
        #expect(never.status == 0 && !never.output.contains("\u{1B}"))
        #expect(try Tool.run("compare", saved, saved, "--color", "pink").status == 64)
    }

    @Test func `the manual page has every command, and completions are written`() throws {
        let page = try Tool.run("manual")
        #expect(page.status == 0)
        #expect(page.output.hasPrefix(".TH FAULTLINE 1"))
        for command in Faultline.configuration.subcommands
        where command.configuration.shouldDisplay {
            let name = command.configuration.commandName ?? ""
            #expect(page.output.contains("\n.SS faultline \(name)\n"), "\(name)")
        }
        for shell in ["bash", "zsh", "fish"] {
            let script = try Tool.run("--generate-completion-script", shell)
            #expect(script.status == 0 && script.output.contains("explore"))
        }
    }

    @Test func `a folder of saved results becomes a page of trends`() throws {
        let scratch = try Scratch()
        let results = scratch.path("results")
        try FileManager.default.createDirectory(
            atPath: results, withIntermediateDirectories: false)
        for (name, selects) in [("one.json", 2), ("two.json", 5)] {
            try Data(Saved.bench(selects: selects).utf8)
                .write(to: URL(fileURLWithPath: results + "/" + name))
        }
        let report = try Tool.run("report", "--history", results, "--to", scratch.path("pages"))
        #expect(report.status == 0, "\(report.complaint)")
        #expect(report.output.contains("statements 2 → 5"))
        #expect(FileManager.default.fileExists(atPath: scratch.path("pages/history.html")))
        #expect(try Tool.run("report").status == 64)
        #expect(try Tool.run("report", "--history", scratch.path("pages")).status == 2)
    }
}
