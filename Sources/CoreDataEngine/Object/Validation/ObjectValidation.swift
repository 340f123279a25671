import CoreDataModel
import CoreDataPredicate
import CoreDataStore

/// Checks objects against the rules of their entities, for the validation methods of managed
/// objects.
enum ObjectValidation {
    /// Checks the values and the sizes of relationships, and collects all errors.
    ///
    /// Fires a fault. A to-many relationship is read only if the number of its members is limited
    /// and it has changed. If its members are not loaded, this costs one SELECT.
    ///
    /// - Throws: the validation error, or 1560 with several errors; also `inaccessibleObject` and
    ///   errors of the store.
    static func validateValues(_ object: NSManagedObject) throws(CoreDataError) {
        if hasNoRules(object) { return }
        let rules = try rules(of: object)
        try object.prepareAccess()
        var errors: [CoreDataError] = []
        for check in rules.checks {
            if let error = try run(check, on: object) { errors.append(error) }
        }
        for rule in rules.values {
            if let breach = try breach(of: rule, in: object) {
                errors.append(breach.error(on: object))
            }
        }
        for rule in rules.counts where isToBeCounted(rule, in: object) {
            if let breach = rule.breach(by: try object.toManyMembers(rule.slot).count) {
                errors.append(breach.error(on: object))
            }
        }
        if let error = CoreDataError.combined(errors) { throw error }
    }

    /// Checks that every destination of a relationship with the deny rule is also deleted.
    ///
    /// - Throws: 1600, or 1560 for several relationships; the store's errors.
    static func validateForDelete(_ object: NSManagedObject) throws(CoreDataError) {
        let rules = try rules(of: object)
        if rules.denials.isEmpty || object.state.contains(.inaccessible) { return }
        try object.prepareAccess()
        var errors: [CoreDataError] = []
        for denial in rules.denials where try hasDestination(denial.slot, object) {
            let breach = ValidationBreach(.deniedDelete, denial.name)
            errors.append(breach.error(on: object))
        }
        if let error = CoreDataError.combined(errors) { throw error }
    }

    /// Checks a value before the program sets it.
    ///
    /// - Returns: the value, or the replacement that the custom check of the class returned.
    static func validate(
        _ given: Any?, forKey key: String, of object: NSManagedObject
    ) throws(CoreDataError) -> Any? {
        let rules = try rules(of: object)
        var value = given
        if let check = rules.checks.first(where: { $0.name == key }) {
            do { try check.validator(object, &value) } catch { throw CoreDataError(error) }
        }
        try validate(value, forKey: key, of: object, by: rules)
        return value
    }

    private static func validate(
        _ value: Any?, forKey key: String, of object: NSManagedObject, by rules: ValidationRules
    ) throws(CoreDataError) {
        if let slot = object.layout.valueSlot(named: key) {
            let stored = try object.storable(value, slot)
            guard let rule = rules.values.first(where: { $0.slot == slot }) else { return }
            if let breach = try rule.breach(by: stored) { throw breach.error(on: object) }
            return
        }
        if let slots = object.layout.elementSlots(ofComposite: key) {
            let elements = try CompositeElements(value, object.layout, slots, at: key)
            for slot in slots {
                let name = object.layout.values[slot].name
                try validate(elements.values[slot] ?? nil, forKey: name, of: object, by: rules)
            }
            return
        }
        guard let slot = object.layout.toManySlot(named: key) else { throw object.unknownKey(key) }
        guard let rule = rules.counts.first(where: { $0.slot == slot }) else { return }
        let count = try object.members(value, key).count
        if let breach = rule.breach(by: count) { throw breach.error(on: object) }
    }

    /// Calls the class's check for a property. If the check replaces the value, sets the new value.
    private static func run(
        _ check: ValidationRules.Check, on object: NSManagedObject
    ) throws(CoreDataError) -> CoreDataError? {
        if let slot = object.layout.valueSlot(named: check.name) {
            // If the value cannot be decoded, the check would receive nil, and could replace the
            // value.
            do throws(CoreDataError) { try object.decodeTransformed(slot) } catch { return error }
        }
        let given = try object.readModelled(check.name)
        var value = given
        do { try check.validator(object, &value) } catch { return CoreDataError(error) }
        // Setting an equal value would mark the object as changed again, and the save would never
        // end.
        if !OperandComparison.areIdentical(Operand(given), Operand(value)) {
            try object.writeModelled(value, check.name)
        }
        return nil
    }

    /// Whether the object has nothing to check, like most objects. Retains nothing.
    private static func hasNoRules(_ object: NSManagedObject) -> Bool {
        let index = object.layoutReference._withUnsafeGuaranteedRef { $0.index }
        return object.registryReference?._withUnsafeGuaranteedRef {
            $0.binding.hasNoRules(at: index)
        } ?? false
    }

    private static func rules(of object: NSManagedObject) throws(CoreDataError) -> ValidationRules {
        let index = object.layoutReference._withUnsafeGuaranteedRef { $0.index }
        if let registry = object.registryReference {
            return registry._withUnsafeGuaranteedRef { $0.binding.validationRules(at: index) }
        }
        return try ModelBinding.of(object.entity).validationRules(at: index)
    }

    /// The violated rule, if any. A rule without conditions only requires a value other than nil.
    private static func breach(
        of rule: ValidationRules.ValueRule, in object: NSManagedObject
    ) throws(CoreDataError) -> ValidationBreach? {
        if rule.conditions.isEmpty, !object.isNull(at: rule.slot) { return nil }
        return try rule.breach(by: object.decodedSlot(rule.slot))
    }

    /// Whether the members must be counted. The members of a saved object are counted only if they
    /// are loaded or have changed.
    private static func isToBeCounted(
        _ rule: ValidationRules.CountRule, in object: NSManagedObject
    ) -> Bool {
        guard object.cells != nil else { return true }
        guard let members = object.relationships?.members(rule.slot) else { return false }
        return members.isLoaded || members.hasChanges
    }

    private static func hasDestination(
        _ slot: ValidationRules.Slot, _ object: NSManagedObject
    ) throws(CoreDataError) -> Bool {
        switch slot {
        case .value(let slot):
            return object.destination(at: slot).map(stays) ?? false
        case .toMany(let slot): return try object.toManyMembers(slot).contains(where: stays)
        }
    }

    /// Whether the object would remain after the save. A new object that was deleted has already
    /// left its context.
    private static func stays(_ object: NSManagedObject) -> Bool {
        object.registry != nil && !object.state.contains(.deleted)
    }
}

extension NSManagedObject {
    fileprivate final func isNull(at slot: Int) -> Bool {
        if let pending, pending.isSet(slot) { return pending[slot].isNull }
        guard let cells else { return true }
        return RowFormat.isNull(cells, slot: slot)
    }
}
