import CoreDataModel
import LabResults

/// Finds missing indexes in query plans. With a store, it suggests indexes that change the query
/// plan there. Without one, it suggests indexes by rules.
struct IndexFindings {
    let catalog: ShapeCatalog
    let names: EntityNames
    let plans: [Int: [String]]
    /// The store in which indexes are tried; nil if all query plans come from the log.
    let store: OpenedStore?

    /// Below this number of rows, scanning a table is about as fast as using an index.
    private static let smallTable = 100

    func all(_ sums: [ShapeSums.Sum]) -> [SQLFinding] {
        plans.keys.sorted().compactMap { index in
            let shape = catalog[index]
            // A program cannot add indexes for SQL statements that access the store's metadata or
            // its history.
            guard let plan = plans[index], index < sums.count, sums[index].count > 0,
                !shape.isHousekeeping, !shape.isHistory,
                let problem = problem(index, QueryPlan(plan))
            else { return nil }
            let seen = sums[index]
            return SQLFinding(
                kind: .missingIndex, title: problem.title, statements: seen.count,
                nanoseconds: seen.nanoseconds, lines: [seen.line], advice: problem.advice,
                code: problem.code, statement: shape.text, plan: plan)
        }
    }

    private struct Problem {
        var title: String
        var advice: String
        var code: String?
    }

    /// A table that a statement scans or sorts.
    private struct Place {
        let scope: SQLScope
        let table: SQLScope.Table
    }

    private func problem(_ index: Int, _ plan: QueryPlan) -> Problem? {
        guard !plan.scans.isEmpty || plan.sorts else { return nil }
        let sql = catalog.samples[index]
        let scopes = SQLScope.all(of: sql)
        let trial = Trial(store, String(decoding: sql, as: UTF8.self))
        return scan(plan, scopes, trial) ?? sort(plan, catalog[index], scopes[0], trial)
    }

    // MARK: Scanned tables

    private func scan(_ plan: QueryPlan, _ scopes: [SQLScope], _ trial: Trial?) -> Problem? {
        let places = plan.scans.compactMap { name -> (name: String, place: Place)? in
            for scope in scopes where scope.isConditional {
                if let table = scope.tables.first(where: { $0.isCalled(name) }), isLarge(table) {
                    return (name, Place(scope: scope, table: table))
                }
            }
            return nil
        }
        for (name, place) in places {
            let advice =
                trial.map { served(name, place, by: $0) }
                ?? rules(place).searching.first.map { told($0, place.table) }
            if let advice { return Problem(title: scanTitle(place.table), advice: advice) }
        }
        guard let place = places.first?.place else { return nil }
        let remedy = IndexRemedy(place.scope, store?.layout)
        return Problem(
            title: scanTitle(place.table),
            advice: remedy?.sentence
                ?? "No index serves this condition. Narrow the fetch by another attribute that has "
                + "an index.", code: remedy?.code)
    }

    /// Tries indexes on the store. Returns the advice to add those with which SQLite no longer
    /// scans the table; nil if no index prevents the scan.
    private func served(_ name: String, _ place: Place, by trial: Trial) -> String? {
        let others = place.scope.tables.filter { $0 != place.table }
        let tables = [place.table] + others
        var found: [IndexCandidate]?
        for table in tables {
            for choice in rules(Place(scope: place.scope, table: table)).searching {
                guard let candidates = IndexCandidate.all(choice, trial.store.layout),
                    let plan = trial.plan(with: candidates), trial.cures(plan, scanOf: name)
                else { continue }
                let needed = trial.needed(candidates) { trial.cures($0, scanOf: name) }
                if !plan.sorts { return told(needed) }
                found = found ?? needed
            }
        }
        return found.map(told)
    }

    private func scanTitle(_ table: SQLScope.Table) -> String {
        "A statement on \(names.shown(table: table.name)) scans the whole table"
            + size(table)
    }

    // MARK: Sorted tables

