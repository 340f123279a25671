import CoreDataPredicate
import CoreDataTrace
import Foundation

/// An entity of a model: what objects of one sort have.
open class NSEntityDescription: NSObject, NSCopying {
    package var isFrozen = false
    package weak var ownerModel: NSManagedObjectModel?
    package var storedVersionHash: Data?
    /// Where the file that was read declares it.
    package var sourceLocation: ModelError.Location?
    /// Which code Xcode generates for the entity; only a model's source says it.
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
    /// Set when the model is frozen.
    private var frozen: Frozen?
    /// The numbers of the entity, or nil before the model is frozen; read for every new object.
    // Unchecked because it is set once, before the first object is made.
    @exclusivity(unchecked) private final var frozenLayout: Unmanaged<EntityLayout>?
    package final var layoutReference: Unmanaged<EntityLayout>? { frozenLayout }

    /// Makes an entity without name and properties.
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
    /// Traps for an entity that is in no model.
    public var managedObjectModel: NSManagedObjectModel {
        guard let ownerModel else {
            trap(
                "NSEntityDescription.managedObjectModel: \"\(storedName ?? "")\" is in no model, "
                    + "or its model is gone; put it into a model's entities and keep the model.")
        }
        return ownerModel
    }

    /// The class of the entity's objects; nil sets it back to `NSManagedObject`.
    // Safe: the getter never gives nil; the type is Core Data's.
    open var managedObjectClassName: String! {
        get { storedClassName ?? "NSManagedObject" }
        set {
            preconditionMutable(isFrozen, "NSEntityDescription.managedObjectClassName")
            storedClassName = newValue
        }
    }

    /// Whether only subentities have objects.
    open var isAbstract: Bool {
        get { storedIsAbstract }
        set {
            preconditionMutable(isFrozen, "NSEntityDescription.isAbstract")
            storedIsAbstract = newValue
        }
    }

    /// The entity whose ``subentities`` list this one.
    open var superentity: NSEntityDescription? { storedSuperentity }

    /// The entities that inherit directly from this one.
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

    /// All properties, the inherited ones first; setting it leaves inherited ones where they are.
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

    /// The properties that this entity declares itself.
    package var ownProperties: [NSPropertyDescription] { storedProperties }

    /// Groups of properties whose values together are unique, as lists of names.
    ///
    /// Names and descriptions may be set; names are returned.
    open var uniquenessConstraints: [[Any]] {
        get { storedConstraints }
        set {
            preconditionMutable(isFrozen, "NSEntityDescription.uniquenessConstraints")
            storedConstraints = newValue.map { $0.map(Self.constraintMember) }
        }
    }

    /// ``uniquenessConstraints`` as what they are.
    package var constraintNames: [[String]] { storedConstraints }

    /// The empty name stands for what is neither a name nor a property; freezing refuses it.
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
    /// Setting it names them `compoundIndex`, `compoundIndex1`, …; other indexes stay.
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

    /// Anything the model's author wants to note; never nil, and open to changes at any time.
    open var userInfo: [AnyHashable: Any]? {
        get { storedUserInfo.value }
        set { storedUserInfo.value = newValue ?? [:] }
    }

    /// The name under which an older version of the model knew the entity.
    ///
    /// Equal to ``name`` unless it is set; nil sets it back.
    open var renamingIdentifier: String? {
        get { storedRenamingIdentifier ?? storedName }
        set {
            preconditionMutable(isFrozen, "NSEntityDescription.renamingIdentifier")
            storedRenamingIdentifier = newValue
        }
    }

    /// What Spotlight shows objects by on Apple's systems; kept, and used by nobody.
    open var coreSpotlightDisplayNameExpression: CoreDataPredicate.NSExpression {
        get { storedDisplayName ?? .init(forConstantValue: nil) }
        set {
            preconditionMutable(
                isFrozen, "NSEntityDescription.coreSpotlightDisplayNameExpression")
            storedDisplayName = newValue
        }
    }

    /// A text whose change makes another version hash.
    open var versionHashModifier: String? {
        get { storedVersionHashModifier }
        set {
            preconditionMutable(isFrozen, "NSEntityDescription.versionHashModifier")
            storedVersionHashModifier = newValue
        }
    }

    /// A copy in no model, without subentities; its relationships lead where the original's do.
    open func copy(with zone: NSZone? = nil) -> Any { makeCopy().entity }

    /// Copies the entity and what it owns, and says which property became which.
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

/// `@unchecked Sendable because` setters trap once the model is frozen; until then a description
/// belongs to the code that builds it, and ``NSManagedObjectModel/freeze()`` publishes it
/// under the model's lock. User info has a lock of its own.
extension NSEntityDescription: @unchecked Sendable {}

extension NSEntityDescription {
    /// What an entity knows once its model is in use.
    package struct Frozen {
        /// The numbers of the entity.
        package let layout: EntityLayout
        /// The descriptions behind the layout's value slots.
        package let valueProperties: [NSPropertyDescription]
        /// The descriptions behind the layout's to-many slots.
        package let toManyProperties: [NSRelationshipDescription]
        let propertiesByName: [String: NSPropertyDescription]
        let attributesByName: [String: NSAttributeDescription]
        let relationshipsByName: [String: NSRelationshipDescription]
    }

    /// What freezing found out, or nil before.
    package var frozenParts: Frozen? { frozen }

    /// Ends the time of changes; called once by the model, under its lock.
    package func freeze(_ parts: Frozen) {
        frozen = parts
        // Safe: `frozen` keeps the layout and is never set again.
        frozenLayout = .passUnretained(parts.layout)
        isFrozen = true
        for property in storedProperties { property.freeze() }
        for index in storedIndexes { index.freeze() }
    }

    /// The numbers of the entity. The model must be frozen.
    package var layout: EntityLayout { requireFrozen("layout").layout }

    /// The descriptions behind the layout's value slots, in their order. The model must be frozen.
    package var valueProperties: [NSPropertyDescription] {
        requireFrozen("valueProperties").valueProperties
    }

    /// The descriptions behind the layout's to-many slots. The model must be frozen.
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
