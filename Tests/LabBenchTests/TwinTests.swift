import BenchOperations
import BenchResults
import Foundation
import LabBench
import Testing

/// Runs one operation with the engine or the C baseline. The data are five authors with seven books
/// each.
enum TinyLibrary {
    static let shape = DataShape(authors: 5, books: 7, titleBytes: 20, seed: 3)

    static func reply(
        _ side: Side, _ operation: String, _ parameters: String = "{}",
        plant: Plant? = nil
    ) throws -> SampleReply {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("faultline-twin-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        BuiltInOperations.add()
        let workload = try WorkloadFile.parse(
            """
            name: tiny
            about: A sentence.
            operation: \(operation)
            data: {authors: 5, books: 7, title-bytes: 20, seed: 3}
            parameters: \(parameters)
            """, file: "tiny.yaml")
        func request(_ pass: SampleRequest.Pass) -> SampleRequest {
            SampleRequest(
                pass: pass, side: side, variant: workload.variants[0], warmUps: 1, runs: 2,
                library: folder + "/library.sqlite", folder: folder,
                plant: plant)
        }
        _ = try SampleWorker.perform(request(.prepare))
        return try SampleWorker.perform(request(.counting))
    }

    static var checksum: String { String(Dataset(shape).touchChecksum, radix: 16) }
}

@Suite struct TwinTests {
    let shape = TinyLibrary.shape
    let checksum = TinyLibrary.checksum

    private func reply(_ operation: String, _ parameters: String = "{}") throws -> SampleReply {
        try TinyLibrary.reply(.twin, operation, parameters)
    }

    @Test func `a full fetch is one statement and reads what was generated`() throws {
        let reply = try reply("full-fetch")
        #expect(reply.checksum == checksum)
        #expect(reply.counts.statements == ["select": 1])
        #expect(reply.counts.rows == 35)
        #expect(reply.counts.vmSteps > 35)
        #expect(reply.nanoseconds.count == 2)
        #expect(reply.peakMemoryBytes > 1 << 20)
    }

    @Test func `single faults are a statement for each row`() throws {
        let reply = try reply("fire-faults")
        #expect(reply.checksum == checksum)
        #expect(reply.counts.statements == ["select": 36])
        #expect(reply.statements.map(\.count).sorted() == [1, 35])
    }

    @Test(arguments: ["in-list", "array-join"], [1, 4, 7, 35, 100])
    func `batches read every row once at any size`(twin: String, size: Int) throws {
        let reply = try reply("batch-faults", "{batch: \(size), twin: \(twin)}")
        #expect(reply.checksum == checksum)
        #expect(reply.counts.statements == ["select": 1 + (35 + size - 1) / size])
        #expect(reply.counts.rows == 70)
    }

    @Test func `a relationship read owner by owner is a statement for each owner`() throws {
        let counted = try reply("read-to-many", "{touch: count}")
        #expect(counted.counts.statements == ["select": 6])
        #expect(counted.checksum == String(35, radix: 16))
        let all = try reply("read-to-many", "{touch: all}")
        #expect(all.counts.statements == ["select": 41])
        #expect(all.checksum == String(Dataset(shape).touchChecksum + 35, radix: 16))
    }

    @Test func `a prefetched relationship is two statements and gives the same result`() throws {
        for touch in ["count", "all"] {
            let prefetched = try reply("prefetch-to-many", "{touch: \(touch)}")
            #expect(prefetched.counts.statements == ["select": 2])
            let read = try reply("read-to-many", "{touch: \(touch)}")
            #expect(prefetched.checksum == read.checksum)
        }
    }

    @Test func `an insert writes all rows in one transaction`() throws {
        let reply = try reply("insert")
        #expect(
            reply.counts.statements == [
                "begin": 1, "commit": 1, "insert": 40, "select": 2, "update": 2,
            ])
    }

    @Test func `an update changes the requested number of rows`() throws {
        let three = try reply("update", "{count: 3}")
        #expect(three.counts.statements == ["begin": 1, "commit": 1, "update": 3])
        let four = try reply("update", "{count: 4}")
        #expect(three.checksum != four.checksum)
    }

    @Test func `a cascade deletes authors and their books`() throws {
        let reply = try reply("delete-owners", "{count: 2}")
        #expect(
            reply.counts.statements == ["begin": 1, "commit": 1, "delete": 16, "select": 2])
        #expect(reply.counts.rows == 14)
        let all = try self.reply("delete-owners", "{count: 5}")
        #expect(all.checksum == "0")
    }
}
