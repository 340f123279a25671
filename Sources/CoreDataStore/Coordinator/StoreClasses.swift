import CoreDataModel
import Foundation
import Synchronization

/// The classes that programs have registered for custom store types.
///
/// Coordinators search this table when a store is added. The process has one table, as in Core
/// Data.
@usableFromInline package enum StoreClasses {
    private static let table = Mutex<[String: NSPersistentStore.Type]>([:])
    @usableFromInline static let open = Atomic<Int>(0)

    /// Whether any coordinator has a store of a registered class. Every access to the stores checks
    /// this first, so programs without such stores do no further work.
    @inlinable package static var areOpen: Bool { open.load(ordering: .relaxed) > 0 }

    package static func noteOpened() { open.add(1, ordering: .relaxed) }

    package static func noteClosed() { open.subtract(1, ordering: .relaxed) }

    package static func named(_ type: String) -> NSPersistentStore.Type? {
        table.withLock { $0[type] }
    }

    /// - Parameter storeClass: the class; nil removes the type.
    package static func register(_ storeClass: AnyClass?, for type: String) throws(CoreDataError) {
        guard StoreKinds.named(type) == nil else {
            throw CoreDataError(
                .invalidArgument, "The store type '\(type)' is built in. Choose another name.")
        }
        guard let storeClass else {
            table.withLock { $0[type] = nil }
            return
        }
        guard let storeClass = storeClass as? NSPersistentStore.Type else {
            throw CoreDataError(
                .invalidArgument,
                "\(storeClass) is not a store class. Register a subclass of NSIncrementalStore"
                    + " or NSAtomicStore.")
        }
        table.withLock { $0[type] = storeClass }
    }

    /// The class of each type, as a pointer. The class of a built-in type is `NSPersistentStore`
    /// itself.
    static var values: [String: NSValue] {
        var classes = table.withLock { $0 }
        for kind in StoreKinds.all { classes[kind.type] = NSPersistentStore.self }
        return classes.mapValues { storeClass in
            var pointer = unsafeBitCast(storeClass as AnyClass, to: UnsafeRawPointer.self)
            return NSValue(bytes: &pointer, objCType: "#")
        }
    }
}

extension NSPersistentStoreCoordinator {
    /// Creates a custom store, which the caller then adds to the coordinator.
    func makeStore(
        _ storeClass: NSPersistentStore.Type, _ type: String, _ configuration: String?,
        _ url: URL?, _ options: [AnyHashable: Any]?
    ) throws(CoreDataError) -> NSPersistentStore {
        let store = storeClass.init(
            persistentStoreCoordinator: self, configurationName: configuration,
            at: url ?? URL(fileURLWithPath: "/dev/null"), options: options)
        do { try store.loadMetadata() } catch { throw CoreDataError(error) }
        try check(store, type, configuration, options)
        store.open(with: try store.makeBackend(), type: type)
        return store
    }

    private func check(
        _ store: NSPersistentStore, _ type: String, _ configuration: String?,
        _ options: [AnyHashable: Any]?
    ) throws(CoreDataError) {
        let metadata: [String: Any] = store.metadata ?? [:]
        guard let found = metadata[NSStoreTypeKey] as? String, metadata[NSStoreUUIDKey] is String
        else {
            throw CoreDataError(
                .storeOpen,
                "loadMetadata() of \(Swift.type(of: store)) set no NSStoreTypeKey and"
                    + " NSStoreUUIDKey; put both into metadata.")
        }
        guard found == type else {
            throw CoreDataError(
                .storeTypeMismatch, "The store is of the type \(found), not \(type).")
        }
        let ignores = options?[NSIgnorePersistentStoreVersioningOption] as? NSNumber
        guard metadata[NSStoreModelVersionHashesKey] != nil, ignores?.boolValue != true,
            !frozenModel.model.isConfiguration(
                withName: configuration, compatibleWithStoreMetadata: metadata)
        else { return }
        throw CoreDataError(
            .storeIncompatibleVersionHash,
            "The model is not the one that created the store. Open the store with its own"
                + " model, or migrate it",
            payload: CoreDataError.Payload(userInfo: ["metadata": metadata]))
    }
}
