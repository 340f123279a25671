import Foundation
import LabScenario
import Testing

@Suite struct MutationTests {
    /// Each of the twenty damaged variants must be read, or refused with a location inside the
    /// file.
    @Test(arguments: catalogue)
    func `a damaged file is refused with a location, or is still a scenario`(file: URL) throws {
        let original = [UInt8](try Data(contentsOf: file))
        var damage = Damage(seed: UInt64(original.count))
        for _ in 0..<20 {
            let bytes = damage.applied(to: original)
            let lines = bytes.count { $0 == 10 } + 1
            do throws(ScenarioProblems) {
                _ = try ScenarioReader().read(bytes, file: "damaged.yaml")
            } catch {
                #expect(!error.problems.isEmpty)
                for problem in error.problems {
                    #expect((1...lines + 1).contains(problem.position.line), "\(problem)")
                    #expect(problem.position.column >= 1)
                    #expect(!problem.what.isEmpty && !problem.instead.isEmpty)
                }
            }
        }
    }

    @Test(arguments: [
        String(repeating: "[", count: 5_000), String(repeating: "{a: ", count: 2_000),
        String(repeating: "- ", count: 3_000), "? ", "&a *a", "!!binary x", "%YAML 9.9\n---\na",
        "name: &x [*x]", "\u{FEFF}name: x", "name: |\n", "\t", "sessions: {a: {b: {c: ",
    ])
    func `a text that abuses YAML is refused`(text: String) {
        #expect(!messages(text).isEmpty)
    }
}

/// Random changes of a file. Equal seeds result in equal changes.
private struct Damage {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    }

    mutating func applied(to bytes: [UInt8]) -> [UInt8] {
        var damaged = bytes
        let place = below(bytes.count)
        switch below(6) {
        case 0: damaged.removeSubrange(place..<min(bytes.count, place + 1 + below(20)))
        case 1:
            damaged.insert(
                contentsOf: Array("\"'{[:$~-> @;".utf8).shuffled(by: below(12)), at: place)
        case 2: damaged[place] = UInt8(below(256))
        case 3: damaged.removeSubrange(place...)
        case 4:
            damaged.insert(
                contentsOf: bytes[place..<min(bytes.count, place + 200)], at: below(place + 1))
        default: damaged = swappedLines(bytes)
        }
        return damaged
    }

    private mutating func swappedLines(_ bytes: [UInt8]) -> [UInt8] {
        var lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
        lines.swapAt(below(lines.count), below(lines.count))
        return Array(lines.joined(separator: [10]))
    }

    private mutating func below(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(max(1, bound)))
    }
}

extension [UInt8] {
    fileprivate func shuffled(by offset: Int) -> [UInt8] {
        Array(self[(offset % count)...] + self[..<(offset % count)])
    }
}
