import CoreDataStore
import Foundation

/// Who observes which object, in all contexts.
///
/// Beside the objects, so that one that nobody observes is no larger and costs one look at a bit
/// of its state. An object that was observed once stays in the table as long as it lives.
// @unchecked Sendable because `lock` guards the table and the lists in it.
final class ObservationTable: @unchecked Sendable {
    static let shared = ObservationTable()

    private let lock = NSLock()
    private var objects: [ObjectIdentifier: ObservedObject] = [:]

    func add(_ observation: KeyObservation, to object: NSManagedObject) {
        let observed = observed(object)
        lock.withLock { observed.observations.append(observation) }
    }

    /// The entry of an object, which is made where there is none.
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

    /// Looks at what the lock guards, or changes it; no object is let go of meanwhile.
    func locked<T>(_ body: () -> T) -> T { lock.withLock(body) }

    /// The observations of an entry, in the order of their registration.
    func observations(of entry: ObservedObject) -> [KeyObservation] {
        lock.withLock { entry.observations }
    }

    /// Ends an observation, and those that follow for it; on any thread.
    func remove(_ observation: KeyObservation) {
        guard observation.end() else { return }
        // Whoever was removed is let go of outside the lock: its end may come back here.
        let followers = lock.withLock { () -> [KeyObservation] in
            objects[observation.address]?.observations.removeAll { $0 === observation }
            return observation.takeFollowers()
        }
        for follower in followers { remove(follower) }
    }

    /// The object goes away.
    func forget(_ object: NSManagedObject) {
        let entry = lock.withLock { objects.removeValue(forKey: ObjectIdentifier(object)) }
        guard let entry else { return }
        for observation in observations(of: entry) { remove(observation) }
    }
}

/// What is known of one observed object.
final class ObservedObject {
    /// Guarded by the table's lock.
    fileprivate(set) var observations: [KeyObservation] = []
    /// Changes that have begun, the innermost last. On the queue of the object's context alone.
    var open: [OpenChange] = []
    /// On the queue of the object's context alone.
    var publisher: CombineTypes.ObservableObjectPublisher?

    /// Whether a change of the keys has begun, which tells of what happens within it.
    func isChanging(_ keys: Set<String>) -> Bool { open.contains { keys.isSubset(of: $0.keys) } }
}

/// Notices that wait for the end of what changes several objects, so that who is told finds a
/// graph in which both ends of a relationship agree. One for each context with observed objects.
final class NoticeQueue {
    private var depth = 0
    private var waiting: [KeyNotice] = []
    /// Observations that wait to be told of another value: it will be the last one, and whatever
    /// else becomes of it until then is no news.
    private var settings: Set<ObjectIdentifier> = []

    /// Does what belongs together; then tells of all that was changed.
    func together<T>(_ body: () throws(CoreDataError) -> T) throws(CoreDataError) -> T {
        depth += 1
        defer {
            depth -= 1
            if depth == 0 { deliver() }
        }
        return try body()
    }

    /// Tells of a change, at once or when what it belongs to is done.
    func add(_ notices: [KeyNotice]) {
        for notice in notices {
            let root = ObjectIdentifier(notice.observation.root)
            if settings.contains(root) { continue }
            if notice.change.kind == .setting { settings.insert(root) }
            waiting.append(notice)
        }
        if depth == 0 { deliver() }
    }

    /// What an observer changes is told before this goes on, as it would be without a queue.
    private func deliver() {
        let notices = waiting
        waiting = []
        settings = []
        for notice in notices { notice.deliver() }
    }
}
