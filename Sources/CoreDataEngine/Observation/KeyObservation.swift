import CoreDataModel
import CoreDataStore
import Foundation
import Synchronization

/// One registration: an observer, an object and a key path.
///
/// A path of several keys leads through other objects. Additional observations, the *followers*,
/// observe these objects. If a relationship leads to another object, its follower is replaced.
final class KeyObservation {
    let key: String
    let path: String
    let options: NSKeyValueObservingOptions
    let target: Target
    /// Reads the value. If nil, key-value coding reads it.
    private let reader: ((NSManagedObject) -> Any?)?
    /// The observed object. The observation ends with the object.
    private(set) weak var object: NSManagedObject?
    let address: ObjectIdentifier
    /// The keys of the object whose changes may change the value, including the first key of the
    /// path.
    private(set) var triggers: Set<String> = []
    /// The keys whose values are observed objects, with the followers. The followers are guarded by
    /// the table's lock.
    private var branches: [Branch] = []
    private let isOver = Atomic(false)

    enum Target {
        case observer(Observer)
        case handler((NSManagedObject, KeyChange) -> Void)
        /// Reports changes to the observation that has created this follower.
        case follower(of: KeyObservation)
    }

    /// A weakly held observer. While it is being freed, only its address identifies it.
    struct Observer {
        let identity: ObjectIdentifier
        weak var object: (any KeyValueObserver)?
        let context: UnsafeMutableRawPointer?
    }

    /// A key that leads to another object, and the rest of the path. A follower observes the rest
    /// on that object.
    struct Branch {
        let key: String
        let rest: String
        var follower: KeyObservation?
    }

    init(
        _ object: NSManagedObject, _ path: String, _ options: NSKeyValueObservingOptions,
        _ target: Target, reader: ((NSManagedObject) -> Any?)? = nil
    ) {
        self.object = object
        self.path = path
        self.options = options
        self.target = target
        self.reader = reader
        address = ObjectIdentifier(object)
        let steps = KeySteps(of: path, in: object)
        key = steps.key
        var needs = KeyNeeds(of: object)
        needs.add(steps)
        triggers = needs.keys
        branches = needs.branches.map { Branch(key: $0.key, rest: $0.rest ?? "") }
    }

    var isActive: Bool { !isOver.load(ordering: .acquiring) }

    /// Ends the observation; the caller must remove its followers.
    ///
    /// - Returns: false if it had already ended.
    func end() -> Bool { !isOver.exchange(true, ordering: .acquiringAndReleasing) }

    var root: KeyObservation {
        var current = self
        while case .follower(let other) = current.target { current = other }
        return current
    }

    func isConcerned(by keys: Set<String>) -> Bool { isActive && !triggers.isDisjoint(with: keys) }

    func isOf(_ keys: Set<String>) -> Bool { path == key && keys.contains(key) }

    func value() -> Any? {
        guard let object, (try? object.isReadable()) == true else { return nil }
        return reader.map { $0(object) } ?? object.value(forKeyPath: path)
    }

    // MARK: Followers

    /// Creates or replaces the followers for the objects on the path. Called on the queue of the
    /// object's context.
    func follow() {
        guard let object, isActive else { return }
        for index in branches.indices {
            let next = destination(of: object, branches[index].key)
            let old = ObservationTable.shared.locked { branches[index].follower }
            if let old, old.object === next, old.isActive {
                old.follow()
                continue
            }
            let made = next.map {
                KeyObservation($0, branches[index].rest, [], .follower(of: self))
            }
            ObservationTable.shared.locked { branches[index].follower = made }
            if let old { ObservationTable.shared.remove(old) }
            guard let next, let made else { continue }
            ObservationTable.shared.add(made, to: next)
            made.follow()
            // Another thread may have ended this observation before the follower was added.
            if !isActive { ObservationTable.shared.remove(made) }
        }
    }

    private func destination(of object: NSManagedObject, _ key: String) -> NSManagedObject? {
        guard (try? object.isReadable()) == true else { return nil }
        return object.value(forKey: key) as? NSManagedObject
    }

    /// Removes and returns all followers. Called under the table's lock.
    func takeFollowers() -> [KeyObservation] {
        let followers = branches.compactMap(\.follower)
        for index in branches.indices { branches[index].follower = nil }
        return followers
    }
}

/// The first key of a path, and the rest of the path.
struct KeySteps: Hashable {
    let key: String
    let rest: String?

    /// Splits a path. The path to an element of a composite attribute counts as one key.
    init(of path: String, in object: NSManagedObject) {
        let names = path.split(separator: ".").map(String.init)
        var count = names.count
        while count > 1,
            object.layout.valueSlot(named: names.prefix(count).joined(separator: ".")) == nil
        {
            count -= 1
        }
        key = names.prefix(count).joined(separator: ".")
        rest = count < names.count ? names.dropFirst(count).joined(separator: ".") : nil
    }
}

/// The keys of an object whose changes may change the value at a path. `branches` has the paths
/// that begin with one of these keys.
private struct KeyNeeds {
    let object: NSManagedObject
    private(set) var keys: Set<String> = []
    private(set) var branches: Set<KeySteps> = []

    init(of object: NSManagedObject) { self.object = object }

    mutating func add(_ steps: KeySteps) {
        if steps.rest != nil {
            if object.layout.toManySlot(named: steps.key) != nil {
                trap(Self.unobservable(steps))
            }
            // A change of an element of a dictionary counts as a change of the whole dictionary.
            branches.insert(steps)
        }
        guard keys.insert(steps.key).inserted else { return }
        for path in type(of: object).keyPathsForValuesAffectingValue(forKey: steps.key) {
            add(KeySteps(of: path, in: object))
        }
    }

    private static func unobservable(_ steps: KeySteps) -> CoreDataError {
        CoreDataError(
            .invalidArgument,
            "addObserver:forKeyPath:options:context: is not supported for the members of"
                + " '\(steps.key)'. Key path: \(steps.rest ?? ""). Observe '\(steps.key)'.")
    }
}
