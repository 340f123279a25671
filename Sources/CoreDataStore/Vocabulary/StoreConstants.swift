/// A store in an SQLite file.
///
/// Store types, keys of a store's options, keys of a store's metadata.
public let NSSQLiteStoreType = "SQLite"

/// A store in one file that is read and written as a whole, in a format of Faultline.
public let NSBinaryStoreType = "Binary"
/// A store in an XML file that is read and written as a whole.
public let NSXMLStoreType = "XML"
/// A store that lives as long as it is in a coordinator.
public let NSInMemoryStoreType = "InMemory"

/// Whether a store is opened only for reading: a Bool.
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"
/// The time to wait for a store, in seconds.
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"
/// The SQLite pragmas that are set when a store is opened: a dictionary of names and values.
///
/// By default, a store uses a write-ahead log and `synchronous=NORMAL`, as on Apple's systems. A
/// power failure may then revert the last completed saves, but never leaves a save half written.
/// `["synchronous": "FULL"]` keeps every save, which costs one disk flush per save: 2.6 ms instead
/// of 0.2 ms for a save of one object if a flush takes 2 ms. See the article Durability.
public let NSSQLitePragmasOption = "NSSQLitePragmasOption"
/// Whether a store records each transaction in a history: a Bool.
public let NSPersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"
/// Whether a coordinator posts a notification for each write to a store: a Bool.
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey =
    "NSPersistentStoreRemoteChangeNotificationOptionKey"
/// Whether a store of an older model is migrated on opening: a Bool.
public let NSMigratePersistentStoresAutomaticallyOption =
    "NSMigratePersistentStoresAutomaticallyOption"
/// Whether the mapping may be inferred if a store is migrated on opening: a Bool.
public let NSInferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"
/// Whether a lightweight migration defers the removal of unused columns and tables: a Bool.
///
/// The metadata of a store with deferred work contains the same key.
public let NSPersistentStoreDeferredLightweightMigrationOptionKey =
    "NSPersistentStoreDeferredLightweightMigrationOptionKey"
/// The stages in which an old store is migrated: an ``NSStagedMigrationManager``.
public let NSPersistentStoreStagedMigrationManagerOptionKey =
    "NSPersistentStoreStagedMigrationManagerOptionKey"

/// Whether a SQLite store's statistics for the query planner are renewed on opening: a Bool.
public let NSSQLiteAnalyzeOption = "NSSQLiteAnalyzeOption"
/// Whether a SQLite store's file is rewritten without gaps on opening: a Bool.
public let NSSQLiteManualVacuumOption = "NSSQLiteManualVacuumOption"
/// Whether a store is opened even if the model's version hashes differ from its own: a Bool.
///
/// The store must still have everything that the model needs. The next save updates the metadata of
/// a SQLite store with the model's hashes.
public let NSIgnorePersistentStoreVersioningOption = "NSIgnorePersistentStoreVersioningOption"
/// Whether destroying a SQLite store removes its files even if another connection uses them: a
/// Bool.
public let NSPersistentStoreForceDestroyOption = "NSPersistentStoreForceDestroyOption"
/// The protection of a store's files: `NSFileProtectionNone` or another of Foundation's classes.
///
/// Linux has no protection classes; with any class other than `NSFileProtectionNone` only the owner
/// can read and write the files.
public let NSPersistentStoreFileProtectionKey = "NSPersistentStoreFileProtectionKey"
/// The maximum number of connections that read a SQLite store in WAL mode at one time: a number
/// from 1.
public let NSPersistentStoreConnectionPoolMaxSizeKey = "NSPersistentStoreConnectionPoolMaxSize"
/// Whether an XML store is validated when it is read: a Bool. Faultline always validates the store.
public let NSValidateXMLStoreOption = "NSValidateXMLStoreOption"
/// The classes that a binary store may contain in addition to those of property lists.
///
/// Reading Faultline's format decodes no archived objects, so this option has no effect.
public let NSBinaryStoreSecureDecodingClasses = "NSBinaryStoreSecureDecodingClasses"
/// Whether a binary store may create objects of any class: a Bool; true is rejected.
public let NSBinaryStoreInsecureDecodingCompatibilityOption =
    "_NSBinaryStoreInsecureDecodingCompatibilityOption"
/// Whether a store of a type other than SQLite enforces the model's uniqueness constraints: a Bool.
///
/// Core Data has no such option, and its in-memory store enforces none. A SQLite store always
/// enforces them. If the option is true and a save changes constrained values of an entity, the
/// save reads every row of this entity. The merge policy resolves conflicts as for a SQLite store.
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
