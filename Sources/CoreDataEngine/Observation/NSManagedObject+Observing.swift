import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace
import Foundation

/// Objects whose keys can be observed by their Swift key paths.
public protocol KeyValueObservable: AnyObject {}

extension NSManagedObject: KeyValueObservable {}

extension KeyValueObservable where Self: NSManagedObject {
    /// Calls a function at each change of a property, until the result is invalidated or released.
    ///
    /// Changes by accessors, key-value coding, undo and redo, delete rules, merges, refreshes and
    /// rollbacks are reported. Each is reported after the operation that contains it, when both
    /// ends of each relationship agree. With ``NSKeyValueObservingOptions/prior``, it is also
    /// reported before the operation; the function must then change nothing.
    ///
    /// A merge, or a refresh that keeps changes, reports the values that differ. It also reports
    /// the to-many relationships that had been read, because their members are read again. Turning
    /// an object into a fault reports all its properties. Reading a new value may fire the fault
    /// again.
    ///
    /// These are not reported: firing a fault, `reset()`, the deletion of the object itself, and
    /// values set by `awakeFromFetch` and primitive accessors.
    ///
    /// Must be called on the queue of the object's context. The function is called on the same
    /// queue.
    ///
    /// - Parameters:
    ///   - keyPath: a property, or a path through to-one relationships to a property; changes of
    ///     these relationships are then reported, too. The program must contain the property's
    ///     name, see `KeyPathNaming`; otherwise the log reports this, and nothing is observed.
    ///   - changeHandler: called with the object; the function must not capture the object
    ///     strongly.
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
            observation.notifyObserver(change, of: self)
        }
        ObservationTable.shared.add(observation, to: self)
        observation.follow()
    }

    /// Notifies an observer of changes of a key path, until it is removed or freed.
    ///
    /// The notifications are those of ``KeyValueObservable/observe(_:options:changeHandler:)``. The
    /// observer is not kept alive. Traps on a path that continues after a to-many relationship.
    public final func addObserver(
        _ observer: any KeyValueObserver, forKeyPath keyPath: String,
        options: NSKeyValueObservingOptions = [], context: UnsafeMutableRawPointer?
    ) {
        let target = KeyObservation.Observer(
            identity: ObjectIdentifier(observer), object: observer, context: context)
        start(KeyObservation(self, keyPath, options, .observer(target)))
    }

    /// Ends the latest registration for the observer and the key path; traps if none exists.
    public final func removeObserver(_ observer: any KeyValueObserver, forKeyPath keyPath: String) {
        remove(observer, keyPath) { _ in true }
    }

    /// Ends the latest registration for the observer, the key path and the context; traps if none
    /// exists.
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

    /// Implements ``keyPathsForValuesAffectingValue(forKey:)`` with the key paths that the class
    /// declares.
    class func listedDependencies(of key: String) -> Set<String> {
        // The members of a class follow those of its superclasses. So the last member with a name
        // takes precedence.
        for member in keyedMembers.reversed() where member.name == key {
            if case .dependency(let paths) = member.content { return paths() }
        }
        return []
    }

    /// Implements ``automaticallyNotifiesObservers(forKey:)``. False for properties of the model,
    /// because their accessors notify observers.
    class func isUnmodelled(_ key: String) -> Bool {
        !ModelBinding.entities(forClass: self).contains { entity in
            let name = key.prefix { $0 != "." }
            return entity.propertiesByName[String(name)] != nil
        }
    }
}
