import Foundation
import TestSupport
import Testing

/// Damages a scenario file so that it becomes invalid. The position depends on a seed.
private struct Damages {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    /// The number of kinds of damage.
    static let count = 10

    mutating func apply(_ kind: Int, to text: String) -> String {
        let word = word()
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        switch kind {
        case 0: lines.insert("\(word): \(word)", at: start(of: lines, "sessions:"))
        case 1: lines.removeAll { $0.hasPrefix("about:") || $0.hasPrefix("  Two") }
        case 2: damage(&lines, where: { $0.contains("grade: ") }) { $0 + word }
        case 3: damage(&lines, where: { $0.hasSuffix(": save") }) { $0 + " \(word)" }
        case 4: damage(&lines, where: { $0.contains("context: ") }) { $0 + word }
        case 5: damage(&lines, where: { $0.contains("because: ") }) { "\t" + $0 }
        case 6: damage(&lines, where: { $0.hasPrefix("outcomes:") }) { _ in "outcomes: {[" }
        case 7: damage(&lines, where: { $0.hasPrefix("observe:") }) { "\($0)\n  \(word): sum" }
        case 8: lines = Array(lines.prefix(start(of: lines, "outcomes:") - below(4)))
        default:
            let place = start(of: lines, "sessions:") + below(4)
            lines[place] += "\u{0}"
        }
        return lines.joined(separator: "\n")
    }

    private func start(of lines: [String], _ key: String) -> Int {
        lines.firstIndex { $0.hasPrefix(key) } ?? 1
    }

    private mutating func damage(
        _ lines: inout [String], where isMeant: (String) -> Bool, _ change: (String) -> String
    ) {
        let places = lines.indices.filter { isMeant(lines[$0]) }
        guard !places.isEmpty else {
            lines.append("unknown: key")
            return
        }
        let place = places[below(places.count)]
        lines[place] = change(lines[place])
    }

    private mutating func word() -> String {
        "x" + String((0..<6).map { _ in Character(UnicodeScalar(UInt8(97 + below(26)))) })
    }

    private mutating func below(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(max(1, bound)))
    }
}

@Suite(.enabled(if: Tool.isBuilt, "the faultline executable has not been built"))
struct MalformedTests {
    /// Every fourth file of the catalogue, but at most twenty files.
    static let files: [URL] = {
        let folder = Tool.root.appendingPathComponent("Scenarios")
        let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap {
            $0 as? String
        }
        let scenarios = (names ?? []).filter {
            $0.hasSuffix(".yaml") && !$0.hasSuffix(".part.yaml") && !$0.hasPrefix("real")
        }.sorted()
        return scenarios.enumerated().filter { $0.offset % 4 == 0 }.prefix(20).map {
            folder.appendingPathComponent($0.element)
        }
    }()

    @Test func `there are twenty files to damage`() {
        #expect(Self.files.count == 20)
    }

    @Test(arguments: files)
    func `ten damaged variants of a file are refused with a location, and none ends the tool`(
        file: URL
    ) throws {
        let original = try String(contentsOf: file, encoding: .utf8)
        var damages = Damages(seed: UInt64(original.utf8.count))
        let scratch = try Scratch()
        let parts = file.deletingLastPathComponent()
        let paths = try (0..<Damages.count).map { kind in
            // The included files are not next to the damaged copy, so their paths are made
            // absolute.
            let text = damages.apply(kind, to: original)
                .replacing(/include: (\S+)/) { "include: \(parts.path)/\($0.1)" }
            return try scratch.write(text, to: "damaged\(kind).yaml")
        }
        // The tool reads every file before it refuses one, so one process checks all files.
        let result = try Tool.run(list: ["run", "--allow-outside"] + paths)
        #expect(result.status == 2, "\(file.lastPathComponent)")
        #expect(result.output.isEmpty)
        let lines = result.complaint.split(separator: "\n")
        for (kind, path) in paths.enumerated() {
            let told = lines.filter { $0.contains("damaged\(kind).yaml:") }
            let place = told.contains { $0.contains(/damaged\d\.yaml:\d+:\d+: .+; .+/) }
            #expect(place, "variant \(kind), \(path): \(result.complaint)")
        }
    }
}
