import Foundation
import LabFiles
import LabScenario
import Testing

/// Small files that demand a lot of work.
@Suite struct LimitTests {
    private func matrix(_ axes: Int, of values: Int) -> String {
        let list = (0..<values).map(String.init).joined(separator: ", ")
        let names = (0..<axes).map { "p\($0)" }
        let sum = names.map { "$\($0)" }.joined(separator: " + ")
        return example(
            replacing: "  policy: [error, objectTrump]",
            with: "  policy: [error, objectTrump]\n"
                + names.map { "  \($0): [\(list)]" }.joined(separator: "\n")
        ).replacingOccurrences(of: "found.balance + 5", with: sum)
    }

    @Test func `a matrix with more cells than the limit is refused before any is created`() throws {
        let first = try #require(messages(matrix(5, of: 40)).first)
        #expect(
            first.hasPrefix("bad.yaml:21:3: the matrix has 204800000 cells, and at most 10000"))
        #expect(
            messages(matrix(20, of: 40)).contains { $0.contains("'matrix' has 21 entries") })
        #expect(messages(matrix(2, of: 70)) == [])
        let scenario = try read(matrix(2, of: 70))
        #expect(scenario.cells.count == 9_800)
        #expect(scenario.cells[0].description == "policy=error,p0=0,p1=0")
        #expect(scenario.cells.last?.description == "policy=objectTrump,p0=69,p1=69")
        #expect(Set(scenario.cells).count == 9_800)
    }

    @Test func `a matrix that was written in Swift has the same bound`() throws {
        var scenario = try read(example())
        let axis = scenario.matrix[0]
        scenario.matrix = (0..<70).map {
            MatrixAxis(name: Located("p\($0)", at: .start), values: axis.values)
        }
        guard case .inline(let shape) = scenario.model else { return }
        let problems = #expect(throws: ScenarioProblems.self) {
            try ScenarioReader().check(scenario, against: shape)
        }
        #expect(
            problems?.description.contains("more cells than the lab can count, and at most") == true
        )
    }

    @Test(arguments: [
        ("contexts", "contexts:\n", 51, "  C%: {}\n"),
        ("steps", "steps:\n", 501, "      z%: save\n"),
        ("attributes", "attributes:\n", 301, "        z%: string\n"),
        ("setup", "setup:\n", 5_001, "  - insert Person\n"),
    ])
    func `each list has a bound, reported at the first surplus entry`(
        name: String, key: String, count: Int, line: String
    ) throws {
        let lines = (0..<count).map { line.replacingOccurrences(of: "%", with: "\($0)") }.joined()
        let text = example()
        let place = try #require(text.range(of: key))
        let first = try #require(
            messages(text.replacingCharacters(in: place, with: key + lines)).first)
        #expect(first.contains(": '\(name)' has "))
        #expect(first.hasSuffix("; split the scenario into several files"))
    }

    @Test func `a long sum and a long value are refused`() {
        func sum(_ terms: Int) -> [String] {
            let text = Array(repeating: "1", count: terms).joined(separator: " + ")
            return messages(example(replacing: "found.balance + 5", with: text))
        }
        #expect(sum(100) == [])
        #expect(sum(101).first?.contains("the sum has more than 100 values") == true)
        // Regression test: the values of a sum were nested, so thirty thousand terms ended the
        // process.
        #expect(sum(4_000).first?.contains("the sum has more than 100 values") == true)
        let long = String(repeating: "y", count: 20_001)
        #expect(
            messages(example(replacing: "\"y\"", with: "\"\(long)\"")).first?
                .contains("characters, but the limit is 20000") == true)
    }

    @Test func `an alias as a key, which is hashed with its whole value, is refused`() {
        var text = example() + "\na0: &a0 [l, l]\n"
        for level in 1..<40 { text += "a\(level): &a\(level) [*a\(level - 1), *a\(level - 1)]\n" }
        text += "z: {*a39 : 1}\n"
        #expect(messages(text).first?.contains("unfolds to more than 100000 values") == true)
    }

    @Test func `a file that is nested without end is refused`() {
        let text = String(repeating: "[", count: 100_000)
        #expect(messages("notes: " + text).first?.contains("Maximum nesting level") == true)
    }

    @Test func `included files must be next to the file, and the content of others is not shown`()
        throws
    {
        let folder = NSTemporaryDirectory() + "limits-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder + "/own", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func write(_ text: String, _ name: String) throws {
            try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
        }
        try write("password: hunter2\n", "own/secret.yaml")
        try write("hunter2", "own/.env")
        try write("setup: []\n", "own/part.part.yaml")
        try write("setup: []\n", "other.part.yaml")
        try FileManager.default.createSymbolicLink(
            atPath: folder + "/own/link.yaml", withDestinationPath: folder + "/own/.env")
        try FileManager.default.createSymbolicLink(
            atPath: folder + "/own/out.yaml", withDestinationPath: folder + "/other.part.yaml")
        func told(_ path: String) -> String {
            do throws(ScenarioProblems) {
                let text = "include: \"\(path)\"\n" + example()
                _ = try ScenarioReader().read(Array(text.utf8), file: folder + "/own/a.yaml")
                return "fine"
            } catch {
                return error.problems[0].what
            }
        }
        #expect(told("part.part.yaml") == "fine")
        #expect(told("../own/part.part.yaml") == "fine")
        for path in ["../other.part.yaml", "/etc/passwd", "out.yaml", "../../etc/shadow"] {
            #expect(told(path) == "'\(path)' is outside this file's folder")
        }
        for path in [".env", "link.yaml"] {
            #expect(told(path) == "'\(path)' is not a part of a scenario")
        }
        #expect(told("secret.yaml") == "'secret.yaml' has no key of a scenario")
        #expect(told("absent.yaml") == "the file 'absent.yaml' does not exist")
        #expect(told("part\\0.yaml") == "'part.yaml' is not a path")
    }
}
