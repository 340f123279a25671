import CoreDataStore
import Synchronization

/// The versions that the engine assigns to rows of an incremental store. They increase by one with
/// each change, unlike the version numbers of the store.
///
/// If the store returns another number for a row than before, the row's version increases by one.
/// After a save of this process, the first number that is read counts as the number of the saved
/// version.
final class RowVersions {
    private struct Known {
        var number: UInt64?
        var version: Int32
    }

    private let rows = Mutex<[Int64: Known]>([:])

    /// The engine's version of a row for the number that the custom store returned.
    func version(of key: Int64, number: UInt64) -> Int32 {
        rows.withLock { rows in
            guard var known = rows[key] else {
                rows[key] = Known(number: number, version: 1)
                return 1
            }
            if let last = known.number, last != number { known.version += 1 }
            known.number = number
            rows[key] = known
            return known.version
        }
    }

    func note(_ plan: SavePlan) {
        rows.withLock { rows in
            for group in plan.inserts {
                for key in group.keys { rows[key] = Known(number: nil, version: 1) }
            }
            for group in plan.updates {
                for (key, version) in zip(group.keys, group.versions) {
                    rows[key] = Known(number: nil, version: version + 1)
                }
            }
            for group in plan.deletes {
                for key in group.keys { rows[key] = nil }
            }
        }
    }
}
