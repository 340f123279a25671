import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation

/// Returns the differences from the last fetch or save, and sets default values.
extension NSManagedObject {
    /// Implements ``changedValues()``.
    final func unsavedValues() -> [String: Any] {
        var changed: [String: Any] = [:]
        if let pending {
            for slot in pending.mask.slots where isChanged(slot) {
                changed[layout.values[slot].name] = current(slot)
            }
        }
        for path in changed.keys.compactMap({ $0.firstIndex(of: ".").map($0.prefix(upTo:)) }) {
            // All elements of a changed composite attribute are returned.
            for slot in layout.elementSlots(ofComposite: String(path)) ?? [] {
                changed[layout.values[slot].name] = current(slot)
            }
        }
        changed = groupingComposites(changed)
        for slot in relationships?.changedToManySlots ?? [] {
            changed[layout.toMany[slot].name] = value(forKey: layout.toMany[slot].name)
        }
        return changed
    }

    /// Implements ``changedValuesForCurrentEvent()``.
    final func valuesBeforeEvent() -> [String: Any] {
        var changed: [String: Any] = [:]
        for (slot, value) in pending?.eventBases ?? []
        where !layout.values[slot].isTransient {
            changed[layout.values[slot].name] = foundation(value, slot) ?? NSNull()
        }
        return groupingComposites(changed)
    }

    /// Implements ``committedValues(forKeys:)``.
    final func savedValues(forKeys keys: [String]?) -> [String: Any] {
        willAccessValue(forKey: nil)
        // A new object was never fetched or saved, so it has no committed values.
        if state.contains(.inserted) { return [:] }
        var committed: [String: Any] = [:]
        for (slot, property) in layout.values.enumerated() where !property.isTransient {
            if let keys, !keys.contains(where: { Self.names(property.name, $0) }) { continue }
            committed[property.name] = foundation(committedValue(at: slot), slot) ?? NSNull()
        }
        for (slot, property) in layout.toMany.enumerated()
        where keys?.contains(property.name) ?? true {
            if keys != nil { _ = value(forKey: property.name) }
            guard let known = relationships?.members(slot)?.committed, let registry,
                registry.hasContext
            else { continue }
            let objects = registry.objects(for: known)
            committed[property.name] =
                property.isOrdered ? NSOrderedSet(array: objects) : NSSet(array: objects)
        }
        return groupingComposites(committed)
    }

    /// The keys of ``changedValues()`` in the order of the layout. Does not read from the store.
    package final var changedKeys: [String] {
        let values = pending?.mask.slots.filter { isChanged($0) } ?? []
        let toMany = relationships?.changedToManySlots ?? []
        let toManyNames = toMany.map { layout.toMany[$0].name }
        guard layout.hasComposites else {
            return values.map { layout.values[$0].name } + toManyNames
        }
        var seen: Set<String> = []
        let names = values.map { layout.values[$0].name.prefix { $0 != "." } }.map(String.init)
        return names.filter { seen.insert($0).inserted } + toManyNames
    }

    /// Whether a key is the name of a slot, or of the composite attribute that contains the slot.
    private static func names(_ slot: String, _ key: String) -> Bool {
        slot == key || slot.hasPrefix(key + ".")
    }

    /// Whether the unsaved value of a slot is a change. In a new object, the default value is not a
    /// change.
    func isChanged(_ slot: Int) -> Bool {
        if layout.values[slot].isTransient { return false }
        if cells != nil { return true }
        let known = registry?.binding.defaults(at: layout.index)
        let defaults = known ?? DefaultValues.of(entityDescription)
        let initial = defaults.first { $0.slot == slot }?.value ?? .null
        return currentValue(at: slot) != initial
    }

    private func current(_ slot: Int) -> Any {
        if layout.values[slot].toOne != nil { return destination(at: slot) ?? NSNull() }
        return foundation(currentValue(at: slot), slot) ?? NSNull()
    }

    private func foundation(_ value: Value, _ slot: Int) -> Any? {
        if case .reference(let key) = value {
            guard let registry, registry.hasContext else { return nil }
            if let known = knownDestination(slot), known.key == key.key { return known }
            return registry.object(for: key)
        }
        return programValue(value, slot)
    }

    final func applyDefaults(of context: NSManagedObjectContext?) {
        let pending = ensurePending()
        guard let context else {
            for (slot, value) in DefaultValues.of(entityDescription) { pending[slot] = value }
            return
        }
        let index = layoutReference._withUnsafeGuaranteedRef { $0.index }
        context.registry.binding.eachDefault(at: index) { pending[$0] = $1 }
    }
}

/// The default values of an entity's attributes, as stored values.
enum DefaultValues {
    static func of(_ entity: NSEntityDescription) -> [(slot: Int, value: Value)] {
        guard let parts = entity.frozenParts else { return [] }
        var defaults: [(slot: Int, value: Value)] = []
        for (slot, property) in parts.valueProperties.enumerated() {
            guard let attribute = property as? NSAttributeDescription,
                let object = attribute.defaultValue,
                let value = value(object, parts.layout.values[slot], of: parts.layout)
            else { continue }
            defaults.append((slot, value))
        }
        return defaults
    }

    private static func value(
        _ object: Any, _ slot: ValueSlot, of entity: EntityLayout
    ) -> Value? {
        switch slot.coding {
        case .plain: return AttributeCoding.value(from: object, kind: slot.kind)
        case .untyped: return .object(_HeldObject(object))
        case .transformed(let name):
            do throws(CoreDataError) {
                return .data(try TransformedValues.bytes(of: object, by: name, slot, of: entity))
            } catch {
                EngineLog.errorOnce(error.message)
                return nil
            }
        }
    }
}
