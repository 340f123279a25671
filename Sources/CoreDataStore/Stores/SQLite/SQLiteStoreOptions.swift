import CoreDataModel
import Foundation

/// Where a SQLite store lives and how it is opened; made by whoever adds the store.
package struct SQLiteStoreOptions: Sendable {
    package enum Location: Sendable, Equatable {
        /// A file, made where there is none.
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
    /// Whether writes are recorded in a history; nil where nobody said.
    package var tracksHistory: Bool?
    /// How the file keeps its journal; a database in memory has none of these.
    package var journalMode = JournalMode.wal
    /// Names and values of pragmas that run when a connection opens, in order.
    package var pragmas: [Pragma] = []
    /// How long a statement waits for another process's lock.
    package var busyTimeoutMilliseconds = 5_000
    /// What a new store's metadata says beside the store's type: the hashes and identifiers.
    package var newStoreMetadata: [String: any Sendable] = [:]
    /// Makes the content of a new store's model cache; nil leaves the table empty.
    package var newStoreModelCache: (@Sendable () -> Data)?
    /// Whether hashes that differ from the model's are no reason to refuse the store.
    package var ignoresVersionHashes = false
    package var analyzes = false
    package var vacuums = false
    /// Whether the files are for their owner's eyes alone.
    package var isPrivate = false
    /// The file whose folder has the large values, where the store is made under another name
    /// first.
    package var valuesOwner: String?
    /// Its key among options that the engine itself passes on.
    package static let valuesOwnerKey = "FaultlineValuesOwner"
    /// How many connections may read at one time; nil for as many as there are readers.
    package var readersMax: Int?
    /// The entities of the store's configuration by layout index; nil for all.
    package var entityIndexes: Set<Int>?
    /// Whether one connection reads and writes, so that a transaction can be held around all that
    /// the store does; a store whose migration is not finished opens so.
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
