import CoreData
import LabRunner

/// Two operations of the app on sibling contexts, under one merge policy: which ends there are, and
/// which of them no order of the two operations alone has.
struct OperationTable {
    /// An operation of the app; it gets its database and the policy for its context.
    typealias Operation = (LabDatabase, NSMergePolicy) async throws -> Void

    /// One end that schedules came to.
    struct End {
        let text: String
        let schedules: Int
        /// Whether one operation after the other ends so, too.
        let isSerial: Bool
        /// Whether an operation was told that its save was refused.
        let isRefused: Bool
    }

    let name: String
    let first: (name: String, run: Operation)
    let second: (name: String, run: Operation)

    /// The ends under a policy, the most frequent first.
    func ends(_ policy: NSMergePolicy) throws -> (report: CodeReport, ends: [End]) {
        let serial = Set(try explore(policy, .bounded(0)).outcomes.keys)
        let report = try explore(policy, .automatic)
        let ends = report.outcomes.map { text, count in
            End(
                text: text, schedules: count, isSerial: serial.contains(text),
                isRefused: text.contains("refused"))
        }
        return (report, ends.sorted { ($0.schedules, $0.text) > ($1.schedules, $1.text) })
    }

    private func explore(
        _ policy: NSMergePolicy, _ strategy: Lab.Strategy
    ) throws -> CodeReport {
        var options = Lab.Options(
            strategy: strategy, limit: 1_000, timeBudget: .seconds(20))
        // Every schedule is looked at, also one that loses something.
        options.fails = .nothing
        return try Lab.explore(name, options) { lab in
            let database = LabDatabase(try lab.stack(model: BookmarksModelFile.model))
            try lab.setup { try database.fill() }
            let results = Results()
            for operation in [first, second] {
                lab.session(operation.name) {
                    do {
                        try await operation.run(database, policy)
                        results.notes[operation.name] = "ok"
                    } catch let error as CocoaError {
                        results.notes[operation.name] = "refused (\(error.code.rawValue))"
                    }
                }
            }
            lab.finally {
                let told = results.notes.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
                lab.observe("seen", (try database.seen() + told).joined(separator: " "))
            }
        }
    }

    /// What operations have come to in one schedule.
    // Unchecked because one thread of the schedule runs at a time.
    private final class Results: @unchecked Sendable {
        var notes: [String: String] = [:]
    }
}
