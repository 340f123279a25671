import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation

/// Processes the changes of an event: applies delete rules, removes objects that were inserted and
/// deleted, and posts the notification.
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

    /// Drops objects that were inserted and deleted before any save.
    ///
    /// - Returns: the dropped objects whose insertion an earlier event has reported to observers.
    private func dropAnnihilated() -> ContiguousArray<NSManagedObject> {
        var known = ContiguousArray<NSManagedObject>()
        for object in changes.deleted where object.state.contains(.inserted) {
            if !object.state.contains(.eventInserted) { known.append(object) }
            object.state.subtract([.inserted, .deleted, .propagated])
            registry.dismiss(object)
        }
        changes.noteCleared()
        // Cleans up now, because the program may insert the objects into another context.
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
    /// A set that was built from a list.
    struct Announced {
        let list: ContiguousArray<NSManagedObject>
        let set: Set<NSManagedObject>
    }

    /// Creates the user info: one set for each list that is not empty.
    ///
    /// - Parameter known: sets that were built before, possibly from the same lists. They are
    ///   reused, because hashing 100,000 objects costs as much as writing them.
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

    /// The capacity is twice the number of objects, because comparing objects after a collision of
    /// hashes costs more than hashing them.
    private static func set(of list: ContiguousArray<NSManagedObject>) -> Set<NSManagedObject> {
        var set = Set<NSManagedObject>(minimumCapacity: list.count * 2)
        for object in list { set.update(with: object) }
        return set
    }

    /// The set of the objects' ids. Its capacity is also twice the number of objects.
    static func identifiers(
        of list: ContiguousArray<NSManagedObject>
    ) -> Set<NSManagedObjectID> {
        var set = Set<NSManagedObjectID>(minimumCapacity: list.count * 2)
        var origins = Origins()
        for object in list { set.update(with: origins.identify(object)) }
        return set
    }

    /// Creates ids, looking the store up once for consecutive objects of one entity.
    struct Origins {
        private var layout: UnsafeMutableRawPointer?
        private var tag = StoreTag.none
        private var origin: StoreOrigin?

        /// Records an object's store in the object before the object leaves its context. The id can
        /// then be created later, if the program needs it.
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

        /// The store that contains the object's row.
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
