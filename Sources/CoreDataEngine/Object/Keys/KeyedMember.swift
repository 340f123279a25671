import CoreDataModel
import CoreDataStore
import Foundation

/// A member of a managed class that is accessed by name, in addition to the model's properties.
///
/// Apple's framework finds such members itself: `value(forKey: "fullName")` calls a getter, and a
/// save calls `validateName(_:)`. Here a class lists them in
/// ``NSManagedObject/keyedMembers``, which the plugin `CoreDataSources` generates.
public struct KeyedMember: Sendable {
    /// The name of the property; for a validator, the name of the property that it validates.
    public let name: String
    let content: Content

    enum Content: Sendable {
        case property(
            get: @Sendable (NSManagedObject) -> Any?,
            set: (@Sendable (NSManagedObject, Any?) -> Bool)?)
        case validator(NSManagedObject.PropertyValidator)
        case dependency(@Sendable () -> Set<String>)
    }

    /// A property of the class, such as a computed property.
    ///
    /// Key-value coding, predicates in memory and the sections of a results controller read it; a
    /// fetch from a store cannot. If the model has a property of the same name, key-value coding
    /// calls this accessor. Primitive accessors bypass it.
    ///
    /// - Parameters:
    ///   - name: the name of the property in Objective-C.
    ///   - object: the class that declares the property.
    ///   - get: returns the property's value.
    ///   - set: sets the property; nil if the property is read-only.
    public static func property<Object: NSManagedObject, Value>(
        _ name: String, of object: Object.Type, get: @escaping @Sendable (Object) -> Value,
        set: (@Sendable (Object, Value) -> Void)? = nil
    ) -> KeyedMember {
        let reading: @Sendable (NSManagedObject) -> Any? = { object in
            (object as? Object).flatMap { KeyedValue.coded(get($0)) }
        }
        guard let set else {
            return KeyedMember(name: name, content: .property(get: reading, set: nil))
        }
        return KeyedMember(
            name: name,
            content: .property(
                get: reading,
                set: { object, value in
                    guard let object = object as? Object,
                        let typed = KeyedValue.typed(value, as: Value.self)
                    else { return false }
                    set(object, typed)
                    return true
                }))
    }

    /// A class method `keyPathsForValuesAffecting<Key>`: observers of the property are also
    /// notified of changes at these key paths.
    ///
    /// ``NSManagedObject/keyPathsForValuesAffectingValue(forKey:)`` returns them.
    public static func affected(
        _ name: String, by keyPaths: @escaping @Sendable () -> Set<String>
    ) -> KeyedMember {
        KeyedMember(name: name, content: .dependency(keyPaths))
    }

    /// A class method `keyPathsForValuesAffecting<Key>` that returns Objective-C strings.
    public static func affected(
        _ name: String, by keyPaths: @escaping @Sendable () -> Set<NSObject>
    ) -> KeyedMember {
        affected(name, by: { Set(keyPaths().map { String(describing: $0) }) })
    }

    /// A class method `keyPathsForValuesAffecting<Key>` that returns an Objective-C set.
    public static func affected(
        _ name: String, by keyPaths: @escaping @Sendable () -> NSSet
    ) -> KeyedMember {
        affected(name, by: { Set(keyPaths().map { String(describing: $0) }) })
    }

    /// A method `validate<Key>`, which throws to reject a value and may replace it.
    ///
    /// If the model has a property of this name, the method is called like an entry of
    /// ``NSManagedObject/propertyValidators``. A method that only happens to match the pattern is
    /// ignored.
    public static func validator<Object: NSManagedObject, Pointee>(
        _ name: String, of object: Object.Type,
        _ method:
            @escaping @Sendable (Object, AutoreleasingUnsafeMutablePointer<Pointee>) throws -> Void
    ) -> KeyedMember {
        KeyedMember(
            name: name,
            content: .validator { object, value in
                guard let object = object as? Object else { return }
                let given = value.map { $0 as AnyObject }
                guard var held = given as? Pointee else { return }
                try withUnsafeMutablePointer(to: &held) { try method(object, $0) }
                let left = KeyedValue.object(held)
                // If the method has not replaced the value, the original value is kept.
                if left !== given { value = left }
            })
    }
}

/// Converts between the values of keyed members and those of key-value coding.
private enum KeyedValue {
    /// Converts numbers to `NSNumber`, enumeration cases to their raw values, and sets to `NSSet`.
    static func coded(_ value: Any) -> Any? {
        guard let value = AttributeCoding.flattened(value) else { return nil }
        if let number = value as? NSNumber { return number }
        if let raw = value as? any RawRepresentable { return coded(raw.rawValue) }
        if let set = value as? Set<NSManagedObject> { return set as NSSet }
        return value
    }

