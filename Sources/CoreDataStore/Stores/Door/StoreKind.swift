import CoreDataModel
import CoreDataTrace
import Foundation

/// A kind of store. It opens the stores of one type. It also reads, replaces and removes stores
/// that are not open.
///
/// Coordinators find kinds by type in ``StoreKinds`` and know stores only through this protocol,
/// ``ObjectStore`` and the protocols of single traits.
package protocol StoreKind: Sendable {
    /// The name of the store type, such as `NSSQLiteStoreType`.
    var type: String { get }
    /// The traits that a store of the kind can have. An open store reports the traits that it has.
    var traits: StoreTraits { get }

    /// The location that a URL names.
    ///
    /// - Throws: `invalidArgument` for a URL that names no location of this kind.
    func location(of url: URL?) throws(CoreDataError) -> StoreLocation

    /// Whether the store at a URL is certainly of this kind. Used if the caller does not specify a
    /// type.
    func claims(_ url: URL) throws(CoreDataError) -> Bool

    /// Opens a store, or creates it if it does not exist.
    func open(_ request: StoreRequest) throws(CoreDataError) -> any ObjectStore

    /// Creates a store with content and opens it. Other processes see either no store or the
    /// complete content.
    ///
    /// - Parameter fill: fills the empty store.
    /// - Throws: 516 if a store exists at the location.
    func create(
        _ request: StoreRequest, filling fill: (any ObjectStore) throws(CoreDataError) -> Void
    ) throws(CoreDataError) -> any ObjectStore

    // MARK: Stores that are not open

    /// Reads the metadata of a store, including its type and UUID. Writes nothing.
    func metadata(of store: ClosedStore) throws(CoreDataError) -> [String: any Sendable]
    /// Immediately replaces the custom values in the metadata of a store.
    func setMetadata(
        _ values: [String: any Sendable], of store: ClosedStore
    ) throws(CoreDataError)
    func destroy(_ store: ClosedStore) throws(CoreDataError)
    func replace(_ store: ClosedStore, by source: ClosedStore) throws(CoreDataError)

    /// The migration steps for stores of this kind; nil if such stores cannot be migrated.
    var upgrade: (any StoreUpgrade)? { get }
}

/// A store that is not open: its URL, and the options of the call.
package struct ClosedStore {
    package let url: URL
    package let options: [AnyHashable: Any]

    package init(_ url: URL, options: [AnyHashable: Any]? = nil) {
        self.url = url
        self.options = options ?? [:]
    }
}

/// A request to open a store or to create it.
package struct StoreRequest {
    package let model: FrozenModel
    package let trace: Trace
    package var location: StoreLocation
    /// The configuration whose entities the store keeps; nil for all.
    package var configuration: String?
    package var options: [AnyHashable: Any]
    /// The UUID of a new store; by default a random one.
    package var identifier: String?
    /// The initial state of a store in memory; nil for an empty store.
    package var mark: StoreMark?
    /// Whether the model's version hashes are written into a new store, and compared with the
    /// hashes of an existing store. Tools set the property to false.
    package var describesModel = true

    package init(
        model: FrozenModel, trace: Trace, location: StoreLocation, configuration: String? = nil,
        options: [AnyHashable: Any]? = nil
    ) {
        self.model = model
        self.trace = trace
        self.location = location
        self.configuration = configuration
        self.options = options ?? [:]
    }

    /// The entities of the configuration; nil if the model does not have the configuration.
    package var entities: [NSEntityDescription]? {
        model.model.entities(forConfigurationName: configuration)
    }

    package var modelMetadata: [String: any Sendable] {
        model.model.storeMetadata(forConfigurationName: configuration) ?? [:]
    }
}

extension StoreKind {
    package func claims(_ url: URL) throws(CoreDataError) -> Bool { false }

    package func create(
        _ request: StoreRequest, filling fill: (any ObjectStore) throws(CoreDataError) -> Void
    ) throws(CoreDataError) -> any ObjectStore {
        let store = try opening(request)
        do throws(CoreDataError) { try fill(store) } catch {
            store.close()
            throw error
        }
        return store
    }

    package var upgrade: (any StoreUpgrade)? { nil }

    /// Opens or creates a store after checking that the kind can keep the model's entities.
    ///
    /// - Throws: `unsupported` for a derived attribute that stores of the kind cannot compute, and
    ///   the errors of opening.
    package func opening(_ request: StoreRequest) throws(CoreDataError) -> any ObjectStore {
        try checkDerived(request)
        let store = try self.open(request)
        assert(
            store.traits.isSubset(of: traits), "the store has traits that its kind does not have")
        return store
    }

    private func checkDerived(_ request: StoreRequest) throws(CoreDataError) {
        if traits.contains(.derivedValues) { return }
        for entity in request.entities ?? [] {
            guard
                let derived = entity.attributesByName.values.first(where: {
                    $0 is NSDerivedAttributeDescription && !$0.isTransient
                })
            else { continue }
            throw CoreDataError(
                .unsupported,
                "Core Data provided atomic stores do not support derived properties: a store of"
                    + " the type \(type) cannot compute '\(entity.name ?? "").\(derived.name)'."
                    + " Use NSSQLiteStoreType.")
        }
    }
}
