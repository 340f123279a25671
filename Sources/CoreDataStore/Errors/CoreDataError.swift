import Foundation

/// An error of the engine, before it is converted to an `NSError` for the public API.
///
/// The code is Core Data's number in `NSCocoaErrorDomain`, or a number of this package for misuse
/// for which Core Data raises an exception.
@usableFromInline
package struct CoreDataError: Error, Sendable {
    package var code: Code
    package var message: String
    package var objects: [ObjectKey]
    package var details: [CoreDataError]
    /// Name and value pairs for the `userInfo` of the bridged error.
    package var info: [String: String]
    /// Objects of one context, such as conflicts or invalid objects. They are read only on the
    /// queue on which they were created.
    package var payload: Payload?

    package init(
        _ code: Code, _ message: String, objects: [ObjectKey] = [], details: [CoreDataError] = [],
        info: [String: String] = [:], payload: Payload? = nil
    ) {
        self.code = code
        self.message = message
        self.objects = objects
        self.details = details
        self.info = info
        self.payload = payload
    }

    /// Values that are used only on one context's queue.
    ///
    /// `@unchecked Sendable` because an error is thrown and caught on the queue of the context that
    /// made it, and only the façade reads the values.
    package final class Payload: @unchecked Sendable {
        package let userInfo: [String: Any]
        /// The error that the program's code threw, if any.
        package let original: NSError?
        /// The same error as a value of its Swift type, which programs can catch.
        package let thrown: (any Error)?

        package init(
            userInfo: [String: Any], original: NSError? = nil, thrown: (any Error)? = nil
        ) {
            self.userInfo = userInfo
            self.original = original
            self.thrown = thrown
        }
    }

    /// The kinds of errors; the raw value is the number in `NSCocoaErrorDomain`.
    package enum Code: Int, Sendable, CaseIterable {
        // Misuse, for which Core Data raises an exception.
        case invalidArgument = 1
        case unknownKey = 2
        case inaccessibleObject = 3
        case wrongQueue = 4
        case unsupported = 5

        case fileNotFound = 4_000
        case fileReadCorrupt = 259
        case fileReadUnknown = 256
        case fileReadNoPermission = 257
        case fileReadInvalidName = 258
        case readOnlyFileMissing = 260
        case fileReadTooLarge = 263
        case fileWriteUnknown = 512
        case fileWriteNoPermission = 513
        case fileWriteInvalidName = 514
        case fileWriteFileExists = 516
        case fileWriteOutOfSpace = 640
        case fileWriteVolumeReadOnly = 642

        case userCancelled = 3072

        case validation = 1550
        case validationMultiple = 1560
        case missingMandatoryProperty = 1570
        case lacksMinimumCount = 1580
        case exceedsMaximumCount = 1590
        case deniedDelete = 1600
        case numberTooLarge = 1610
        case numberTooSmall = 1620
        case dateTooLate = 1630
        case dateTooSoon = 1640
        case invalidDate = 1650
        case stringTooLong = 1660
        case stringTooShort = 1670
        case stringPatternMatching = 1680

        /// Core Data has no public name for this code.
        case recursiveSave = 132_001
        case referentialIntegrity = 133_000
        case externalRelationship = 133_010
        case mergeConflict = 133_020
        case constraintConflict = 133_021
        case storeInvalidType = 134_000
        case storeTypeMismatch = 134_010
        case storeIncompatibleSchema = 134_020
        case storeSave = 134_030
        case incompleteSave = 134_040
        case saveConflicts = 134_050
        case storeOperation = 134_070
        case storeOpen = 134_080
        case storeTimeout = 134_090
        case storeUnsupportedRequest = 134_091
        case storeIncompatibleVersionHash = 134_100
        case migration = 134_110
        case migrationConstraintViolation = 134_111
        case migrationCancelled = 134_120
        case migrationMissingSourceModel = 134_130
        case migrationMissingMappingModel = 134_140
        case migrationSourceStore = 134_150
        case migrationDestinationStore = 134_160
        case entityMigrationPolicy = 134_170
        case sqlite = 134_180
        case historyTokenExpired = 134_301
        case inferredMappingModel = 134_190
        case modelReferenceNotFound = 134_504
        case stagedMigrationFrameworkVersion = 134_505
        case stagedMigrationBackward = 134_506
    }
}
