import Foundation
import LabRunner
import LabScenario

/// A minimal reference implementation of an object graph. It runs sessions one after another and
/// computes the expected contents of the store.
///
/// The reference has no faults, rows, versions or contexts. If it does not support a statement of a
/// scenario, the scenario is not compared.
struct SerialReference {
    /// An error for a statement that the reference does not support.
    struct NotUnderstood: Error {
        let why: String

        init(_ why: String) { self.why = why }
    }

    private let model: ModelView
    private(set) var stored: StoredGraph
    /// The names of the steps whose saves must fail.
    private(set) var failing: Set<String> = []
    private(set) var reads: [String: String] = [:]

    init(_ model: ModelView, start: StoredGraph) {
        self.model = model
        stored = start
    }

    /// Runs one session in a new context.
    mutating func run(_ session: SessionSpec) throws(NotUnderstood) {
        var changes = SerialChanges(model: model, stored: stored)
        defer { reads.merge(changes.reads) { $1 } }
        for (index, step) in session.steps.enumerated() {
            let later = session.steps[(index + 1)...]
            for statement in step.statements {
                guard statement.condition == nil, !statement.isOffQueue else {
                    throw NotUnderstood("a condition")
                }
                guard case .context(.save(let form)) = statement.action else {
                    if try changes.run(statement.action) { continue }
                    break
                }
                guard form.expected == nil, !form.isChain else {
                    throw NotUnderstood("an expected error")
                }
                if try changes.save() {
                    stored = changes.stored
                    continue
                }
                failing.insert(step.name.value)
                // The reference does not define the state of a context after a failed save.
                if later.contains(where: { $0.statements.contains(where: \.action.isSave) }) {
                    throw NotUnderstood("a save after one that failed")
                }
                return
            }
        }
    }
}
