import CoreDataModel
import CoreDataPostgreSQLClient
import CoreDataSQL
import CoreDataStore
import CoreDataTrace
import Foundation
import Synchronization

/// A store in a schema of a PostgreSQL database; created by `PostgreSQLKind`.
///
/// Safe to use from any thread: the pool lends a connection to one thread at a time, and mutexes
/// guard the metadata and the ranges of keys.
final class PostgreSQLStore: ObjectStore {
    let identifier: String
    let schema: StoreSchema
    /// The schema for a request whose calculation had a result that did not fit on the server.
    /// Calculations are then done in memory.
    let exactSchema: StoreSchema
    let connections: ServerConnections
    let texts: ContiguousArray<EntityTexts>
    let isReadOnly: Bool
    let trace: Trace
    let keys: KeyRanges
    let history: HistoryTexts
    /// Whether the store records its transactions in a history.
    let tracksHistory: Bool
    /// Whether the store cannot be written because it has a history that this program would not
    /// continue.
    let isLockedByHistory: Bool
    private let state: Mutex<MemoryMetadata>
    /// The level of the transactions of saves and of pinned contexts.
    let isolation: Connection.Isolation
    /// Whether the object is a view of an earlier state.
    let isHeld: Bool
    let announces: Bool
    /// The channel of the announcements.
    let channel: String
    /// Distinguishes the announcements of this store from those of others.
    let sender: String
    /// Receives announcements; nil if the store does not announce its writes.
    let listener: ServerListener?

    /// The name of the schema in SQL.
    let schemaName: String

    init(_ opened: StoreOpening.Opened, _ options: ServerOptions, trace: Trace) {
        identifier = opened.metadata.identifier
        let shortened = ShortenedColumns(opened.layout)
        schema = StoreSchema(
            layout: opened.layout, numbers: opened.numbers, names: ServerNames.rows,
            dialect: PostgreSQLDialect(shortened: shortened))
        exactSchema = StoreSchema(
            layout: opened.layout, numbers: opened.numbers, names: ServerNames.rows,
            dialect: PostgreSQLDialect(computes: false, shortened: shortened))
        connections = opened.connections
        isolation = options.isolation
        isHeld = false
        announces = options.announces
        channel = Identifier.fitting("faultline_\(options.schema)")
        sender = UUID().uuidString
        listener =
            options.announces && !options.isAlone
            ? ServerListener(options.address, options.connection, channel: channel) : nil
        let schema = schema
        texts = ContiguousArray(opened.layout.entities.map { EntityTexts($0, schema) })
        isReadOnly = options.isReadOnly || opened.isLockedByHistory
        tracksHistory = opened.tracksHistory
        isLockedByHistory = opened.isLockedByHistory
        self.trace = trace
        keys = KeyRanges(layout: opened.layout, schema: options.schema)
        schemaName = Identifier(options.schema).sql
        history = HistoryTexts(options.schema)
        state = Mutex(opened.metadata)
    }

    /// A view of the store's present state. The view has its own connection. With a level above
    /// read committed, the view can also save.
    private init(_ connections: ServerConnections, of store: PostgreSQLStore) {
        identifier = store.identifier
        schema = store.schema
        exactSchema = store.exactSchema
        self.connections = connections
        texts = store.texts
        isolation = store.isolation
        isHeld = true
        announces = store.announces
        channel = store.channel
        sender = store.sender
        listener = nil
        isReadOnly = store.isReadOnly || store.isolation == .readCommitted
        trace = store.trace
        keys = store.keys
        history = store.history
        tracksHistory = store.tracksHistory
        isLockedByHistory = store.isLockedByHistory
        schemaName = store.schemaName
        state = Mutex(store.state.withLock { $0 })
    }

    /// Keeps the present state by a transaction on a connection of its own.
    func holdState() throws(CoreDataError) -> (any ObjectStore)? {
        do throws(ServerError) {
            return PostgreSQLStore(try connections.hold(isolation), of: self)
        } catch {
            throw failure(error)
        }
    }

    var layout: ModelLayout { schema.layout }

    var traits: StoreTraits {
        var traits: StoreTraits = [
            .batches, .heldState, .rewinding, .uniqueness, .remoteChanges, .readCommitted,
        ]
        if isolation != .readCommitted { traits.formUnion([.repeatableRead, .heldSaves]) }
        if isolation == .serializable { traits.insert(.serializable) }
        return tracksHistory ? traits.union(.history) : traits
    }

    var metadata: [String: any Sendable] { state.withLock { $0.shown } }

    func setMetadata(_ metadata: [String: any Sendable]) throws(CoreDataError) {
        state.withLock { $0.replace(with: metadata) }
    }

    /// Changed metadata that the next save writes.
    func pendingMetadata() throws(CoreDataError) -> String? {
        let values = state.withLock { $0.isChanged ? $0.values : nil }
        return try values.map { values throws(CoreDataError) in
            try StoreRecord.text(of: values)
        }
    }

    func notePendingMetadataWritten() { state.withLock { $0.isChanged = false } }

    func close() {
        listener?.close()
        connections.close()
    }

    /// Converts an error of the server to an error for the store's caller.
    func failure(_ error: ServerError) -> CoreDataError {
        if isHeld, isolation != .readCommitted, error.isSerializationFailure {
            return .transactionRefused(
                connections.address.description, because: Self.serializationReason)
        }
        if isHeld, error.isConnectionLost {
            return CoreDataError(
                .storeOpen,
                "\(connections.address.description): The connection of a query generation is lost,"
                    + " and its state with it. Pin the context again by"
                    + " setQueryGenerationFrom(.current), or unpin it with nil (\(error))",
                info: ["reason": error.message])
        }
        return CoreDataError(error, connections.address)
    }

    static let serializationReason =
        "another transaction has changed rows that this one has read or changes"

    /// The clock for the time stamps of rows.
    static var now: Double { Date().timeIntervalSinceReferenceDate }
}
