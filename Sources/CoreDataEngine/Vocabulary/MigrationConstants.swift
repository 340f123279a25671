// Keys of a store's options that are about versions, and the names of variables that mapping
// expressions may use.

/// Whether a lightweight migration leaves columns and tables that nobody needs for later: a Bool.
///
/// Also the key in a store's metadata that tells of such work.
public let NSPersistentStoreDeferredLightweightMigrationOptionKey =
    "NSPersistentStoreDeferredLightweightMigrationOptionKey"
/// The stages in which an old store is migrated: an ``NSStagedMigrationManager``.
public let NSPersistentStoreStagedMigrationManagerOptionKey =
    "NSPersistentStoreStagedMigrationManagerOptionKey"

/// The migration manager, as a variable of mapping expressions.
public let NSMigrationManagerKey = "manager"
/// The object that is migrated, as a variable of mapping expressions.
public let NSMigrationSourceObjectKey = "source"
/// The object that was made from it, as a variable of mapping expressions.
public let NSMigrationDestinationObjectKey = "destination"
/// The entity mapping at work, as a variable of mapping expressions.
public let NSMigrationEntityMappingKey = "entityMapping"
/// The property mapping at work, as a variable of mapping expressions.
public let NSMigrationPropertyMappingKey = "propertyMapping"
/// The policy at work, as a variable of mapping expressions.
public let NSMigrationEntityPolicyKey = "entityPolicy"
