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
        /// A named database in memory, which all stores of the process with this name share.
        case shared(String)
    }

    package enum JournalMode: String, Sendable, CaseIterable {
        case wal, delete, truncate, persist, memory, off
    }

    package var location: Location
    package var isReadOnly = false
    /// Whether writes are recorded in a history; nil if not specified.
    package var tracksHistory: Bool?
    /// The file's journal mode. Not used for a database in memory.
    package var journalMode = JournalMode.wal
    /// The names and values of the pragmas that each new connection sets, in order.
    package var pragmas: [Pragma] = []
    package var busyTimeoutMilliseconds = 5_000
    /// The metadata of a new store in addition to the store's type, such as version hashes and
    /// identifiers.
    package var newStoreMetadata: [String: any Sendable] = [:]
    /// Creates the content of a new store's model cache; nil leaves the table empty.
    package var newStoreModelCache: (@Sendable () -> Data)?
    package var ignoresVersionHashes = false
    package var analyzes = false
    package var vacuums = false
    /// Whether only the owner may read the files.
    package var isPrivate = false
    /// The file whose folder contains the large values, if the store is first created under another
    /// name.
    package var valuesOwner: String?
    /// The key of this option in the options dictionaries that the engine creates.
    package static let valuesOwnerKey = "FaultlineValuesOwner"
    /// The maximum number of connections that read at one time; nil for no limit.
    package var readersMax: Int?
    /// The entities of the store's configuration by layout index; nil for all.
    package var entityIndexes: Set<Int>?
    /// Whether one connection reads and writes, so that one transaction can contain all operations
    /// of the store. For a store whose migration is not finished.
    package var isAlone = false
    /// The UUID of a new store; by default a random one.
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