    static func typed<Value>(_ value: Any?, as type: Value.Type) -> Value? {
        if let typed = value as? Value { return typed }
        // A number cannot be cast from one Swift type to another, but an `NSNumber` can be cast to
        // all numeric types.
        if let typed = (value as? NSNumber) as? Value { return typed }
        guard let type = type as? any RawRepresentable.Type, let value else { return nil }
        return raw(value, type) as? Value
    }

    private static func raw<T: RawRepresentable>(_ value: Any, _ type: T.Type) -> T? {
        typed(value, as: T.RawValue.self).flatMap { T(rawValue: $0) }
    }

    static func object(_ value: Any) -> AnyObject? {
        AttributeCoding.flattened(value).map { $0 as AnyObject }
    }
}

/// The members of a class by their names, as a model's binding stores them.
struct KeyedMembers {
    private var properties: [String: KeyedMember] = [:]
    private(set) var validators: [String: NSManagedObject.PropertyValidator] = [:]

    /// A later member replaces an earlier one of the same name. The members of a class follow those
    /// of its superclasses, so a class overrides inherited members.
    init(_ members: [KeyedMember]) {
        for member in members {
            switch member.content {
            case .property: properties[member.name] = member
            case .validator(let validator): validators[member.name] = validator
            case .dependency: break
            }
        }
    }

    func areAccessors(of entity: EntityLayout) -> Bool {
        if properties.isEmpty { return false }
        return entity.values.contains { properties[$0.name] != nil }
            || entity.toMany.contains { properties[$0.name] != nil }
    }

    func accessor(named name: String) -> KeyedMember? { properties[name] }

    /// The property with the name, or with `is` before the name, as in `isOpen` for `open`.
    func property(named name: String) -> KeyedMember? {
        if properties.isEmpty { return nil }
        return properties[name] ?? properties["is" + name.prefix(1).uppercased() + name.dropFirst()]
    }
}

extension NSManagedObject {
    private func keyedMembers() throws(CoreDataError) -> KeyedMembers {
        let index = layout.index
        if let registry = registryReference {
            return registry._withUnsafeGuaranteedRef { $0.binding.keyedMembers(at: index) }
        }
        return try ModelBinding.of(entity).keyedMembers(at: index)
    }

    @inline(__always)
    final var hasOwnAccessors: Bool {
        registryReference?._withUnsafeGuaranteedRef { $0.binding.hasOwnAccessors } ?? false
    }

    /// The value of a property from the accessor that the class declares. The outer optional is nil
    /// if the class declares no accessor.
    final func readAccessor(_ name: String) throws(CoreDataError) -> Any?? {
        read(try keyedMembers().accessor(named: name))
    }

    /// Sets a property with the accessor that the class declares. Returns false if the class
    /// declares no accessor.
    final func writeAccessor(_ value: Any?, _ name: String) throws(CoreDataError) -> Bool {
        try write(value, try keyedMembers().accessor(named: name), name)
    }

    /// The value of a member that is not a property of the model. The outer optional is nil if the
    /// member does not exist.
    final func readMember(_ name: String) throws(CoreDataError) -> Any?? {
        read(try keyedMembers().property(named: name))
    }

    final func writeMember(_ value: Any?, _ name: String) throws(CoreDataError) -> Bool {
        try write(value, try keyedMembers().property(named: name), name)
    }

    private func read(_ member: KeyedMember?) -> Any?? {
        guard case .property(let get, _)? = member?.content else { return nil }
        return .some(get(self))
    }

    private func write(
        _ value: Any?, _ member: KeyedMember?, _ key: String
    ) throws(CoreDataError) -> Bool {
        guard let member, case .property(_, let set) = member.content else { return false }
        let name = member.name
        guard let set else {
            throw CoreDataError(
                .unknownKey,
                "The property '\(name)' of \(Swift.type(of: self)) cannot be set; it has only"
                    + " a getter.")
        }
        if notifyingChange(key, { set(self, AttributeCoding.flattened(value)) }) { return true }
        let given = value.map { "\(Swift.type(of: $0))" } ?? "nil"
        throw CoreDataError(
            .invalidArgument,
            "Unacceptable type of value for the property '\(name)' of \(Swift.type(of: self)):"
                + " given type = \(given).")
    }

    /// Changes a value by the class's accessor, and notifies observers if the accessor does not do
    /// so itself.
    private func notifyingChange(_ key: String, _ change: () -> Bool) -> Bool {
        guard state.contains(.observed), !isModelled(key),
            Self.automaticallyNotifiesObservers(forKey: key)
        else { return change() }
        return noticing([key]) { change() }
    }
}
