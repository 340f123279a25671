import CoreDataModel
import CoreDataStore
import Foundation
import Synchronization

/// One registration: who is to be told of which key path of one object.
///
/// Of a path of several steps, the object that each step but the last leads to is observed by a
/// *follower*, which moves along when the step leads elsewhere.
final class KeyObservation {
    /// The key of the object itself that the path begins with.
    let key: String
    let path: String
    let options: NSKeyValueObservingOptions
    let target: Target
    /// Gives the value; nil where key-value coding does.
    private let reader: ((NSManagedObject) -> Any?)?
    /// The observed object. What an observation is of is gone when the object is.
    private(set) weak var object: NSManagedObject?
    let address: ObjectIdentifier
    /// Keys of the object, the path's own among them, whose changes change the value.
    private(set) var triggers: Set<String> = []
    /// What leads on from the object. The table's lock guards the followers.
    private var branches: [Branch] = []
    private let isOver = Atomic(false)

    enum Target {
        case observer(Observer)
        case handler((NSManagedObject, KeyChange) -> Void)
        /// Changes are those of another observation's value.
        case follower(of: KeyObservation)
    }

    /// An observer, which is known by its address while it goes away.
    struct Observer {
        let identity: ObjectIdentifier
        weak var object: (any KeyValueObserver)?
        let context: UnsafeMutableRawPointer?
    }

    /// A key that leads to an object, and the path that is observed there.
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

    /// Ends it; the followers that it leaves are to be removed.
    ///
    /// - Returns: whether it had not ended before.
    func end() -> Bool { !isOver.exchange(true, ordering: .acquiringAndReleasing) }

    /// The observation whose observer is told, by this one or by those that it follows for.
    var root: KeyObservation {
        var current = self
        while case .follower(let other) = current.target { current = other }
        return current
    }

    /// Whether a change of the keys may change the value.
    func isConcerned(by keys: Set<String>) -> Bool { isActive && !triggers.isDisjoint(with: keys) }

    /// Whether a change of the key is one of exactly the value that is observed.
    func isOf(_ keys: Set<String>) -> Bool { path == key && keys.contains(key) }

    /// The value at the path; nil for none, and where the object cannot be read any more.
    func value() -> Any? {
        guard let object, (try? object.isReadable()) == true else { return nil }
        return reader.map { $0(object) } ?? object.value(forKeyPath: path)
    }

    // MARK: Followers

    /// Observes the objects that the path leads through now. On the queue of the object's context.
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
            // It may have ended meanwhile on another thread, before there was this follower.
            if !isActive { ObservationTable.shared.remove(made) }
        }
    }

    private func destination(of object: NSManagedObject, _ key: String) -> NSManagedObject? {
        guard (try? object.isReadable()) == true else { return nil }
        return object.value(forKey: key) as? NSManagedObject
    }

    /// Takes the followers out, who have nothing to follow for any more; under the table's lock.
    func takeFollowers() -> [KeyObservation] {
        let followers = branches.compactMap(\.follower)
        for index in branches.indices { branches[index].follower = nil }
        return followers
    }
}

/// A path as an object sees it: one of its keys, and what is behind it.
struct KeySteps: Hashable {
    let key: String
    let rest: String?

    /// An element of a composite attribute is one key.
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

/// What the value at a path depends on: keys of the object itself, and paths behind some of them.
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
            // An element of a dictionary changes with the whole of it.
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
