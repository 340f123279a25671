import CoreDataModel
import Foundation
import Synchronization

/// One store of a coordinator: a file and what is known about it.
///
/// Coordinators make stores; programs read their identifier, URL and metadata. May be used from
/// any thread.
public final class NSPersistentStore: NSObject {
    private let location: Mutex<URL?>
    private let storeType: String
    private let configuration: String
    private let storeOptions: StoreOptions
    private let coordinator: WeakCoordinator
    /// The implementation that reads and writes.
    package let backend: any ObjectStore
    /// The entities kept here, by layout index.
    package let entityIndexes: Set<Int>
    /// What the ids of the store's objects share.
    let reference = StoreReference()

    package init(
        backend: any ObjectStore, type: String, configuration: String, url: URL?,
        options: [AnyHashable: Any]?, entityIndexes: Set<Int>,
        coordinator: NSPersistentStoreCoordinator
    ) {
        self.backend = backend
        storeType = type
        self.configuration = configuration
        storeOptions = StoreOptions(values: options)
        location = Mutex(url)
        self.entityIndexes = entityIndexes
        self.coordinator = WeakCoordinator(coordinator)
        super.init()
        reference.store = self
    }

    /// The type, such as `NSSQLiteStoreType`.
    public var type: String { storeType }
    /// The name of the model's configuration that the store keeps.
    public var configurationName: String { configuration }
    /// Where the store is; nil for a store in memory.
    ///
    /// Setting it tells where the store is now; it moves nothing.
    public var url: URL? {
        get { location.withLock { $0 } }
        set { location.withLock { $0 = newValue } }
    }
    /// The options the store was added with.
    public var options: [AnyHashable: Any]? { storeOptions.values }
    /// The coordinator, or nil once the store was removed from it.
    public var persistentStoreCoordinator: NSPersistentStoreCoordinator? { coordinator.value }
    /// The store's UUID; the host of its objects' URIs.
    public var identifier: String! { backend.identifier }
    /// What is kept with the store: type, UUID, the model's hashes and the program's own values.
    ///
    /// Setting it is written with the next save; type and UUID are always put back, and nil leaves
    /// those alone.
    public var metadata: [String: Any]! {
        get { backend.metadata }
        set { orTrap { () throws(CoreDataError) in try setMetadata(newValue ?? [:]) } }
    }

    /// Whether the store refuses to be written.
    public var isReadOnly: Bool {
        if let store = backend as? SQLiteStore { return store.isReadOnly }
        return storeOptions.isReadOnly
    }

    /// - Throws: `invalidArgument` for a value that no property list can hold.
    package func setMetadata(_ metadata: [String: Any]) throws(CoreDataError) {
        try backend.setMetadata(try PropertyListValue.sendable(metadata))
    }

    func didRemove() { coordinator.clear() }

    // MARK: Stores that are not open

    /// The metadata of the store at the URL, whatever type it has; nothing is written.
    public class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        try bridgingErrors { () throws(CoreDataError) in
            let metadata: [String: Any] = try StoreFiles(url).metadata()
            return metadata
        }
    }

    /// Replaces the program's own values in the metadata of the store at the URL, at once.
    public class func setMetadata(
        _ metadata: [String: Any]?, forPersistentStoreAt url: URL
    ) throws {
        try bridgingErrors { () throws(CoreDataError) in
            try StoreFiles(url).setMetadata(try PropertyListValue.sendable(metadata ?? [:]))
        }
    }
}

// `@unchecked Sendable` because mutable parts stand behind mutexes and the options are never
// changed after the initialiser.
extension NSPersistentStore: @unchecked Sendable {}

/// Options as given; kept in a box because their values have no static type.
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

/// Checks that a value can be kept in a store's metadata.
enum PropertyListValue {
    static func sendable(
        _ metadata: [String: Any]
    ) throws(CoreDataError) -> [String: any Sendable] {
        var values: [String: any Sendable] = [:]
        for (key, value) in metadata { values[key] = try sendable(value, key) }
        return values
    }

    static func sendable(_ value: Any, _ key: String) throws(CoreDataError) -> any Sendable {
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
