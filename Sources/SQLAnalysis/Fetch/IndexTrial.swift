import CoreDataModel
import CoreDataPredicate
import LabResults

/// Measures the cost of the fetch with different indexes on the copy of the store. Used if a query
/// plan scans or sorts a table.
struct IndexTrial {
    let question: CheckedQuestion
    let store: OpenedStore
    let rounds: Int

    /// The index that reduces the cost most. Nil if the plan needs no index. If it needs one but
    /// none helps, the advice has no attributes.
    ///
    /// - Parameter plain: the statements and counts of the variant without options.
    func run(plain: FetchStrategy) throws -> FetchVerdict.IndexAdvice? {
        guard let statement = plain.statements.first else { return nil }
        let search = Search(statement)
        guard search.needsIndex || search.walksIndex else { return nil }
        let before = try cost()
        let tried = try tryOut(search)
        if let best = try self.best(tried, before) {
            return advice(best.candidates, before, best.cost)
        }
        guard search.needsIndex else { return nil }
        return try asRange(plain, before) ?? without(plain, before, search, tried)
    }

    private struct Search {
        let scopes: [SQLScope]
        let plan: QueryPlan

        init(_ statement: FetchStrategy.Statement) {
            scopes = SQLScope.all(of: Array(statement.text.utf8))
            plan = QueryPlan(statement.plan)
        }

        private var isConditional: Bool { scopes.contains { $0.isConditional } }

        /// Whether SQLite scans the table to evaluate a condition, or sorts the result.
        var needsIndex: Bool {
            !plan.scans.isEmpty && isConditional
                || plan.lines.contains { $0.contains("TEMP B-TREE FOR") }
        }

        /// Whether SQLite reads a whole index for its order, and tests the condition on each row.
        var walksIndex: Bool {
            isConditional
                && plan.lines.contains { $0.contains("SCAN") && $0.contains("USING INDEX") }
        }

        /// The outer statement, and each inner SELECT in which SQLite scans a table.
        var asked: [SQLScope] {
            scopes.enumerated().filter { place, scope in
                place == 0
                    || plan.scans.contains { name in
                        scope.tables.contains { $0.isCalled(name) }
                    }
            }.map(\.element)
        }
    }

    // MARK: Choices

    private func choices(_ search: Search) -> [[IndexCandidate]] {
        var choices: [[IndexColumns]] = []
        for scope in search.asked {
            for table in scope.tables {
                var rules = IndexRules(scope: scope, table: table)
                // An index may also help `IS NOT`, if few rows have a value. The measured cost
                // shows this.
                rules.ranges.insert("IS NOT")
                choices += rules.searching + rules.sorting
            }
        }
        var seen: Set<[IndexColumns]> = []
        return choices.filter { seen.insert($0).inserted }.compactMap {
            IndexCandidate.all($0, store.layout, preferred: question.entity)
        }
    }

    private typealias Tried = (candidates: [IndexCandidate], cost: Cost?)

    /// Tries the choices with few attributes first.
    private func tryOut(_ search: Search) throws -> [Tried] {
        let choices = self.choices(search).map { choice in
            (count: choice.reduce(0) { $0 + $1.attributes.count }, choice)
        }
        return try choices.sorted { $0.count < $1.count }.map { _, candidates in
            (candidates: candidates, cost: try cost(with: candidates))
        }
    }

    /// The cheapest choice that helps, without unnecessary indexes. A later choice, with more
    /// attributes, must be at least 10 % cheaper.
    private func best(
        _ tried: [Tried], _ before: Cost
    ) throws -> (candidates: [IndexCandidate], cost: Cost)? {
        var best: (candidates: [IndexCandidate], cost: Cost)?
        for case (let candidates, let cost?) in tried
        where cost.helps(best?.cost ?? before) {
            best = (candidates, cost)
        }
        guard var best else { return nil }
        for index in best.candidates.indices.reversed() where best.candidates.count > 1 {
            var fewer = best.candidates
            fewer.remove(at: index)
            guard let cost = try self.cost(with: fewer), cost.vmSteps <= best.cost.vmSteps else {
                continue
            }
            best = (fewer, cost)
        }
        return best
    }

    // MARK: Costs

    /// The sum of the costs of the whole fetch and of its first rows.
    private struct Cost {
        var vmSteps = 0
        var nanoseconds: UInt64 = 0
        var plan: [String] = []
        var usesIndex: Bool { plan.contains { $0.contains(IndexCandidate.name) } }

        func isCheaper(than other: Cost) -> Bool { vmSteps * 10 <= other.vmSteps * 9 }

        func helps(_ other: Cost) -> Bool { usesIndex && isCheaper(than: other) }
    }

