import CoreDataModel
import CoreDataPredicate

/// The SQL of one database: its spellings, and the conditions and orders that it can express.
///
/// If a member returns nil, the database has no equivalent that agrees with memory. The builders
/// then throw a ``QueryRefusal`` that is beyond SQL, and the condition or the order becomes part of
/// a ``Residue``.
package protocol Dialect: Sendable {
    /// The parameter at a position, from 1.
    func placeholder(_ position: Int) -> String

    /// A text as a constant of SQL.
    func literal(_ text: String) -> String

    /// The greatest depth of predicates and expressions that the database accepts.
    var levelsMax: Int { get }

    // MARK: Keys

    /// The condition that a number is in a list, which is one parameter.
    func isAmong(_ number: String, _ list: Fragment) -> Fragment

    /// A list of numbers as the table `a`, with the columns `value` and `rowid`, the position from
    /// 1.
    func table(of list: Fragment) -> Fragment

    /// The join of ``table(of:)`` with rows, which begins with the list.
    var listJoin: String { get }

    // MARK: Rows

    /// The end of a statement that skips rows and limits their number; zero stands for neither.
    func window(limit: Int, offset: Int) -> String

    /// Whether ANY is a join and its repeated rows are removed with DISTINCT, as in Core Data. The
    /// other form is EXISTS, for databases that cannot sort distinct rows by other columns.
    var joinsMembers: Bool { get }

    /// The name of a nested SELECT in FROM, for databases that require one.
    var nestedName: String { get }

    /// The expression that reads a column, and the one that writes a value to it.
    func reading(_ slot: ValueSlot, _ column: String) -> String
    func writing(_ slot: ValueSlot, _ value: Fragment) -> Fragment

    /// The table of boxes that a spatial index has in the database; nil if it has none.
    func boxTable(of index: IndexLayout) -> String?

    // MARK: Values

    /// Whether columns of booleans have a type of their own, and not that of integers.
    var hasBooleans: Bool { get }

    /// The test that a condition is false or unknown.
    var isNotTrue: String { get }

    /// The clause that sorts and compares texts in an order; empty if columns have the order
    /// anyway.
    func collation(_ order: StringOrder) -> String?

    /// A test of a text.
    func test(_ test: TextTest, _ text: Fragment, _ pattern: Fragment) -> Fragment?

    /// A function of one value.
    func call(_ function: SQLFunction, _ argument: Fragment) -> Fragment?

    /// The current date in seconds since 2001.
    var now: String? { get }

    /// An operation of two numbers.
    func calculate(_ operation: SQLOperation, _ left: Fragment, _ right: Fragment) -> Fragment?

    /// The texts around numbers for their sum as a fraction, which is 0 without numbers.
    var total: (before: String, after: String) { get }

    // MARK: Writing

    /// An INSERT that leaves existing rows with the same unique values unchanged: its first words,
    /// and its last clause.
    var insertUnlessStored: (verb: String, clause: String) { get }

    /// Whether a statement may have one `ON CONFLICT` clause for each unique constraint.
    var hasManyConflictClauses: Bool { get }

    /// Whether the former value in an `ON CONFLICT` clause needs the name of its table.
    var qualifiesFormerValues: Bool { get }
}

extension Dialect {
    package func literal(_ text: String) -> String {
        "'\(text.replacing("'", with: "''"))'"
    }

    package func reading(_ slot: ValueSlot, _ column: String) -> String { column }

    package func writing(_ slot: ValueSlot, _ value: Fragment) -> Fragment { value }

    package func boxTable(of index: IndexLayout) -> String? { nil }
}

/// A test of a text with a pattern.
package struct TextTest: Sendable {
    package enum Kind: Sendable { case contains, begins, ends, like, matches }

    package let kind: Kind
    package let options: NSComparisonPredicate.Options
}

/// A function of one value.
package enum SQLFunction: Sendable {
    case uppercase, lowercase, canonical
    /// The length of a text in UTF-16 units, as memory counts it, or of data in bytes.
    case length
    /// The absolute value of a number.
    case magnitude
    /// The complement of an integer's bits.
    case complement
    /// The value, which no index finds.
    case unindexed
}

/// An operation of two numbers.
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
