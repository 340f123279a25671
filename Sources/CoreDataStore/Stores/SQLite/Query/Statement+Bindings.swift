import CoreDataSQL
import CoreDataSQLite
import Foundation

extension Statement {
    package func bind(_ bindings: [Binding]) throws(SQLiteError) {
        assert(bindings.count == parameterCount, "a parameter of the statement has no value")
        for (offset, binding) in bindings.enumerated() {
            let index = offset + 1
            switch binding {
            case .null: bind(index)
            case .boolean(let flag): bind(index, integer: flag ? 1 : 0)
            case .integer(let integer): bind(index, integer: integer)
            case .double(let double): bind(index, double: double)
            case .decimal(let decimal):
                bind(index, double: NSDecimalNumber(decimal: decimal).doubleValue)
            case .text(let text): bind(index, text: text)
            case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { bind(index, blob: $0) }
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

extension Binding {
    init(_ value: Value) {
        self =
            switch value {
            case .null, .object: .null
            case .integer(let integer): .integer(integer)
            case .double(let double): .double(double)
            case .string(let text): .text(text)
            case .data(let data): .blob(data)
            case .uuid(let uuid): .uuid(uuid)
            case .decimal(let decimal): .decimal(decimal)
            case .reference(let key): .integer(key.key)
            }
    }
}
