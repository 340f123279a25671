import CoreDataStore

/// A store in a schema of a PostgreSQL database.
///
/// The URL is `postgresql://[user@][host[:port]]/database[?schema=…]`. The scheme implies the type.
public let FaultlinePostgreSQLStoreType = "PostgreSQL"

extension NSPersistentStore.StoreType {
    /// A store in a schema of a PostgreSQL database.
    public static let postgreSQL = Self(rawValue: FaultlinePostgreSQLStoreType)
}
