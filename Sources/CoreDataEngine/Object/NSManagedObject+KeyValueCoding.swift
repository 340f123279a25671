import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace

/// Access by property name.
///
/// Linux has no key-value coding. These methods support the properties of the entity, and the
/// members that the class lists in ``NSManagedObject/keyedMembers``. An unknown name traps, as it
/// raises `NSUnknownKeyException` on Apple's systems.
extension NSManagedObject {
    /// Implements ``willChangeValue(forKey:)``.
    final func noteAccessorWillChange(_ key: String) {
        orTrap { () throws(CoreDataError) in
            try prepareAccess()
            guard let slot = layout.valueSlot(named: key) else { return }
            noteWillChange(slot)
            if layout.values[slot].toOne != nil { recorder?.noteDestination(self, slot) }
        }
    }

    /// Implements ``didChangeValue(forKey:)``.
    final func noteAccessorDidChange(_ key: String) {
        let isModelled = layout.valueSlot(named: key) != nil || layout.toManySlot(named: key) != nil
        if isModelled || !Self.contextShouldIgnoreUnmodeledPropertyChanges { noteChanged() }
        if state.contains(.observed) { noticeDidChange(key) }
    }

    /// Implements ``hasFault(forRelationshipNamed:)``.
    final func isUnread(relationshipNamed key: String) -> Bool {
        if let slot = layout.toManySlot(named: key) {
            if state.contains(.inserted) { return false }
            return relationships?.members(slot)?.isLoaded != true
        }
        guard let slot = layout.valueSlot(named: key) else { return false }
        if state.contains(.fault) { return true }
        return destination(at: slot)?.state.contains(.fault) ?? false
    }

    /// Implements ``objectIDs(forRelationshipNamed:)``.
    final func destinationIDs(_ key: String) -> [NSManagedObjectID] {
        reading(key) { () throws(CoreDataError) in
            if let slot = layout.toManySlot(named: key) {
                return try readMembers(slot).map(\.objectID)
            }
            guard let slot = layout.valueSlot(named: key) else { throw unknownKey(key) }
            return try readDestination(slot).map { [$0.objectID] } ?? []
        }
    }

    /// The value of a property by name.
    public final subscript(key: String) -> Any? {
        get { value(forKey: key) }
        set { setValue(newValue, forKey: key) }
    }

    // MARK: Throwing cores

    /// - Throws: `unknownKey`, `inaccessibleObject`, `wrongQueue`, and the store's failures.
    package final func readValue(forKey key: String) throws(CoreDataError) -> Any? {
        if hasOwnAccessors, let value = try readAccessor(key) { return value }
        return try readModelled(key)
    }

    /// The value of a property of the model, bypassing the class's own accessor.
    final func readModelled(_ key: String) throws(CoreDataError) -> Any? {
        if let slot = layout.valueSlot(named: key) {
            let kind = layout.values[slot].kind
            if kind == .toOne {
                let destination = try readDestination(slot)
                notifyWatcher(.read(self, slot: slot))
                return destination
            }
            let value = try readValue(at: slot)
            notifyWatcher(.read(self, slot: slot))
            return shownValue(value, slot)
        }
        guard let slot = layout.toManySlot(named: key) else {
            return try readUnmodelled(key)
        }
        let members = try readMembers(slot)
        notifyWatcher(.readMembers(self, slot: slot, count: members.count))
        return layout.toMany[slot].isOrdered ? NSOrderedSet(array: members) : NSSet(array: members)
    }

    private func readUnmodelled(_ key: String) throws(CoreDataError) -> Any? {
        switch key {
        case "objectID", "self.objectID": return objectID
        case "self", "SELF": return self
        case "entity": return entity
        default:
            if let slots = layout.elementSlots(ofComposite: key) {
                return try composite(slots, at: key)
            }
            if let property = fetchedProperty(named: key) { return try readFetched(property) }
            if let value = try readMember(key) { return value }
            guard let other = keyOfOtherCapital(key) else { throw unknownKey(key) }
            return try readValue(forKey: other)
        }
    }

    package final func writeValue(_ value: Any?, forKey key: String) throws(CoreDataError) {
        if hasOwnAccessors, try writeAccessor(value, key) { return }
        try writeModelled(value, key)
    }

    /// Sets a property of the model, bypassing the class's own accessor.
    final func writeModelled(_ value: Any?, _ key: String) throws(CoreDataError) {
        if let slot = layout.valueSlot(named: key) {
            if layout.values[slot].kind == .toOne {
                try setToOne(slot, to: try destination(value, key))
            } else {
                try setValue(try attribute(value, slot), at: slot)
            }
            return notifyWatcher(.wrote(self, slot: slot, equalsNull: value == nil))
        }
        if let slots = layout.elementSlots(ofComposite: key) {
            return try setComposite(value, slots, at: key)
        }
        guard let slot = layout.toManySlot(named: key) else {
            if fetchedProperty(named: key) != nil { throw Self.unchangeable(key) }
            if try writeMember(value, key) { return }
            guard let other = keyOfOtherCapital(key) else { throw unknownKey(key) }
            return try writeValue(value, forKey: other)
        }
        try setToMany(slot, to: try members(value, key))
    }

