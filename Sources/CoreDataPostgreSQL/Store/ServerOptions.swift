import CoreDataPostgreSQLClient
import CoreDataStore
import Foundation

/// The options of a store on a server: those of its URL, and those of the call.
struct ServerOptions: Sendable {
    let address: ServerAddress
    private(set) var isReadOnly = false
    private(set) var ignoresVersionHashes = false
    /// Whether the store has only one connection, which can hold a transaction. Such a store can be
    /// opened before its migration has ended.
    var isAlone = false
    /// Whether writes are recorded in a history; nil if not specified.
    private(set) var tracksHistory: Bool?
    /// The level of the transactions of saves and of pinned contexts.
    private(set) var isolation = Connection.Isolation.readCommitted
    /// Whether the store announces its writes, and receives the announcements of others.
    private(set) var announces = false
    private(set) var limits: ConnectionPool.Limits
    private(set) var connection = Connection.Options()

    var schema: String { address.schema }

    /// - Throws: `invalidArgument` for a URL that is not an address, or a value of a wrong type.
    init(_ url: URL, _ options: [AnyHashable: Any]) throws(CoreDataError) {
        do throws(ServerError) {
            let address = try ServerAddress(url.absoluteString)
            self.address = address
            limits = try ConnectionPool.Limits(address)
            if let keeps = try address.isOn("prepare") { connection.keepsStatements = keeps }
            announces = try address.isOn("listen") ?? false
            let milliseconds = 0...1_000_000_000
            if let limit = try address.number("lock_timeout", in: milliseconds) {
                connection.lockMilliseconds = limit
            }
            if let limit = try address.number("statement_timeout", in: milliseconds) {
                connection.statementMilliseconds = limit
            }
        } catch {
            throw CoreDataError(.invalidArgument, error.message)
        }
        try readIsolation()
        for (key, value) in options {
            if let name = key as? String { try read(name, value) }
        }
    }

    private mutating func readIsolation() throws(CoreDataError) {
        guard let word = address.options["isolation"] else { return }
        guard let level = Connection.Isolation.allCases.first(where: { $0.word == word }) else {
            let words = Connection.Isolation.allCases.map(\.word).joined(separator: ", ")
            throw CoreDataError(
                .invalidArgument,
                "The store \(address.description) asks for the isolation '\(word)'; write one of"
                    + " \(words).")
        }
        isolation = level
    }

    private mutating func read(_ name: String, _ value: Any) throws(CoreDataError) {
        let reader = StoreOptionsReader([name: value])
        switch name {
        case NSReadOnlyPersistentStoreOption: isReadOnly = try reader.bool(name, value)
        case NSIgnorePersistentStoreVersioningOption:
            ignoresVersionHashes = try reader.bool(name, value)
        case NSPersistentHistoryTrackingKey: tracksHistory = try reader.bool(name, value)
        case NSPersistentStoreTimeoutOption:
            let limit = try reader.timeoutMilliseconds() ?? 0
            limits.waitMilliseconds = Int64(limit)
            connection.openingMilliseconds = Int64(limit)
            if address.options["lock_timeout"] == nil { connection.lockMilliseconds = limit }
        case NSPersistentStoreConnectionPoolMaxSizeKey:
            guard let size = (value as? NSNumber)?.intValue, size > 0 else {
                throw CoreDataError(
                    .invalidArgument,
                    "The store option '\(name)' is '\(value)'; write a number from 1.")
            }
            limits.size = size
        case NSPersistentStoreRemoteChangeNotificationPostOptionKey:
            let isWanted = try reader.bool(name, value)
            if address.options["listen"] == nil { announces = isWanted }
        case NSMigratePersistentStoresAutomaticallyOption,
            NSInferMappingModelAutomaticallyOption,
            NSPersistentStoreDeferredLightweightMigrationOptionKey,
            FaultlineEnforceUniquenessConstraintsOption:
            _ = try reader.bool(name, value)
        case NSPersistentStoreStagedMigrationManagerOptionKey: break
        default: StoreOptionsReader.noteUnknown(name, FaultlinePostgreSQLStoreType)
        }
    }
}
