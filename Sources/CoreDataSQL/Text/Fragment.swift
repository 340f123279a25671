import Foundation

/// A part of an SQL statement and its parameters.
///
/// A value is never part of the text. The text contains a mark at its position, which the dialect
/// replaces by a placeholder.
///
/// Invariant: the text contains one mark for each binding, in the same order.
package struct Fragment: Sendable {
    /// The byte that marks the position of a parameter. SQL text never contains this byte.
    private static let mark: UInt8 = 0

    private var text: String
    private var bindings: [Binding]

    package init(_ text: String = "") {
        assert(!text.utf8.contains(Self.mark), "a text of SQL contains the mark of a parameter")
        self.text = text
        bindings = []
    }

    private init(_ text: String, _ bindings: [Binding]) {
        self.text = text
        self.bindings = bindings
    }

    package static func parameter(_ binding: Binding) -> Fragment { Fragment("\0", [binding]) }

    /// A parameter whose value is bound before each run of the statement.
    package static let open = parameter(.null)

    var isParameter: Bool { bindings.count == 1 && text.utf8.count == 1 }

    package static func + (left: Fragment, right: Fragment) -> Fragment {
        Fragment(left.text + right.text, left.bindings + right.bindings)
    }

    package static func + (left: Fragment, right: String) -> Fragment {
        Fragment(left.text + right, left.bindings)
    }

    package static func + (left: String, right: Fragment) -> Fragment {
        Fragment(left + right.text, right.bindings)
    }

    package static func joined(_ parts: [Fragment], separator: String) -> Fragment {
        Fragment(parts.map(\.text).joined(separator: separator), parts.flatMap(\.bindings))
    }

    package func spelled(in dialect: any Dialect) -> SpelledStatement {
        let placeholders = bindings.indices.map { dialect.placeholder($0 + 1) }
        var marked = text
        let sql = marked.withUTF8 { Self.replacingMarks(in: $0, by: placeholders) }
        return SpelledStatement(sql: sql, bindings: bindings)
    }

    private static func replacingMarks(
        in text: UnsafeBufferPointer<UInt8>, by placeholders: [String]
    ) -> String {
        let added = placeholders.reduce(0) { $0 + $1.utf8.count }
        return String(unsafeUninitializedCapacity: text.count + added) { sql in
            var end = 0
            var position = 0
            func append(_ byte: UInt8) {
                sql[end] = byte
                end += 1
            }
            for byte in text {
                guard byte == mark, position < placeholders.count else {
                    append(byte)
                    continue
                }
                placeholders[position].utf8.forEach(append)
                position += 1
            }
            assert(position == placeholders.count, "a parameter has no position in the text")
            return end
        }
    }
}

/// The text of a statement in the database's dialect, and the values of its parameters in order.
package struct SpelledStatement: Sendable {
    package let sql: String
    package let bindings: [Binding]
}

/// The value of one parameter.
///
/// The database binds a value in the form that its columns store. For example, SQLite stores
/// booleans as integers, decimal numbers as doubles, and UUIDs as bytes.
package enum Binding: Sendable, Equatable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case double(Double)
    case decimal(Decimal)
    case text(String)
    case uuid(UUID)
    case blob(Data)
    /// A list of keys or integers.
    case array(ContiguousArray<Int64>)
}
