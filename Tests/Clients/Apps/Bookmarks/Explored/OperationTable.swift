import CoreData
import LabRunner

/// Lists the possible final states of two operations on sibling contexts under a merge policy. For
/// each state, it shows whether running one operation after the other has the same result.
struct OperationTable {
    /// The parameters are the database and the merge policy of the context.
    typealias Operation = (LabDatabase, NSMergePolicy) async throws -> Void

    /// A final state, and the number of schedules that end with it.
    struct End {
        let text: String
        let schedules: Int
        /// Whether this state is also possible if one operation runs after the other.
        let isSerial: Bool
        /// Whether the save of an operation threw an error.
        let isRefused: Bool
    }

    let name: String
    let first: (name: String, run: Operation)
    let second: (name: String, run: Operation)

    /// The most frequent state is first.
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
        // Lost edits are not reported as failures, so that all schedules are counted.
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

    /// The result of each operation in one schedule.
    // `@unchecked Sendable` because one thread of the schedule runs at a time.
    private final class Results: @unchecked Sendable {
        var notes: [String: String] = [:]
    }
}
