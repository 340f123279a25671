import CoreDataModel
import CoreDataPredicate

/// Checks for databases that compare and compute only values of like types.
///
/// A comparison of other values is evaluated in memory.
extension PredicateTranslator {
    /// The kinds of values that a database compares with each other.
    private enum Group {
        case number, boolean, text, uuid, bytes, key
    }

    private static func group(of kind: ValueKind) -> Group {
        switch kind {
        // A date is a number of seconds.
        case .integer16, .integer32, .integer64, .double, .float, .decimal, .date: .number
        case .boolean: .boolean
        case .string, .uri: .text
        case .uuid: .uuid
        case .binary: .bytes
        case .toOne: .key
        }
    }

    /// The group of one side of a comparison; nil if it is unknown.
    private func group(_ side: Side, against other: Side) throws(QueryRefusal) -> Group? {
        switch side {
        case .column(let column): return column.isKey ? .key : Self.group(of: column.kind)
        case .computed(_, let kind): return kind.map(Self.group)
        case .constant(let operand): return try group(operand, against: other)
        case .list, .toMany: return nil
        }
    }

    private func group(_ operand: Operand, against other: Side) throws(QueryRefusal) -> Group? {
        var kind: ValueKind?
        switch other {
        case .column(let column) where column.isKey: return .key
        case .column(let column): kind = column.kind
        case .computed(_, let known): kind = known
        case .constant, .list, .toMany: break
        }
        switch try binding(operand, for: kind) {
        // A missing value has no type.
        case .null, .array: return nil
        case .boolean: return .boolean
        case .integer, .double, .decimal: return .number
        case .text: return .text
        case .uuid: return .uuid
        case .blob: return .bytes
        }
    }

    /// Checks that a database with types can compare two values.
    func checkLike(_ left: Side, _ right: Side) throws(QueryRefusal) {
        guard dialect.isTyped else { return }
        guard let group = try group(left, against: right),
            try self.group(right, against: left) == group
        else { throw beyondSQL("Unsupported comparison of values of different types") }
        guard group == .number else { return }
        // The database would round a large integer to a floating-point number.
        let kinds = [left, right].map(Self.kindOfColumn)
        if kinds.contains(.integer64), kinds.contains(.double) || kinds.contains(.float) {
            throw beyondSQL("Unsupported comparison of an integer and a fraction")
        }
    }

    private static func kindOfColumn(_ side: Side) -> ValueKind? {
        switch side {
        case .column(let column): column.kind
        case .computed(_, let kind): kind
        case .constant, .list, .toMany: nil
        }
    }

    /// Checks that a text is searched for a text.
    func checkTexts(_ text: Side, _ pattern: Side) throws(QueryRefusal) {
        guard dialect.isTyped else { return }
        for (side, other) in [(text, pattern), (pattern, text)] {
            guard try group(side, against: other) == .text else {
                throw beyondSQL("Unsupported test of a value that is not a text")
            }
            if case .constant(let operand) = side, operand.isNull {
                throw beyondSQL("Unsupported test of a missing text")
            }
        }
    }

    /// Checks that a database with types can compute with values of a kind.
    func checkNumber(_ kind: ValueKind?, _ expression: NSExpression) throws(QueryRefusal) {
        guard dialect.isTyped else { return }
        switch kind {
        case .integer16, .integer32, .integer64, .double, .float, .decimal: return
        default: throw beyondSQL("Unsupported arithmetic of \(expression)")
        }
    }

    /// The kind of a sum, difference or product in a database with types; nil in others.
    func typedKind(_ left: ValueKind?, _ right: ValueKind?) -> ValueKind? {
        guard dialect.isTyped else { return nil }
        let isFraction = [left, right].contains { $0 == .double || $0 == .float }
        return isFraction ? .double : .decimal
    }

    /// The binding of a constant that a database with types needs in another form; nil for all
    /// others.
    func typedBinding(_ operand: Operand, for kind: ValueKind?) throws(QueryRefusal) -> Binding? {
        if operand.isNaN { throw beyondSQL("Unsupported constant NaN") }
        switch operand {
        case .string(let text) where text.utf8.contains(0):
            throw beyondSQL("Unsupported constant with the character U+0000")
        case .integer(let integer) where kind == .double || kind == .float || kind == .date:
            // A floating-point number has 53 bits for digits.
            guard integer.magnitude <= 1 << 53 else {
                throw beyondSQL("Unsupported constant \(integer) instead of a fraction")
            }
            return .double(Double(integer))
        case .double(let double) where kind?.isInteger == true && kind != .boolean:
            guard double.magnitude < 0x1p63 else {
                throw beyondSQL("Unsupported constant \(double) instead of an integer")
            }
            return Int64(exactly: double).map { .integer($0) }
        default: return nil
        }
    }
}

extension PathColumn {
    /// Whether the column contains keys or entity numbers, which the translator compares only with
    /// objects and entities.
    fileprivate var isKey: Bool { destination != nil || isEntity }
}

extension PredicateTranslator.Aggregate {
    /// Whether a database with types can compute the aggregate of a column.
    func takes(_ column: PathColumn) -> Bool {
        switch column.kind {
        case .integer16, .integer32, .integer64, .double, .float, .decimal: true
        case .date, .string, .uri: !adds
        case .boolean, .uuid, .binary, .toOne:
            if case .count = self { true } else { false }
        }
    }
}
