import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace
import Foundation

/// Objects whose keys can be observed by their Swift key paths.
public protocol KeyValueObservable: AnyObject {}

extension NSManagedObject: KeyValueObservable {}

extension KeyValueObservable where Self: NSManagedObject {
    /// Calls a function at each change of a property, until the result is invalidated or let go of.
    ///
    /// Changes by accessors, key-value coding, undo and redo, delete rules, merges, refreshes and
    /// rollbacks are told, each when what it belongs to is done, so that both ends of a
    /// relationship agree by then; with ``NSKeyValueObservingOptions/prior`` before as well, when
    /// nothing may be changed. A merge and a refresh that keeps changes tell of the values that
    /// differ, and of to-many relationships that had been read, which are read anew; an object that
    /// is turned into a fault, of all its properties. To read a new value may fire the fault again.
    /// Nothing is told when a fault fires, by `reset()`, of a deletion to the object itself, and of
    /// what `awakeFromFetch` and primitive accessors set.
    ///
    /// On the queue of the object's context, as the function is called.
    ///
    /// - Parameters:
    ///   - keyPath: a property, or one behind to-one relationships, in which case a relationship
    ///     that leads elsewhere counts as a change. Its name must be in the program, see
    ///     `KeyPathNaming`; otherwise the log says so and nothing is observed.
    ///   - changeHandler: called with the object; do not capture that strongly in the function.
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        guard let path = KeyPathNames.name(of: keyPath) else {
            EngineLog.errorOnce(
                "\(keyPath) is not observed: its name is not in this program. Let the class conform"
                    + " to KeyPathNaming, or use addObserver(_:forKeyPath:options:context:).")
            return NSKeyValueObservation(nil)
        }
        let observation = KeyObservation(
            self, path, options,
            .handler { object, change in
                guard let object = object as? Self else { return }
                changeHandler(object, change.typed(as: Value.self))
            },
            reader: { ($0 as? Self)?[keyPath: keyPath] })
        start(observation)
        return NSKeyValueObservation(observation)
    }
}

extension NSManagedObject {
    final func start(_ observation: KeyObservation) {
        if observation.options.contains(.initial) {
            var change = KeyChange(kind: .setting)
            if observation.options.contains(.new) { change.new = .some(observation.value()) }
            observation.tell(change, of: self)
        }
        ObservationTable.shared.add(observation, to: self)
        observation.follow()
    }

    /// Has an observer told of changes of a key path, until it is removed or goes away.
    ///
    /// What is told and when is as in ``KeyValueObservable/observe(_:options:changeHandler:)``. The
    /// observer is not kept alive. Traps on a path that goes on behind a to-many relationship.
    public final func addObserver(
        _ observer: any KeyValueObserver, forKeyPath keyPath: String,
        options: NSKeyValueObservingOptions = [], context: UnsafeMutableRawPointer?
    ) {
        let target = KeyObservation.Observer(
            identity: ObjectIdentifier(observer), object: observer, context: context)
        start(KeyObservation(self, keyPath, options, .observer(target)))
    }

    /// Ends what was registered last for the observer and the key path; traps where nothing was.
    public final func removeObserver(_ observer: any KeyValueObserver, forKeyPath keyPath: String) {
        remove(observer, keyPath) { _ in true }
    }

    /// Ends what was registered last for the observer, the key path and the context; traps where
    /// nothing was.
    public final func removeObserver(
        _ observer: any KeyValueObserver, forKeyPath keyPath: String,
        context: UnsafeMutableRawPointer?
    ) {
        remove(observer, keyPath) { $0 == context }
    }

    private func remove(
        _ observer: any KeyValueObserver, _ keyPath: String,
        where isMeant: (UnsafeMutableRawPointer?) -> Bool
    ) {
        let identity = ObjectIdentifier(observer)
        let entry = ObservationTable.shared.entry(of: self)
        let found = entry.map { ObservationTable.shared.observations(of: $0) }?.last {
            guard case .observer(let registered) = $0.target else { return false }
            return registered.identity == identity && $0.path == keyPath
                && isMeant(registered.context)
        }
        if let found { return ObservationTable.shared.remove(found) }
        trap(
            CoreDataError(
                .invalidArgument,
                "Cannot remove an observer \(type(of: observer)) for the key path \"\(keyPath)\""
                    + " from \(objectID) because it is not registered as an observer."))
    }

    /// The core of ``keyPathsForValuesAffectingValue(forKey:)``: what the class lists.
    class func listedDependencies(of key: String) -> Set<String> {
        // A class's own come behind those of the classes above, and win.
        for member in keyedMembers.reversed() where member.name == key {
            if case .dependency(let paths) = member.content { return paths() }
        }
        return []
    }

    /// The core of ``automaticallyNotifiesObservers(forKey:)``: the accessors of the model's own
    /// properties tell of their changes themselves.
    class func isUnmodelled(_ key: String) -> Bool {
        !ModelBinding.entities(forClass: self).contains { entity in
            let name = key.prefix { $0 != "." }
            return entity.propertiesByName[String(name)] != nil
        }
    }
}
