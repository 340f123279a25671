import CoreDataModel

/// The interface between a coordinator and a store. Only values are passed.
///
/// Several readers and one writer may call a store at the same time, from any threads. Each store
/// implements its own synchronization.
package protocol ObjectStore: StoreReading {
    /// The store's UUID, the host of its objects' URIs.
    var identifier: String { get }
    var metadata: [String: any Sendable] { get }
    /// The abilities of this store, which depend on its options and its location.
    var traits: StoreTraits { get }
    /// Whether the store itself rejects writes.
    var isReadOnly: Bool { get }

    /// Changes the store's metadata; the next save writes it.
    func setMetadata(_ metadata: [String: any Sendable]) throws(CoreDataError)

    /// Reserves `count` primary keys for the root of the entity and returns the first.
    func reserveKeys(_ count: Int, for entity: EntityLayout) throws(CoreDataError) -> Int64
    /// Writes a plan in one transaction.
    func save(_ plan: SavePlan) throws(CoreDataError) -> SaveOutcome

    /// A read-only view of the store's current state, which is valid until it is closed. Nil if the
    /// store cannot keep an earlier state.
    func holdState() throws(CoreDataError) -> (any ObjectStore)?

    /// Closes files and connections. The store must not be used afterwards.
    func close()
}

extension ObjectStore {
    package func holdState() throws(CoreDataError) -> (any ObjectStore)? { nil }
    package var isReadOnly: Bool { false }
}
