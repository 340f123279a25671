/// What an entity mapping does with the objects of its source entity.
public enum NSEntityMappingType: UInt, Sendable {
    /// Nothing is known; the mapping is handled as a custom one.
    case undefinedEntityMappingType = 0
    /// A policy class of the program's does the work.
    case customEntityMappingType = 1
    /// The entity is new.
    case addEntityMappingType = 2
    /// The entity is gone, and its objects with it.
    case removeEntityMappingType = 3
    /// Objects are taken over as they are.
    case copyEntityMappingType = 4
    /// Objects are made by the property mappings.
    case transformEntityMappingType = 5
}
