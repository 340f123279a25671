import CoreDataModel
import Foundation
import Synchronization

/// Notifies coordinators that a store was written, also by another coordinator of this process.
///
/// A coordinator registers each of its stores that has the option
/// `NSPersistentStoreRemoteChangeNotificationPostOptionKey`. Of the writes of other processes, only
/// those of a ``ListeningStore`` are detected. Their rows are also removed from the row cache.
enum StoreWrites {
    private struct Listener {
        weak var store: NSPersistentStore?
    }

    private static let listeners = Mutex<[Listener]>([])
    private static let hasListeners = Atomic<Bool>(false)

    /// Whether any store of this process has been registered for remote change notifications. Stays
    /// true after the store is closed.
    static var isUsed: Bool { hasListeners.load(ordering: .acquiring) }

    static func enrol(_ store: NSPersistentStore) {
        listen(store)
        let option = store.options?[NSPersistentStoreRemoteChangeNotificationPostOptionKey]
        guard (option as? NSNumber)?.boolValue ?? (option as? Bool) ?? false else { return }
        hasListeners.store(true, ordering: .releasing)
        listeners.withLock {
            $0.removeAll { $0.store == nil }
            $0.append(Listener(store: store))
        }
    }

    private static func listen(_ store: NSPersistentStore) {
        guard let backend = store.backend as? any ListeningStore else { return }
        backend.listen { [weak store] keys in
            guard let store, let coordinator = store.persistentStoreCoordinator else { return }
            if let keys, let known = try? keys.map(store.tag.tagged) {
                coordinator.rowCache.invalidate(known)
            } else {
                coordinator.rowCache.removeAll()
            }
            if listeners.withLock({ $0.contains { $0.store === store } }) { post(store) }
        }
    }

    /// Whether a store announces its writes, so that others learn of them from the server.
    private static func announces(_ store: NSPersistentStore) -> Bool {
        (store.backend as? any ListeningStore)?.announces ?? false
    }

    /// Posts `NSPersistentStoreRemoteChange` for every registered coordinator that has opened the
    /// file of a written store.
    static func noteWritten(_ stores: [NSPersistentStore]) {
        guard isUsed else { return }
        let enrolled = listeners.withLock { $0.compactMap(\.store) }
        for written in stores {
            for store in enrolled where store === written || isSameFile(store, written) {
                if store !== written, announces(store), announces(written) { continue }
                post(store)
            }
        }
    }

    private static func isSameFile(_ one: NSPersistentStore, _ other: NSPersistentStore) -> Bool {
        guard let first = one.url, let second = other.url, first.path != "/dev/null" else {
            return false
        }
        return first.standardizedFileURL == second.standardizedFileURL
    }

    private static func post(_ store: NSPersistentStore) {
        guard let coordinator = store.persistentStoreCoordinator else { return }
        var info: [AnyHashable: Any] = [NSStoreUUIDKey: store.backend.identifier]
        info[NSPersistentStoreURLKey] = store.url
        info[NSPersistentHistoryTokenKey] =
            coordinator.currentPersistentHistoryToken(fromStores: [store])
        NotificationCenter.default.post(
            name: .NSPersistentStoreRemoteChange, object: coordinator, userInfo: info)
    }
}
