import Foundation

/// A change that a notification reports, before it is converted for an observer.
struct KeyChange {
    let kind: NSKeyValueChange
    /// The new value. The outer optional is nil if the notification does not contain the value.
    var new: Any??
    var old: Any??
    var indexes: IndexSet?
    var isPrior = false

    var dictionary: [NSKeyValueChangeKey: Any] {
        var made: [NSKeyValueChangeKey: Any] = [.kindKey: NSNumber(value: kind.rawValue)]
        if let new { made[.newKey] = AttributeCoding.flattened(new) ?? NSNull() }
        if let old { made[.oldKey] = AttributeCoding.flattened(old) ?? NSNull() }
        if let indexes { made[.indexesKey] = indexes }
        if isPrior { made[.notificationIsPriorKey] = true }
        return made
    }

    func typed<Value>(as type: Value.Type) -> NSKeyValueObservedChange<Value> {
        NSKeyValueObservedChange(
            kind: kind, newValue: new.flatMap { Self.value($0) },
            oldValue: old.flatMap { Self.value($0) }, indexes: indexes, isPrior: isPrior)
    }

    /// Converts a value to the property's type. Members become a set, an ordered set or an array.
    private static func value<Value>(_ value: Any?) -> Value? {
        if let typed = value as? Value { return typed }
        guard let members = members(value) else { return nil }
        let forms: [Any] = [
            NSSet(array: members), Set(members), NSOrderedSet(array: members), members,
        ]
        return forms.lazy.compactMap { $0 as? Value }.first
    }

    private static func members(_ value: Any?) -> [NSManagedObject]? {
        switch value {
        case let array as [NSManagedObject]: array
        case let set as NSSet: set.allObjects as? [NSManagedObject]
        case let set as NSOrderedSet: set.array as? [NSManagedObject]
        default: nil
        }
    }
}

/// The kind of a change that is about to happen to a property.
enum KeyMutation {
    case setting
    case members(
        NSKeyValueChange, old: [NSManagedObject] = [], new: [NSManagedObject]? = [],
        indexes: IndexSet? = nil)

    /// The change for an observer of exactly this property. Nil if the value is replaced.
    func change(_ options: NSKeyValueObservingOptions) -> KeyChange? {
        guard case .members(let kind, let old, let new, let indexes) = self else { return nil }
        func form(_ members: [NSManagedObject]) -> Any {
            indexes == nil ? NSSet(array: members) as Any : members as Any
        }
        var change = KeyChange(kind: kind, indexes: indexes)
        if kind != .insertion, options.contains(.old) { change.old = .some(form(old)) }
        // New members that are not known yet are looked up by their indexes later.
        if kind != .removal, options.contains(.new), let new { change.new = .some(form(new)) }
        return change
    }
}

/// A change in progress, with the notifications to send.
struct OpenChange {
    let keys: Set<String>
    private(set) var notices: [KeyNotice] = []

    init(_ keys: Set<String>) { self.keys = keys }

    /// Adds a notification for an observation. An observer that asked for a notification before the
    /// change receives it immediately.
    mutating func add(
        _ observation: KeyObservation, _ mutation: KeyMutation
    ) {
        let root = observation.root
        guard root.isActive else { return }
        let isDirect = root === observation && observation.isOf(keys)
        var change = isDirect ? mutation.change(root.options) : nil
        if change == nil {
            change = KeyChange(kind: .setting)
            if root.options.contains(.old) { change?.old = .some(root.value()) }
        }
        guard let change else { return }
        let notice = KeyNotice(observation: observation, change: change)
        notices.append(notice)
        if root.options.contains(.prior) { notice.notifyBeforeChange() }
    }
}

/// A notification of one observation about a change.
struct KeyNotice {
    let observation: KeyObservation
    var change: KeyChange

    func notifyBeforeChange() {
        var prior = change
        prior.isPrior = true
        prior.new = nil
        notifyObserver(prior)
    }

    /// Notifies the observer of the change, with the current value as the new value.
    func deliver() {
        let root = observation.root
        // After the change, the path may lead to another object.
        root.follow()
        var told = change
        if root.options.contains(.new), told.kind != .removal, told.new == nil {
            let value = root.value()
            told.new = .some(told.indexes.map { Self.members(value, at: $0) } ?? value)
        }
        notifyObserver(told)
    }

    private static func members(_ value: Any?, at places: IndexSet) -> Any {
        let members = (value as? NSOrderedSet)?.array ?? []
        return places.filter(members.indices.contains).map { members[$0] }
    }

    private func notifyObserver(_ change: KeyChange) {
        let root = observation.root
        guard root.isActive, let object = root.object else { return }
        root.notifyObserver(change, of: object)
    }
}

extension KeyObservation {
    /// Calls the observer. If it has been freed, the observation is removed.
    func notifyObserver(_ change: KeyChange, of object: NSManagedObject) {
        switch target {
        case .handler(let handler): handler(object, change)
        case .observer(let observer):
            guard let told = observer.object else { return ObservationTable.shared.remove(self) }
            told.observeValue(
                forKeyPath: path, of: object, change: change.dictionary, context: observer.context)
        case .follower: assertionFailure("a follower was called like an observer")
        }
    }
}
