/// The name of the variable for the migration manager in mapping expressions.
///
/// This constant and the following ones name the variables that mapping expressions may use.
public let NSMigrationManagerKey = "manager"
/// The name of the variable for the source object in mapping expressions.
public let NSMigrationSourceObjectKey = "source"
/// The name of the variable for the destination object in mapping expressions.
public let NSMigrationDestinationObjectKey = "destination"
/// The name of the variable for the current entity mapping in mapping expressions.
public let NSMigrationEntityMappingKey = "entityMapping"
/// The name of the variable for the current property mapping in mapping expressions.
public let NSMigrationPropertyMappingKey = "propertyMapping"
/// The name of the variable for the current migration policy in mapping expressions.
public let NSMigrationEntityPolicyKey = "entityPolicy"
