import CoreDataPredicate
import Testing

@testable import CoreDataStore

struct CocoaErrorBridgeTests {
    @Test(arguments: CoreDataError.Code.allCases)
    func `every code has a number of Core Data's in Cocoa's domain`(
        code: CoreDataError.Code
    ) {
        let error = CoreDataError(code, "something happened").nsError
        #expect(error.domain == NSCocoaErrorDomain)
        #expect(error.localizedDescription == "something happened")
        switch code {
        case .invalidArgument, .unknownKey, .inaccessibleObject, .wrongQueue, .unsupported:
            #expect(error.code == 134_060)
        case .fileNotFound:
            #expect(error.code == 4)
        default:
            #expect(error.code == code.rawValue)
        }
    }

    @Test(arguments: [
        (CoreDataError.Code.validation, NSManagedObjectValidationError),
        (.validationMultiple, NSValidationMultipleErrorsError),
        (.missingMandatoryProperty, NSValidationMissingMandatoryPropertyError),
        (.lacksMinimumCount, NSValidationRelationshipLacksMinimumCountError),
        (.exceedsMaximumCount, NSValidationRelationshipExceedsMaximumCountError),
        (.deniedDelete, NSValidationRelationshipDeniedDeleteError),
        (.numberTooLarge, NSValidationNumberTooLargeError),
        (.numberTooSmall, NSValidationNumberTooSmallError),
        (.dateTooLate, NSValidationDateTooLateError),
        (.dateTooSoon, NSValidationDateTooSoonError),
        (.invalidDate, NSValidationInvalidDateError),
        (.stringTooLong, NSValidationStringTooLongError),
        (.stringTooShort, NSValidationStringTooShortError),
        (.stringPatternMatching, NSValidationStringPatternMatchingError),
        (.referentialIntegrity, NSManagedObjectReferentialIntegrityError),
        (.externalRelationship, NSManagedObjectExternalRelationshipError),
        (.mergeConflict, NSManagedObjectMergeError),
        (.constraintConflict, NSManagedObjectConstraintMergeError),
        (.storeInvalidType, NSPersistentStoreInvalidTypeError),
        (.storeTypeMismatch, NSPersistentStoreTypeMismatchError),
        (.storeIncompatibleSchema, NSPersistentStoreIncompatibleSchemaError),
        (.storeSave, NSPersistentStoreSaveError),
        (.storeOperation, NSPersistentStoreOperationError),
        (.storeOpen, NSPersistentStoreOpenError),
        (.storeTimeout, NSPersistentStoreTimeoutError),
        (.storeUnsupportedRequest, NSPersistentStoreUnsupportedRequestTypeError),
        (.storeIncompatibleVersionHash, NSPersistentStoreIncompatibleVersionHashError),
        (.sqlite, NSSQLiteError),
    ])
    func `a code has the number of its public constant`(code: CoreDataError.Code, number: Int) {
        #expect(CoreDataError(code, "").nsError.code == number)
    }

    @Test func `a caught error is a CocoaError whose code can be matched`() {
        func fail() throws {
            try bridgingErrors { () throws(CoreDataError) in
                throw CoreDataError(.mergeConflict, "Could not merge changes.")
            }
        }
        #expect { try fail() } throws: { ($0 as NSError).code == NSManagedObjectMergeError }
        #expect { try fail() } throws: { ($0 as? CocoaError)?.code == .managedObjectMerge }
        do { try fail() } catch CocoaError.managedObjectMerge { return } catch {}
        Issue.record("catch CocoaError.managedObjectMerge did not match")
    }

    @Test func `several errors are nested under the detailed errors with their keys`() throws {
        let key = CoreDataError(
            .missingMandatoryProperty, "title is a required value.",
            payload: .init(userInfo: [NSValidationKeyErrorKey: "title"]))
        let error = CoreDataError(
            .validationMultiple, "Multiple validation errors occurred.", details: [key, key]
        ).nsError
        let details = try #require(error.userInfo[NSDetailedErrorsKey] as? [NSError])
        #expect(details.map(\.code) == [1570, 1570])
        let first = try #require(details[0] as any Error as? CocoaError)
        #expect(first.validationKey == "title")
        #expect(first.code == .validationMissingMandatoryProperty)
    }

    @Test func `an error of a store has its reason, and SQLite's code as a number`() {
        let error = CoreDataError(
            .fileReadCorrupt, "file is not a database",
            info: [NSSQLiteErrorDomain: "26", "NSFilePath": "a.sqlite"]
        ).nsError
        #expect(error.userInfo["reason"] as? String == "file is not a database")
        #expect(error.userInfo[NSSQLiteErrorDomain] as? Int == 26)
        #expect(error.userInfo["NSFilePath"] as? String == "a.sqlite")
    }

    @Test func `user info of the façade wins over that of the core`() {
        let error = CoreDataError(
            .mergeConflict, "", info: ["conflictList": "text"],
            payload: .init(userInfo: [NSPersistentStoreSaveConflictsErrorKey: [1]])
        ).nsError
        #expect(error.userInfo["conflictList"] as? [Int] == [1])
        #expect(error.userInfo["reason"] == nil)
    }
}
