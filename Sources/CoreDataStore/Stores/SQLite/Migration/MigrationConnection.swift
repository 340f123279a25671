import CoreDataSQLite
import CoreDataTrace

extension Connection {
    /// Opens the file of a store that is going to be migrated; a missing one is not made.
    static func forMigrating(
        _ path: String, busyTimeoutMilliseconds: Int, trace: Trace
    ) throws(SQLiteError) -> Connection {
        var settings = Connection.Options()
        settings.createsFile = false
        settings.busyTimeoutMilliseconds = busyTimeoutMilliseconds
        let connection = try Connection(.file(path), options: settings)
        // A migration is done once: no power cut takes it back, whatever the store's saves are to
        // be worth.
        try connection.execute("PRAGMA synchronous=EXTRA")
        StoreConnections.observe(connection, trace: trace)
        connection.isObserved = trace.isOn
        try StoreFunctions.install(on: connection)
        try NumericFunctions.install(on: connection)
        try ExternalData(path: path).install(on: connection)
        return connection
    }
}
