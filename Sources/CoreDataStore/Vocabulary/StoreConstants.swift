/// A store in an SQLite file.
///
/// Store types, keys of a store's options, keys of a store's metadata.
public let NSSQLiteStoreType = "SQLite"

/// A store in one file that is read and written as a whole, in a format of Faultline's own.
public let NSBinaryStoreType = "Binary"
/// A store in one XML file that is read and written as a whole.
public let NSXMLStoreType = "XML"
/// A store that lives as long as its coordinator has it.
public let NSInMemoryStoreType = "InMemory"

/// Whether a store is opened for reading alone: a Bool.
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"
/// How long to wait for a store, in seconds.
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"
/// SQLite's pragmas to set on opening: a dictionary of names and values.
///
/// Without any, a store has a write-ahead log and `synchronous=NORMAL`, as on Apple's systems: a
/// power cut may take the last saves, although they have returned, and never leaves half of one.
/// `["synchronous": "FULL"]` keeps every save, for one flush of the disk each: 2.6 ms in place of
/// 0.2 ms for a save of one object where a flush takes 2 ms. See the article Durability.
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
/// Whether a lightweight migration leaves columns and tables that nobody needs for later: a Bool.
///
/// Also the key in a store's metadata that tells of such work.
public let NSPersistentStoreDeferredLightweightMigrationOptionKey =
    "NSPersistentStoreDeferredLightweightMigrationOptionKey"
/// The stages in which an old store is migrated: an ``NSStagedMigrationManager``.
public let NSPersistentStoreStagedMigrationManagerOptionKey =
    "NSPersistentStoreStagedMigrationManagerOptionKey"

/// Whether a SQLite store's statistics for the query planner are renewed on opening: a Bool.
public let NSSQLiteAnalyzeOption = "NSSQLiteAnalyzeOption"
/// Whether a SQLite store's file is written anew without gaps on opening: a Bool.
public let NSSQLiteManualVacuumOption = "NSSQLiteManualVacuumOption"
/// Whether a store is opened although the model's version hashes differ from its own: a Bool.
///
/// What the model needs must still be there. The metadata of a SQLite store takes the model's
/// hashes with the next save.
public let NSIgnorePersistentStoreVersioningOption = "NSIgnorePersistentStoreVersioningOption"
/// Whether destroying a SQLite store removes its files although another connection uses them: a
/// Bool.
public let NSPersistentStoreForceDestroyOption = "NSPersistentStoreForceDestroyOption"
/// How a store's files are protected: `NSFileProtectionNone` or another of Foundation's classes.
///
/// Linux has no protection by classes; with any but `NSFileProtectionNone` the files can be read
/// and written by their owner alone.
public let NSPersistentStoreFileProtectionKey = "NSPersistentStoreFileProtectionKey"
/// How many connections of a SQLite store in WAL mode may read at one time: a number from 1.
public let NSPersistentStoreConnectionPoolMaxSizeKey = "NSPersistentStoreConnectionPoolMaxSize"
/// Whether an XML store is checked as it is read: a Bool. It always is.
public let NSValidateXMLStoreOption = "NSValidateXMLStoreOption"
/// The classes that a binary store may hold beside those of property lists.
///
/// The format of Faultline holds no objects of classes, so whatever is allowed, none is made.
public let NSBinaryStoreSecureDecodingClasses = "NSBinaryStoreSecureDecodingClasses"
/// Whether a binary store may make objects of any class: a Bool; true is refused.
public let NSBinaryStoreInsecureDecodingCompatibilityOption =
    "_NSBinaryStoreInsecureDecodingCompatibilityOption"
/// Whether a store of a type other than SQLite enforces the model's uniqueness constraints: a Bool.
///
/// Core Data has no such option, and its in-memory store enforces none; a SQLite store always
/// enforces them. With it a save looks at
/// every row of an entity whose constrained values it changes, and conflicts go to the merge policy
/// as those of a SQLite store do.
public let FaultlineEnforceUniquenessConstraintsOption =
    "FaultlineEnforceUniquenessConstraintsOption"

/// The store's type, in its metadata.
public let NSStoreTypeKey = "NSStoreType"
/// The store's UUID as text, in its metadata; the host of its objects' URIs.
public let NSStoreUUIDKey = "NSStoreUUID"
/// The version hashes of the store's entities by name, in its metadata.
public let NSStoreModelVersionHashesKey = "NSStoreModelVersionHashes"
/// The version identifiers of the store's model, in its metadata: an array of strings.
public let NSStoreModelVersionIdentifiersKey = "NSStoreModelVersionIdentifiers"
/// The checksum of the store's model, in its metadata; equal to the model's `versionChecksum`.
public let NSPersistentStoreModelVersionChecksumKey = "NSStoreModelVersionChecksumKey"
/// The earliest system that can open the store, in the metadata of stores from Apple's systems.
public let NSPersistentStoreOSCompatibility = "NSPersistentStoreOSCompatibility"
