import CoreDataPredicate
import CoreDataTrace
import Foundation

/// A description of an entity, the kind of a managed object.
open class NSEntityDescription: NSObject, NSCopying {
    package var isFrozen = false
    package weak var ownerModel: NSManagedObjectModel?
    package var storedVersionHash: Data?
    package var sourceLocation: ModelError.Location?
    /// The part of the class that Xcode generates for the entity. Only a model that was read from
    /// source has it.
    package var generation = EntityGeneration.none
    private var storedName: String?
    private var storedClassName: String?
    private var storedIsAbstract = false
    private weak var storedSuperentity: NSEntityDescription?
    private var storedSubentities: [NSEntityDescription] = []
    private var storedProperties: [NSPropertyDescription] = []
    private var storedConstraints: [[String]] = []
    private var storedIndexes: [NSFetchIndexDescription] = []
    private let storedUserInfo = UserInfo()
    private var storedRenamingIdentifier: String?
    private var storedDisplayName: CoreDataPredicate.NSExpression?
    private var storedVersionHashModifier: String?
    private var frozen: Frozen?
    /// The layout of the entity; nil before the model is frozen. Every new object reads it, so it
    /// is stored as a separate reference.
    // Unchecked because it is set once, before the first object is created.
    @exclusivity(unchecked) private final var frozenLayout: Unmanaged<EntityLayout>?
    package final var layoutReference: Unmanaged<EntityLayout>? { frozenLayout }

    /// Creates an entity without a name and properties.
    public override init() { super.init() }

    /// The name, unique in its model.
    open var name: String? {
        get { storedName }
        set {
            preconditionMutable(isFrozen, "NSEntityDescription.name")
            storedName = newValue
        }
    }

    /// The model that lists the entity; not retained.
    ///
    /// Traps if the entity is not in a model.
    public var managedObjectModel: NSManagedObjectModel {
        guard let ownerModel else {
            trap(
                "NSEntityDescription.managedObjectModel: \"\(storedName ?? "")\" is not in a "
                    + "model, or its model was released; add it to a model's entities and retain "
                    + "the model.")
        }
        return ownerModel
    }

    /// The class of the entity's objects; nil resets it to `NSManagedObject`.
    // Safe: the getter never returns nil; the type is Core Data's.
    open var managedObjectClassName: String! {
        get { storedClassName ?? "NSManagedObject" }
        set {
            preconditionMutable(isFrozen, "NSEntityDescription.managedObjectClassName")
            storedClassName = newValue
        }
    }

    /// Whether the entity is abstract: no objects exist of the entity itself, only of its
    /// subentities.
    open var isAbstract: Bool {
        get { storedIsAbstract }
        set {
            preconditionMutable(isFrozen, "NSEntityDescription.isAbstract")
            storedIsAbstract = newValue
        }
    }

    /// The entity from which this entity inherits; nil for a root entity.
    open var superentity: NSEntityDescription? { storedSuperentity }

    /// The entities that inherit directly from this entity.
    open var subentities: [NSEntityDescription] {
        get { storedSubentities }
        set {
            preconditionMutable(isFrozen, "NSEntityDescription.subentities")
            for entity in storedSubentities where entity.storedSuperentity === self {
                entity.storedSuperentity = nil
            }
            storedSubentities = newValue
            for entity in newValue { entity.storedSuperentity = self }
        }
    }

    /// All properties, the inherited ones first. The setter does not change inherited properties.
    open var properties: [NSPropertyDescription] {
        get { inheritedProperties + storedProperties }
        set {
            preconditionMutable(isFrozen, "NSEntityDescription.properties")
            let inherited = Set(inheritedProperties.map(ObjectIdentifier.init))
            for property in storedProperties where property.owner === self { property.owner = nil }
            storedProperties = newValue.filter { !inherited.contains(ObjectIdentifier($0)) }
            for property in storedProperties { property.owner = self }
        }
    }

    /// The properties that this entity declares, without inherited properties.
    package var ownProperties: [NSPropertyDescription] { storedProperties }

    /// Groups of properties whose combined values are unique, as lists of names.
    ///
    /// Accepts names and descriptions; returns names.
    open var uniquenessConstraints: [[Any]] {
        get { storedConstraints }
        set {
            preconditionMutable(isFrozen, "NSEntityDescription.uniquenessConstraints")
            // A constraint without members has no effect, as on Apple's systems.
            storedConstraints = newValue.filter { !$0.isEmpty }
                .map { $0.map(Self.constraintMember) }
        }
    }

    /// The names in ``uniquenessConstraints``, with their static type.
    package var constraintNames: [[String]] { storedConstraints }

    /// The name of a constraint's member. A value that is neither a name nor a property becomes an
    /// empty name. Freezing the model rejects that name.
    private static func constraintMember(_ member: Any) -> String {
        switch member {
        case let name as String: name
        case let property as NSPropertyDescription: property.name
        default: ""
        }
    }

    /// The indexes that the store keeps for fetching.
    open var indexes: [NSFetchIndexDescription] {
        get { storedIndexes }
        set {
            preconditionMutable(isFrozen, "NSEntityDescription.indexes")
            for index in storedIndexes where index.owner === self { index.owner = nil }
            storedIndexes = newValue
            for index in newValue { index.owner = self }
        }
    }

