import CoreDataPredicate
import CoreDataTrace

/// The common superclass of attributes, relationships and fetched properties.
open class NSPropertyDescription: NSObject, NSCopying {
    package var isFrozen = false
    package weak var owner: NSEntityDescription?
    package var storedVersionHash: Data?
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

    /// Creates a property without a name.
    public override init() { super.init() }

    /// The entity that declares the property; a subentity shares the description.
    ///
    /// Traps if the property is not in an entity.
    public var entity: NSEntityDescription {
        guard let owner else {
            trap(
                "NSPropertyDescription.entity: \"\(storedName)\" is not in an entity; "
                    + "add it to an entity's properties first.")
        }
        return owner
    }

    /// The name for key-value coding.
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

    /// Whether Spotlight indexes the property on Apple's systems; stored but not used here.
    open var isIndexedBySpotlight: Bool {
        get { storedIsIndexedBySpotlight }
        set {
            preconditionMutable(isFrozen, "NSPropertyDescription.isIndexedBySpotlight")
            storedIsIndexedBySpotlight = newValue
        }
    }

    /// Whether old Apple systems write the property to a file next to the store; stored but not
    /// used here.
    open var isStoredInExternalRecord: Bool {
        get { storedIsStoredInExternalRecord }
        set {
            preconditionMutable(isFrozen, "NSPropertyDescription.isStoredInExternalRecord")
            storedIsStoredInExternalRecord = newValue
        }
    }

    /// The value of ``isIndexed``. Reading this property causes no deprecation warning.
    package var wantsIndex: Bool { storedIsIndexed }

    package func setIndexed(_ isIndexed: Bool) {
        preconditionMutable(isFrozen, "NSPropertyDescription.isIndexed")
        storedIsIndexed = isIndexed
    }

    /// Additional information of the model's author; never nil, and mutable at any time.
    open var userInfo: [AnyHashable: Any]? {
        get { storedUserInfo.value }
        set { storedUserInfo.value = newValue ?? [:] }
    }

    /// The property's name in an older version of the model.
    ///
    /// Equal to ``name`` unless it is set; nil resets it.
    open var renamingIdentifier: String? {
        get { storedRenamingIdentifier ?? (storedName.isEmpty ? nil : storedName) }
        set {
            preconditionMutable(isFrozen, "NSPropertyDescription.renamingIdentifier")
            storedRenamingIdentifier = newValue
        }
    }

    /// A text that contributes to the version hash, so a new text changes the hash.
    open var versionHashModifier: String? {
        get { storedVersionHashModifier }
        set {
            preconditionMutable(isFrozen, "NSPropertyDescription.versionHashModifier")
            storedVersionHashModifier = newValue
        }
    }

    /// A hash of 32 bytes over all settings of the property that affect stores.
    ///
    /// It covers names, types, optionality and modifiers, but not defaults, rules, classes,
    /// renaming identifiers or user info.
    open var versionHash: Data { computedVersionHash }

    /// The conditions that a value must satisfy before it is saved.
    open var validationPredicates: [NSPredicate] { storedValidationPredicates }

    /// The warning of each predicate in ``validationPredicates``: an error code as text, or an
    /// error message.
    open var validationWarnings: [Any] { storedValidationWarnings }

    /// Replaces the predicates and their warnings. Each warning belongs to the predicate at the
    /// same index.
    open func setValidationPredicates(
        _ validationPredicates: [NSPredicate]?, withValidationWarnings validationWarnings: [String]?
    ) {
        preconditionMutable(isFrozen, "NSPropertyDescription.setValidationPredicates")
        storedValidationPredicates = validationPredicates ?? []
        storedValidationWarnings = validationWarnings ?? []
    }

    /// A mutable copy that is not in an entity.
    open func copy(with zone: NSZone? = nil) -> Any { makeCopy() }

    package func makeCopy() -> NSPropertyDescription {
        let copy = NSPropertyDescription()
        copyContents(to: copy)
        return copy
    }

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

    /// Makes the property immutable; called once by the model, under its lock.
    package func freeze() { isFrozen = true }
}

/// `@unchecked Sendable` because setters trap once the model is frozen; until then a description
/// belongs to the code that builds it, and ``NSManagedObjectModel/freeze()`` publishes it under the
/// model's lock. User info has a separate lock.
extension NSPropertyDescription: @unchecked Sendable {}
