/// The operations of a run in their true order: a save comes before the saves that replaced its
/// rows.
///
/// A save gets its place in the log after its rows are written. If two saves follow each other
/// quickly on two threads, the second one can be logged first. The versions of their rows show the
/// true order.
struct CommitOrder {
    /// The indices of the run's operations.
    private(set) var operations: [Int] = []
    private var isDone: [Bool]
    /// The save that has written a version of a row.
    private var writers: [Version: Int] = [:]
    private let run: RecordedRun

    private struct Version: Hashable {
        let object: RecordedObject
        let version: Int
    }

    init(_ run: RecordedRun) {
        self.run = run
        isDone = Array(repeating: false, count: run.operations.count)
        for index in run.operations.indices {
            for row in rows(index) where row.isWritten {
                guard let after = row.after, after.version != row.stored?.version,
                    // The versions of a row begin again if a save brings the deleted row back.
                    row.role == .insert || row.stored != nil
                else { continue }
                writers[Version(object: row.object, version: after.version)] = index
            }
        }
        for index in run.operations.indices { add(index) }
    }

    private mutating func add(_ index: Int) {
        if isDone[index] { return }
        isDone[index] = true
        for row in rows(index) {
            guard let stored = row.stored,
                let writer = writers[Version(object: row.object, version: stored.version)],
                writer > index,
                run.operations[writer].context != run.operations[index].context
            else { continue }
            add(writer)
        }
        operations.append(index)
    }

    /// The rows of a save into a store.
    private func rows(_ index: Int) -> [RecordedRow] {
        guard case .commit(let rows, _) = run.operations[index].action,
            run.contexts[run.operations[index].context].parent == nil
        else { return [] }
        return rows
    }
}
