import CoreDataSQLite
import Foundation

/// The functions and collations that a store's statements and triggers call.
///
/// Installed on every connection when it opens. Their names are Core Data's where its stores or
/// its logs show them.
enum StoreFunctions {
    /// The table of a bound array of keys.
    static let integerArray = "_Z_intarray"

    static func install(on connection: Connection) throws(SQLiteError) {
        try connection.addIntegerArrayFunction(named: integerArray)
        try connection.addFunction(
            named: "NSCoreDataNow", argumentCount: 0, isDeterministic: false
        ) { _ in .double(Date().timeIntervalSinceReferenceDate) }
        try TextSearch.install(on: connection)
        // A store's triggers call them also where no model of the program has a derived attribute.
        for name in DerivedChanges.functions {
            try connection.addFunction(named: name, argumentCount: 5, isDeterministic: false) { _ in
                .null
            }
        }
    }
}
