import CoreDataModel
import CoreDataPostgreSQLClient
import CoreDataSQL
import CoreDataStore
import Synchronization

/// The primary keys that a store has reserved and not yet assigned.
///
/// The sequence of a root entity contains the last reserved key. A sequence returns only one number
/// at a time, so a range of keys is reserved by increasing it under an advisory lock. A key is
/// never assigned twice, even if the save of its row fails.
final class KeyRanges: Sendable {
    /// The smallest and the largest number of keys that are reserved at once.
    private static let (first, largest) = (32, 4_096)

    private struct Range {
        var next: Int64 = 1
        var end: Int64 = 1
        /// The number of keys to reserve the next time.
        var size = KeyRanges.first
    }

    let schema: String
    /// The sequences by the index of the root entity.
    private let sequences: [Int: String]
    /// The ranges by the index of the root entity.
    private let ranges: Mutex<[Int: Range]>

    init(layout: ModelLayout, schema: String) {
        self.schema = schema
        let names = ServerNames(layout, schema: schema)
        sequences = names.sequences.mapValues(names.qualified)
        ranges = Mutex([:])
    }

    /// Takes consecutive keys and returns the first.
    func take(
        _ count: Int, for entity: EntityLayout, _ connections: ServerConnections
    ) throws(ServerError) -> Int64 {
        let root = entity.rootIndex
        if let first = taken(count, root) { return first }
        let wanted = max(count, ranges.withLock { $0[root]?.size ?? Self.first })
        // If the connection is lost, the keys are reserved again, because unused keys do no harm.
        let last = try connections.read { connection throws(ServerError) in
            try reserve(wanted, root, connection)
        }
        return ranges.withLock { ranges in
            var range = ranges[root] ?? Range()
            let first = last - Int64(wanted) + 1
            range.size = min(2 * range.size, Self.largest)
            // Another thread may have reserved a range in the meantime. The larger one is kept.
            let rest = first + Int64(count)
            if last + 1 - rest > range.end - range.next {
                (range.next, range.end) = (rest, last + 1)
            }
            ranges[root] = range
            return first
        }
    }

    private func taken(_ count: Int, _ root: Int) -> Int64? {
        ranges.withLock { ranges in
            guard let range = ranges[root], range.end - range.next >= Int64(count) else {
                return nil
            }
            ranges[root]?.next += Int64(count)
            return range.next
        }
    }

    /// Forgets the reserved keys, because the sequences have returned to earlier numbers.
    func forget() { ranges.withLock { $0 = [:] } }

    /// Reserves keys on the server and returns the last.
    private func reserve(
        _ count: Int, _ root: Int, _ connection: Connection
    ) throws(ServerError) -> Int64 {
        let sequence = sequences[root] ?? ""
        let (lock, number) = (Parameters(), Parameters())
        // Other stores of the database do not wait. A stage's handler keeps the lock until its end.
        lock.append(int4: 0x4641_554C)
        lock.append(int4: Int32(bitPattern: Identifier.hash("\(schema) keys")))
        number.append(int8: Int64(count))
        let results = try connection.executePipeline([
            PipelinedStatement("SELECT pg_advisory_xact_lock($1, $2)", lock),
            PipelinedStatement(
                "SELECT setval('\(sequence.replacing("'", with: "''"))', last_value + $1)"
                    + " FROM \(sequence)", number),
        ])
        return results[1].first?.integer ?? 0
    }
}