    /// - Throws: `unknownKey` also if the key is not a property of the model.
    package final func readPrimitive(forKey key: String) throws(CoreDataError) -> Any? {
        try checkUsable()
        guard let slot = layout.valueSlot(named: key) else {
            if let slots = layout.elementSlots(ofComposite: key) {
                return state.contains(.fault) ? nil : try composite(slots, at: key)
            }
            if let property = fetchedProperty(named: key) {
                // Like a relationship that is a fault, a fetched property is not read from the
                // store here.
                return relationships?.fetched[property.name]
            }
            guard layout.toManySlot(named: key) != nil else { throw unknownKey(key) }
            return state.contains(.fault) ? nil : try readModelled(key)
        }
        // A row that is attached to a fault is used only after the fault has fired.
        if state.contains(.fault), pending?.isSet(slot) != true { return nil }
        if isHeard { emitRead(slot) }
        let kind = layout.values[slot].kind
        notifyWatcher(.read(self, slot: slot))
        if kind == .toOne { return destination(at: slot) }
        return shownValue(currentValue(at: slot), slot)
    }

    func writePrimitive(_ value: Any?, forKey key: String) throws(CoreDataError) {
        try checkUsable()
        if state.contains(.invalidated) { throw invalidatedError() }
        guard let slot = layout.valueSlot(named: key) else {
            let isQuiet = state.contains(.quiet)
            state.insert(.quiet)
            defer { if !isQuiet { state.remove(.quiet) } }
            return try writeModelled(value, key)
        }
        if layout.values[slot].kind == .toOne {
            let object = try destination(value, key)
            if isHeard { emitSet(slot, to: object.map { .reference($0.objectKey) } ?? .null) }
            storePending(object.map { .reference($0.objectKey) } ?? .null, at: slot)
            setKnownDestination(slot, object)
        } else {
            let stored = try attribute(value, slot)
            if isHeard { emitSet(slot, to: stored) }
            storePending(stored, at: slot)
        }
        notifyWatcher(.wrote(self, slot: slot, equalsNull: value == nil))
    }

    final func storable(_ value: Any?, _ slot: Int) throws(CoreDataError) -> Value {
        guard layout.values[slot].kind == .toOne else { return try attribute(value, slot) }
        return try destination(value, layout.values[slot].name)
            .map { .reference($0.objectKey) } ?? .null
    }

    private func attribute(_ value: Any?, _ slot: Int) throws(CoreDataError) -> Value {
        let property = layout.values[slot]
        if property.coding != .plain {
            return AttributeCoding.flattened(value).map { .object(_HeldObject($0)) } ?? .null
        }
        if let stored = AttributeCoding.value(from: value, kind: property.kind) {
            return narrowed(stored, property)
        }
        let given = value.map { "\(Swift.type(of: $0))" } ?? "nil"
        throw CoreDataError(
            .invalidArgument,
            "Unacceptable type of value for attribute: property = \"\(property.name)\"; desired"
                + " type = \(property.kind); given type = \(given);"
                + " value = \(value.map { "\($0)" } ?? "nil")."
        )
    }

    /// Truncates an integer to the width of its attribute, as Core Data does, and logs the
    /// truncation.
    private func narrowed(_ value: Value, _ property: ValueSlot) -> Value {
        guard case .integer(let given) = value else { return value }
        let kept = AttributeCoding.whole(given, property.kind)
        guard kept != given, property.kind != .boolean else { return value }
        EngineLog.errorOnce(
            "The value \(given) of '\(property.name)' of '\(layout.name)' does not fit the type"
                + " \(property.kind) and becomes \(kept). Choose a wider type in the model.")
        return .integer(kept)
    }

    private func destination(_ value: Any?, _ key: String) throws(CoreDataError) -> NSManagedObject?
    {
        guard let value = AttributeCoding.flattened(value) else { return nil }
        if let object = value as? NSManagedObject { return object }
        throw CoreDataError(
            .invalidArgument,
            "Unacceptable type of value for to-one relationship: property = \"\(key)\"; desired"
                + " type = NSManagedObject; given type = \(Swift.type(of: value)).")
    }

    final func members(_ value: Any?, _ key: String) throws(CoreDataError) -> [NSManagedObject] {
        guard let value = AttributeCoding.flattened(value) else { return [] }
        switch value {
        case let objects as [NSManagedObject]: return objects
        case let objects as Set<NSManagedObject>: return Array(objects)
        case let objects as NSOrderedSet:
            if let all = objects.array as? [NSManagedObject] { return all }
        case let objects as NSSet:
            if let all = objects.allObjects as? [NSManagedObject] { return all }
        default: break
        }
        throw CoreDataError(
            .invalidArgument,
            "Unacceptable type of value for to-many relationship: property = \"\(key)\"; desired"
                + " type = NSSet, NSOrderedSet or an array of managed objects; given type ="
                + " \(Swift.type(of: value)).")
    }

    func requireToMany(_ key: String) throws(CoreDataError) -> Int {
        if let slot = layout.toManySlot(named: key) { return slot }
        throw fetchedProperty(named: key) == nil ? unknownKey(key) : Self.unchangeable(key)
    }

    /// The property whose name differs from the key only in the case of its first letter. On
    /// Apple's systems the accessor `setDate` serves both `date` and `Date`.
    private func keyOfOtherCapital(_ key: String) -> String? {
        guard let first = key.first else { return nil }
        let head = first.isUppercase ? first.lowercased() : first.uppercased()
        let other = head + key.dropFirst()
        guard other != key else { return nil }
        let isModelled =
            layout.valueSlot(named: other) != nil || layout.toManySlot(named: other) != nil
            || layout.elementSlots(ofComposite: other) != nil
        return isModelled ? other : nil
    }

    final func unknownKey(_ key: String) -> CoreDataError {
        let names = (layout.values.map(\.name) + layout.toMany.map(\.name)).sorted()
        return CoreDataError(
            .unknownKey,
            "The entity \(layout.name) is not key value coding-compliant for the key \"\(key)\"."
                + " Its properties are: \(names.joined(separator: ", ")).")
    }
}
