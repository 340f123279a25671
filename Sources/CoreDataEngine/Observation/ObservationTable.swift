import CoreDataStore
import Foundation

/// The observations of all objects, in all contexts.
///
/// The table is separate from the objects: an object without observers needs no additional memory,
/// and a change checks only one state bit. An object that was observed stays in the table until it
/// is freed.
// @unchecked Sendable because `lock` guards the table and the lists in it.
final class ObservationTable: @unchecked Sendable {
    static let shared = ObservationTable()

    private let lock = NSLock()
    private var objects: [ObjectIdentifier: ObservedObject] = [:]

    func add(_ observation: KeyObservation, to object: NSManagedObject) {
        let observed = observed(object)
        lock.withLock { observed.observations.append(observation) }
    }

    func observed(_ object: NSManagedObject) -> ObservedObject {
        let found = lock.withLock {
            if let found = objects[ObjectIdentifier(object)] { return found }
            let made = ObservedObject()
            objects[ObjectIdentifier(object)] = made
            return made
        }
        object.state.insert(.observed)
        object.registry?.noteObserved()
        return found
    }

    func entry(of object: NSManagedObject) -> ObservedObject? {
        lock.withLock { objects[ObjectIdentifier(object)] }
    }

    /// Runs code under the lock. The code must not release objects.
    func locked<T>(_ body: () -> T) -> T { lock.withLock(body) }

    func observations(of entry: ObservedObject) -> [KeyObservation] {
        lock.withLock { entry.observations }
    }

    /// Ends an observation and its followers. Can be called on any thread.
    func remove(_ observation: KeyObservation) {
        guard observation.end() else { return }
        // Releasing an observation may call this method, so it is released outside of the lock.
        let followers = lock.withLock { () -> [KeyObservation] in
            objects[observation.address]?.observations.removeAll { $0 === observation }
            return observation.takeFollowers()
        }
        for follower in followers { remove(follower) }
    }

    func forget(_ object: NSManagedObject) {
        let entry = lock.withLock { objects.removeValue(forKey: ObjectIdentifier(object)) }
        guard let entry else { return }
        for observation in observations(of: entry) { remove(observation) }
    }
}

/// The observations and the publisher of one object.
final class ObservedObject {
    /// Guarded by the table's lock.
    fileprivate(set) var observations: [KeyObservation] = []
    /// The changes in progress, the innermost last. Used only on the queue of the object's context.
    var open: [OpenChange] = []
    /// Used only on the queue of the object's context.
    var publisher: CombineTypes.ObservableObjectPublisher?

    /// Whether a change in progress includes the keys. It then reports the changes inside of it.
    func isChanging(_ keys: Set<String>) -> Bool { open.contains { keys.isSubset(of: $0.keys) } }
}

/// Delays notifications until a change of several objects is complete. Observers then see both ends
/// of each relationship agree. Each context with observed objects has one queue.
final class NoticeQueue {
    private var depth = 0
    private var waiting: [KeyNotice] = []
    /// The observations with a delayed notification of a new value. Further changes add no
    /// notification, because only the last value is reported.
    private var settings: Set<ObjectIdentifier> = []

    /// Runs related changes, then sends the delayed notifications.
    func together<T>(_ body: () throws(CoreDataError) -> T) throws(CoreDataError) -> T {
        depth += 1
        defer {
            depth -= 1
            if depth == 0 { deliver() }
        }
        return try body()
    }

    /// Sends a notification immediately, or delays it until the related changes are complete.
    func add(_ notices: [KeyNotice]) {
        for notice in notices {
            let root = ObjectIdentifier(notice.observation.root)
            if settings.contains(root) { continue }
            if notice.change.kind == .setting { settings.insert(root) }
            waiting.append(notice)
        }
        if depth == 0 { deliver() }
    }

    /// Sends the delayed notifications. Changes that an observer makes are reported before the
    /// remaining notifications.
    private func deliver() {
        let notices = waiting
        waiting = []
        settings = []
        for notice in notices { notice.deliver() }
    }
}
