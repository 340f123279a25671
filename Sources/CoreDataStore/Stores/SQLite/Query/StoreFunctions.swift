import CoreDataSQLite
import Foundation

/// The functions and collations that a store's statements and triggers call, on every connection.
/// Their names are those of Core Data's stores and logs, as far as these are known.
enum StoreFunctions {
    /// The table-valued function that returns a bound array of keys.
    static let integerArray = "_Z_intarray"

    /// A function that returns the length of data in bytes, or the length of a string in UTF-16
    /// units, like the evaluation in memory.
    static let length = "NSCoreDataLength"
    /// A function that returns the absolute value of a number. For the least integer the result is
    /// a double, as in the evaluation in memory.
    static let magnitude = "NSCoreDataAbs"

    static func install(on connection: Connection) throws(SQLiteError) {
        try connection.addIntegerArrayFunction(named: integerArray)
        try connection.addFunction(
            named: "NSCoreDataNow", argumentCount: 0, isDeterministic: false
        ) { _ in .double(Date().timeIntervalSinceReferenceDate) }
        try connection.addFunction(named: length, argumentCount: 1, isDeterministic: true) {
            call in
            switch call[0].storageClass {
            case .null: .null
            case .blob: .integer(Int64(call[0].bytes.count))
            default: .integer(Int64(String(decoding: call[0].bytes, as: UTF8.self).utf16.count))
            }
        }
        try connection.addFunction(named: magnitude, argumentCount: 1, isDeterministic: true) {
            call in
            switch call[0].storageClass {
            case .null: return .null
            case .integer:
                let number = call[0].integer
                return number == .min ? .double(-Double(number)) : .integer(abs(number))
            default: return .double(call[0].double.magnitude)
            }
        }
        try TextSearch.install(on: connection)
        // A store's triggers may call these functions even if the program's model has no derived
        // attribute.
        for name in DerivedChanges.functions {
            try connection.addFunction(named: name, argumentCount: 5, isDeterministic: false) { _ in
                .null
            }
        }
    }
}
