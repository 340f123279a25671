import CoreDataModel
import CoreDataPostgreSQLClient
import CoreDataSQL
import CoreDataStore
import Foundation

extension Parameters {
    /// The parameters of a statement that a builder has made.
    convenience init(_ bindings: [Binding]) throws(ServerError) {
        self.init()
        for binding in bindings { try append(binding) }
    }

    private func append(_ binding: Binding) throws(ServerError) {
        switch binding {
        case .null: append(null: .text)
        case .boolean(let flag): append(bool: flag)
        case .integer(let integer): append(int8: integer)
        case .double(let double): append(float8: double)
        case .decimal(let decimal): append(numeric: decimal)
        case .text(let text): try append(text: text)
        case .uuid(let uuid): append(uuid: uuid)
        case .blob(let data): try append(data)
        case .array(let array): append(int8s: array)
        }
    }
}
