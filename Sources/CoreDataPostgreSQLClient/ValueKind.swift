/// The type of a parameter, with the numbers that the server has for it and for its array.
package enum ValueKind: UInt32, Sendable, CaseIterable {
    case bool = 16
    case bytea = 17
    case int8 = 20
    case int2 = 21
    case int4 = 23
    case text = 25
    case float8 = 701
    case numeric = 1700
    case uuid = 2950

    /// The number of the array type.
    package var array: UInt32 {
        switch self {
        case .bool: 1000
        case .bytea: 1001
        case .int2: 1005
        case .int4: 1007
        case .text: 1009
        case .int8: 1016
        case .float8: 1022
        case .numeric: 1231
        case .uuid: 2951
        }
    }

    /// The name of the type in SQL.
    package var name: String {
        switch self {
        case .bool: "boolean"
        case .bytea: "bytea"
        case .int2: "smallint"
        case .int4: "integer"
        case .int8: "bigint"
        case .text: "text"
        case .float8: "double precision"
        case .numeric: "numeric"
        case .uuid: "uuid"
        }
    }
}
