import CoreDataModel
import CoreDataPostgreSQLClient
import CoreDataSQL

/// The type of a column or a parameter on the server.
typealias ServerType = CoreDataPostgreSQLClient.ValueKind

extension CoreDataModel.ValueKind {
    /// The type of the columns that store values of the kind.
    var serverType: ServerType {
        switch self {
        case .integer16: .int2
        case .integer32: .int4
        case .integer64, .toOne: .int8
        case .boolean: .bool
        // The engine keeps the values of all three kinds with 64 bits.
        case .double, .float, .date: .float8
        case .decimal: .numeric
        case .string, .uri: .text
        case .uuid: .uuid
        case .binary: .bytea
        }
    }
}
