import CoreDataPredicate

/// Describes how objects of one source entity become objects of a destination entity.
///
/// Only one thread may use a mapping at a time. It must not be changed while a migration runs.
open class NSEntityMapping: NSObject {
    private var ownName: String?

    /// The name, unique in its model; `Source->Destination` unless it is set.
    open var name: String! {
        get { ownName ?? "\(sourceEntityName ?? "")->\(destinationEntityName ?? "")" }
        set { ownName = newValue }
    }

    /// The kind of the mapping.
    open var mappingType = NSEntityMappingType.undefinedEntityMappingType
    /// The source entity; nil for a new entity.
    open var sourceEntityName: String?
    /// The version hash that the source entity must have; nil for any.
    open var sourceEntityVersionHash: Data?
    /// The destination entity; nil for a removed one.
    open var destinationEntityName: String?
    /// The version hash that the destination entity must have; nil for any.
    open var destinationEntityVersionHash: Data?
    /// The mappings of the attributes; nil for none.
    open var attributeMappings: [NSPropertyMapping]?
    /// The mappings of the relationships; nil for none.
    open var relationshipMappings: [NSPropertyMapping]?
    /// An expression that evaluates to the source objects; nil for all objects of the source
    /// entity.
    open var sourceExpression: NSExpression?
    /// The policy class of a custom mapping, as Swift names it: `Module.Class`.
    open var entityMigrationPolicyClassName: String?
    /// Additional information, which the mapping's migration policy may read.
    open var userInfo: [AnyHashable: Any]?

    /// Creates a mapping without entities.
    public override init() { super.init() }

    /// Whether the other mapping has the same entities and equal property mappings.
    open override func isEqual(_ object: Any?) -> Bool {
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

    open override var hash: Int { name.hashValue }
}
