/// The effect of an entity mapping on the objects of its source entity.
public enum NSEntityMappingType: UInt, Sendable {
    /// The type is unknown; the mapping is handled as a custom one.
    case undefinedEntityMappingType = 0
    /// A custom policy class migrates the entity.
    case customEntityMappingType = 1
    /// The entity is new.
    case addEntityMappingType = 2
    /// The entity is removed, together with its objects.
    case removeEntityMappingType = 3
    /// Objects are copied unchanged.
    case copyEntityMappingType = 4
    /// The property mappings create the objects.
    case transformEntityMappingType = 5
}
