import CoreDataPredicate
import CoreDataTrace

/// What attributes, relationships and fetched properties have in common.
open class NSPropertyDescription: NSObject, NSCopying {
    package var isFrozen = false
    package weak var owner: NSEntityDescription?
    package var storedVersionHash: Data?
    /// Where the file that was read declares it.
    package var sourceLocation: ModelError.Location?
    private var storedName = ""
    private var storedIsOptional = true
    private var storedIsTransient = false
    private var storedIsIndexed = false
    private var storedIsIndexedBySpotlight = false
    private var storedIsStoredInExternalRecord = false
    private let storedUserInfo = UserInfo()
    private var storedRenamingIdentifier: String?
    private var storedVersionHashModifier: String?
    private var storedValidationPredicates: [NSPredicate] = []
    private var storedValidationWarnings: [String] = []

    /// Makes a property without a name.
    public override init() { super.init() }

    /// The entity that declares the property; a subentity shows the same description.
    ///
    /// Traps for a property that is in no entity.
    public var entity: NSEntityDescription {
        guard let owner else {
            trap(
                "NSPropertyDescription.entity: \"\(storedName)\" is in no entity; "
                    + "put it into an entity's properties first.")
        }
        return owner
    }

    /// The name, by which key-value coding finds the property.
    open var name: String {
        get { storedName }
        set {
            preconditionMutable(isFrozen, "NSPropertyDescription.name")
            storedName = newValue
        }
    }

    /// Whether nil, or an empty to-many relationship, passes validation.
    open var isOptional: Bool {
        get { storedIsOptional }
        set {
            preconditionMutable(isFrozen, "NSPropertyDescription.isOptional")
            storedIsOptional = newValue
        }
    }

    /// Whether the property is kept in memory only.
    open var isTransient: Bool {
        get { storedIsTransient }
        set {
            preconditionMutable(isFrozen, "NSPropertyDescription.isTransient")
            storedIsTransient = newValue
        }
    }

    /// Whether the store keeps an index `by<Name>` over the property.
    @available(*, deprecated, message: "Use NSEntityDescription.indexes instead")
    open var isIndexed: Bool {
        get { storedIsIndexed }
        set { setIndexed(newValue) }
    }

    /// Whether Spotlight indexes the property on Apple's systems; kept, and used by nobody.
    open var isIndexedBySpotlight: Bool {
        get { storedIsIndexedBySpotlight }
        set {
            preconditionMutable(isFrozen, "NSPropertyDescription.isIndexedBySpotlight")
            storedIsIndexedBySpotlight = newValue
        }
    }

    /// Whether old systems of Apple's write the property beside the store; used by nobody.
    open var isStoredInExternalRecord: Bool {
        get { storedIsStoredInExternalRecord }
        set {
            preconditionMutable(isFrozen, "NSPropertyDescription.isStoredInExternalRecord")
            storedIsStoredInExternalRecord = newValue
        }
    }

    /// What ``isIndexed`` says, for code that must build without the warning about it.
    package var wantsIndex: Bool { storedIsIndexed }

    package func setIndexed(_ isIndexed: Bool) {
        preconditionMutable(isFrozen, "NSPropertyDescription.isIndexed")
        storedIsIndexed = isIndexed
    }

    /// Anything the model's author wants to note; never nil, and open to changes at any time.
    open var userInfo: [AnyHashable: Any]? {
        get { storedUserInfo.value }
        set { storedUserInfo.value = newValue ?? [:] }
    }

    /// The name under which an older version of the model knew the property.
    ///
    /// Equal to ``name`` unless it is set; nil sets it back.
    open var renamingIdentifier: String? {
        get { storedRenamingIdentifier ?? (storedName.isEmpty ? nil : storedName) }
        set {
            preconditionMutable(isFrozen, "NSPropertyDescription.renamingIdentifier")
            storedRenamingIdentifier = newValue
        }
    }

    /// A text whose change makes another version hash.
    open var versionHashModifier: String? {
        get { storedVersionHashModifier }
        set {
            preconditionMutable(isFrozen, "NSPropertyDescription.versionHashModifier")
            storedVersionHashModifier = newValue
        }
    }

    /// 32 bytes that change with everything a store must know about the property.
    ///
    /// Names, types, optionality and modifiers are in it; defaults, rules, classes, renaming
    /// identifiers and user info are not.
    open var versionHash: Data { computedVersionHash }

    /// What a value must satisfy before it is saved.
    open var validationPredicates: [NSPredicate] { storedValidationPredicates }

    /// The error code, as text, or the text for each of ``validationPredicates``.
    open var validationWarnings: [Any] { storedValidationWarnings }

    /// Replaces the predicates and their warnings, which go together by position.
    open func setValidationPredicates(
        _ validationPredicates: [NSPredicate]?, withValidationWarnings validationWarnings: [String]?
    ) {
        preconditionMutable(isFrozen, "NSPropertyDescription.setValidationPredicates")
        storedValidationPredicates = validationPredicates ?? []
        storedValidationWarnings = validationWarnings ?? []
    }

    /// A copy that is in no entity and may be changed.
    open func copy(with zone: NSZone? = nil) -> Any { makeCopy() }

    /// Makes a description of the same class with the same contents; subclasses override it.
    package func makeCopy() -> NSPropertyDescription {
        let copy = NSPropertyDescription()
        copyContents(to: copy)
        return copy
    }

    /// Copies everything but the entity and the frozen state.
    package func copyContents(to copy: NSPropertyDescription) {
        copy.storedName = storedName
        copy.sourceLocation = sourceLocation
        copy.storedIsOptional = storedIsOptional
        copy.storedIsTransient = storedIsTransient
        copy.storedIsIndexed = storedIsIndexed
        copy.storedIsIndexedBySpotlight = storedIsIndexedBySpotlight
        copy.storedIsStoredInExternalRecord = storedIsStoredInExternalRecord
        copy.storedUserInfo.value = storedUserInfo.value
        copy.storedRenamingIdentifier = storedRenamingIdentifier
        copy.storedVersionHashModifier = storedVersionHashModifier
        copy.storedValidationPredicates = storedValidationPredicates
        copy.storedValidationWarnings = storedValidationWarnings
    }

    /// Ends the time of changes; called once by the model, under its lock.
    package func freeze() { isFrozen = true }
}

/// `@unchecked Sendable because` setters trap once the model is frozen; until then a description
/// belongs to the code that builds it, and ``NSManagedObjectModel/freeze()`` publishes it
/// under the model's lock. User info has a lock of its own.
extension NSPropertyDescription: @unchecked Sendable {}
