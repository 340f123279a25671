import CoreDataModel
import CoreDataPredicate
import CoreDataSQL
import CoreDataStore

/// SQLite's dialect without Core Data's functions and collations. Strings are therefore compared
/// and sorted in memory.
struct PlainDialect: Dialect {
    private let full = SQLiteDialect()

    func collation(_ order: StringOrder) -> String? { order == .binary ? "" : nil }

    func test(_ test: TextTest, _ text: Fragment, _ pattern: Fragment) -> Fragment? { nil }

    func call(_ function: SQLFunction, _ argument: Fragment) -> Fragment? { nil }

    var now: String? { nil }

    func calculate(
        _ operation: SQLOperation, _ left: Fragment, _ right: Fragment, isWhole: Bool
    ) -> Fragment? { nil }

    // MARK: The same

    func placeholder(_ position: Int) -> String { full.placeholder(position) }
    var levelsMax: Int { full.levelsMax }
    func isAmong(_ number: String, _ list: Fragment) -> Fragment { full.isAmong(number, list) }
    func table(of list: Fragment) -> Fragment { full.table(of: list) }
    var listJoin: String { full.listJoin }
    func window(limit: Int, offset: Int) -> String { full.window(limit: limit, offset: offset) }
    var joinsMembers: Bool { false }
    var nestedName: String { full.nestedName }
    var hasBooleans: Bool { full.hasBooleans }
    var isNotTrue: String { full.isNotTrue }
    func total(of kind: ValueKind?) -> (before: String, after: String) { full.total(of: kind) }
    var insertUnlessStored: (verb: String, clause: String) { full.insertUnlessStored }
    var hasManyConflictClauses: Bool { full.hasManyConflictClauses }
    var qualifiesFormerValues: Bool { full.qualifiesFormerValues }
}
