import CoreDataSQLite
import Foundation

/// The functions and collations that a store's statements and triggers call.
///
/// Installed on every connection when it opens. Their names are those of Core Data's stores and
/// logs, as far as these are known.
enum StoreFunctions {
    /// The name of the table-valued function that returns a bound array of keys.
    static let integerArray = "_Z_intarray"

    /// The name of a function that returns the length of a string in UTF-16 units, like evaluation
    /// in memory, or the length of data in bytes.
    static let length = "NSCoreDataLength"
    /// The name of a function that returns the absolute value of a number. For the least integer
    /// the result is a double, as in evaluation in memory.
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
        // These functions are always added, because triggers of a store may call them even if the
        // program's model contains no derived attribute.
        for name in DerivedChanges.functions {
            try connection.addFunction(named: name, argumentCount: 5, isDeterministic: false) { _ in
                .null
            }
        }
    }
}
