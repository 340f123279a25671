/// The migration manager, as a variable of mapping expressions.
///
/// This constant and the following ones name the variables that mapping expressions may use.
public let NSMigrationManagerKey = "manager"
/// The source object, as a variable of mapping expressions.
public let NSMigrationSourceObjectKey = "source"
/// The object created from the source object, as a variable of mapping expressions.
public let NSMigrationDestinationObjectKey = "destination"
/// The current entity mapping, as a variable of mapping expressions.
public let NSMigrationEntityMappingKey = "entityMapping"
/// The current property mapping, as a variable of mapping expressions.
public let NSMigrationPropertyMappingKey = "propertyMapping"
/// The current policy, as a variable of mapping expressions.
public let NSMigrationEntityPolicyKey = "entityPolicy"