    private func sort(
        _ plan: QueryPlan, _ shape: StatementShape, _ scope: SQLScope, _ trial: Trial?
    ) -> Problem? {
        guard plan.sorts, !scope.order.isEmpty, !shape.hasWhere || shape.hasLimit,
            let table = scope.tables.first, isLarge(table)
        else { return nil }
        let title =
            "A fetch of \(names.shown(table: table.name)) sorts the whole table\(size(table)) "
            + "without an index"
        if let remedy = IndexRemedy(order: scope) {
            return Problem(title: title, advice: remedy.sentence)
        }
        let choices = rules(Place(scope: scope, table: table)).sorting
        let advice =
            trial.map { trial -> String? in
                let candidates = choices.lazy.compactMap {
                    IndexCandidate.all($0, trial.store.layout)
                }
                let first = candidates.first { trial.plan(with: $0)?.sorts == false }
                return first.map(told)
            } ?? choices.first.map { told($0, table) }
        return advice.map { Problem(title: title, advice: $0) }
    }

    // MARK: Words

    private func rules(_ place: Place) -> IndexRules {
        IndexRules(scope: place.scope, table: place.table)
    }

    /// Whether scanning the table takes noticeable time. False for tables that cannot have a fetch
    /// index.
    private func isLarge(_ table: SQLScope.Table) -> Bool {
        let entities = store?.layout.entities
        guard entities?.contains(where: { $0.tableName == table.name }) ?? true else {
            return false
        }
        return rows(table) ?? .max >= Self.smallTable
    }

    private func rows(_ table: SQLScope.Table) -> Int? { store?.rowCount(ofTable: table.name) }

    private func size(_ table: SQLScope.Table) -> String {
        rows(table).map { " of \($0) rows" } ?? ""
    }

    private func told(_ candidates: [IndexCandidate]) -> String {
        told(candidates.map { ($0.owner.name, $0.attributes) })
    }

    /// The advice to add an index that was not tried on a store.
    private func told(_ choice: [IndexColumns], _ table: SQLScope.Table) -> String {
        told(
            choice.map { index in
                let attributes = index.columns.map { column in
                    store?.layout.attribute(table: table.name, column: column.name)
                        ?? "the attribute of column \(column.name)"
                }
                return (names.shown(table: table.name), attributes)
            })
    }

    private func told(_ indexes: [(entity: String, attributes: [String])]) -> String {
        let lists = indexes.map { $0.attributes.joined(separator: ", ") }
        let entity = indexes.first?.entity ?? ""
        guard lists.count > 1 else {
            return "Add a fetch index on \(lists.joined()) to the entity \(entity)."
        }
        let list = lists.map { "on \($0)" }.joined(separator: " and ")
        return "Add a fetch index for each side of the OR to the entity \(entity): \(list)."
    }
}

/// Finds the query plan of a statement with hypothetical indexes.
private struct Trial {
    let store: OpenedStore
    private let sql: String
    private let before: QueryPlan

    /// Nil without a store, or if SQLite refuses the statement for it.
    init?(_ store: OpenedStore?, _ sql: String) {
        guard let store, let plan = store.plan(of: sql) else { return nil }
        self.store = store
        self.sql = sql
        before = QueryPlan(plan)
    }

    func plan(with candidates: [IndexCandidate]) -> QueryPlan? {
        store.plan(of: sql, with: candidates).map(QueryPlan.init)
    }

    /// Whether the plan searches the table that was scanned before, and scans no other table in
    /// addition.
    func cures(_ plan: QueryPlan, scanOf name: String) -> Bool {
        !plan.scans.contains(name) && Set(plan.scans).isSubset(of: before.scans)
            && plan.searches(by: IndexCandidate.name)
    }

    /// The candidates that are necessary. For example, the store may already have an index for one
    /// side of an OR.
    func needed(
        _ candidates: [IndexCandidate], _ isCure: (QueryPlan) -> Bool
    ) -> [IndexCandidate] {
        var needed = candidates
        for index in candidates.indices.reversed() where needed.count > 1 {
            var fewer = needed
            fewer.remove(at: index)
            if let plan = plan(with: fewer), isCure(plan) { needed = fewer }
        }
        return needed
    }
}
