import CoreDataPredicate

/// How objects of one source entity become objects of a destination entity.
///
/// Used by one thread at a time; a mapping at work must not be changed.
public final class NSEntityMapping: NSObject {
    private var ownName: String?

    /// The name, unique in its model; `Source->Destination` unless it is set.
    public var name: String! {
        get { ownName ?? "\(sourceEntityName ?? "")->\(destinationEntityName ?? "")" }
        set { ownName = newValue }
    }

    /// What the mapping does.
    public var mappingType = NSEntityMappingType.undefinedEntityMappingType
    /// The source entity; nil for a new entity.
    public var sourceEntityName: String?
    /// The version hash that the source entity must have; nil to leave that open.
    public var sourceEntityVersionHash: Data?
    /// The destination entity; nil for a removed one.
    public var destinationEntityName: String?
    /// The version hash that the destination entity must have; nil to leave that open.
    public var destinationEntityVersionHash: Data?
    /// What gives the attributes their values; nil counts as none.
    public var attributeMappings: [NSPropertyMapping]?
    /// What gives the relationships their values; nil counts as none.
    public var relationshipMappings: [NSPropertyMapping]?
    /// What gives the source objects; nil for all of the source entity.
    public var sourceExpression: NSExpression?
    /// The class of the policy, for a custom mapping: as Swift names it, `Module.Class`.
    public var entityMigrationPolicyClassName: String?
    /// Anything the mapping's author wants to note; a policy may read it.
    public var userInfo: [AnyHashable: Any]?

    /// Makes a mapping without entities.
    public override init() { super.init() }

    /// Whether the other maps the same entities and properties in the same way.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSEntityMapping else { return false }
        return name == other.name && mappingType == other.mappingType
            && sourceEntityName == other.sourceEntityName
            && sourceEntityVersionHash == other.sourceEntityVersionHash
            && destinationEntityName == other.destinationEntityName
            && destinationEntityVersionHash == other.destinationEntityVersionHash
            && attributeMappings ?? [] == other.attributeMappings ?? []
            && relationshipMappings ?? [] == other.relationshipMappings ?? []
            && sourceExpression == other.sourceExpression
            && entityMigrationPolicyClassName == other.entityMigrationPolicyClassName
    }

    public override var hash: Int { name.hashValue }
}
