/// An object is not valid.
///
/// Core Data's numbers in `NSCocoaErrorDomain`.
public var NSManagedObjectValidationError: Int { 1550 }

/// A uniqueness constraint is broken at validation.
public var NSManagedObjectConstraintValidationError: Int { 1551 }

/// Several errors; they are under `NSDetailedErrorsKey`.
public var NSValidationMultipleErrorsError: Int { 1560 }

/// A property that is not optional has no value.
public var NSValidationMissingMandatoryPropertyError: Int { 1570 }

/// A relationship has too few destinations.
public var NSValidationRelationshipLacksMinimumCountError: Int { 1580 }

/// A relationship has too many destinations.
public var NSValidationRelationshipExceedsMaximumCountError: Int { 1590 }

/// A deny rule stops a delete.
public var NSValidationRelationshipDeniedDeleteError: Int { 1600 }

/// A number is too large.
public var NSValidationNumberTooLargeError: Int { 1610 }

/// A number is too small.
public var NSValidationNumberTooSmallError: Int { 1620 }

/// A date is too late.
public var NSValidationDateTooLateError: Int { 1630 }

/// A date is too early.
public var NSValidationDateTooSoonError: Int { 1640 }

/// A date is not valid.
public var NSValidationInvalidDateError: Int { 1650 }

/// A string is too long.
public var NSValidationStringTooLongError: Int { 1660 }

/// A string is too short.
public var NSValidationStringTooShortError: Int { 1670 }

/// A string does not match its pattern.
public var NSValidationStringPatternMatchingError: Int { 1680 }

/// A URI is not valid.
public var NSValidationInvalidURIError: Int { 1690 }

/// A context cannot be locked.
public var NSManagedObjectContextLockingError: Int { 132_000 }

/// A coordinator cannot be locked.
public var NSPersistentStoreCoordinatorLockingError: Int { 132_010 }

/// An object's row does not exist.
public var NSManagedObjectReferentialIntegrityError: Int { 133_000 }

/// A relationship would refer to an object in another store.
public var NSManagedObjectExternalRelationshipError: Int { 133_010 }

/// Another writer changed a row since it was read.
public var NSManagedObjectMergeError: Int { 133_020 }

/// A uniqueness constraint would be broken.
public var NSManagedObjectConstraintMergeError: Int { 133_021 }

/// The store's type is not known.
public var NSPersistentStoreInvalidTypeError: Int { 134_000 }

/// The store is of another type.
public var NSPersistentStoreTypeMismatchError: Int { 134_010 }

/// The store's schema does not fit the model.
public var NSPersistentStoreIncompatibleSchemaError: Int { 134_020 }

/// A store could not save.
public var NSPersistentStoreSaveError: Int { 134_030 }

/// Some of several stores could not save.
public var NSPersistentStoreIncompleteSaveError: Int { 134_040 }

/// A save ended with conflicts; they are under `conflictList`.
public var NSPersistentStoreSaveConflictsError: Int { 134_050 }

/// An error of the framework or of its use.
public var NSCoreDataError: Int { 134_060 }

/// An operation on a store failed.
public var NSPersistentStoreOperationError: Int { 134_070 }

/// A store could not be opened.
public var NSPersistentStoreOpenError: Int { 134_080 }

/// A store could not be reached in time.
public var NSPersistentStoreTimeoutError: Int { 134_090 }

/// A store cannot handle this kind of request.
public var NSPersistentStoreUnsupportedRequestTypeError: Int { 134_091 }

/// The model does not match the store.
public var NSPersistentStoreIncompatibleVersionHashError: Int { 134_100 }

/// A migration failed.
public var NSMigrationError: Int { 134_110 }

/// A uniqueness constraint was broken during a migration.
public var NSMigrationConstraintViolationError: Int { 134_111 }

/// A migration was cancelled.
public var NSMigrationCancelledError: Int { 134_120 }

/// A migration did not find the store's model.
public var NSMigrationMissingSourceModelError: Int { 134_130 }

/// A migration did not find a mapping.
public var NSMigrationMissingMappingModelError: Int { 134_140 }

/// A migration could not use its source store.
public var NSMigrationManagerSourceStoreError: Int { 134_150 }

/// A migration could not use its destination store.
public var NSMigrationManagerDestinationStoreError: Int { 134_160 }

/// A migration policy failed.
public var NSEntityMigrationPolicyError: Int { 134_170 }

/// SQLite failed.
public var NSSQLiteError: Int { 134_180 }

/// No mapping can be inferred.
public var NSInferredMappingModelError: Int { 134_190 }

/// An external record could not be imported.
public var NSExternalRecordImportError: Int { 134_200 }

/// A history token is older than the history that is kept.
public var NSPersistentHistoryTokenExpiredError: Int { 134_301 }

/// A model reference does not find its model.
public var NSManagedObjectModelReferenceNotFoundError: Int { 134_504 }

/// A staged migration needs another version of the framework.
public var NSStagedMigrationFrameworkVersionMismatchError: Int { 134_505 }

/// A staged migration would go backwards.
public var NSStagedMigrationBackwardMigrationError: Int { 134_506 }
