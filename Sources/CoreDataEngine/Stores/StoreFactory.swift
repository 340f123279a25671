import CoreDataModel
import CoreDataTrace
import Foundation

/// Makes the store that a type names: the only place that knows concrete stores.
///
/// Called by the coordinator when a store is added.
package struct StoreFactory {
    package let binding: ModelBinding
    package let trace: Trace

    package init(binding: ModelBinding, trace: Trace) {
        self.binding = binding
        self.trace = trace
    }

    /// Opens or makes a store of the configuration's entities.
    package func make(
        type: String, configuration: String?, url: URL?, options: [AnyHashable: Any]?
    ) throws(CoreDataError) -> any ObjectStore {
        guard type.caseInsensitiveCompare(NSSQLiteStoreType) == .orderedSame else {
            throw CoreDataError(
                .storeInvalidType,
                "The store type '\(type)' is not supported. Use NSSQLiteStoreType.")
        }
        let location: SQLiteStoreOptions.Location
        if let url, url.path != "/dev/null" {
            guard url.isFileURL else {
                throw CoreDataError(
                    .invalidArgument,
                    "The store's URL must be a file URL, not \(url.absoluteString).")
            }
            location = .file(url.path)
        } else {
            location = .image([])
        }
        var parsed = try StoreOptionsReader(options ?? [:]).read(location)
        addModel(configuration, to: &parsed)
        return try SQLiteStore(parsed, layout: binding.layout, trace: trace)
    }

    /// A store in memory that starts from an image; for the lab.
    package func makeImageStore(
        _ image: [UInt8], identifier: String?
    ) throws(CoreDataError) -> SQLiteStore {
        var options = SQLiteStoreOptions(.image(image))
        options.newStoreIdentifier = identifier
        addModel(nil, to: &options)
        return try SQLiteStore(options, layout: binding.layout, trace: trace)
    }

    /// What a new store keeps of the model.
    private func addModel(
        _ configuration: String?, to options: inout SQLiteStoreOptions
    ) {
        let metadata = binding.model.storeMetadata(forConfigurationName: configuration)
        options.newStoreMetadata = metadata ?? [:]
        options.newStoreModelCache = binding.model.cachedModelData()
    }
}

/// Reads the options dictionary of a store; what it does not know is an error.
struct StoreOptionsReader {
    private let options: [AnyHashable: Any]

    init(_ options: [AnyHashable: Any]) { self.options = options }

    func read(
        _ location: SQLiteStoreOptions.Location
    ) throws(CoreDataError) -> SQLiteStoreOptions {
        var result = SQLiteStoreOptions(location)
        for (key, value) in options {
            guard let name = key as? String else { continue }
            try read(name, value, into: &result)
        }
        return result
    }

    private func read(
        _ name: String, _ value: Any, into result: inout SQLiteStoreOptions
    ) throws(CoreDataError) {
        switch name {
        case NSReadOnlyPersistentStoreOption: result.isReadOnly = try bool(name, value)
        case NSPersistentHistoryTrackingKey: result.tracksHistory = try bool(name, value)
        case NSPersistentStoreRemoteChangeNotificationPostOptionKey: _ = try bool(name, value)
        case NSPersistentStoreTimeoutOption:
            guard let seconds = (value as? NSNumber)?.doubleValue ?? value as? Double, seconds >= 0
            else { throw bad(name, value, "a number of seconds") }
            result.busyTimeoutMilliseconds = Int(min(seconds, 1_000_000) * 1_000)
        case NSSQLitePragmasOption: try readPragmas(value, into: &result)
        case NSMigratePersistentStoresAutomaticallyOption, NSInferMappingModelAutomaticallyOption:
            // A store that fits needs no migration; one that does not is refused with 134100.
            _ = try bool(name, value)
        default:
            throw CoreDataError(
                .unsupported,
                "The store option '\(name)' is not supported. Leave it out.")
        }
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

    private func bool(_ name: String, _ value: Any) throws(CoreDataError) -> Bool {
        if let value = (value as? NSNumber)?.boolValue ?? value as? Bool { return value }
        throw bad(name, value, "true or false")
    }

    private func bad(_ name: String, _ value: Any, _ wanted: String) -> CoreDataError {
        CoreDataError(
            .invalidArgument, "The store option '\(name)' is '\(value)'; write \(wanted).")
    }
}
