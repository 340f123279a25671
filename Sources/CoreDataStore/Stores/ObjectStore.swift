import CoreDataModel

/// What a coordinator asks of a store. Values go down, values come back.
///
/// A store may be called from any thread: readers may run beside each other and beside one
/// writer; how a store keeps that promise is its own business.
package protocol ObjectStore: StoreReading {
    /// The store's UUID, the host of its objects' URIs.
    var identifier: String { get }
    /// The store's metadata, its type and UUID included.
    var metadata: [String: any Sendable] { get }

    /// Changes what is kept with the store; written with the next save.
    func setMetadata(_ metadata: [String: any Sendable]) throws(CoreDataError)

    /// Reserves `count` primary keys for the root of the entity and returns the first.
    func reserveKeys(_ count: Int, for entity: EntityLayout) throws(CoreDataError) -> Int64
    /// Writes a plan in one transaction.
    func save(_ plan: SavePlan) throws(CoreDataError) -> SaveOutcome

    /// The store as it is now, for reading alone, until it is closed; nil where the store cannot
    /// keep an earlier state.
    func holdState() throws(CoreDataError) -> (any ObjectStore)?
    /// Whether it can.
    var canHoldState: Bool { get }

    /// Closes files and connections. Nothing may be asked afterwards.
    func close()
}

extension ObjectStore {
    package func holdState() throws(CoreDataError) -> (any ObjectStore)? { nil }
    package var canHoldState: Bool { false }
}
