import ContextHistory
import CoreData
import FaultlineRecorder
import Foundation
import ScenarioWriting
import TestSupport
import Testing

/// Recorded files do not contain any value of the store. The program puts a unique value into every
/// part of Core Data's API that accepts one.
@Suite struct SecrecyTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `no value of a store is in a file, whatever its carrier`(_ seed: UInt64) throws {
        var recorder: Recorder?
        var run = try SecretRun(seed: seed) {
            recorder = Recorder.start(on: $0, Recorder.Options(values: .hashed))
        }
        try run.run()
        let recorded = try #require(recorder).run(name: "secrets", reason: "Somebody asked.")
        for secrecy in [ValueSecrecy.hashed, .none] {
            for draw in 0..<5 as Range<UInt64> {
                var generator = SeededGenerator(seed: seed &* 100 &+ draw)
                let file = ScenarioWriter(recorded, values: secrecy).file(&generator)
                let recording = try JSONEncoder().encode(RecordingFile(file.recording))
                let text =
                    file.text + file.transcript.joined(separator: "\n")
                    + String(decoding: recording, as: UTF8.self)
                #expect(run.markers.found(in: text).isEmpty, "\(secrecy)")
            }
        }
    }

    @Test func `a number is found by itself, and not in a longer one`() {
        var markers = Markers(seed: 3)
        let number = markers.whole(1_000_000...9_999_999)
        let (found, missed) = (
            ["\(number)", "a \(number).0", "x = -\(number),", "1\(number) \(number)"],
            ["1\(number)", "\(number)1", "0.\(number)7", "\(number / 10)"]
        )
        #expect(found.allSatisfy { !markers.found(in: $0).isEmpty })
        #expect(missed.allSatisfy { markers.found(in: $0).isEmpty })
    }

    @Test func `the same run in full shows the markers`() throws {
        var recorder: Recorder?
        var run = try SecretRun(seed: 1) {
            recorder = Recorder.start(on: $0, Recorder.Options(values: .full))
        }
        try run.run()
        let (scenario, transcript) = try #require(recorder).text()
        let kinds = Set(
            run.markers.found(in: scenario + transcript).map { $0.prefix { $0 != " " } })
        let wanted: Set<Substring> = [
            "any", "bytes", "compound", "date", "decimal", "default", "double", "list", "literal",
            "nested", "predicate", "text", "transient", "unique", "uri", "uuid", "whole",
        ]
        #expect(wanted.subtracting(kinds).isEmpty, "\(kinds.sorted())")
    }

    @Test(arguments: [Recorder.Values.hashed, .none])
    func `files that the recorder writes automatically have no values either`(
        _ values: Recorder.Values
    ) throws {
        let folder = Stacks.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        var recorder: Recorder?
        var run = try SecretRun(seed: 7) {
            recorder = Recorder.start(on: $0, Recorder.Options(values: values, folder: folder))
        }
        try run.run()
        let started = try #require(recorder)
        started.stop()
        try started.write(to: folder)
        let files = try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil)
        // The recorder wrote files for two conflicts, and the requested files.
        #expect(files.count >= 6)
        for file in files {
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(run.markers.found(in: text).isEmpty, "\(file.lastPathComponent)")
            #expect(run.markers.found(in: file.lastPathComponent).isEmpty)
        }
    }
}
