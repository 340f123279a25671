import Foundation
import GRDB

/// A run of the peer: read a request, run it as often as it asks, answer with times.
@main
enum Main {
    static func main() {
        do {
            let input = try FileHandle.standardInput.readToEnd() ?? Data()
            let reply = try answer(JSONDecoder().decode(Request.self, from: input))
            try FileHandle.standardOutput.write(contentsOf: JSONEncoder().encode(reply))
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(70)
        }
    }

    private static func answer(_ request: Request) throws -> Reply {
        let rows = request.operation == "insert" ? try rows(request) : ([], [])
        var times: [Int64] = []
        var checksum: UInt64?
        var sentence = ""
        let warmUps = request.pass == "timing" ? request.warmUps : 0
        for index in 0..<(warmUps + request.runs) {
            let pool = try open(request)
            let work = Work(request: request, pool: pool, rows: rows)
            sentence = work.sentence
            let prepared = try work.prepare()
            let clock = ContinuousClock()
            let start = clock.now
            let (sum, kept) = try work.run(prepared)
            let elapsed = (clock.now - start).components
            withExtendedLifetime(kept) {}
            guard checksum == nil || checksum == sum else {
                throw Refusal(description: "two runs gave different results")
            }
            checksum = sum
            if index >= warmUps {
                times.append(
                    elapsed.seconds * 1_000_000_000 + elapsed.attoseconds / 1_000_000_000)
            }
            try pool.close()
        }
        return Reply(
            nanoseconds: times, checksum: String(checksum ?? 0, radix: 16),
            peakMemoryBytes: Memory.peakBytes(), name: "GRDB 7.10.0 records", sentence: sentence)
    }

    /// Opens the library, or a fresh copy where the operation writes.
    private static func open(_ request: Request) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA cache_size = 1000")
        }
        let writes = ["insert", "update", "delete-owners"].contains(request.operation)
        guard writes else {
            return try DatabasePool(path: request.library, configuration: configuration)
        }
        let copy = request.folder + "/peer.sqlite"
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: copy + suffix)
        }
        let source = request.operation == "insert" ? request.emptyFile : request.library
        guard let source else { throw Refusal(description: "no empty file was given") }
        try FileManager.default.copyItem(atPath: source, toPath: copy)
        return try DatabasePool(path: copy, configuration: configuration)
    }

    /// The rows of the library, as they will be inserted.
    private static func rows(_ request: Request) throws -> (authors: [Author], books: [Book]) {
        let pool = try DatabasePool(path: request.library)
        defer { try? pool.close() }
        return try pool.read { (try Author.fetchAll($0), try Book.fetchAll($0)) }
    }
}
