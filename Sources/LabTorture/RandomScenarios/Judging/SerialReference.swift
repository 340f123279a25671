import Foundation
import LabRunner
import LabScenario

/// The simplest definition of an object graph: names, and lists of names. It runs sessions one
/// after another and returns the contents of the store.
///
/// It has no faults, rows, versions or contexts. It reports statements that it does not understand,
/// and the scenario is then not compared.
struct SerialReference {
    /// The reason why the reference has no answer.
    struct NotUnderstood: Error {
        let why: String

        init(_ why: String) { self.why = why }
    }

    private let model: ModelView
    /// The contents of the store.
    private(set) var stored: StoredGraph
    /// The names of the steps whose saves fail.
    private(set) var failing: Set<String> = []
    /// The expected results of reads, by name.
    private(set) var reads: [String: String] = [:]

    init(_ model: ModelView, start: StoredGraph) {
        self.model = model
        stored = start
    }

    /// Runs one session in a new context to its end.
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
                // The state of a context after a failed save is not defined here.
                if later.contains(where: { $0.statements.contains(where: \.action.isSave) }) {
                    throw NotUnderstood("a save after one that failed")
                }
                return
            }
        }
    }
}
