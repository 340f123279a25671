import CoreDataModel
import CoreDataPostgreSQLClient
import CoreDataStore
import CoreDataTrace
import Foundation

/// The kind of stores in schemas of PostgreSQL databases.
struct PostgreSQLKind: StoreKind {
    var type: String { FaultlinePostgreSQLStoreType }

    var traits: StoreTraits {
        [
            .history, .batches, .heldState, .rewinding, .uniqueness, .remoteChanges, .readCommitted,
            .repeatableRead, .serializable, .heldSaves,
        ]
    }

    func location(of url: URL?) throws(CoreDataError) -> StoreLocation {
        guard let url, claims(url) else {
            let found = url.map { "not \($0.withoutPassword)" } ?? "and no URL was given"
            throw CoreDataError(
                .invalidArgument,
                "A store of the type \(type) has a URL such as postgresql:///shop?schema=library,"
                    + " \(found).")
        }
        _ = try ServerOptions(url, [:])
        return .server(url)
    }

    func claims(_ url: URL) -> Bool {
        url.scheme.map { ServerAddress.schemes.contains($0.lowercased()) } ?? false
    }

    func open(_ request: StoreRequest) throws(CoreDataError) -> any ObjectStore {
        let options = try ServerOptions(request.location.url, request.options)
        let opened = try StoreOpening(request, options).open()
        return PostgreSQLStore(opened, options, trace: request.trace)
    }

    func create(
        _ request: StoreRequest, filling fill: (any ObjectStore) throws(CoreDataError) -> Void
    ) throws(CoreDataError) -> any ObjectStore {
        let closed = ClosedStore(request.location.url, options: request.options)
        if try ClosedServerStore(closed).exists() {
            throw CoreDataError(
                .fileWriteFileExists,
                "The store \(request.location.text) exists; destroy that store, or use another"
                    + " schema.")
        }
        let store = try opening(request)
        do throws(CoreDataError) { try fill(store) } catch {
            store.close()
            // This method created the store, so a failure removes it.
            try? destroy(closed)
            throw error
        }
        return store
    }

    var upgrade: (any StoreUpgrade)? { PostgreSQLUpgrade() }

    // MARK: Stores that are not open

    func metadata(of store: ClosedStore) throws(CoreDataError) -> [String: any Sendable] {
        try ClosedServerStore(store).metadata()
    }

    func setMetadata(
        _ values: [String: any Sendable], of store: ClosedStore
    ) throws(CoreDataError) {
        try ClosedServerStore(store).setMetadata(values)
    }

    func destroy(_ store: ClosedStore) throws(CoreDataError) {
        try ClosedServerStore(store).destroy()
    }

    func replace(_ store: ClosedStore, by source: ClosedStore) throws(CoreDataError) {
        try ClosedServerStore(store).replace(by: ClosedServerStore(source))
    }
}
