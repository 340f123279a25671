import Foundation

/// The entities of a program, and the configurations that assign entities to stores.
open class NSManagedObjectModel: NSObject, NSCopying, NSSecureCoding {
    let lock = NSLock()
    private var storedEntities: [NSEntityDescription] = []
    private var storedConfigurations: [String: [NSEntityDescription]] = [:]
    private var storedVersionIdentifiers: Set<AnyHashable> = []
    private var storedLocalization: [String: String]?
    private var storedFetchRequestSources: [String: FetchRequestSource] = [:]
    private var storedFetchRequests: [String: any NSCopying] = [:]
    private var frozen: Frozen?
    private var storedVersionsFolder: URL?
    private var storedVersionName: String?
    private var storedKnownVersions: [NSManagedObjectModel] = []
    private var storedClassModules: [String]?
    private var storedCompiledHashes: [String: Data] = [:]
    /// The reason why the model could not be read and is therefore empty. Set when the model is
    /// created.
    package var loadFailure: ModelError?

    /// Creates a model without entities.
    public override init() { super.init() }

    /// Reads an archived model; nil if the archive holds no readable model.
    public required init?(coder: NSCoder) {
        guard let data = coder.decodeObject(of: NSData.self, forKey: Self.archiveKey),
            let model = try? ModelUnarchiver.model(Data(referencing: data), path: "an archive")
        else { return nil }
        super.init()
        adopt(model)
    }

    /// Writes the model as the bytes of a `.mom` file.
    open func encode(with coder: NSCoder) {
        coder.encode(compiledData() as NSData, forKey: Self.archiveKey)
    }

    /// True, because an archive of a model contains only bytes.
    open class var supportsSecureCoding: Bool { true }

    private static let archiveKey = "model"

