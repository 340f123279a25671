import CoreDataModel
import Foundation

/// The location of a SQLite store and the options with which it is opened; created by the code that
/// adds the store.
package struct SQLiteStoreOptions: Sendable {
    package enum Location: Sendable, Equatable {
        /// A file, created if it does not exist.
        case file(String)
        /// A database in memory that starts as a copy of these bytes; no bytes for a new store.
        case image([UInt8])
        /// The database in memory that the process's stores of this name share.
        case shared(String)
    }

    package enum JournalMode: String, Sendable, CaseIterable {
        case wal, delete, truncate, persist, memory, off
    }

    package var location: Location
    package var isReadOnly = false
    /// Whether writes are recorded in a history; nil if not specified.
    package var tracksHistory: Bool?
    /// The file's journal mode; a database in memory has none of these.
    package var journalMode = JournalMode.wal
    /// Names and values of pragmas that run when a connection opens, in order.
    package var pragmas: [Pragma] = []
    /// The time that a statement waits for another process's lock.
    package var busyTimeoutMilliseconds = 5_000
    /// A new store's metadata in addition to the store's type: the hashes and identifiers.
    package var newStoreMetadata: [String: any Sendable] = [:]
    /// Creates the content of a new store's model cache; nil leaves the table empty.
    package var newStoreModelCache: (@Sendable () -> Data)?
    /// Whether a store with other hashes than the model's is accepted.
    package var ignoresVersionHashes = false
    package var analyzes = false
    package var vacuums = false
    /// Whether only the owner may read the files.
    package var isPrivate = false
    /// The file whose folder contains the large values, if the store is first created under another
    /// name.
    package var valuesOwner: String?
    /// The key of this option in dictionaries of options that the engine creates.
    package static let valuesOwnerKey = "FaultlineValuesOwner"
    /// The maximum number of connections that read at one time; nil for no limit.
    package var readersMax: Int?
    /// The entities of the store's configuration by layout index; nil for all.
    package var entityIndexes: Set<Int>?
    /// Whether one connection reads and writes, so that one transaction can contain all of the
    /// store's operations; used for a store whose migration is not finished.
    package var isAlone = false
    /// The UUID of a new store; random unless given.
    package var newStoreIdentifier: String?

    package init(_ location: Location) { self.location = location }

    package struct Pragma: Sendable, Equatable {
        package let name: String
        package let value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }
}
