import CoreDataModel
import CoreDataTrace
import Foundation

/// Reads the options dictionary of a store. Unknown options are logged.
package struct StoreOptionsReader {
    private let options: [AnyHashable: Any]

    /// The default time that statements wait for a lock.
    package static let usualTimeoutMilliseconds = 5_000

    package init(_ options: [AnyHashable: Any]) { self.options = options }

    package func read(
        _ location: SQLiteStoreOptions.Location
    ) throws(CoreDataError) -> SQLiteStoreOptions {
        var result = SQLiteStoreOptions(location)
        for (key, value) in options {
            guard let name = key as? String else { continue }
            try read(name, value, into: &result)
        }
        return result
    }

    /// The time that statements wait for a lock, from the options of any store; nil if not
    /// specified.
    package func timeoutMilliseconds() throws(CoreDataError) -> Int? {
        guard let timeout = options[NSPersistentStoreTimeoutOption] else { return nil }
        var parsed = SQLiteStoreOptions(.image([]))
        try read(NSPersistentStoreTimeoutOption, timeout, into: &parsed)
        return parsed.busyTimeoutMilliseconds
    }

    func isPrivate() throws(CoreDataError) -> Bool {
        guard let protection = options[NSPersistentStoreFileProtectionKey] else { return false }
        var parsed = SQLiteStoreOptions(.image([]))
        try read(NSPersistentStoreFileProtectionKey, protection, into: &parsed)
        return parsed.isPrivate
    }

    package func read(
        _ name: String, _ value: Any, into result: inout SQLiteStoreOptions
    ) throws(CoreDataError) {
        switch name {
        case NSReadOnlyPersistentStoreOption: result.isReadOnly = try bool(name, value)
        case NSPersistentHistoryTrackingKey:
            // A dictionary of options turns the history on, too.
            let hasOptions = value is NSDictionary || value is [AnyHashable: Any]
            result.tracksHistory = hasOptions ? true : try bool(name, value)
        case NSPersistentStoreRemoteChangeNotificationPostOptionKey: _ = try bool(name, value)
        case NSPersistentStoreTimeoutOption:
            guard let seconds = (value as? NSNumber)?.doubleValue ?? value as? Double, seconds >= 0
            else { throw bad(name, value, "a number of seconds") }
            result.busyTimeoutMilliseconds = Int(min(seconds, 1_000_000) * 1_000)
        case NSSQLitePragmasOption: try readPragmas(value, into: &result)
        case NSMigratePersistentStoresAutomaticallyOption, NSInferMappingModelAutomaticallyOption,
            NSPersistentStoreDeferredLightweightMigrationOptionKey:
            // These options concern migrations, and the coordinator reads them.
            _ = try bool(name, value)
        case FaultlineEnforceUniquenessConstraintsOption:
            // The option has no effect: the unique indexes in the file enforce the constraints.
            _ = try bool(name, value)
        case NSPersistentStoreStagedMigrationManagerOptionKey: break
        case NSIgnorePersistentStoreVersioningOption:
            result.ignoresVersionHashes = try bool(name, value)
        case NSSQLiteAnalyzeOption: result.analyzes = try bool(name, value)
        case NSSQLiteManualVacuumOption: result.vacuums = try bool(name, value)
        case NSPersistentStoreFileProtectionKey:
            result.isPrivate = try text(name, value) != "NSFileProtectionNone"
        case SQLiteStoreOptions.valuesOwnerKey: result.valuesOwner = try text(name, value)
        case NSPersistentStoreConnectionPoolMaxSizeKey:
            guard let size = (value as? NSNumber)?.intValue ?? value as? Int, size > 0 else {
                throw bad(name, value, "a number from 1")
            }
            result.readersMax = size
        default:
            Self.noteUnknown(name, "SQLite")
        }
    }

    /// Unknown options are ignored, as on Apple's systems, where undocumented options exist.
    package static func noteUnknown(_ name: String, _ type: String) {
        EngineLog.errorOnce(
            "a store of the type \(type) has no option '\(name)'; the option is ignored.")
    }

    private func readPragmas(
        _ value: Any, into result: inout SQLiteStoreOptions
    ) throws(CoreDataError) {
        guard let pragmas = value as? [String: Any] else {
            throw bad(NSSQLitePragmasOption, value, "a dictionary of names and values")
        }
        for (name, value) in pragmas.sorted(by: { $0.key < $1.key }) {
            let text = "\(value)"
            if name.lowercased() == "journal_mode" {
                guard let mode = SQLiteStoreOptions.JournalMode(rawValue: text.lowercased()) else {
                    let modes = SQLiteStoreOptions.JournalMode.allCases.map(\.rawValue)
                    throw bad("journal_mode", value, "one of \(modes.joined(separator: ", "))")
                }
                result.journalMode = mode
            } else {
                result.pragmas.append(.init(name: name, value: text))
            }
        }
    }

    package func bool(_ name: String, _ value: Any) throws(CoreDataError) -> Bool {
        if let value = (value as? NSNumber)?.boolValue ?? value as? Bool { return value }
        throw bad(name, value, "true or false")
    }

    private func text(_ name: String, _ value: Any) throws(CoreDataError) -> String {
        // Foundation's protection classes are strings with a type of their own.
        if let text = value as? String { return text }
        if let named = value as? any RawRepresentable, let text = named.rawValue as? String {
            return text
        }
        throw bad(name, value, "one of Foundation's file protection classes")
    }

    private func bad(_ name: String, _ value: Any, _ wanted: String) -> CoreDataError {
        CoreDataError(
            .invalidArgument, "The store option '\(name)' is '\(value)'; write \(wanted).")
    }
}