    /// Whether the other object is a model with the same content.
    ///
    /// Takes time in proportion to the number of properties of both.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSManagedObjectModel else { return false }
        return other === self || hasContent(of: other)
    }

    open override var hash: Int { versionChecksum.hashValue }

    /// All entities. The setter removes from the configurations all entities that are not in the
    /// new list.
    open var entities: [NSEntityDescription] {
        get { storedEntities }
        set {
            preconditionMutable(isFrozen, "NSManagedObjectModel.entities")
            for entity in storedEntities where entity.ownerModel === self {
                entity.ownerModel = nil
            }
            storedEntities = newValue
            for entity in newValue { entity.ownerModel = self }
            let kept = Set(newValue.map(ObjectIdentifier.init))
            storedConfigurations = storedConfigurations.mapValues { members in
                members.filter { kept.contains(ObjectIdentifier($0)) }
            }
        }
    }

    /// All entities by name.
    open var entitiesByName: [String: NSEntityDescription] {
        if let frozen { return frozen.entitiesByName }
        return Self.byName(storedEntities)
    }

    static func byName(_ entities: [NSEntityDescription]) -> [String: NSEntityDescription] {
        Dictionary(
            entities.compactMap { entity in entity.name.map { ($0, entity) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// The names of the configurations, in alphabetical order; the default one has no name.
    open var configurations: [String] { storedConfigurations.keys.sorted() }

    /// The entities of a configuration; nil names the default one, which has all entities.
    ///
    /// Returns nil for an unknown configuration.
    open func entities(
        forConfigurationName configuration: String?
    ) -> [NSEntityDescription]? {
        guard let configuration, configuration != Self.defaultConfigurationName else {
            return storedEntities
        }
        return storedConfigurations[configuration]
    }

    /// The name that stores use for the configuration with all entities.
    package static let defaultConfigurationName = "PF_DEFAULT_CONFIGURATION_NAME"

    /// Creates or replaces a configuration.
    open func setEntities(
        _ entities: [NSEntityDescription], forConfigurationName configuration: String
    ) {
        preconditionMutable(isFrozen, "NSManagedObjectModel.setEntities(_:forConfigurationName:)")
        storedConfigurations[configuration] = entities
    }

    /// The identifiers that the model's author assigned to this version. They do not affect hashes.
    open var versionIdentifiers: Set<AnyHashable> {
        get { storedVersionIdentifiers }
        set {
            preconditionMutable(isFrozen, "NSManagedObjectModel.versionIdentifiers")
            storedVersionIdentifiers = newValue
        }
    }

    /// Localized texts for the names of entities, properties and errors; may change at any time.
    open var localizationDictionary: [String: String]? {
        get { lock.withLock { storedLocalization } }
        set { lock.withLock { storedLocalization = newValue } }
    }

    package var fetchRequestSources: [String: FetchRequestSource] {
        get { storedFetchRequestSources }
        set {
            preconditionMutable(isFrozen, "NSManagedObjectModel.fetchRequestTemplatesByName")
            storedFetchRequestSources = newValue
        }
    }

    /// The `.xcdatamodeld` or `.momd` from which the model was read; nil for any other model.
    package var versionsFolder: URL? {
        get { lock.withLock { storedVersionsFolder } }
        set { lock.withLock { storedVersionsFolder = newValue } }
    }

    /// The name of the version in its folder, or of the file; nil for a model created in code.
    package var versionName: String? {
        get { lock.withLock { storedVersionName } }
        set { lock.withLock { storedVersionName = newValue } }
    }

    /// Other versions of the model that are not in a file. A migration may also start from them.
    package var knownVersions: [NSManagedObjectModel] {
        get { lock.withLock { storedKnownVersions } }
        set { lock.withLock { storedKnownVersions = newValue } }
    }

    /// The name of the version in messages: its name or identifiers, and the first characters of
    /// its checksum.
    package var versionLabel: String {
        let identifiers = versionIdentifiers.compactMap { $0.base as? String }
            .filter { !$0.isEmpty }.sorted()
        let name = versionName ?? identifiers.joined(separator: ", ")
        let checksum = "checksum \(versionChecksum.prefix(8))"
        return name.isEmpty ? "version with \(checksum)" : "version '\(name)' (\(checksum))"
    }

    /// The modules in which class names without a module are looked up. Nil for a model that was
    /// created in code: every module is searched.
    package var classModules: [String]? {
        get { lock.withLock { storedClassModules } }
        set { lock.withLock { storedClassModules = newValue } }
    }

    /// The hashes that the compiler of a `.momd` has recorded for this version, by entity. Stores
    /// of Apple's framework contain these hashes. Empty for any other model.
    package var compiledHashes: [String: Data] {
        get { lock.withLock { storedCompiledHashes } }
        set { lock.withLock { storedCompiledHashes = newValue } }
    }

    /// The fetch-request templates that a program has set, by name; their type is declared in the
    /// engine.
    package var fetchRequests: [String: any NSCopying] {
        get { storedFetchRequests }
        set {
            preconditionMutable(isFrozen, "NSManagedObjectModel.fetchRequestTemplatesByName")
            storedFetchRequests = newValue
        }
    }

    /// A deep mutable copy.
    open func copy(with zone: NSZone? = nil) -> Any { makeCopy() }

    // MARK: Frozen state

    package var isFrozen: Bool { frozen != nil }

    package var frozenParts: Frozen? {
        get { frozen }
        set { frozen = newValue }
    }
}

/// `@unchecked Sendable` because setters trap once the model is frozen, and ``freeze()`` writes its
/// results under `lock`. A thread that uses the results calls ``freeze()`` first, and therefore
/// takes the lock.
extension NSManagedObjectModel: @unchecked Sendable {}

/// Iterating a model yields its entities.
extension NSManagedObjectModel: Sequence {
    /// Iterates over the model's entities.
    public func makeIterator() -> IndexingIterator<[NSEntityDescription]> {
        entities.makeIterator()
    }
}
