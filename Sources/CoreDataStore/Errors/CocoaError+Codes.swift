import Foundation

// The names of `CocoaError.Code` as members of `CocoaError`, for `catch` clauses.

extension CocoaError {
    /// An object is not valid.
    public static var managedObjectValidation: CocoaError.Code { .managedObjectValidation }

    /// Several errors; they are under `NSDetailedErrorsKey`.
    public static var validationMultipleErrors: CocoaError.Code { .validationMultipleErrors }

    /// A property that is not optional has no value.
    public static var validationMissingMandatoryProperty: CocoaError.Code {
        .validationMissingMandatoryProperty
    }

    /// A relationship has too few destinations.
    public static var validationRelationshipLacksMinimumCount: CocoaError.Code {
        .validationRelationshipLacksMinimumCount
    }

    /// A relationship has too many destinations.
    public static var validationRelationshipExceedsMaximumCount: CocoaError.Code {
        .validationRelationshipExceedsMaximumCount
    }

    /// A deny rule stops a delete.
    public static var validationRelationshipDeniedDelete: CocoaError.Code {
        .validationRelationshipDeniedDelete
    }

    /// A number is too large.
    public static var validationNumberTooLarge: CocoaError.Code { .validationNumberTooLarge }

    /// A number is too small.
    public static var validationNumberTooSmall: CocoaError.Code { .validationNumberTooSmall }

    /// A date is too late.
    public static var validationDateTooLate: CocoaError.Code { .validationDateTooLate }

    /// A date is too early.
    public static var validationDateTooSoon: CocoaError.Code { .validationDateTooSoon }

    /// A date is not valid.
    public static var validationInvalidDate: CocoaError.Code { .validationInvalidDate }

    /// A string is too long.
    public static var validationStringTooLong: CocoaError.Code { .validationStringTooLong }

    /// A string is too short.
    public static var validationStringTooShort: CocoaError.Code { .validationStringTooShort }

    /// A string does not match its pattern.
    public static var validationStringPatternMatching: CocoaError.Code {
        .validationStringPatternMatching
    }

    /// A context cannot be locked.
    public static var managedObjectContextLocking: CocoaError.Code { .managedObjectContextLocking }

    /// A coordinator cannot be locked.
    public static var persistentStoreCoordinatorLocking: CocoaError.Code {
        .persistentStoreCoordinatorLocking
    }

    /// An object's row does not exist.
    public static var managedObjectReferentialIntegrity: CocoaError.Code {
        .managedObjectReferentialIntegrity
    }

    /// A relationship would refer to an object in another store.
    public static var managedObjectExternalRelationship: CocoaError.Code {
        .managedObjectExternalRelationship
    }

    /// Another writer changed a row since it was read.
    public static var managedObjectMerge: CocoaError.Code { .managedObjectMerge }

    /// A uniqueness constraint would be broken.
    public static var managedObjectConstraintMerge: CocoaError.Code {
        .managedObjectConstraintMerge
    }

    /// The store's type is not known.
    public static var persistentStoreInvalidType: CocoaError.Code { .persistentStoreInvalidType }

    /// The store is of another type.
    public static var persistentStoreTypeMismatch: CocoaError.Code { .persistentStoreTypeMismatch }

    /// The store's schema does not fit the model.
    public static var persistentStoreIncompatibleSchema: CocoaError.Code {
        .persistentStoreIncompatibleSchema
    }

    /// A store could not save.
    public static var persistentStoreSave: CocoaError.Code { .persistentStoreSave }

    /// Some of several stores could not save.
    public static var persistentStoreIncompleteSave: CocoaError.Code {
        .persistentStoreIncompleteSave
    }

    /// A save ended with conflicts; they are under `conflictList`.
    public static var persistentStoreSaveConflicts: CocoaError.Code {
        .persistentStoreSaveConflicts
    }

    /// An error of the framework or of its use.
    public static var coreData: CocoaError.Code { .coreData }

    /// An operation on a store failed.
    public static var persistentStoreOperation: CocoaError.Code { .persistentStoreOperation }

    /// A store could not be opened.
    public static var persistentStoreOpen: CocoaError.Code { .persistentStoreOpen }

    /// A store could not be reached in time.
    public static var persistentStoreTimeout: CocoaError.Code { .persistentStoreTimeout }

    /// A store cannot handle this kind of request.
    public static var persistentStoreUnsupportedRequestType: CocoaError.Code {
        .persistentStoreUnsupportedRequestType
    }

    /// The model does not match the store.
    public static var persistentStoreIncompatibleVersionHash: CocoaError.Code {
        .persistentStoreIncompatibleVersionHash
    }

    /// A migration failed.
    public static var migration: CocoaError.Code { .migration }

    /// A migration was cancelled.
    public static var migrationCancelled: CocoaError.Code { .migrationCancelled }

    /// A migration did not find the store's model.
    public static var migrationMissingSourceModel: CocoaError.Code { .migrationMissingSourceModel }

    /// A migration did not find a mapping.
    public static var migrationMissingMappingModel: CocoaError.Code {
        .migrationMissingMappingModel
    }

    /// A migration could not use its source store.
    public static var migrationManagerSourceStore: CocoaError.Code { .migrationManagerSourceStore }

    /// A migration could not use its destination store.
    public static var migrationManagerDestinationStore: CocoaError.Code {
        .migrationManagerDestinationStore
    }

    /// A migration policy failed.
    public static var entityMigrationPolicy: CocoaError.Code { .entityMigrationPolicy }

    /// SQLite failed.
    public static var sqlite: CocoaError.Code { .sqlite }

    /// No mapping can be inferred.
    public static var inferredMappingModel: CocoaError.Code { .inferredMappingModel }

    /// An external record could not be imported.
    public static var externalRecordImport: CocoaError.Code { .externalRecordImport }
}
