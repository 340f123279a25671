import CoreDataSQLite
import Foundation

/// A piece of SQL with the values of its parameters, in order. Values are never part of the text.
struct Fragment: Sendable {
    package var text: String
    package var bindings: [Binding] = []

    package init(_ text: String, _ bindings: [Binding] = []) {
        self.text = text
        self.bindings = bindings
    }

    /// One parameter.
    package static func parameter(_ binding: Binding) -> Fragment { Fragment("?", [binding]) }

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
        Fragment(
            parts.map(\.text).joined(separator: separator), parts.flatMap(\.bindings))
    }
}

/// The value of one parameter.
package enum Binding: Sendable, Equatable {
    case null
    case integer(Int64)
    case double(Double)
    case text(String)
    case blob(Data)
    /// An array of integers, the argument of a table-valued function.
    case array(ContiguousArray<Int64>)
}

extension Statement {
    /// Binds the values of a fragment's parameters.
    package func bind(_ bindings: [Binding]) throws(SQLiteError) {
        assert(bindings.count == parameterCount, "a parameter of the statement has no value")
        for (offset, binding) in bindings.enumerated() {
            let index = offset + 1
            switch binding {
            case .null: bind(index)
            case .integer(let integer): bind(index, integer: integer)
            case .double(let double): bind(index, double: double)
            case .text(let text): bind(index, text: text)
            case .blob(let data): data.withUnsafeBytes { bind(index, blob: $0) }
            case .array(let array):
                let result = array.withUnsafeBufferPointer { values in
                    Result { () throws(SQLiteError) in try bind(index, array: values) }
                }
                try result.get()
            }
        }
    }
}
