import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation
import Synchronization

/// A store kind that the tests define outside of the engine. The stores have URLs such as
/// `depot://host/name`. Their rows are in a table of this process.
///
/// A test can make its stores refuse saves, or lose the connection during a save.
struct DepotKind: StoreKind {
    static let type = "Depot"

    /// Registers the kind, once for the process.
    static let registered: Void = {
        do throws(CoreDataError) { try StoreKinds.register(DepotKind()) } catch {
            trap("the kind of the tests cannot be registered: \(error.message)")
        }
    }()

    private static let depots = Mutex<[String: Depot]>([:])

    /// The URL of a new depot, which no other test uses.
    static func address() -> URL {
        registered
        guard let url = URL(string: "depot://host/\(UUID().uuidString)") else {
            trap("the address of the tests is not a URL")
        }
        return url
    }

    static func depot(at url: URL) -> Depot? { depots.withLock { $0[url.absoluteString] } }

    var type: String { Self.type }

    var traits: StoreTraits {
        [.uniqueness, .remoteChanges, .readCommitted, .repeatableRead, .serializable]
    }

    func location(of url: URL?) throws(CoreDataError) -> StoreLocation {
        guard let url, url.scheme == "depot" else {
            throw CoreDataError(.invalidArgument, "A depot has an address such as depot://host/a.")
        }
        return .server(url)
    }

    func claims(_ url: URL) -> Bool { url.scheme == "depot" }

    func open(_ request: StoreRequest) throws(CoreDataError) -> any ObjectStore {
        let key = request.location.text
        let isReadOnly = request.options[NSReadOnlyPersistentStoreOption] as? Bool ?? false
        if let depot = Self.depots.withLock({ $0[key] }) {
            return DepotStore(depot, isReadOnly: isReadOnly)
        }
        var inner = request
        inner.location = .memory(nil)
        inner.options = [FaultlineEnforceUniquenessConstraintsOption: true]
        let depot = Depot(try StoreKinds.required(NSInMemoryStoreType).open(inner))
        Self.depots.withLock { $0[key] = depot }
        return DepotStore(depot, isReadOnly: isReadOnly)
    }

    func metadata(of store: ClosedStore) throws(CoreDataError) -> [String: any Sendable] {
        DepotStore(try found(store)).metadata
    }

    func setMetadata(
        _ values: [String: any Sendable], of store: ClosedStore
    ) throws(CoreDataError) {
        try found(store).rows.setMetadata(values)
    }

    func destroy(_ store: ClosedStore) {
        Self.depots.withLock { $0[store.url.absoluteString] = nil }
    }

    func replace(_ store: ClosedStore, by source: ClosedStore) throws(CoreDataError) {
        let depot = try found(source)
        Self.depots.withLock { $0[store.url.absoluteString] = depot }
    }

    private func found(_ store: ClosedStore) throws(CoreDataError) -> Depot {
        if let depot = Self.depot(at: store.url) { return depot }
        throw CoreDataError(.readOnlyFileMissing, "No depot is at \(store.url.absoluteString).")
    }
}

/// The rows at one address, and the simulated results of the next saves.
final class Depot: Sendable {
    let rows: any ObjectStore
    private let state = Mutex((answers: [Answer](), saves: 0))

    /// A simulated result of the next save.
    enum Answer {
        case refused(before: @Sendable () throws -> Void = {})
        /// The connection was lost: after the commit if `isSaved` is true, otherwise before.
        case unknown(isSaved: Bool)
    }

    init(_ rows: any ObjectStore) { self.rows = rows }

    /// The number of saves that have reached the depot.
    var saves: Int { state.withLock { $0.saves } }

    func answer(_ answers: [Answer]) { state.withLock { $0.answers = answers } }

    func nextAnswer() -> Answer? {
        state.withLock { state in
            state.saves += 1
            return state.answers.isEmpty ? nil : state.answers.removeFirst()
        }
    }
}

/// A connection to a depot.
final class DepotStore: ObjectStore {
    private let depot: Depot
    private var rows: any ObjectStore { depot.rows }

    let isReadOnly: Bool

    init(_ depot: Depot, isReadOnly: Bool = false) {
        self.depot = depot
        self.isReadOnly = isReadOnly
    }

    var identifier: String { rows.identifier }
    var metadata: [String: any Sendable] {
        rows.metadata.merging([NSStoreTypeKey: DepotKind.type]) { $1 }
    }
    var traits: StoreTraits { rows.traits.union(.remoteChanges) }

    func setMetadata(_ metadata: [String: any Sendable]) throws(CoreDataError) {
        try rows.setMetadata(metadata)
    }

    func reserveKeys(_ count: Int, for entity: EntityLayout) throws(CoreDataError) -> Int64 {
        try rows.reserveKeys(count, for: entity)
    }

    func save(_ plan: SavePlan) throws(CoreDataError) -> SaveOutcome {
        if isReadOnly { throw CoreDataError(.fileWriteNoPermission, "The depot is read-only.") }
        switch depot.nextAnswer() {
        case nil: return try rows.save(plan)
        case .refused(let before):
            do { try before() } catch { throw CoreDataError(error) }
            return .refused("another transaction wrote at the same time")
        case .unknown(let isSaved):
            if isSaved { _ = try rows.save(plan) }
            return .unknown("the connection ended during the commit")
        }
    }

    /// Does nothing: the rows still exist after the connection is closed.
    func close() {}

    func fetchRows(_ plan: FetchPlan, generation: UInt64) throws(CoreDataError) -> FetchedRows {
        try rows.fetchRows(plan, generation: generation)
    }

    func fetchKeys(_ plan: FetchPlan) throws(CoreDataError) -> ContiguousArray<ObjectKey> {
        try rows.fetchKeys(plan)
    }

    func count(_ plan: FetchPlan) throws(CoreDataError) -> Int { try rows.count(plan) }

    func row(_ key: ObjectKey, generation: UInt64) throws(CoreDataError) -> RowReference? {
        try rows.row(key, generation: generation)
    }

    func rows(
        _ keys: ContiguousArray<Int64>, entity: EntityLayout, generation: UInt64
    ) throws(CoreDataError) -> FetchedRows {
        try rows.rows(keys, entity: entity, generation: generation)
    }

    func destinations(
        of owner: ObjectKey, slot: Int
    ) throws(CoreDataError) -> ContiguousArray<ObjectKey> {
        try rows.destinations(of: owner, slot: slot)
    }

    func destinations(
        ofAll owners: ContiguousArray<Int64>, entity: EntityLayout, slot: Int, generation: UInt64
    ) throws(CoreDataError) -> FetchedDestinations {
        try rows.destinations(ofAll: owners, entity: entity, slot: slot, generation: generation)
    }
}
