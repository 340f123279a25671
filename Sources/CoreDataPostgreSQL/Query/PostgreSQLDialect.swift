import CoreDataModel
import CoreDataPostgreSQLClient
import CoreDataPredicate
import CoreDataSQL
import Foundation

/// The SQL of PostgreSQL.
///
/// Texts are compared by their bytes, and searched in the composed form, as in memory. If the
/// server would have another result than the evaluation in memory, a function returns nil.
struct PostgreSQLDialect: Dialect {
    /// Whether the server does calculations. If a result does not fit into its type, the server
    /// reports an error, although the evaluation in memory has a result.
    var computes = true
    /// The columns of which an index contains only the beginnings of the values.
    var shortened: ShortenedColumns?

    func placeholder(_ position: Int) -> String { "$\(position)" }

    var levelsMax: Int { 400 }

    // MARK: Keys

    func isAmong(_ number: String, _ list: Fragment) -> Fragment {
        "\(number) = ANY(" + list + ")"
    }

    func table(of list: Fragment) -> Fragment {
        "unnest(" + list + ") WITH ORDINALITY AS a(value, rowid)"
    }

    var listJoin: String { "JOIN" }

    // MARK: Rows

    func window(limit: Int, offset: Int) -> String {
        (limit > 0 ? " LIMIT \(limit)" : "") + (offset > 0 ? " OFFSET \(offset)" : "")
    }

    var joinsMembers: Bool { false }
    var nestedName: String { " AS found" }
    var sortsKeys: Bool { true }

    // MARK: Values

    var isTyped: Bool { true }
    var hasDecimals: Bool { true }
    var hasBooleans: Bool { true }
    var addsValues: Bool { computes }

    func beginning(
        of slot: ValueSlot, in entity: EntityLayout
    ) -> (before: String, after: String)? {
        shortened?.beginning(of: slot, in: entity)
    }
    var isNotTrue: String { "IS NOT TRUE" }

    func collation(_ order: StringOrder) -> String? {
        order == .binary ? " COLLATE \"C\"" : nil
    }

    func direction(isAscending: Bool) -> String {
        isAscending ? " NULLS FIRST" : " DESC NULLS LAST"
    }

    func test(_ test: TextTest, _ text: Fragment, _ pattern: Fragment) -> Fragment? {
        let isRaw = test.options == [.normalized]
        guard test.options.isEmpty || isRaw, test.kind != .like, test.kind != .matches else {
            return nil
        }
        // The result is false for an empty pattern, and NULL for a missing text.
        if test.constant?.isEmpty == true { return "(" + text + " <> " + text + ")" }
        let text = isRaw ? text : "normalize(" + text + ")"
        var pattern = pattern
        if let constant = test.constant {
            let composed = isRaw ? constant : constant.precomposedStringWithCanonicalMapping
            pattern = .parameter(.text(composed))
        } else if !isRaw {
            pattern = "normalize(" + pattern + ")"
        }
        guard let found = position(test.kind, text, pattern) else { return nil }
        return test.constant == nil ? "(" + found + " AND " + pattern + " <> '')" : found
    }

    private func position(
        _ kind: TextTest.Kind, _ text: Fragment, _ pattern: Fragment
    ) -> Fragment? {
        switch kind {
        case .contains: "strpos(" + text + ", " + pattern + ") > 0"
        case .begins: "starts_with(" + text + ", " + pattern + ")"
        case .ends: "right(" + text + ", length(" + pattern + ")) = " + pattern
        // `?` matches one character in Swift, which may be several characters on the server.
        case .like, .matches: nil
        }
    }

    func call(_ function: SQLFunction, _ argument: Fragment) -> Fragment? {
        switch function {
        case .magnitude: computes ? "abs(" + argument + ")" : nil
        case .complement: "(~" + argument + ")"
        case .unindexed: argument
        // The evaluation in memory has other results. For example, it counts UTF-16 code units.
        case .uppercase, .lowercase, .canonical, .length: nil
        }
    }

    /// The server's clock may differ from the clock of the program.
    var now: String? { nil }

    func calculate(
        _ operation: SQLOperation, _ left: Fragment, _ right: Fragment, isWhole: Bool
    ) -> Fragment? {
        guard computes else { return nil }
        let type = isWhole ? "::bigint" : ""
        // NaN counts as a missing value. The server would sort it after all numbers.
        let (before, after) = isWhole ? ("(", ")") : ("NULLIF(", ", 'NaN')")
        switch operation {
        case .divide, .remainder:
            return before + left + "\(type) \(operation.rawValue) NULLIF(" + right
                + "\(type), 0)\(after)"
        case .exclusiveOr: return "(" + left + "::bigint # " + right + "::bigint)"
        case .and, .or:
            return "(" + left + "::bigint \(operation.rawValue) " + right + "::bigint)"
        // The server shifts by the number of bits modulo 64.
        case .shiftLeft, .shiftRight: return nil
        case .add, .subtract, .multiply:
            return before + left + "\(type) \(operation.rawValue) " + right + "\(type)\(after)"
        }
    }

    func total(of kind: CoreDataModel.ValueKind?) -> (before: String, after: String) {
        kind == .decimal
            ? ("COALESCE(SUM(", "), 0)") : ("COALESCE(SUM(", ")::double precision, 0)")
    }

    var average: (before: String, after: String) { ("AVG((", ")::double precision)") }

    // MARK: Writing

    func writing(_ slot: ValueSlot, _ value: Fragment) -> Fragment {
        value + "::\(slot.kind.serverType.name)"
    }

    var insertUnlessStored: (verb: String, clause: String) {
        ("INSERT", " ON CONFLICT DO NOTHING")
    }

    var hasManyConflictClauses: Bool { false }
    var qualifiesFormerValues: Bool { true }
}
