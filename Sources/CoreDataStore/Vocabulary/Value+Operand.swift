import CoreDataModel
import CoreDataPredicate

import Foundation

extension Value {
    /// The value as predicates and sort descriptors compare it. Null for references and objects,
    /// because callers read them in other ways.
    package func operand(_ kind: ValueKind) -> Operand {
        switch self {
        case .null, .object, .reference: .null
        case .integer(let integer): .integer(integer)
        case .double(let double): kind == .date ? .date(double) : .double(double)
        case .string(let text):
            kind == .uri ? URL(string: text).map { .url($0) } ?? .null : .string(text)
        case .data(let data): .data(data)
        case .uuid(let uuid): .uuid(uuid)
        case .decimal(let decimal): .decimal(decimal)
        }
    }
}
