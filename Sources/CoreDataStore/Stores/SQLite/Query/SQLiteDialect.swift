import CoreDataModel
import CoreDataPredicate
import CoreDataSQL

/// The SQL dialect of SQLite with the custom functions and collations of ``StoreFunctions``.
///
/// Its forms are those of Core Data's logs, as far as they are known.
package struct SQLiteDialect: Dialect {
    package init() {}

    package func placeholder(_ position: Int) -> String { "?" }

    /// SQLite allows a depth of 1,000 for expressions. One level of a predicate may be two levels
    /// in SQL.
    package var levelsMax: Int { 400 }

    // MARK: Keys

    package func isAmong(_ number: String, _ list: Fragment) -> Fragment {
        "\(number) IN (SELECT value FROM \(StoreFunctions.integerArray)(" + list + "))"
    }

    package func table(of list: Fragment) -> Fragment {
        "\(StoreFunctions.integerArray)(" + list + ") a"
    }

    /// SQLite does not reorder the tables of a CROSS JOIN.
    package var listJoin: String { "CROSS JOIN" }

    // MARK: Rows

    package func window(limit: Int, offset: Int) -> String {
        if offset > 0 { return "  LIMIT \(limit > 0 ? limit : -1) OFFSET \(offset)" }
        return limit > 0 ? "  LIMIT \(limit)" : ""
    }

    package var joinsMembers: Bool { true }
    package var nestedName: String { "" }

    package func reading(_ slot: ValueSlot, _ column: String) -> String {
        slot.readExpression(of: column)
    }

    package func writing(_ slot: ValueSlot, _ value: Fragment) -> Fragment {
        slot.isExternal ? "\(ExternalData.storedFunction)(" + value + ")" : value
    }

    package func boxTable(of index: IndexLayout) -> String? { SpatialIndexes.table(of: index) }

    // MARK: Values

    package var hasBooleans: Bool { false }
    package var isNotTrue: String { "IS NOT 1" }

    package func collation(_ order: StringOrder) -> String? {
        TextSearch.collation(order).map { " COLLATE \($0)" } ?? ""
    }

    package func test(_ test: TextTest, _ text: Fragment, _ pattern: Fragment) -> Fragment? {
        let (function, position) =
            switch test.kind {
            case .contains: (TextSearch.searchFunction, 0)
            case .begins: (TextSearch.searchFunction, TextSearch.anchored)
            case .ends: (TextSearch.searchFunction, TextSearch.anchored | TextSearch.backwards)
            case .like: (TextSearch.likeFunction, 0)
            case .matches: (TextSearch.matchesFunction, 0)
            }
        let flags = position | TextSearch.flags(test.options)
        return "\(function)( " + text + ", " + pattern + ", \(flags), 0)"
    }

    package func call(_ function: SQLFunction, _ argument: Fragment) -> Fragment? {
        switch function {
        case .uppercase: "NSCoreDataUppercase( " + argument + ")"
        case .lowercase: "NSCoreDataLowercase( " + argument + ")"
        case .canonical: "NSCoreDataCanonical( " + argument + ")"
        case .length: "\(StoreFunctions.length)( " + argument + ")"
        case .magnitude: "\(StoreFunctions.magnitude)( " + argument + ")"
        case .complement: "(~" + argument + ")"
        // A unary plus prevents SQLite from using an index on the column.
        case .unindexed: "+" + argument
        }
    }

    package var now: String? { "NSCoreDataNow()" }

    package func calculate(
        _ operation: SQLOperation, _ left: Fragment, _ right: Fragment, isWhole: Bool
    ) -> Fragment? {
        // SQLite has no operator for exclusive or.
        if operation == .exclusiveOr {
            return "((" + left + " | " + right + ") - (" + left + " & " + right + "))"
        }
        return "(" + left + " \(operation.rawValue) " + right + ")"
    }

    package func total(of kind: ValueKind?) -> (before: String, after: String) { ("TOTAL(", ")") }

    // MARK: Writing

    package var insertUnlessStored: (verb: String, clause: String) { ("INSERT OR IGNORE", "") }
    package var hasManyConflictClauses: Bool { true }
    package var qualifiesFormerValues: Bool { false }
}

extension RowNames {
    static let coreData = RowNames(key: "Z_PK", entity: "Z_ENT", version: "Z_OPT")
}
