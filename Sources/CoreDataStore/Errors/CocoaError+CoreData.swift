import CoreDataPredicate

extension CocoaError {
    /// The object that did not pass validation.
    public var validationObject: Any? { userInfo[NSValidationObjectErrorKey] }

    /// The name of the property that did not pass validation.
    public var validationKey: String? { userInfo[NSValidationKeyErrorKey] as? String }

    /// The predicate that a value did not meet.
    public var validationPredicate: NSPredicate? {
        userInfo[NSValidationPredicateErrorKey] as? NSPredicate
    }

    /// The value that did not pass validation.
    public var validationValue: Any? { userInfo[NSValidationValueErrorKey] }

    /// The stores that the error is about.
    public var affectedStores: [AnyObject]? { userInfo[NSAffectedStoresErrorKey] as? [AnyObject] }

    /// The objects that the error is about.
    public var affectedObjects: [AnyObject]? {
        userInfo[NSAffectedObjectsErrorKey] as? [AnyObject]
    }
}
