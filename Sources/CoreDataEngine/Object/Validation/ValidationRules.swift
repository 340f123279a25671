import CoreDataModel
import CoreDataPredicate
import CoreDataStore

/// The validation rules for the objects of one entity.
///
/// They are created once, when a model is bound. `ObjectValidation` applies them at saves and in
/// the public validation methods. Properties without rules are left out, so validating an object
/// without rules costs nothing.
package final class ValidationRules: Sendable {
    /// The rules for an attribute or a to-one relationship.
    package struct ValueRule: Sendable {
        package let slot: Int
        package let name: String
        package let kind: ValueKind
        package let isRequired: Bool
        package let conditions: [Condition]
    }

    /// A predicate that a value must meet, with the error for a value that does not.
    package struct Condition: Sendable {
        package let predicate: NSPredicate
        package let code: CoreDataError.Code
        package let warning: String?
    }

    /// The limits on the number of destinations of a to-many relationship.
    package struct CountRule: Sendable {
        package let slot: Int
        package let name: String
        /// False for an optional relationship, which may be empty although it has a minimum.
        package let isRequired: Bool
        package let minimum: Int
        /// The maximum; zero for no limit.
        package let maximum: Int
    }

    /// A slot for a value, or a slot for a to-many relationship.
    package enum Slot: Sendable, Equatable {
        case value(Int)
        case toMany(Int)
    }

    /// A custom check that a managed object class declares for one property.
    package struct Check: Sendable {
        package let name: String
        package let validator: NSManagedObject.PropertyValidator
    }

    package let checks: [Check]
    package let values: [ValueRule]
    package let counts: [CountRule]
    /// Relationships with the deny rule. An object with a destination in one of them cannot be
    /// deleted.
    package let denials: [(slot: Slot, name: String)]

    /// - Parameters:
    /// - entity: an entity of a frozen model.
    /// - validators: the custom checks of the class that the entity names.
    package init(
        entity: NSEntityDescription, validators: [String: NSManagedObject.PropertyValidator] = [:]
    ) {
        let layout = entity.layout
        checks = validators.sorted { $0.key < $1.key }.map { Check(name: $0, validator: $1) }
        values = zip(entity.valueProperties.indices, entity.valueProperties).compactMap {
            Self.rule(for: $1, slot: $0, layout.values[$0])
        }
        counts = entity.toManyProperties.indices.compactMap {
            Self.rule(for: entity.toManyProperties[$0], slot: $0)
        }
        var denials: [(slot: Slot, name: String)] = []
        for (slot, value) in layout.values.enumerated() where value.toOne?.deleteBehavior == .deny {
            denials.append((.value(slot), value.name))
        }
        for (slot, toMany) in layout.toMany.enumerated() where toMany.deleteBehavior == .deny {
            denials.append((.toMany(slot), toMany.name))
        }
        self.denials = denials
    }

    /// Whether the entity has no rules, apart from deny rules.
    package var isEmpty: Bool { checks.isEmpty && values.isEmpty && counts.isEmpty }

    private static func rule(
        for property: NSPropertyDescription, slot: Int, _ value: ValueSlot
    ) -> ValueRule? {
        let warnings = property.validationWarnings
        let conditions = property.validationPredicates.enumerated().map { index, predicate in
            condition(predicate, index < warnings.count ? warnings[index] : nil)
        }
        // A transient value is nil after every fetch, so nil does not prevent a save.
        let isRequired = !value.isOptional && !value.isTransient
        if !isRequired, conditions.isEmpty { return nil }
        return ValueRule(
            slot: slot, name: value.name, kind: value.kind, isRequired: isRequired,
            conditions: conditions)
    }

    private static func rule(for relationship: NSRelationshipDescription, slot: Int) -> CountRule? {
        let (minimum, maximum) = (relationship.minCount, relationship.maxCount)
        // A required relationship without a minimum may be empty.
        if minimum == 0, maximum == 0 { return nil }
        return CountRule(
            slot: slot, name: relationship.name, isRequired: !relationship.isOptional,
            minimum: minimum, maximum: maximum)
    }

    /// Converts a predicate and its warning. The warning is an error code, or the message of error
    /// 1550.
    private static func condition(_ predicate: NSPredicate, _ warning: Any?) -> Condition {
        let text = warning.map { String(describing: $0) }
        if let text, let number = Int(text), let code = CoreDataError.Code(rawValue: number),
            (1550..<1700).contains(number)
        {
            return Condition(predicate: predicate, code: code, warning: nil)
        }
        return Condition(predicate: predicate, code: .validation, warning: text)
    }
}

extension ValidationRules.ValueRule {
    /// The rule that a value violates; nil if it violates none.
    ///
    /// - Throws: `invalidArgument` for a predicate that cannot be evaluated for such a value.
    package func breach(by value: Value) throws(CoreDataError) -> ValidationBreach? {
        if value.isNull {
            return isRequired ? ValidationBreach(.missingMandatoryProperty, name) : nil
        }
        if conditions.isEmpty { return nil }
        let object = AttributeCoding.object(from: value, kind: kind)
        for condition in conditions where try !isMet(condition, by: object) {
            return ValidationBreach(condition, name, object)
        }
        return nil
    }

    private func isMet(
        _ condition: ValidationRules.Condition, by object: Any?
    ) throws(CoreDataError) -> Bool {
        do { return try condition.predicate.evaluateCore(with: object) } catch {
            throw CoreDataError(
                .invalidArgument,
                "The validation predicate '\(condition.predicate)' of '\(name)' does not fit its "
                    + "values: \(error.message)")
        }
    }
}

extension ValidationRules.CountRule {
    package func breach(by count: Int) -> ValidationBreach? {
        if count == 0, !isRequired { return nil }
        if count < minimum { return ValidationBreach(.lacksMinimumCount, name) }
        if maximum > 0, count > maximum { return ValidationBreach(.exceedsMaximumCount, name) }
        return nil
    }
}