/// The options of a store that is held in memory as a whole. Unknown options are logged.
struct WholeStoreOptions {
    package private(set) var isReadOnly = false
    private(set) var ignoresVersionHashes = false
    private(set) var isPrivate = false
    private(set) var enforcesUniqueness = false
    package private(set) var timeoutMilliseconds = 5_000

    package init(_ options: [AnyHashable: Any], type: String) throws(CoreDataError) {
        let common = [
            NSReadOnlyPersistentStoreOption, NSPersistentStoreTimeoutOption,
            NSIgnorePersistentStoreVersioningOption, NSPersistentStoreFileProtectionKey,
            NSPersistentStoreRemoteChangeNotificationPostOptionKey,
            NSMigratePersistentStoresAutomaticallyOption, NSInferMappingModelAutomaticallyOption,
        ]
        var parsed = SQLiteStoreOptions(.image([]))
        let reader = StoreOptionsReader([:])
        for (key, value) in options {
            guard let name = key as? String else { continue }
            if name == FaultlineEnforceUniquenessConstraintsOption {
                enforcesUniqueness = try reader.bool(name, value)
            } else if common.contains(name) {
                try reader.read(name, value, into: &parsed)
            } else {
                try Self.check(name, value, type, reader)
            }
        }
        isReadOnly = parsed.isReadOnly
        ignoresVersionHashes = parsed.ignoresVersionHashes
        isPrivate = parsed.isPrivate
        timeoutMilliseconds = parsed.busyTimeoutMilliseconds
    }

    private static func check(
        _ name: String, _ value: Any, _ type: String, _ reader: StoreOptionsReader
    ) throws(CoreDataError) {
        switch (name, type) {
        case (NSValidateXMLStoreOption, NSXMLStoreType): _ = try reader.bool(name, value)
        case (NSBinaryStoreSecureDecodingClasses, NSBinaryStoreType): return
        case (NSBinaryStoreInsecureDecodingCompatibilityOption, NSBinaryStoreType):
            guard try reader.bool(name, value) else { return }
            throw CoreDataError(
                .unsupported,
                "A binary store of Faultline contains no archived objects, so reading it decodes"
                    + " none. Leave out NSBinaryStoreInsecureDecodingCompatibilityOption.")
        default:
            StoreOptionsReader.noteUnknown(name, type)
        }
    }
}
