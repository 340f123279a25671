import CoreDataSQLite
import CoreDataTrace

extension Connection {
    /// Opens the file of a store that will be migrated; a missing file is not created.
    static func forMigrating(
        _ path: String, busyTimeoutMilliseconds: Int, trace: Trace
    ) throws(SQLiteError) -> Connection {
        var settings = Connection.Options()
        settings.createsFile = false
        settings.busyTimeoutMilliseconds = busyTimeoutMilliseconds
        let connection = try Connection(.file(path), options: settings)
        // A migration runs once and must survive a power failure, even if the store's saves need
        // not.
        try connection.execute("PRAGMA synchronous=EXTRA")
        StoreConnections.observe(connection, trace: trace)
        connection.isObserved = trace.isOn
        try StoreFunctions.install(on: connection)
        try NumericFunctions.install(on: connection)
        try ExternalData(path: path).install(on: connection)
        return connection
    }
}
