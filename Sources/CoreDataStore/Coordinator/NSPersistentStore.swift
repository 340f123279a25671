import CoreDataModel
import CoreDataTrace
import Foundation
import Synchronization

/// One store of a coordinator: a file and its description.
///
/// Coordinators create stores; programs read their identifier, URL and metadata. Custom stores
/// subclass `NSIncrementalStore` or `NSAtomicStore`. May be used from any thread.
open class NSPersistentStore: NSObject {
    private let state: Mutex<State>
    private let configuration: String
    private let storeOptions: StoreOptions
    private let coordinator: WeakCoordinator
    /// Reads and writes the store's rows. Set before the store is added to a coordinator, and read
    /// for every statement.
    @exclusivity(unchecked) private final var opened: (any ObjectStore)?
    package final let entityIndexes: Set<Int>
    /// Distinguishes the store's rows from rows of the same entity in other stores. Set when the
    /// store is added to a coordinator, before any rows are read.
    @exclusivity(unchecked) package final var tag = StoreTag.none {
        didSet {
            guard tag != .none, let opened, let layout = coordinator.value?.modelLayout else {
                return
            }
            tagged = TaggedStore(opened, layout: layout, tag: tag)
        }
    }
    @exclusivity(unchecked) private final var tagged: TaggedStore?
    private let reference = StoreReference()

    /// The data that the ids of the store's objects share. It is replaced if the store's UUID
    /// changes.
    package final var origin: StoreOrigin {
        let identifier = storeIdentifier
        return state.withLock { state in
            if let origin = state.origin, origin.identifier == identifier { return origin }
            let made = StoreOrigin(reference, identifier: identifier)
            state.origin = made
            return made
        }
    }

    /// Makes existing ids refer to another store object. Called after the store was opened at
    /// another location.
    package final func leadIDs(to store: NSPersistentStore) { reference.store = store }

    private struct State {
        var type: String
        var url: URL?
        var isReadOnly: Bool
        /// The metadata of a store that has no backend yet.
        var metadata: [String: any Sendable] = [:]
        var origin: StoreOrigin?
    }

    package init(
        backend: any ObjectStore, type: String, configuration: String, url: URL?,
        options: [AnyHashable: Any]?, entityIndexes: Set<Int>,
        coordinator: NSPersistentStoreCoordinator
    ) {
        opened = backend
        self.configuration = configuration
        storeOptions = StoreOptions(values: options)
        state = Mutex(State(type: type, url: url, isReadOnly: storeOptions.isReadOnly))
        self.entityIndexes = entityIndexes
        self.coordinator = WeakCoordinator(coordinator)
        super.init()
        reference.store = self
    }

    /// Creates a store that has not read anything yet. For a registered class, a coordinator calls
    /// this initializer and then `loadMetadata()`.
    ///
    /// The initializer is required, because the coordinator finds the class only at run time. A
    /// subclass that overrides it must declare it `required`.
    public required init(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator?,
        configurationName name: String?, at url: URL, options: [AnyHashable: Any]? = nil
    ) {
        configuration = name ?? NSManagedObjectModel.defaultConfigurationName
        storeOptions = StoreOptions(values: options)
        state = Mutex(
            State(
                type: String(describing: Self.self), url: url, isReadOnly: storeOptions.isReadOnly))
        let entities = root?.managedObjectModel.entities(forConfigurationName: name) ?? []
        entityIndexes = Set(entities.map(\.layout.index))
        coordinator = WeakCoordinator(root)
        super.init()
        reference.store = self
    }

    /// Not available: only a coordinator can create a store.
    @available(*, unavailable, message: "add a store to a coordinator")
    public override init() {
        trap("Create a store by addPersistentStore(ofType:configurationName:at:options:).")
    }

    /// The backend. A store in a coordinator always has one.
    package final var backend: any ObjectStore {
        if let opened { return opened }
        trap(CoreDataError(.storeOperation, "The store was not added to a coordinator."))
    }

    /// The backend as coordinators and contexts use it: its keys contain the store's tag.
    package final var keyed: any ObjectStore { tagged ?? backend }

    /// Sets the backend of a custom store, before the store is used.
    package final func open(with backend: any ObjectStore, type: String) {
        opened = backend
        state.withLock { $0.type = type }
    }

