import CoreDataModel
import CoreDataPredicate
import CoreDataSQL

/// The SQL of a server like PostgreSQL. It has neither Core Data's functions nor its collations.
struct ServerDialect: Dialect {
    var isTyped = false

    /// A database with types also has decimal numbers.
    var hasDecimals: Bool { isTyped }
    var sortsKeys: Bool { isTyped }

    func direction(isAscending: Bool) -> String {
        isTyped ? (isAscending ? " NULLS FIRST" : " DESC NULLS LAST") : isAscending ? "" : " DESC"
    }

    func placeholder(_ position: Int) -> String { "$\(position)" }

    var levelsMax: Int { 1_000 }

    // MARK: Keys

    func isAmong(_ number: String, _ list: Fragment) -> Fragment { "\(number) = ANY(" + list + ")" }

    func table(of list: Fragment) -> Fragment {
        "unnest(" + list + "::bigint[]) WITH ORDINALITY AS a(value, rowid)"
    }

    var listJoin: String { "JOIN" }

    // MARK: Rows

    func window(limit: Int, offset: Int) -> String {
        (limit > 0 ? " LIMIT \(limit)" : "") + (offset > 0 ? " OFFSET \(offset)" : "")
    }

    var joinsMembers: Bool { false }
    var nestedName: String { " AS found" }

    // MARK: Values

    var hasBooleans: Bool { true }
    var isNotTrue: String { "IS NOT TRUE" }

    func collation(_ order: StringOrder) -> String? {
        order == .binary ? " COLLATE \"C\"" : nil
    }

    func test(_ test: TextTest, _ text: Fragment, _ pattern: Fragment) -> Fragment? {
        guard test.options.isEmpty else { return nil }
        return switch test.kind {
        case .contains: "strpos(" + text + ", " + pattern + ") > 0"
        case .begins: "starts_with(" + text + ", " + pattern + ")"
        case .ends, .like, .matches: nil
        }
    }

    func call(_ function: SQLFunction, _ argument: Fragment) -> Fragment? {
        switch function {
        case .magnitude: "abs(" + argument + ")"
        case .complement: "(~" + argument + ")"
        case .unindexed: argument
        case .uppercase, .lowercase, .canonical, .length: nil
        }
    }

    var now: String? { nil }

    func calculate(
        _ operation: SQLOperation, _ left: Fragment, _ right: Fragment, isWhole: Bool
    ) -> Fragment? {
        switch operation {
        case .divide, .remainder:
            "(" + left + " \(operation.rawValue) NULLIF(" + right + ", 0))"
        case .exclusiveOr: "(" + left + " # " + right + ")"
        default: "(" + left + " \(operation.rawValue) " + right + ")"
        }
    }

    func total(of kind: ValueKind?) -> (before: String, after: String) {
        ("COALESCE(SUM(", ")::double precision, 0)")
    }

    // MARK: Writing

    var insertUnlessStored: (verb: String, clause: String) {
        ("INSERT", " ON CONFLICT DO NOTHING")
    }

    var hasManyConflictClauses: Bool { false }
    var qualifiesFormerValues: Bool { true }
}
