import Foundation
import TestSupport
import Testing

/// A part of a page that the test carries out.
private enum Part: Equatable {
    case command([String], output: String)
    /// Lines that the page asks to append to the file.
    case addition(String)
}

@Suite(.enabled(if: Tool.isBuilt, "the faultline executable has not been built"))
struct PageTests {
    @Test func `the tutorial shows the output of the tool`() throws {
        let page = try String(
            contentsOf: Tool.root.appendingPathComponent("Scenarios/README.md"), encoding: .utf8)
        let parts = Self.parts(of: page)
        #expect(parts.count == 6)
        let scratch = try Scratch()
        for part in parts {
            switch part {
            case .command(let arguments, let output):
                let result = try Tool.run(list: arguments, in: scratch.folder)
                #expect(result.output == output, "\(arguments)")
                #expect(result.complaint.isEmpty)
            case .addition(let text):
                let file = scratch.path("two-tills.yaml")
                let old = try String(contentsOfFile: file, encoding: .utf8)
                _ = try scratch.write(old + text, to: "two-tills.yaml")
            }
        }
    }

    @Test func `the page lists every scenario of the catalogue once`() throws {
        let folder = Tool.root.appendingPathComponent("Scenarios")
        let page = try String(
            contentsOf: folder.appendingPathComponent("README.md"), encoding: .utf8)
        let course = page.components(separatedBy: "## Pending reports")[0]
        let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap {
            $0 as? String
        }
        let bugs = (names ?? []).filter { $0.hasSuffix(".yaml") && $0.contains("/mb-") }
        #expect(bugs.count == 59)
        for bug in bugs {
            #expect(course.components(separatedBy: "(\(bug))").count == 2, "\(bug)")
        }
        let pending = try bugs.filter { bug in
            let text = try String(
                contentsOf: folder.appendingPathComponent(bug), encoding: .utf8)
            return text.contains("\npending: ")
        }
        #expect(page.contains("59 reports are here; \(pending.count) of them cannot run yet"))
    }

    /// The commands of a page in `console` blocks, with their output, and the lines to append in
    /// `yaml` blocks.
    private static func parts(of page: String) -> [Part] {
        page.components(separatedBy: "\n```").enumerated().compactMap { index, block -> Part? in
            guard index % 2 == 1, let lineEnd = block.firstIndex(of: "\n") else { return nil }
            let body = String(block[block.index(after: lineEnd)...]) + "\n"
            switch block[..<lineEnd] {
            case "yaml": return .addition(body)
            case "console":
                let lines = body.split(separator: "\n", maxSplits: 1)
                let words = lines[0].split(separator: " ").dropFirst(2)
                let arguments = words.map { $0.trimmingCharacters(in: ["'"]) }
                return .command(arguments, output: lines.count > 1 ? String(lines[1]) : "")
            default: return nil
            }
        }
    }
}