    /// The type, such as `NSSQLiteStoreType`.
    open var type: String { state.withLock { $0.type } }
    /// The name of the model's configuration that the store keeps.
    open var configurationName: String { configuration }
    /// The configuration's name in requests: nil for the default configuration.
    package final var modelConfiguration: String? {
        configuration == NSManagedObjectModel.defaultConfigurationName ? nil : configuration
    }
    /// The location of the store; nil for a store in memory.
    ///
    /// The setter only records a new location and moves no file.
    open var url: URL? {
        get { state.withLock { $0.url } }
        set { state.withLock { $0.url = newValue } }
    }
    /// The options the store was added with.
    open var options: [AnyHashable: Any]? { storeOptions.values }
    /// The coordinator, or nil once the store was removed from it.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator? { coordinator.value }
    /// The store's UUID; the host of its objects' URIs.
    open var identifier: String! { storeIdentifier }
    /// The UUID as a string. The ids of all objects share this string.
    package final var storeIdentifier: String {
        if let opened { return opened.identifier }
        return state.withLock { $0.metadata[NSStoreUUIDKey] as? String ?? "" }
    }
    /// The store's metadata: type, UUID, the model's hashes and the program's values.
    ///
    /// The next save writes changes; type and UUID are always restored, and nil removes all other
    /// values. `loadMetadata()` of a subclass sets them.
    open var metadata: [String: Any]! {
        get {
            if let opened { return opened.metadata }
            return state.withLock { $0.metadata }
        }
        set { orTrap { () throws(CoreDataError) in try setMetadata(newValue ?? [:]) } }
    }

    /// Whether the store rejects writes. The property can be set until the store is added to a
    /// coordinator.
    open var isReadOnly: Bool {
        get {
            if let opened, opened.isReadOnly { return true }
            return state.withLock { $0.isReadOnly }
        }
        set {
            orTrap { () throws(CoreDataError) in
                guard newValue == isReadOnly || opened == nil else {
                    throw CoreDataError(
                        .invalidArgument,
                        "isReadOnly was set while the store is in a coordinator. Remove the store"
                            + " and add it with NSReadOnlyPersistentStoreOption.")
                }
                state.withLock { $0.isReadOnly = newValue }
            }
        }
    }

    /// - Throws: `invalidArgument` for a value that a property list cannot contain.
    package final func setMetadata(_ metadata: [String: Any]) throws(CoreDataError) {
        let values = try PropertyListValue.sendable(metadata)
        coordinator.value?.noteStores("sets the metadata of \(place)")
        if let opened {
            try opened.setMetadata(values)
        } else {
            state.withLock { $0.metadata = values }
        }
    }

    /// The store's location as a phrase of a message, without a password.
    final var place: String {
        guard let url, url.path != "/dev/null" else { return "a store in memory" }
        return "the store at \(url.isFileURL ? url.path : url.withoutPassword)"
    }

    final func didRemove() { coordinator.clear() }

    // MARK: For subclasses

