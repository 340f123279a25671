import CoreDataModel
import CoreDataTrace
import Foundation

/// What happens at the end of an event: delete rules, dropped inserts, the notification.
extension NSManagedObjectContext {
    /// Deals with what has changed since the last call: propagates deletions, drops objects that
    /// were inserted and deleted, and posts that objects have changed.
    ///
    /// Runs by itself after each block of `perform`, before a fetch that regards unsaved changes,
    /// and in a save.
    public final func processPendingChanges() {
        orTrap { () throws(CoreDataError) in try processPending() }
        endUndoEvent()
    }

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

    /// Objects that were inserted and deleted before any save leave no trace.
    ///
    /// - Returns: those that observers were told of in an earlier event.
    private func dropAnnihilated() -> ContiguousArray<NSManagedObject> {
        var known = ContiguousArray<NSManagedObject>()
        for object in changes.deleted where object.state.contains(.inserted) {
            if !object.state.contains(.eventInserted) { known.append(object) }
            object.state.subtract([.inserted, .deleted, .propagated])
            registry.dismiss(object)
        }
        changes.noteCleared()
        return known
    }

    private func postDidChange(
        _ event: ChangeTracker.EventChanges, _ withdrawn: ContiguousArray<NSManagedObject>
    ) {
        let inserted: ContiguousArray =
            event.restored.filter { !$0.isDeleted }
            + event.inserted.keeping { $0.registryReference != nil }
        let deleted =
            withdrawn + event.withdrawn + event.deleted.filter { $0.state.contains(.deleted) }
        let updated =
            event.reverted
            + event.updated.keeping {
                !$0.state.isDisjoint(with: [.updated, .inserted]) && !$0.state.contains(.deleted)
            }
        let info = NotificationInfo.objects([
            (NSInsertedObjectsKey, inserted), (NSUpdatedObjectsKey, updated),
            (NSDeletedObjectsKey, deleted), (NSRefreshedObjectsKey, event.refreshed),
            (NSInvalidatedObjectsKey, event.invalidated),
        ])
        guard !info.isEmpty else { return }
        if isSaving {
            for (key, list) in [(NSInsertedObjectsKey, inserted), (NSUpdatedObjectsKey, updated)] {
                guard let set = info[key] as? Set<NSManagedObject> else { continue }
                announced.append(NotificationInfo.Announced(list: list, set: set))
            }
        }
        NotificationCenter.default.post(
            name: .NSManagedObjectContextObjectsDidChange, object: self, userInfo: info)
    }
}

/// Builds the userInfo of the context's notifications.
enum NotificationInfo {
    /// A set that was made of a list.
    struct Announced {
        let list: ContiguousArray<NSManagedObject>
        let set: Set<NSManagedObject>
    }

    /// One set for each list that has members.
    ///
    /// - Parameter known: sets that were made before, of what may be the same lists: hashing
    ///   100,000 objects costs as much as writing them.
    static func objects(
        _ lists: [(String, ContiguousArray<NSManagedObject>)], known: [Announced] = []
    ) -> [AnyHashable: Any] {
        var info: [AnyHashable: Any] = [:]
        for (key, list) in lists where !list.isEmpty {
            let same = known.first { $0.list.elementsEqual(list, by: ===) }
            info[key] = same?.set ?? Set(list)
        }
        return info
    }
}

extension ContiguousArray<NSManagedObject> {
    /// The objects for which the condition holds; this very array where it holds for all.
    func keeping(_ condition: (NSManagedObject) -> Bool) -> Self {
        allSatisfy(condition) ? self : Self(filter(condition))
    }
}
