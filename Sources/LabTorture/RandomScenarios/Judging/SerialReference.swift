import Foundation
import LabRunner
import LabScenario

/// What an object graph is, said in the simplest way: names, and lists of names. It runs sessions
/// one after another and tells what the store holds then.
///
/// It knows no faults, rows, versions or contexts. What it does not understand it says so, and the
/// scenario is not compared.
struct SerialReference {
    /// Why the reference cannot tell.
    struct NotUnderstood: Error {
        let why: String

        init(_ why: String) { self.why = why }
    }

    private let model: ModelView
    /// What the store holds.
    private(set) var stored: StoredGraph
    /// The names of the steps whose saves fail.
    private(set) var failing: Set<String> = []
    /// What reads must have bound to names.
    private(set) var reads: [String: String] = [:]

    init(_ model: ModelView, start: StoredGraph) {
        self.model = model
        stored = start
    }

    /// Runs one session on a context of its own to its end.
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
                // What a context that could not save holds on to is for others to say.
                if later.contains(where: { $0.statements.contains(where: \.action.isSave) }) {
                    throw NotUnderstood("a save after one that failed")
                }
                return
            }
        }
    }
}
