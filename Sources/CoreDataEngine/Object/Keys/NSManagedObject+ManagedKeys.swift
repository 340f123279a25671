import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation
import Synchronization

/// Typed access by key, for accessors that were written as `@NSManaged`.
///
/// The type of the accessor selects the overload. All overloads fire faults, maintain inverses and
/// record changes, like ``value(forKey:)`` and ``setValue(_:forKey:)``. They trap if the key is not
/// a property.
extension NSManagedObject {
    /// Reads an attribute. If the attribute is nil and the type is not optional, the result is
    /// zero.
    ///
    /// If the model's type is the accessor's type, the call costs as much as ``read(_:)`` and
    /// allocates nothing; otherwise it converts the result of ``value(forKey:)``.
    @inlinable @inline(__always)
    public final func managedValue<T: AttributeValue>(_ key: ManagedKey) -> T {
        // Duplicates the code of `read`, because builds without optimisation do not inline
        // functions.
        let word = key.first.load(ordering: .relaxed)
        guard word &>> 16 == UInt(bitPattern: entityReference.toOpaque()) else {
            return _lookedUpValue(key)
        }
        let slot = Int(truncatingIfNeeded: word & 0xFFFF)
        if state.rawValue & ObjectState.slowPathBits == 0, let cells {
            return RowWords.isNull(cells, slot) ? T._null : T._load(cells, slot)
        }
        return read(slot)
    }

    /// Changes an attribute.
    @inlinable
    public final func setManagedValue<T: AttributeValue>(_ key: ManagedKey, _ value: T) {
        let word = key.first.load(ordering: .relaxed)
        if word &>> 16 == UInt(bitPattern: entityReference.toOpaque()) {
            return write(Int(truncatingIfNeeded: word & 0xFFFF), value)
        }
        _setLookedUpValue(key, value)
    }

    /// Reads an attribute as the enumeration case with that raw value; traps if no case has the raw
    /// value.
    public final func managedValue<T: RawRepresentable>(_ key: ManagedKey) -> T
    where T.RawValue: AttributeValue {
        let raw: T.RawValue = managedValue(key)
        guard let value = T(rawValue: raw) ?? KeyPathProbe.anyCase(of: T.self) else {
            trap("'\(key)' is \(raw), which is not a raw value of \(T.self).")
        }
        return value
    }

    /// Changes an attribute to the raw value of the case.
    public final func setManagedValue<T: RawRepresentable>(_ key: ManagedKey, _ value: T)
    where T.RawValue: AttributeValue {
        setManagedValue(key, value.rawValue)
    }

    // MARK: To one

    /// Reads a to-one relationship; its destination may be a fault.
    public final func managedValue<T: NSManagedObject>(_ key: ManagedKey) -> T? {
        guard let slot = toOneSlot(key) else { return valueByName(key) }
        return readObject(slot)
    }

    /// Reads a to-one relationship that has a destination; traps if it has none.
    public final func managedValue<T: NSManagedObject>(_ key: ManagedKey) -> T {
        guard let object = managedValue(key) as T? else {
            trap("'\(key)' of \(objectID) is nil, and its accessor is not optional.")
        }
        return object
    }

    /// Changes a to-one relationship and its inverse.
    public final func setManagedValue<T: NSManagedObject>(_ key: ManagedKey, _ value: T?) {
        guard let slot = toOneSlot(key) else { return setValue(value, forKey: key.name) }
        writeObject(slot, value)
    }

    // MARK: To many

    /// Reads the members of a to-many relationship.
    public final func managedValue(_ key: ManagedKey) -> NSSet? {
        guard let slot = toManySlot(key) else { return valueByName(key) }
        return NSSet(array: readObjects(slot))
    }

    /// Reads the members of a to-many relationship.
    public final func managedValue(_ key: ManagedKey) -> NSSet {
        managedValue(key) ?? NSSet()
    }

    /// Reads the members of a to-many relationship; traps on a member of another class.
    public final func managedValue<T: NSManagedObject>(_ key: ManagedKey) -> Set<T>? {
        guard let slot = toManySlot(key) else { return valueByName(key) }
        return Set(
            readObjects(slot).map { member in
                if let typed = member as? T { return typed }
                trap("'\(key)' has a \(type(of: member)), which is not a \(T.self).")
            })
    }

    /// Reads the members of a to-many relationship; traps on a member of another class.
    public final func managedValue<T: NSManagedObject>(_ key: ManagedKey) -> Set<T> {
        managedValue(key) ?? []
    }

    /// Reads the members of an ordered to-many relationship.
    public final func managedValue(_ key: ManagedKey) -> NSOrderedSet? {
        guard let slot = toManySlot(key) else { return valueByName(key) }
        return NSOrderedSet(array: readObjects(slot))
    }

    /// Reads the members of an ordered to-many relationship.
    public final func managedValue(_ key: ManagedKey) -> NSOrderedSet {
        managedValue(key) ?? NSOrderedSet()
    }

    /// Replaces the members of a to-many relationship; nil removes all.
    public final func setManagedValue<T: NSManagedObject>(_ key: ManagedKey, _ value: Set<T>?) {
        guard let slot = toManySlot(key) else { return setValue(value, forKey: key.name) }
        writeObjects(slot, value.map { Array($0) } ?? [])
    }

    // MARK: Everything else

    /// Reads a property of any other type by its name, such as a transformable attribute, a number
    /// as `NSNumber` or a fetched property. Traps if the value does not have the type.
    @_disfavoredOverload
    public final func managedValue<T>(_ key: ManagedKey) -> T { valueByName(key) }

    /// Reads a property by its name, for an accessor whose type is a protocol, `Any` or a base
    /// class.
    public final func managedObjectValue<T>(_ key: ManagedKey) -> T { valueByName(key) }

    /// Changes a property by its name; traps if the property cannot have the value.
    @_disfavoredOverload
    public final func setManagedValue<T>(_ key: ManagedKey, _ value: T) {
        setValue(value, forKey: key.name)
    }

    // MARK: Looking up

    private final var entityAddress: UInt { UInt(bitPattern: entityReference.toOpaque()) }

    @usableFromInline
    final func _lookedUpValue<T: AttributeValue>(_ key: ManagedKey) -> T {
        if let slot = attributeSlot(key, T.self) { return read(slot) }
        let value = value(forKey: key.name)
        if let value { return ManagedValue.converted(value, to: T.self, key) }
        return T._null
    }

    @usableFromInline
    final func _setLookedUpValue<T: AttributeValue>(_ key: ManagedKey, _ value: T) {
        if let slot = attributeSlot(key, T.self) { return write(slot, value) }
        setValue(value, forKey: key.name)
    }

    private func attributeSlot(_ key: ManagedKey, _ type: Any.Type) -> Int? {
        key.slot(ofEntityAt: entityAddress) {
            guard let slot = layout.valueSlot(named: key.name) else { return nil }
            return ManagedValue.isRead(layout.values[slot], as: type) ? slot : nil
        }
    }

    private func toOneSlot(_ key: ManagedKey) -> Int? {
        key.slot(ofEntityAt: entityAddress) {
            guard let slot = layout.valueSlot(named: key.name) else { return nil }
            return layout.isToOne(slot) ? slot : nil
        }
    }

    final func toManySlot(_ key: ManagedKey) -> Int? {
        key.slot(ofEntityAt: entityAddress) { layout.toManySlot(named: key.name) }
    }

    private func valueByName<T>(_ key: ManagedKey) -> T {
        ManagedValue.typed(value(forKey: key.name), key)
    }
}
