import CRuntimeShims
import CoreDataModel
import CoreDataSQL
import CoreDataSQLite
import CoreDataTrace
import Foundation
import Synchronization

/// A store that uses SQLite with Core Data's file format.
///
/// May be used from any thread: the locks of the connections and of the metadata guard all mutable
/// state. The metadata's lock is taken before the locks of the connections (see
/// `StoreConnections`).
package final class SQLiteStore: ObjectStore {
    package let identifier: String
    package let layout: ModelLayout
    let numbers: EntityNumbers
    let schema: StoreSchema
    let connections: StoreConnections
    let statements: StoreStatements
    /// The large values in separate files; nil if no attribute uses separate files.
    let external: ExternalData?
    /// The recorded changes of derived attributes; nil if the store computes no attribute.
    let derived: DerivedChanges?
    package let path: String?
    package let isReadOnly: Bool
    /// Whether other coordinators can write to the same database.
    private let hasOtherWriters: Bool
    package let tracksHistory: Bool
    /// Whether the store is read-only because its file has a history that this program would not
    /// continue.
    let isLockedByHistory: Bool
    package let trace: Trace
    private let state: Mutex<StoreMetadata>

    /// Opens a store, or creates it if it does not exist.
    ///
    /// - Throws: ``CoreDataError`` with code 134100 if the model does not fit, or 259 if the file
    ///   is not a database. With 256, 260, 513 or 134080 if the file cannot be used for another
    ///   reason.
    package init(
        _ options: SQLiteStoreOptions, layout: ModelLayout, trace: Trace,
        dialect: any Dialect = SQLiteDialect()
    ) throws(CoreDataError) {
        let opening = StoreOpening(options: options, layout: layout, trace: trace)
        let opened = try opening.open()
        identifier = opened.metadata.identifier
        self.layout = opened.layout
        numbers = opened.numbers
        connections = opened.connections
        let trees: Set<String>
        do throws(SQLiteError) {
            trees = try opened.connections.read { connection throws(SQLiteError) in
                try SpatialIndexes.tables(opened.layout, connection)
            }
        } catch {
            throw CoreDataError(error, path: opening.path)
        }
        schema = StoreSchema(
            layout: opened.layout, numbers: opened.numbers, names: .coreData,
            dialect: dialect, boxTables: trees)
        statements = StoreStatements(schema)
        external = opening.external
        derived = opening.derived
        path = opening.path
        isReadOnly = options.isReadOnly || opened.isLockedByHistory
        if case .image = options.location {
            hasOtherWriters = false
        } else {
            hasOtherWriters = true
        }
        tracksHistory = opened.tracksHistory
        isLockedByHistory = opened.isLockedByHistory
        self.trace = trace
        state = Mutex(opened.metadata)
    }

    /// A view of the store's present state, with its own connections.
    private init(_ connections: StoreConnections, of store: SQLiteStore) {
        identifier = store.identifier
        layout = store.layout
        numbers = store.numbers
        self.connections = connections
        statements = store.statements
        schema = store.schema
        external = store.external
        derived = nil
        path = store.path
        isReadOnly = true
        hasOtherWriters = store.hasOtherWriters
        tracksHistory = store.tracksHistory
        isLockedByHistory = false
        trace = store.trace
        state = Mutex(store.state.withLock { $0 })
    }

    /// Returns a view of the present state of the file. A read transaction on a connection of the
    /// pool keeps this state. Nil without a write-ahead log. Runs two statements.
    package func holdState() throws(CoreDataError) -> (any ObjectStore)? {
        do throws(SQLiteError) {
            return try connections.hold().map { SQLiteStore($0, of: self) }
        } catch {
            throw failure(error)
        }
    }

    package var traits: StoreTraits {
        var traits: StoreTraits = [
            .batches, .derivedValues, .uniqueness, .statements, .readCommitted, .repeatableRead,
            .serializable,
        ]
        if hasOtherWriters { traits.insert(.remoteChanges) }
        if tracksHistory { traits.insert(.history) }
        if connections.hasReaders { traits.insert(.heldState) }
        if path == nil { traits.insert(.rewinding) }
        return traits
    }

    package var metadata: [String: any Sendable] { state.withLock { $0.shown } }

    package func setMetadata(_ metadata: [String: any Sendable]) throws(CoreDataError) {
        try state.withLock { state throws(CoreDataError) in try state.replace(with: metadata) }
    }

    var pendingMetadata: Data? { state.withLock { $0.pending } }

    package func noteDeferredWorkDone() {
        state.withLock { $0.forget(SchemaMigration.pendingKey) }
    }

    func notePendingMetadataWritten() { state.withLock { $0.notePendingWritten() } }

    package func close() { connections.close() }

    package func failure(_ error: SQLiteError) -> CoreDataError { CoreDataError(error, path: path) }

    /// The clock for the time stamps of history transactions, in seconds since 2001-01-01 UTC.
    package static var now: Double { Date().timeIntervalSinceReferenceDate }

    /// The clock for the time stamps of rows. Its resolution is a few milliseconds, but it is much
    /// cheaper to read than a row.
    static var coarseNow: Double {
        faultline_coarse_time() - Date.timeIntervalBetween1970AndReferenceDate
    }
}
