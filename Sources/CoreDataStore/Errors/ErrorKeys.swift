/// The parts of a combined error: an array of `NSError` in the user info of code 1560.
public let NSDetailedErrorsKey = "NSDetailedErrors"
/// The object that did not pass validation.
public let NSValidationObjectErrorKey = "NSValidationErrorObject"
/// The name of the property that did not pass validation.
public let NSValidationKeyErrorKey = "NSValidationErrorKey"
/// The predicate that a value did not meet.
public let NSValidationPredicateErrorKey = "NSValidationErrorPredicate"
/// The value that did not pass validation.
public let NSValidationValueErrorKey = "NSValidationErrorValue"
/// The stores that an error is about.
public let NSAffectedStoresErrorKey = "NSAffectedStoresErrorKey"
/// The objects that an error is about.
public let NSAffectedObjectsErrorKey = "NSAffectedObjectsErrorKey"
/// Present and true if the connection to the store ended during a commit, so that it is unknown
/// whether the save was written. Core Data has no such key.
public let FaultlineSaveOutcomeUnknownErrorKey = "FaultlineSaveOutcomeUnknownErrorKey"
/// Present and true if other transactions prevent the one in which a context has read, so that its
/// save or its next read fails. Core Data has no such key.
public let FaultlineTransactionRefusedErrorKey = "FaultlineTransactionRefusedErrorKey"
/// The conflicts that stopped a save: an array of merge or constraint conflicts.
public let NSPersistentStoreSaveConflictsErrorKey = "conflictList"
/// The domain of SQLite's result codes. It is also the key of a result code in the user info.
public let NSSQLiteErrorDomain = "NSSQLiteErrorDomain"
