/// The migration manager, as a variable of mapping expressions.
///
/// The names of variables that mapping expressions may use.
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