    /// Reads the metadata of the store at the URL, without writing; subclasses may override it.
    ///
    /// The base class reads stores of the built-in types.
    open class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        try bridgingErrors { () throws(CoreDataError) in
            let metadata: [String: Any] = try StoreKinds.kind(at: url).metadata(
                of: ClosedStore(url))
            return metadata
        }
    }

    /// Immediately replaces the custom values in the metadata of the store at the URL.
    open class func setMetadata(
        _ metadata: [String: Any]?, forPersistentStoreAt url: URL
    ) throws {
        try bridgingErrors { () throws(CoreDataError) in
            let values = try PropertyListValue.sendable(metadata ?? [:])
            try StoreKinds.kind(at: url).setMetadata(values, of: ClosedStore(url))
        }
    }

    /// The class of migration managers for stores of this class; subclasses may override it.
    open class func migrationManagerClass() -> AnyClass {
        CoordinatorParts.provider.migrationManagerClass
    }

    /// Reads the metadata; a subclass sets ``metadata``, including type and UUID.
    open func loadMetadata() throws {}

    /// Called after the store was added to the coordinator.
    open func didAdd(to coordinator: NSPersistentStoreCoordinator) {}

    /// Called before the store is removed from the coordinator.
    open func willRemove(from coordinator: NSPersistentStoreCoordinator?) {}

    // MARK: Custom stores

    /// The store as a custom store; nil for a built-in type.
    private final var ownStore: (any ProgramStore)? { self as? any ProgramStore }

    final func makeBackend() throws(CoreDataError) -> any ObjectStore {
        if let ownStore { return try ownStore.makeProgramBackend() }
        throw CoreDataError(
            .unsupported,
            "\(Swift.type(of: self)) is not a store: make it a subclass of NSIncrementalStore"
                + " or NSAtomicStore.")
    }

    final var isCustom: Bool { ownStore != nil }

    /// The kind of the store; nil for a custom class.
    package final var kind: (any StoreKind)? { isCustom ? nil : StoreKinds.named(type) }

    /// Returns the store's backend if the lab can rewind it.
    ///
    /// - Throws: 134091 if the store cannot return to an earlier state.
    package final func rewindable() throws(CoreDataError) -> any RewindableStore {
        if backend.traits.contains(.rewinding), let store = backend as? any RewindableStore {
            return store
        }
        throw .missing(.rewinding, in: type)
    }

    /// Whether the store also receives saves without changes.
    final var takesEmptySaves: Bool { ownStore != nil }

    /// The text that identifies the row in URIs, after the `p`.
    final func uriKey(_ key: ObjectKey) -> String {
        ownStore?.text(of: key) ?? "\(tag == .none ? key.key : tag.stored(key.key))"
    }

    final func key(uriKey text: String, _ entity: EntityLayout) -> ObjectKey? {
        if let ownStore { return ownStore.key(of: text, entity) }
        guard let key = Int64(text), key > 0 else { return nil }
        if tag == .none { return ObjectKey(entity: entity.index, key: key) }
        return (try? tag.tagged(key)).map { ObjectKey(entity: entity.index, key: $0) }
    }
}

// `@unchecked Sendable` because mutexes guard the mutable parts, the backend is set before the
// store is in a coordinator, and the options never change after the initialiser.
extension NSPersistentStore: @unchecked Sendable {}
/// The options as passed by the caller. A box holds them because their values have no static type.
private struct StoreOptions: @unchecked Sendable {
    // `@unchecked Sendable` because the dictionary is immutable and only read.
    let values: [AnyHashable: Any]?

    var isReadOnly: Bool {
        (values?[NSReadOnlyPersistentStoreOption] as? NSNumber)?.boolValue ?? false
    }
}

private final class WeakCoordinator: Sendable {
    private let reference: Mutex<Reference>

    private struct Reference {
        weak var coordinator: NSPersistentStoreCoordinator?
    }

    init(_ coordinator: NSPersistentStoreCoordinator?) {
        reference = Mutex(Reference(coordinator: coordinator))
    }

    var value: NSPersistentStoreCoordinator? { reference.withLock { $0.coordinator } }

    func clear() { reference.withLock { $0.coordinator = nil } }
}

/// Checks whether a store's metadata can contain a value.
package enum PropertyListValue {
    package static func sendable(
        _ metadata: [String: Any]
    ) throws(CoreDataError) -> [String: any Sendable] {
        var values: [String: any Sendable] = [:]
        for (key, value) in metadata { values[key] = try sendable(value, key) }
        return values
    }

    package static func sendable(_ value: Any, _ key: String) throws(CoreDataError) -> any Sendable
    {
        switch value {
        case let value as String: return value
        case let value as Bool: return value
        case let value as Int: return value
        case let value as Double: return value
        case let value as Data: return value
        case let value as Date: return value
        case let values as [Any]:
            var result: [any Sendable] = []
            for element in values { result.append(try sendable(element, key)) }
            return result
        case let values as [String: Any]:
            var result: [String: any Sendable] = [:]
            for (name, element) in values { result[name] = try sendable(element, key) }
            return result
        default:
            throw CoreDataError(
                .invalidArgument,
                "The metadata value for '\(key)' is a \(Swift.type(of: value)); write a string,"
                    + " number, date, data, or an array or dictionary of these.")
        }
    }
}
