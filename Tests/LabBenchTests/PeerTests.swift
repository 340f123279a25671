import BenchResults
import Foundation
import LabBench
import Testing

/// Tests of benchmark runs that also measure other programs. Shell scripts play these programs.
@Suite struct PeerTests {
    private let text = """
        name: tiny
        about: A sentence.
        operation: full-fetch
        data: {authors: 2, books: 3, title-bytes: 10}
        """

    private func run(_ rounds: Int, peer: String? = nil) throws -> BenchReport {
        let folder = try Folder(text)
        var peers: [Peer] = []
        if let peer {
            let script = folder.path + "/peer.sh"
            try Data("cat >/dev/null\n\(peer)\n".utf8).write(to: URL(fileURLWithPath: script))
            peers = [Peer("sh \(script)")]
        }
        let options = BenchOptions(
            preset: BenchPreset(name: "smoke", rounds: rounds, runs: 1, warmUps: 0),
            launcher: InProcessLauncher(), allowsDebugBuild: true, peers: peers)
        return try BenchSuite.run([folder.path], options: options)
    }

    private func answering(_ checksum: String) -> String {
        """
        echo '{"nanoseconds": [7], "checksum": "\(checksum)", "counts": {"statements": {},
        "rows": 0, "vmSteps": 0, "faults": 0, "rowCacheHits": 0, "relationshipFaults": 0,
        "prefetches": 0}, "statements": [], "peakMemoryBytes": 4096, "name": "Echo 1",
        "sentence": "Says what it was told."}'
        """
    }

    @Test func `a peer has at most five rounds, and a ratio to C of the same rounds`() throws {
        let sum = try #require(try run(1).results.first?.strategies.first?.checksum)
        let strategy = try #require(
            try run(6, peer: answering(sum)).results.first?.strategies.first)
        let peer = try #require(strategy.peers?.first)
        #expect(peer.name == "Echo 1")
        #expect(peer.time.samplesNanoseconds == [7, 7, 7, 7, 7])
        #expect(strategy.twin?.time?.samplesNanoseconds.count == 6)
        #expect(peer.ratio != nil)
        #expect(strategy.notes.isEmpty)
    }

    @Test func `a peer that refuses the work is left out with its message`() throws {
        let script = "echo 'this peer does no full-fetch' >&2; exit 70"
        let strategy = try #require(try run(1, peer: script).results.first?.strategies.first)
        #expect(strategy.peers == nil)
        let note = try #require(strategy.notes.first)
        #expect(note.hasPrefix("`sh ") && note.contains("was left out"))
        #expect(note.contains("this peer does no full-fetch"))
    }

    @Test func `a peer that reads different data fails the run`() throws {
        let error = #expect(throws: BenchError.self) { try run(1, peer: answering("0")) }
        #expect(error?.exitCode == 1)
        #expect(error?.description.contains("returned the result 0") == true)
    }
}
