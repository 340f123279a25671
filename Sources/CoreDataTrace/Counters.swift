import Synchronization

/// A sink that counts events.
package final class Counters: EventSink {
    package struct Values: Sendable, Equatable {
        package var statements: [StatementEvent.Kind: Int] = [:]
        /// The number of executions of each statement text.
        package var texts: [String: Int] = [:]
        package var rows = 0
        package var vmSteps = 0
        package var faultsFromStore = 0
        package var faultsFromRowCache = 0
        package var faultsFromBatch = 0
        package var faultsFromParent = 0
        package var relationshipFaults = 0
        package var prefetches = 0
        package var conflicts = 0
        package var merges = 0
    }

    private let values = Mutex(Values())
    private let keepsTexts: Bool

    /// - Parameter keepsTexts: whether to also count statements by their text.
    package init(keepsTexts: Bool = true) { self.keepsTexts = keepsTexts }

    package var current: Values { values.withLock { $0 } }

    package func reset() { values.withLock { $0 = Values() } }

    package func record(_ event: Event) {
        values.withLock { count(event, in: &$0) }
    }

    private func count(_ event: Event, in values: inout Values) {
        switch event {
        case .statement(let statement):
            values.statements[statement.kind, default: 0] += 1
            if keepsTexts { values.texts[statement.sql, default: 0] += 1 }
            if statement.kind == .select { values.rows += statement.rows }
            values.vmSteps += statement.vmSteps
        case .fault(_, .store): values.faultsFromStore += 1
        case .fault(_, .rowCache): values.faultsFromRowCache += 1
        case .fault(_, .batch): values.faultsFromBatch += 1
        case .fault(_, .parent): values.faultsFromParent += 1
        case .relationshipFault: values.relationshipFaults += 1
        case .prefetch: values.prefetches += 1
        case .conflict: values.conflicts += 1
        case .merge: values.merges += 1
        case .fetch, .count, .rows, .noRow, .enqueue, .wait, .attempt, .acquire, .release,
            .saveStep, .stores, .annotation:
            break
        }
    }
}