    /// The cost with these indexes; nil if SQLite refuses an index.
    private func cost(with candidates: [IndexCandidate]) throws -> Cost? {
        try store.withIndexes(candidates) { try cost() }
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

    // MARK: Prefixes

    /// The advice to replace a prefix condition by a range. Nil if the range does not help, or if
    /// it finds another number of rows.
    private func asRange(
        _ plain: FetchStrategy, _ before: Cost
    ) throws -> FetchVerdict.IndexAdvice? {
        guard let predicate = question.predicate.flatMap(PrefixRange.rewritten) else { return nil }
        var asked = question
        asked.predicate = predicate
        let strategy = try FetchTally.count(FetchRun(question: asked, way: .plain), on: store)
        guard strategy.results == plain.results, let statement = strategy.statements.first else {
            return nil
        }
        let trial = IndexTrial(question: asked, store: store, rounds: rounds)
        let tried = try trial.tryOut(Search(statement))
        let alone = try trial.cost()
        let line = CheckedQuestion.line(predicate: predicate.predicateFormat)
        let why =
            "No index serves BEGINSWITH or LIKE, which a function tests in each row. The range "
            + "below finds the same objects if texts are normalised: \(plain.results) here. "
        if let best = try trial.best(tried, before), best.cost.isCheaper(than: alone) {
            var advice = self.advice(best.candidates, before, best.cost)
            advice.reason = why + advice.reason
            advice.code.insert(line, at: 0)
            return advice
        }
        guard alone.isCheaper(than: before), !Search(statement).needsIndex else { return nil }
        return FetchVerdict.IndexAdvice(
            entity: question.entity.name, attributes: [],
            reason: why + "An existing index serves the range: \(steps(before, alone)).",
            code: [line], planBefore: before.plan, planAfter: alone.plan,
            vmStepsBefore: before.vmSteps, vmStepsAfter: alone.vmSteps,
            nanosecondsBefore: before.nanoseconds, nanosecondsAfter: alone.nanoseconds)
    }

    // MARK: Advice

    private func advice(
        _ candidates: [IndexCandidate], _ before: Cost, _ after: Cost
    ) -> FetchVerdict.IndexAdvice {
        FetchVerdict.IndexAdvice(
            entity: candidates[0].owner.name, attributes: candidates[0].attributes,
            others: candidates.count > 1 ? candidates.dropFirst().map(\.attributes) : nil,
            reason: "\(named(candidates)): tried on the copy, \(steps(before, after)). Indexes "
                + "are not part of an entity's version hash: change the entity's "
                + "versionHashModifier, so that existing stores get the index.",
            code: IndexCandidate.code(candidates), planBefore: before.plan, planAfter: after.plan,
            vmStepsBefore: before.vmSteps, vmStepsAfter: after.vmSteps,
            nanosecondsBefore: before.nanoseconds, nanosecondsAfter: after.nanoseconds)
    }

    private func named(_ candidates: [IndexCandidate]) -> String {
        let owner = candidates[0].owner.name
        let lists = candidates.map { "over " + $0.attributes.joined(separator: ", ") }
        return candidates.count == 1
            ? "A fetch index on \(owner) \(lists[0])"
            : "Fetch indexes on \(owner) \(lists.joined(separator: " and ")), one for each side "
                + "of the OR"
    }

    private func steps(_ before: Cost, _ after: Cost) -> String {
        "the whole fetch and its first \(FetchScreen.rows) rows take \(after.vmSteps) steps of "
            + "SQLite instead of \(before.vmSteps)"
    }

    private func without(
        _ plain: FetchStrategy, _ before: Cost, _ search: Search, _ tried: [Tried]
    ) -> FetchVerdict.IndexAdvice {
        let remedy =
            search.asked.lazy.compactMap { IndexRemedy($0, store.layout) }.first
            ?? search.scopes.first.flatMap(IndexRemedy.init(order:))
        let names = tried.map { candidates, _ in
            candidates.map { $0.attributes.joined(separator: ", ") }.joined(separator: " and ")
        }
        var reason = remedy?.sentence ?? self.reason(plain, tried)
        if !names.isEmpty { reason += " Tried on the copy: \(names.joined(separator: "; "))." }
        return FetchVerdict.IndexAdvice(
            entity: question.entity.name, attributes: [], reason: reason,
            code: [remedy?.code].compactMap(\.self), planBefore: before.plan,
            vmStepsBefore: before.vmSteps, nanosecondsBefore: before.nanoseconds)
    }

    private func reason(_ plain: FetchStrategy, _ tried: [Tried]) -> String {
        guard !tried.isEmpty else {
            return "No index over attributes of \(question.entity.name) serves this fetch: it "
                + "compares or sorts by values of other tables or functions."
        }
        let rows = store.rowCount(ofTable: question.entity.tableName) ?? 0
        let isWhole = question.question.limit == 0 && question.question.offset == 0
        let why =
            if isWhole, plain.results * 4 >= rows {
                "the fetch returns \(plain.results) of the table's \(rows) rows"
            } else if tried.contains(where: { $0.cost?.usesIndex == true }) {
                "with an index it takes about as many steps"
            } else {
                "SQLite uses none of the indexes"
            }
        return "No index makes this fetch cheaper: \(why)."
    }
}
