import CoreDataModel
import CoreDataSQL
import CoreDataStore
import Foundation

extension Binding {
    /// A value as a column of the kind stores it.
    init(_ value: Value, _ kind: CoreDataModel.ValueKind) {
        self =
            switch value {
            case .null, .object: .null
            case .integer(let integer):
                kind == .boolean ? .boolean(integer != 0) : .integer(integer)
            case .double(let double): double.isNaN ? .null : .double(double)
            case .string(let text): .text(text)
            case .data(let data): .blob(data)
            case .uuid(let uuid): .uuid(uuid)
            case .decimal(let decimal): decimal.isNaN ? .null : .decimal(decimal)
            case .reference(let key): .integer(key.key)
            }
    }
}
