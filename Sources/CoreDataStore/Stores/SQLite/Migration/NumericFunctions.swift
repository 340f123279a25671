import CoreDataModel
import CoreDataSQLite
import Foundation

/// SQL functions that convert numbers, one for each target type. They return NULL if a number does
/// not fit the type.
enum NumericFunctions {
    static func install(on connection: Connection) throws(SQLiteError) {
        for kind in NumericConversion.kinds {
            let conversion = NumericConversion(to: kind)
            try connection.addFunction(
                named: name(kind), argumentCount: 1, isDeterministic: true
            ) { call in
                number(call[0]).flatMap(conversion.value).map(result) ?? .null
            }
        }
    }

    fileprivate static func name(_ kind: ValueKind) -> String { "faultline_as_\(kind)" }

    private static func number(_ stored: ColumnValue) -> Value? {
        switch stored.storageClass {
        case .integer: .integer(stored.integer)
        case .real: .double(stored.double)
        case .text:
            Decimal(string: String(decoding: stored.bytes, as: UTF8.self)).map { .decimal($0) }
        case .blob, .null: nil
        }
    }

    private static func result(_ value: Value) -> FunctionResult {
        switch value {
        case .integer(let integer): .integer(integer)
        case .double(let double): .double(double)
        case .decimal(let decimal): .double(NSDecimalNumber(decimal: decimal).doubleValue)
        default: .null
        }
    }
}

extension NumericConversion {
    func sql(_ column: String) -> String {
        let number = isFromDecimal ? "CAST(\(column) AS TEXT)" : column
        return "\(NumericFunctions.name(kind))(\(number))"
    }
}
