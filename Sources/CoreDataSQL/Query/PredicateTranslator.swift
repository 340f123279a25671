import CoreDataModel
import CoreDataPredicate

/// Translates the predicates and expressions of one statement to SQL.
///
/// The SQL matches Core Data's logs as far as they show it. Predicates that a store cannot evaluate
/// are rejected with Core Data's messages.
final class PredicateTranslator {
    let schema: StoreSchema
    /// The scopes around the current position, from the innermost nested SELECT to the statement.
    private(set) var scopes: [QueryScope]
    /// Whether a join may return a row of the statement's entity several times.
    var repeatsRows = false
    /// The columns that variables of a HAVING clause refer to, by name; see `TableBuilder`.
    package var computed: [String: PathColumn] = [:]
    /// Whether aggregates apply to the rows of a group, as in a HAVING clause.
    package var aggregatesGroups = false
    private var aliasCount = 1
    /// Whether the caller can test the rows in memory after the statement has run (see `Residue`).
    /// If so, conditions that SQL would evaluate differently are left to that test. The statement
    /// may then also search R-trees.
    let leavesResidue: Bool
    private var levels = 0

    package init(_ schema: StoreSchema, entity: EntityLayout, leavesResidue: Bool = false) {
        self.schema = schema
        self.leavesResidue = leavesResidue
        scopes = [QueryScope(alias: "t0", entity: entity)]
    }

    var layout: ModelLayout { schema.layout }
    var names: RowNames { schema.names }
    var dialect: any Dialect { schema.dialect }

    // Safe: the initializer adds this scope, and no code removes it.
    package var root: QueryScope { scopes.last! }

    func nextAlias() -> String {
        defer { aliasCount += 1 }
        return "t\(aliasCount)"
    }

    package func inside<T>(
        _ scope: QueryScope, _ body: () throws(QueryRefusal) -> T
    ) throws(QueryRefusal) -> T {
        scopes.insert(scope, at: 0)
        defer { scopes.removeFirst() }
        return try body()
    }

    /// Runs the body one nesting level deeper. Throws an error beyond the maximum.
    package func below<T>(_ body: () throws(QueryRefusal) -> T) throws(QueryRefusal) -> T {
        guard levels < dialect.levelsMax else {
            throw refuse(
                "Unsupported predicate: it is nested more than \(dialect.levelsMax) levels deep; "
                    + "join parts with one AND or OR, or use IN")
        }
        levels += 1
        defer { levels -= 1 }
        return try body()
    }

    package func refuse(_ text: String) -> QueryRefusal {
        QueryRefusal(message: text, isBeyondSQL: false)
    }

    /// An error for a condition that SQL cannot express, but the evaluation in memory can.
    package func beyondSQL(_ text: String) -> QueryRefusal {
        QueryRefusal(message: text, isBeyondSQL: true)
    }

    /// The name of an entity in Core Data's error messages.
    package func name(of entity: EntityLayout) -> String {
        "<NSSQLEntity \(entity.name) id=\(schema.numbers.number(of: entity.index))>"
    }

    /// - Parameter isRequired: whether rows that fail this part fail the whole predicate. Joins may
    ///   then drop such rows. False below OR and NOT.
    func translate(_ predicate: NSPredicate, isRequired: Bool) throws(QueryRefusal) -> Fragment {
        try below { () throws(QueryRefusal) in try translateNode(predicate, isRequired) }
    }

    private func translateNode(
        _ predicate: NSPredicate, _ isRequired: Bool
    ) throws(QueryRefusal) -> Fragment {
        switch predicate.node {
        case .constant(let value): return Fragment(value ? " 1 = 1" : " 1 = 0")
        case .comparison(let comparison):
            return try translate(comparison, of: predicate, isRequired: isRequired)
        case .compound(let type, let parts):
            return try translate(type, parts, isRequired: isRequired)
        case .block: throw refuse("Unsupported predicate \(predicate.predicateFormat)")
        }
    }

    private func translate(
        _ type: NSCompoundPredicate.LogicalType, _ parts: [NSPredicate], isRequired: Bool
    ) throws(QueryRefusal) -> Fragment {
        switch type {
        case .not:
            guard let part = parts.first else {
                throw refuse("Unsupported predicate: NOT without an operand")
            }
            return "NOT (" + (try translate(part, isRequired: false)) + ")"
        case .and:
            return try join(
                Self.flattened(parts, .and), " AND ", empty: " 1 = 1", isRequired: isRequired)
        case .or:
            let isOnly = parts.count == 1
            return try join(
                Self.flattened(parts, .or), " OR ", empty: " 1 = 0",
                isRequired: isRequired && isOnly)
        }
    }

    private func join(
        _ parts: [NSPredicate], _ separator: String, empty: String, isRequired: Bool
    ) throws(QueryRefusal) -> Fragment {
        var fragments: [Fragment] = []
        for part in parts { fragments.append(try translate(part, isRequired: isRequired)) }
        if fragments.isEmpty { return Fragment(empty) }
        if fragments.count == 1 { return fragments[0] }
        return "(" + Fragment.joined(fragments, separator: separator) + ")"
    }

    /// The parts of nested ANDs (or ORs) as one list.
    static func flattened(
        _ parts: [NSPredicate], _ type: NSCompoundPredicate.LogicalType
    ) -> [NSPredicate] {
        // A loop instead of recursion: programs build deep predicates by adding one condition after
        // another.
        var flat: [NSPredicate] = []
        var todo = Array(parts.reversed())
        while let part = todo.popLast() {
            if case .compound(let inner, let parts) = part.node, inner == type {
                todo += parts.reversed()
            } else {
                flat.append(part)
            }
        }
        return flat
    }
}
