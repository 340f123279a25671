import CoreDataModel
import LabResults

/// Makes indexes on the copy, one after another, and counts what the fetch costs with each.
///
/// The fetch trial asks it where a plan scans a table or sorts it.
struct IndexTrial {
    let question: CheckedQuestion
    let store: OpenedStore
    let rounds: Int

    /// The index that helps most; an advice without attributes where the plan needs one and none
    /// helps; nil where the plan needs none.
    ///
    /// - Parameter plain: the plain way's statements and counts.
    func run(plain: FetchStrategy) throws -> FetchVerdict.IndexAdvice? {
        guard let statement = plain.statements.first else { return nil }
        let shape = StatementShape(Array(statement.text.utf8))
        let isMissing = Self.needsIndex(statement.plan, shape)
        guard isMissing || Self.walksIndex(statement.plan, shape) else { return nil }
        let before = try cost()
        var best: (candidate: IndexCandidate, cost: Cost)?
        let candidates = IndexCandidate.all(of: shape, question.entity)
            .map { $0.declared(in: store.layout) }
        for candidate in candidates {
            let with = try store.withIndex(candidate.sql, named: IndexCandidate.name) {
                try cost()
            }
            guard let with, with.usesIndex, with.vmSteps * 10 <= before.vmSteps * 9,
                with.vmSteps < best?.cost.vmSteps ?? .max
            else { continue }
            best = (candidate, with)
        }
        guard let best else {
            guard isMissing else { return nil }
            return without(before, candidates, searchesText(statement.text))
        }
        return advice(best.candidate, before, best.cost)
    }

    /// Whether SQLite looks through the table for a condition, or sorts what it found.
    static func needsIndex(_ plan: [String], _ shape: StatementShape) -> Bool {
        let scans = plan.contains {
            $0.contains("SCAN") && !$0.contains("USING") && !$0.contains("VIRTUAL")
        }
        return scans && shape.hasWhere || plan.contains { $0.contains("TEMP B-TREE FOR") }
    }

    /// Whether SQLite walks a whole index for its order, and tests the condition on each row.
    private static func walksIndex(_ plan: [String], _ shape: StatementShape) -> Bool {
        shape.hasWhere && plan.contains { $0.contains("SCAN") && $0.contains("USING INDEX") }
    }

    /// Core Data's functions for texts all begin so.
    private func searchesText(_ sql: String) -> Bool { sql.contains("NSCoreData") }

    // MARK: Costs

    /// What the whole fetch and its first rows cost together.
    private struct Cost {
        var vmSteps = 0
        var nanoseconds: UInt64 = 0
        var plan: [String] = []
        var usesIndex: Bool { plan.contains { $0.contains(IndexCandidate.name) } }
    }

    private func cost() throws -> Cost {
        var cost = Cost()
        var whole = FetchRun(question: question, way: .plain)
        whole.readMax = 0
        var first = whole
        first.limit = FetchScreen.rows
        for run in [whole, first] {
            let strategy = try FetchTally.count(run, on: store)
            cost.vmSteps += strategy.vmSteps
            cost.plan = strategy.statements.first?.plan ?? cost.plan
            var times: [UInt64] = []
            for _ in 0..<rounds {
                times.append(try run.run(on: store.coordinator).fetchNanoseconds)
            }
            cost.nanoseconds += times.sorted()[times.count / 2]
        }
        return cost
    }

    // MARK: Advice

    private func advice(
        _ candidate: IndexCandidate, _ before: Cost, _ after: Cost
    ) -> FetchVerdict.IndexAdvice {
        let list = candidate.attributes.joined(separator: ", ")
        return FetchVerdict.IndexAdvice(
            entity: candidate.owner.name, attributes: candidate.attributes,
            reason: "A fetch index on \(candidate.owner.name) over \(list): tried on the copy, the "
                + "whole fetch and its first \(FetchScreen.rows) rows take \(after.vmSteps) steps "
                + "of SQLite instead of \(before.vmSteps). Indexes are no part of an entity's "
                + "version hash: give the entity another versionHashModifier, so that stores that "
                + "exist get it too.",
            code: candidate.code, planBefore: before.plan, planAfter: after.plan,
            vmStepsBefore: before.vmSteps, vmStepsAfter: after.vmSteps,
            nanosecondsBefore: before.nanoseconds, nanosecondsAfter: after.nanoseconds)
    }

    private func without(
        _ before: Cost, _ candidates: [IndexCandidate], _ searchesText: Bool
    ) -> FetchVerdict.IndexAdvice {
        let tried = candidates.map { $0.attributes.joined(separator: ", ") }
        let reason =
            searchesText
            ? "No index serves a search inside texts: search by a prefix (BEGINSWITH) of a "
                + "normalised copy of the attribute, or narrow the fetch by another attribute that "
                + "has an index."
            : tried.isEmpty
                ? "No index over attributes of \(question.entity.name) serves this fetch: it "
                    + "compares or sorts by what other tables or functions give."
                : "No index makes this fetch cheaper: it takes most rows of the table. Tried on "
                    + "the copy: \(tried.joined(separator: "; "))."
        return FetchVerdict.IndexAdvice(
            entity: question.entity.name, attributes: [], reason: reason, planBefore: before.plan,
            vmStepsBefore: before.vmSteps, nanosecondsBefore: before.nanoseconds)
    }
}
