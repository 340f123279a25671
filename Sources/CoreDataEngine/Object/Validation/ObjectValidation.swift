import CoreDataModel
import Foundation

/// The built-in validation rules, as a save and the public methods ask for them.
///
/// Called on the queue of the object's context.
enum ObjectValidation {
    static func validateForInsert(_ object: NSManagedObject) throws(CoreDataError) {
        try checkRequired(object)
    }

    static func validateForUpdate(_ object: NSManagedObject) throws(CoreDataError) {
        try checkRequired(object)
    }

    private static func checkRequired(_ object: NSManagedObject) throws(CoreDataError) {
        var failures: [CoreDataError] = []
        for (slot, property) in object.layout.values.enumerated() where !property.isOptional {
            guard object.currentValue(at: slot).isNull else { continue }
            failures.append(
                CoreDataError(
                    .missingMandatoryProperty, "\(property.name) is a required value.",
                    objects: [object.objectKey],
                    payload: .init(userInfo: [
                        NSValidationKeyErrorKey: property.name,
                        NSValidationObjectErrorKey: object,
                    ])))
        }
        if failures.count == 1 { throw failures[0] }
        if failures.count > 1 {
            throw CoreDataError(
                .validationMultiple, "Multiple validation errors occurred.", details: failures)
        }
    }
}
