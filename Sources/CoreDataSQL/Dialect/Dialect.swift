import CoreDataModel
import CoreDataPredicate

/// The SQL dialect of a database: its syntax, and the conditions and sort orders that it supports.
///
/// A member returns nil if the database would compute another result than the evaluation in memory.
/// The builder then throws a ``QueryRefusal``. A ``Residue`` evaluates that condition or order in
/// memory.
package protocol Dialect: Sendable {
    /// The placeholder of the parameter at a position, from 1.
    func placeholder(_ position: Int) -> String

    /// The maximum nesting of predicates and expressions that the database accepts.
    var levelsMax: Int { get }

    // MARK: Keys

    /// The condition that a number is in a list of numbers. The list is bound as a single
    /// parameter.
    func isAmong(_ number: String, _ list: Fragment) -> Fragment

    /// A list of numbers as a table `a` with the columns `value` and `rowid`, which is the position
    /// from 1.
    func table(of list: Fragment) -> Fragment

    /// The JOIN keyword between ``table(of:)`` and a table of rows. It must make the database read
    /// the list first.
    var listJoin: String { get }

    // MARK: Rows

    /// The LIMIT and OFFSET clauses of a statement; zero for no limit or offset.
    func window(limit: Int, offset: Int) -> String

    /// Whether ANY becomes a join with DISTINCT, as in Core Data. If false, ANY becomes EXISTS.
    /// Some databases cannot sort distinct rows by other columns.
    var joinsMembers: Bool { get }

    /// The alias of a nested SELECT in a FROM clause, for databases that require one.
    var nestedName: String { get }

    /// The expression that reads a column, and the expression that writes a value to it.
    func reading(_ slot: ValueSlot, _ column: String) -> String
    func writing(_ slot: ValueSlot, _ value: Fragment) -> Fragment

    /// The expression for the beginning of a column's values, as the SQL text before and after the
    /// value, if an index contains only the beginnings. Comparisons and orders then also name the
    /// expression, so that the database uses the index. Nil without such an index.
    func beginning(of slot: ValueSlot, in entity: EntityLayout) -> (before: String, after: String)?

    /// The R-tree table of a spatial index in the database; nil if the database has none.
    func boxTable(of index: IndexLayout) -> String?

    /// Whether a statement must sort rows by their keys. Without this, the database returns equal
    /// rows, or rows without an order, in any order.
    var sortsKeys: Bool { get }

    // MARK: Values

    /// Whether the database compares and computes only values of like types. The builders then
    /// throw a ``QueryRefusal`` for values of different types, which are evaluated in memory.
    var isTyped: Bool { get }

    /// Whether the database stores decimal numbers exactly, and adds them exactly.
    var hasDecimals: Bool { get }

    /// Whether the database adds values and computes averages.
    var addsValues: Bool { get }

    /// Whether the database has a Boolean column type. Otherwise columns of Booleans contain
    /// integers.
    var hasBooleans: Bool { get }

    /// The SQL operator that tests whether a condition is false or unknown.
    var isNotTrue: String { get }

    /// The COLLATE clause for a string order. Empty if the columns already compare in this order.
    func collation(_ order: StringOrder) -> String?

    /// The end of a term of ORDER BY. In its order, a missing value is less than all other values.
    func direction(isAscending: Bool) -> String

    /// The condition that a string matches a pattern.
    func test(_ test: TextTest, _ text: Fragment, _ pattern: Fragment) -> Fragment?

    /// A call of a function with one argument.
    func call(_ function: SQLFunction, _ argument: Fragment) -> Fragment?

    /// The current date in seconds since 2001.
    var now: String? { get }

    /// An arithmetic expression of two numbers.
    ///
    /// - Parameter isWhole: whether both numbers are integers.
    func calculate(
        _ operation: SQLOperation, _ left: Fragment, _ right: Fragment, isWhole: Bool
    ) -> Fragment?

    /// The SQL text before and after an expression that sums its values. The sum of no values is 0.
    ///
    /// - Parameter kind: the kind of the values; nil if unknown.
    /// - Returns: a floating-point sum; for decimal numbers a decimal sum if ``hasDecimals``.
    func total(of kind: ValueKind?) -> (before: String, after: String)

    /// The SQL text before and after an expression whose values are averaged.
    var average: (before: String, after: String) { get }

    // MARK: Writing

    /// The beginning and the last clause of an INSERT that skips rows whose unique values already
    /// exist.
    var insertUnlessStored: (verb: String, clause: String) { get }

    /// Whether a statement may have several `ON CONFLICT` clauses, one for each unique constraint.
    var hasManyConflictClauses: Bool { get }

    /// Whether an `ON CONFLICT` clause must qualify the existing value of a column with the table
    /// name.
    var qualifiesFormerValues: Bool { get }
}

extension Dialect {
    package func reading(_ slot: ValueSlot, _ column: String) -> String { column }

    package func writing(_ slot: ValueSlot, _ value: Fragment) -> Fragment { value }

    package func beginning(
        of slot: ValueSlot, in entity: EntityLayout
    ) -> (before: String, after: String)? { nil }

    package func boxTable(of index: IndexLayout) -> String? { nil }

    package var sortsKeys: Bool { false }
    package var isTyped: Bool { false }
    package var hasDecimals: Bool { false }
    package var addsValues: Bool { true }

    package func direction(isAscending: Bool) -> String { isAscending ? "" : " DESC" }

    package var average: (before: String, after: String) { ("AVG(", ")") }
}

/// A kind of string matching, with its options.
package struct TextTest: Sendable {
    package enum Kind: Sendable { case contains, begins, ends, like, matches }

    package let kind: Kind
    package let options: NSComparisonPredicate.Options
    /// The pattern if it is a constant; otherwise nil.
    package let constant: String?
}

/// A function with one argument.
package enum SQLFunction: Sendable {
    case uppercase, lowercase, canonical
    /// The number of UTF-16 code units of a string, or of bytes of data.
    case length
    case magnitude
    /// The bitwise complement of an integer.
    case complement
    /// The unchanged value, written so that the database uses no index for it.
    case unindexed
}

package enum SQLOperation: String, Sendable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
    case remainder = "%"
    case and = "&"
    case or = "|"
    case exclusiveOr
    case shiftLeft = "<<"
    case shiftRight = ">>"
}
