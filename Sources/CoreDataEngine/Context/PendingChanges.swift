import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation

/// Processes the changes since the last call: applies delete rules, removes objects that were both
/// inserted and deleted, and posts the objects-did-change notification.
extension NSManagedObjectContext {

    package final func processPending() throws(CoreDataError) {
        try checkConfined("processPendingChanges()")
        guard changes.needsProcessing, !isProcessing else { return }
        try undoRecorder?.checkGroup()
        isProcessing = true
        defer { isProcessing = false }
        let propagates = propagatesDeletesAtEndOfEvent || isSaving
        if propagates { try DeletePropagation(context: self).run() }
        undoRecorder?.keepDeleted()
        let withdrawn = propagates ? dropAnnihilated() : []
        try undoRecorder?.register(for: self)
        postDidChange(changes.takeEvent(), withdrawn)
    }

    /// Removes objects that were inserted and then deleted without a save.
    ///
    /// - Returns: the removed objects that observers know, because an earlier event has reported
    ///   their insertion.
    private func dropAnnihilated() -> ContiguousArray<NSManagedObject> {
        var known = ContiguousArray<NSManagedObject>()
        for object in changes.deleted where object.state.contains(.inserted) {
            if !object.state.contains(.eventInserted) { known.append(object) }
            object.state.subtract([.inserted, .deleted, .propagated])
            registry.dismiss(object)
        }
        changes.noteCleared()
        // Cleans up immediately, because the program may insert the objects into another context.
        changes.cleanUp()
        return known
    }

    private func postDidChange(
        _ event: ChangeTracker.EventChanges, _ withdrawn: ContiguousArray<NSManagedObject>
    ) {
        guard NotificationOnDemand.objectsDidChange.isMentioned else {
            if event.isEmpty && withdrawn.isEmpty { return }
            NotificationOnDemand.objectsDidChange.post(from: self, [:])
            return
        }
        let inserted = event.restored.keeping { !$0.state.contains(.deleted) }
            .followed(by: event.inserted.keeping { $0.registryReference != nil })
        let deleted = withdrawn.followed(by: event.withdrawn)
            .followed(by: event.deleted.keeping { $0.state.contains(.deleted) })
        let updated = event.reverted.followed(
            by: event.updated.keeping {
                !$0.state.isDisjoint(with: [.updated, .inserted]) && !$0.state.contains(.deleted)
            })
        let info = NotificationInfo.objects([
            (NSInsertedObjectsKey, inserted), (NSUpdatedObjectsKey, updated),
            (NSDeletedObjectsKey, deleted), (NSRefreshedObjectsKey, event.refreshed),
            (NSInvalidatedObjectsKey, event.invalidated),
        ])
        guard !info.isEmpty else { return }
        if isSaving {
            for (key, list) in [
                (NSInsertedObjectsKey, inserted), (NSUpdatedObjectsKey, updated),
                (NSDeletedObjectsKey, deleted),
            ] {
                guard let set = info[key] as? Set<NSManagedObject> else { continue }
                announced.append(NotificationInfo.Announced(list: list, set: set))
            }
        }
        NotificationOnDemand.objectsDidChange.post(from: self, info)
    }
}

/// Builds the userInfo of the context's notifications.
enum NotificationInfo {
    /// A list, and the set that was built from it.
    struct Announced {
        let list: ContiguousArray<NSManagedObject>
        let set: Set<NSManagedObject>
    }

    /// Creates the user info: one set for each list that is not empty.
    ///
    /// - Parameter known: sets that were built before. A set of the same list is reused, because
    ///   hashing 100,000 objects takes as long as writing them.
    static func objects(
        _ lists: [(String, ContiguousArray<NSManagedObject>)], known: [Announced] = []
    ) -> [AnyHashable: Any] {
        var info: [AnyHashable: Any] = [:]
        for (key, list) in lists where !list.isEmpty {
            let same = known.first { $0.list.elementsEqual(list, by: ===) }
            info[key] = same?.set ?? set(of: list)
        }
        return info
    }

    /// The capacity is twice the number of objects: comparing objects after a collision of hashes
    /// costs more than hashing them.
    private static func set(of list: ContiguousArray<NSManagedObject>) -> Set<NSManagedObject> {
        var set = Set<NSManagedObject>(minimumCapacity: list.count * 2)
        for object in list { set.update(with: object) }
        return set
    }

    static func identifiers(
        of list: ContiguousArray<NSManagedObject>
    ) -> Set<NSManagedObjectID> {
        var set = Set<NSManagedObjectID>(minimumCapacity: list.count * 2)
        var origins = Origins()
        for object in list { set.update(with: origins.identify(object)) }
        return set
    }

    /// Creates the ids of objects. The store is looked up once for consecutive objects of one
    /// entity.
    struct Origins {
        private var layout: UnsafeMutableRawPointer?
        private var tag = StoreTag.none
        private var origin: StoreOrigin?

        /// Records the store of an object before the object leaves its context, so that its id can
        /// be created later.
        mutating func keep(in object: NSManagedObject) {
            if object.knowsStore || object.key < 0 { return }
            find(for: object)
            if let origin { object.keepOrigin(origin) }
        }

        mutating func identify(_ object: NSManagedObject) -> NSManagedObjectID {
            if let known = object.identifier { return known }
            find(for: object)
            return object.identifier(in: origin)
        }

        mutating func origin(of object: NSManagedObject) -> StoreOrigin? {
            find(for: object)
            return origin
        }

        private mutating func find(for object: NSManagedObject) {
            let tag = StoreTag(of: object.key)
            if object.layoutReference.toOpaque() != layout || tag != self.tag {
                layout = object.layoutReference.toOpaque()
                self.tag = tag
                origin = object.registry?.store(for: object.layout, key: object.key)?.origin
            }
        }
    }
}
