import Foundation

/// Describes how to open one store: its location, its type and its options.
///
/// One thread fills in a description; the coordinator that uses it makes a copy.
open class NSPersistentStoreDescription: NSObject, NSCopying {
    /// The location of the store; the null device for a store that is only in memory.
    open var url: URL?
    /// The store's type; by default the type to which the URL's scheme belongs, or SQLite.
    open var type: String {
        get { givenType ?? StoreKinds.type(ofAddress: url) ?? NSSQLiteStoreType }
        set { givenType = newValue }
    }
    private var givenType: String?
    /// The configuration of the model whose entities the store holds; nil for all entities.
    open var configuration: String?
    /// Whether a container opens the store asynchronously.
    open var shouldAddStoreAsynchronously = false
    /// The CloudKit container that mirrors the store on Apple's systems; stored, but unused.
    open var cloudKitContainerOptions: NSPersistentCloudKitContainerOptions?
    /// The options with which the coordinator opens the store; changed by ``setOption(_:forKey:)``.
    open private(set) var options: [String: NSObject] = [
        NSMigratePersistentStoresAutomaticallyOption: NSNumber(value: true),
        NSInferMappingModelAutomaticallyOption: NSNumber(value: true),
    ]

    /// Describes a SQLite store.
    ///
    /// - Parameter url: the store's file, which need not exist.
    public init(url: URL) {
        self.url = url
    }

    /// Describes a SQLite store at the null device, whose URL a container replaces.
    public convenience override init() {
        self.init(url: URL(fileURLWithPath: "/dev/null"))
    }

    /// Sets an option, or removes it.
    ///
    /// - Parameters:
    ///   - option: the option's value; nil to remove it.
    ///   - key: one of the option keys; opening a store with an unknown key fails.
    open func setOption(_ option: NSObject?, forKey key: String) {
        options[key] = option
    }

    /// Whether the store is opened only for reading.
    open var isReadOnly: Bool {
        get { bool(NSReadOnlyPersistentStoreOption) }
        set { options[NSReadOnlyPersistentStoreOption] = NSNumber(value: newValue) }
    }

    /// The time to wait for the store, in seconds; 240 by default.
    open var timeout: TimeInterval {
        get { (options[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue ?? 240 }
        set { options[NSPersistentStoreTimeoutOption] = NSNumber(value: newValue) }
    }

    /// Whether a store of an older model is migrated on opening; true by default.
    open var shouldMigrateStoreAutomatically: Bool {
        get { bool(NSMigratePersistentStoresAutomaticallyOption) }
        set { options[NSMigratePersistentStoresAutomaticallyOption] = NSNumber(value: newValue) }
    }

    /// Whether the mapping is inferred if a store is migrated on opening; true by default.
    open var shouldInferMappingModelAutomatically: Bool {
        get { bool(NSInferMappingModelAutomaticallyOption) }
        set { options[NSInferMappingModelAutomaticallyOption] = NSNumber(value: newValue) }
    }

    /// The SQLite pragmas that are set on opening; changed by ``setValue(_:forPragmaNamed:)``.
    open var sqlitePragmas: [String: NSObject] {
        guard let pragmas = options[NSSQLitePragmasOption] as? NSDictionary else { return [:] }
        var named: [String: NSObject] = [:]
        for (name, value) in pragmas {
            if let name = name as? String, let value = value as? NSObject { named[name] = value }
        }
        return named
    }

    /// Sets a pragma, or removes it.
    ///
    /// - Parameters:
    ///   - value: a string or a number; nil to remove the pragma.
    ///   - name: the pragma's name; opening a store with an unknown one fails.
    open func setValue(_ value: NSObject?, forPragmaNamed name: String) {
        var pragmas = sqlitePragmas
        pragmas[name] = value
        options[NSSQLitePragmasOption] = pragmas.isEmpty ? nil : pragmas as NSDictionary
    }

    /// Copies the description. Changes of the copy do not affect the original.
    ///
    /// - Parameter zone: ignored.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSPersistentStoreDescription()
        copy.url = url
        copy.givenType = givenType
        copy.configuration = configuration
        copy.shouldAddStoreAsynchronously = shouldAddStoreAsynchronously
        copy.cloudKitContainerOptions = cloudKitContainerOptions
        copy.options = options
        return copy
    }

    private func bool(_ key: String) -> Bool { (options[key] as? NSNumber)?.boolValue ?? false }
}
