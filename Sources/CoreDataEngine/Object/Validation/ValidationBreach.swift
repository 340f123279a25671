import CoreDataModel
import CoreDataPredicate
import CoreDataStore

/// A rule of the model that an object violates.
package struct ValidationBreach {
    package let code: CoreDataError.Code
    package let property: String
    private let warning: String?
    package let value: Any?
    package let predicate: NSPredicate?

    init(_ code: CoreDataError.Code, _ property: String) {
        self.code = code
        self.property = property
        warning = nil
        value = nil
        predicate = nil
    }

    init(_ condition: ValidationRules.Condition, _ property: String, _ value: Any?) {
        code = condition.code
        self.property = property
        warning = condition.warning
        self.value = value
        predicate = condition.predicate
    }

    /// The error message without the localized texts of the model.
    package var message: String { warning ?? Self.message(code, property) }

    /// The error message with the localized names and texts of the model.
    private func message(in entity: NSEntityDescription) -> String {
        if let warning { return entity.localizedErrorText(warning) ?? warning }
        return Self.message(code, entity.localizedName(ofProperty: property) ?? property)
    }

    /// The error that names the object, the property and the value.
    ///
    /// - Parameter object: the object for the error's user info; its model may name the property.
    package func error(on object: AnyObject?) -> CoreDataError {
        let entity = (object as? NSManagedObject)?.entity
        let text = entity.map(message(in:)) ?? message
        var userInfo: [String: Any] = [NSValidationKeyErrorKey: property]
        userInfo[NSValidationObjectErrorKey] = object
        userInfo[NSValidationValueErrorKey] = value
        userInfo[NSValidationPredicateErrorKey] = predicate
        return CoreDataError(code, text, payload: .init(userInfo: userInfo))
    }

    private static func message(_ code: CoreDataError.Code, _ property: String) -> String {
        switch code {
        case .missingMandatoryProperty: "\(property) is a required value."
        case .lacksMinimumCount: "\(property) has too few objects."
        case .exceedsMaximumCount: "\(property) has too many objects."
        case .deniedDelete: "\(property) still has objects; its delete rule denies the delete."
        case .numberTooLarge: "\(property) is too large."
        case .numberTooSmall: "\(property) is too small."
        case .dateTooLate: "\(property) is too late."
        case .dateTooSoon: "\(property) is too early."
        case .invalidDate: "\(property) is not a valid date."
        case .stringTooLong: "\(property) is too long."
        case .stringTooShort: "\(property) is too short."
        case .stringPatternMatching: "\(property) does not match its pattern."
        default: "\(property) is not valid."
        }
    }
}

extension CoreDataError {
    /// Combines several errors into one. A single error is returned unchanged. Several errors
    /// become the details of an error 1560. If the list contains an error 1560, its details take
    /// its position.
    package static func combined(_ errors: [CoreDataError]) -> CoreDataError? {
        let parts = errors.flatMap { $0.code == .validationMultiple ? $0.details : [$0] }
        guard let first = parts.first else { return nil }
        if parts.count == 1 { return first }
        return CoreDataError(
            .validationMultiple, "Multiple validation errors occurred.", details: parts)
    }
}