    /// The indexes over several properties, as lists of their names.
    ///
    /// The setter names these indexes `compoundIndex`, `compoundIndex1`, …, and keeps other
    /// indexes.
    @available(*, deprecated, message: "Use indexes instead")
    open var compoundIndexes: [[Any]] {
        get {
            indexes.filter { $0.elements.count > 1 }
                .map { $0.elements.compactMap(\.propertyName) }
        }
        set {
            let known = propertiesByName
            let made = newValue.enumerated().map { number, members in
                let properties = members.compactMap { member in
                    member as? NSPropertyDescription ?? (member as? String).flatMap { known[$0] }
                }
                return NSFetchIndexDescription(
                    name: number == 0 ? "compoundIndex" : "compoundIndex\(number)",
                    elements: properties.map {
                        NSFetchIndexElementDescription(property: $0, collationType: .binary)
                    })
            }
            indexes = indexes.filter { $0.elements.count < 2 } + made
        }
    }

    /// Additional information of the model's author; never nil, and mutable at any time.
    open var userInfo: [AnyHashable: Any]? {
        get { storedUserInfo.value }
        set { storedUserInfo.value = newValue ?? [:] }
    }

    /// The entity's name in an older version of the model.
    ///
    /// Equal to ``name`` unless it is set; nil resets it.
    open var renamingIdentifier: String? {
        get { storedRenamingIdentifier ?? storedName }
        set {
            preconditionMutable(isFrozen, "NSEntityDescription.renamingIdentifier")
            storedRenamingIdentifier = newValue
        }
    }

    /// The display name of objects in Spotlight on Apple's systems; stored but not used here.
    open var coreSpotlightDisplayNameExpression: CoreDataPredicate.NSExpression {
        get { storedDisplayName ?? .init(forConstantValue: nil) }
        set {
            preconditionMutable(
                isFrozen, "NSEntityDescription.coreSpotlightDisplayNameExpression")
            storedDisplayName = newValue
        }
    }

    /// A text that contributes to the version hash, so a new text changes the hash.
    open var versionHashModifier: String? {
        get { storedVersionHashModifier }
        set {
            preconditionMutable(isFrozen, "NSEntityDescription.versionHashModifier")
            storedVersionHashModifier = newValue
        }
    }

    /// Whether the other object describes an entity with the same name, class and version hash,
    /// also in another model.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSEntityDescription else { return false }
        if other === self { return true }
        return name == other.name && managedObjectClassName == other.managedObjectClassName
            && versionHash == other.versionHash
    }

    open override var hash: Int { name.hashValue }

    /// A copy that is not in a model and has no subentities; its relationships have the original's
    /// destinations.
    open func copy(with zone: NSZone? = nil) -> Any { makeCopy().entity }

    /// Copies the entity and its properties and indexes, and returns the copy of each property.
    package func makeCopy() -> (
        entity: NSEntityDescription, properties: [ObjectIdentifier: NSPropertyDescription]
    ) {
        let copy = NSEntityDescription()
        copy.storedName = storedName
        copy.sourceLocation = sourceLocation
        copy.storedClassName = storedClassName
        copy.storedIsAbstract = storedIsAbstract
        copy.storedConstraints = storedConstraints
        copy.storedUserInfo.value = storedUserInfo.value
        copy.storedRenamingIdentifier = storedRenamingIdentifier
        copy.storedDisplayName = storedDisplayName
        copy.storedVersionHashModifier = storedVersionHashModifier
        copy.properties = storedProperties.map { $0.makeCopy() }
        let pairs = zip(storedProperties.map(ObjectIdentifier.init), copy.storedProperties)
        let map = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
        copy.indexes = storedIndexes.map {
            $0.makeCopy(properties: { map[ObjectIdentifier($0)] ?? $0 })
        }
        return (copy, map)
    }
}

/// `@unchecked Sendable` because setters trap once the model is frozen; until then a description
/// belongs to the code that builds it, and ``NSManagedObjectModel/freeze()`` publishes it under the
/// model's lock. User info has a separate lock.
extension NSEntityDescription: @unchecked Sendable {}

extension NSEntityDescription {
    /// The results of freezing an entity's model.
    package struct Frozen {
        package let layout: EntityLayout
        package let valueProperties: [NSPropertyDescription]
        package let toManyProperties: [NSRelationshipDescription]
        let propertiesByName: [String: NSPropertyDescription]
        let attributesByName: [String: NSAttributeDescription]
        let relationshipsByName: [String: NSRelationshipDescription]
    }

    package var frozenParts: Frozen? { frozen }

    /// Makes the entity immutable; called once by the model, under its lock.
    package func freeze(_ parts: Frozen) {
        frozen = parts
        // Safe: `frozen` keeps the layout and is never set again.
        frozenLayout = .passUnretained(parts.layout)
        isFrozen = true
        for property in storedProperties { property.freeze() }
        for index in storedIndexes { index.freeze() }
    }

    package var layout: EntityLayout { requireFrozen("layout").layout }

    /// The properties that have value slots, in the order of the slots. The model must be frozen.
    package var valueProperties: [NSPropertyDescription] {
        requireFrozen("valueProperties").valueProperties
    }

    /// The relationships that have to-many slots, in the order of the slots. The model must be
    /// frozen.
    package var toManyProperties: [NSRelationshipDescription] {
        requireFrozen("toManyProperties").toManyProperties
    }

    private func requireFrozen(_ member: StaticString) -> Frozen {
        guard let frozen else {
            trap(
                "NSEntityDescription.\(member): the model is not frozen; call freeze() first.")
        }
        return frozen
    }
}
