import Foundation
import TestSupport
import Testing

/// A file from an untrusted source cannot do harm.
@Suite(.enabled(if: Tool.isBuilt, "the faultline executable has not been built"))
struct StrangersFileTests {
    private static let scenario = #"""
        name: terminal
        about: "\e]0;OWNED\a\e[2J\e[31mall gates passed"
        model: {entities: {Account: {attributes: {balance: integer64 required default 0}}}}
        contexts: {A: {policy: error}}
        setup: [insert Account as a with balance = 10]
        sessions:
          one: {context: A, steps: {r1: read a.balance, s1: save}}
        observe: {balance: read Account.balance}
        outcomes:
          - {grade: interesting, is: {balance: "*"}, because: "\e[32many"}

        """#

    @Test(arguments: ["run", "lint", "explore"])
    func `escape sequences of a scenario reach no terminal and no page`(command: String) throws {
        let scratch = try Scratch()
        let file = try scratch.write(Self.scenario, to: "terminal.yaml")
        let pages = scratch.folder.appendingPathComponent("pages").path
        var arguments = ["--color", "always", command, file]
        if command == "run" { arguments += ["--report", pages] }
        let result = try Tool.run(list: arguments)
        for text in [result.output, result.complaint] {
            #expect(!text.contains("\u{07}") && !text.contains("\u{1B}[2J"))
            #expect(!text.contains("\u{1B}[31mall gates") && !text.contains("\u{1B}[32many"))
        }
        guard command == "run" else { return }
        let files = try FileManager.default.contentsOfDirectory(atPath: pages)
        #expect(!files.isEmpty)
        for name in files {
            let text = try String(contentsOfFile: "\(pages)/\(name)", encoding: .utf8)
            #expect(!text.contains("\u{1B}") && !text.contains("\u{07}"), "\(name)")
        }
    }

    @Test func `a pattern that would take minutes ends the step with an error`() throws {
        let scratch = try Scratch()
        let text = Self.scenario
            .replacing("balance: integer64 required default 0", with: "name: string")
            .replacing("balance = 10", with: "name = \"\(String(repeating: "a", count: 40))!\"")
            .replacing("read a.balance", with: #"'fetch Account where name MATCHES "(a+)+$"'"#)
            .replacing("{balance: read Account.balance}", with: "{r: status r1}")
            .replacing("is: {balance: \"*\"}", with: "is: {r: ok}")
        let file = try scratch.write(text, to: "pattern.yaml")
        let result = try Tool.run("explore", file)
        #expect(!result.output.contains("r = ok"), "\(result.output)")
        #expect((result.output + result.complaint).contains("r = "))
    }

    @Test func `saved output replaces only files, and links stay`() throws {
        let scratch = try Scratch()
        let file = try scratch.write(Self.scenario, to: "terminal.yaml")
        let target = try scratch.write("old", to: "target.json")
        let link = scratch.folder.appendingPathComponent("link.json").path
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: "target.json")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: target)
        _ = try Tool.run("run", file, "--save", link)
        let status = try FileManager.default.attributesOfItem(atPath: target)
        #expect((status[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "target.json")
        #expect(try String(contentsOfFile: target, encoding: .utf8).hasPrefix("{"))
        let shown = try Tool.run("run", file, "--save", "/dev/stdout")
        #expect(shown.output.contains("\"scenarios\""))
    }
}
