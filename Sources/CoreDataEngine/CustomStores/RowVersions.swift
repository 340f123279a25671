import CoreDataStore
import Synchronization

/// The versions of an incremental store's rows: the engine counts them up by one, in addition to
/// the store's own numbers.
///
/// Owned by `IncrementalBackend`. A different number from the store creates the next version; the
/// first number read after a save of this process belongs to the version of that save.
final class RowVersions {
    private struct Known {
        var number: UInt64?
        var version: Int32
    }

    private let rows = Mutex<[Int64: Known]>([:])

    /// The version of a row for the number with which the custom store returned it.
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

    /// The store has saved a plan.
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
