// Store types, keys of a store's options, keys of a store's metadata.

/// A store in an SQLite file.
public let NSSQLiteStoreType = "SQLite"

/// Whether a store is opened for reading alone: a Bool.
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"
/// How long to wait for a store, in seconds.
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"
/// SQLite's pragmas to set on opening: a dictionary of names and values.
public let NSSQLitePragmasOption = "NSSQLitePragmasOption"
/// Whether a store records each transaction in a history: a Bool.
public let NSPersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"
/// Whether a coordinator posts a notification for each write to a store: a Bool.
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey =
    "NSPersistentStoreRemoteChangeNotificationOptionKey"
/// Whether a store of an older model is migrated on opening: a Bool.
public let NSMigratePersistentStoresAutomaticallyOption =
    "NSMigratePersistentStoresAutomaticallyOption"
/// Whether the mapping of such a migration may be inferred: a Bool.
public let NSInferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"

/// The store's type, in its metadata.
public let NSStoreTypeKey = "NSStoreType"
/// The store's UUID as text, in its metadata; the host of its objects' URIs.
public let NSStoreUUIDKey = "NSStoreUUID"
/// The version hashes of the store's entities by name, in its metadata.
public let NSStoreModelVersionHashesKey = "NSStoreModelVersionHashes"
/// The version identifiers of the store's model, in its metadata: an array of strings.
public let NSStoreModelVersionIdentifiersKey = "NSStoreModelVersionIdentifiers"
