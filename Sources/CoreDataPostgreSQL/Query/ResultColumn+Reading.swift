import CoreDataModel
import CoreDataPostgreSQLClient
import CoreDataSQL
import CoreDataStore
import Foundation

/// Reads one column of a result as a value for a dictionary.
extension ResultColumn {
    func read(_ result: QueryResult, _ row: Int, _ numbers: EntityNumbers) -> Value {
        let cell = result[row, index]
        if cell.isNull { return .null }
        if let destination, kind == .toOne || kind == nil {
            let own = hasEntity ? numbers.index(of: result[row, index + 1].integer) : nil
            return .reference(ObjectKey(entity: own ?? destination, key: cell.integer))
        }
        let value = Self.value(cell, ServerType(rawValue: result.type(ofColumn: index)))
        return Self.convert(value, to: kind ?? storedKind)
    }

    /// The value as the server computed it.
    private static func value(_ cell: Cell, _ type: ServerType?) -> Value {
        switch type {
        case .bool, .int2, .int4, .int8: .integer(cell.integer)
        case .float8: .double(cell.double)
        case .numeric: cell.decimal.map { .decimal($0) } ?? .null
        case .uuid: cell.uuid.map { .uuid($0) } ?? .null
        case .bytea: .data(cell.data)
        case .text, nil: .string(cell.text)
        }
    }

    /// Converts a value to a kind. Returns null if the value cannot have the kind.
    private static func convert(_ value: Value, to kind: CoreDataModel.ValueKind?) -> Value {
        switch (kind, value) {
        case (nil, .decimal(let number)): .double(NSDecimalNumber(decimal: number).doubleValue)
        case (nil, _), (.uuid, .uuid), (.binary, .data), (.decimal, .decimal): value
        case (.uri, .string), (.string, .string): value
        case (.string, _): text(of: value).map { .string($0) } ?? .null
        case (.uuid, .string(let text)): UUID(uuidString: text).map { .uuid($0) } ?? .null
        default: number(of: value, as: kind) ?? .null
        }
    }

    private static func text(of value: Value) -> String? {
        switch value {
        case .integer(let number): "\(number)"
        case .double(let number): "\(number)"
        case .decimal(let number): "\(number)"
        case .uuid(let uuid): uuid.uuidString
        default: nil
        }
    }

    private static func number(of value: Value, as kind: CoreDataModel.ValueKind?) -> Value? {
        let double: Double
        switch value {
        case .integer(let number): double = Double(number)
        case .double(let number): double = number
        case .decimal(let number): double = NSDecimalNumber(decimal: number).doubleValue
        default: return nil
        }
        switch kind {
        case .integer16, .integer32, .integer64:
            if case .integer = value { return value }
            return Int64(exactly: double.rounded(.towardZero)).map { .integer($0) }
        case .boolean: return .integer(double == 0 ? 0 : 1)
        case .double, .float, .date: return .double(double)
        case .decimal: return Decimal(string: "\(text(of: value) ?? "")").map { .decimal($0) }
        default: return nil
        }
    }
}
