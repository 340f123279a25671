import CoreDataModel
import CoreDataTrace
import Foundation

/// Stores that are only in memory. Each one belongs to one coordinator.
struct MemoryKind: StoreKind {
    var type: String { NSInMemoryStoreType }

    var traits: StoreTraits { [.uniqueness, .readCommitted, .repeatableRead, .serializable] }

    /// The kind accepts every URL and ignores it.
    func location(of url: URL?) throws(CoreDataError) -> StoreLocation {
        _ = try StoreLocation.fileOrMemory(url)
        return .memory(nil)
    }

    func open(_ request: StoreRequest) throws(CoreDataError) -> any ObjectStore {
        let parsed = try WholeStoreOptions(request.options, type: type)
        request.noteConstraints(type, parsed)
        return MemoryStore(
            request.newDocument(type), isReadOnly: parsed.isReadOnly,
            enforcesUniqueness: parsed.enforcesUniqueness)
    }

    func metadata(of store: ClosedStore) throws(CoreDataError) -> [String: any Sendable] {
        throw try noFile(store)
    }

    func setMetadata(
        _ values: [String: any Sendable], of store: ClosedStore
    ) throws(CoreDataError) {
        throw try noFile(store)
    }

    func destroy(_ store: ClosedStore) throws(CoreDataError) {}

    func replace(_ store: ClosedStore, by source: ClosedStore) throws(CoreDataError) {
        throw try noFile(source)
    }

    private func noFile(_ store: ClosedStore) throws(CoreDataError) -> CoreDataError {
        _ = try StoreLocation.path(store.url)
        return CoreDataError(
            .invalidArgument,
            "A store in memory has no file. Use the coordinator to which the store was added.")
    }
}

extension StoreRequest {
    /// The document of a new store. It contains no rows, and the version hashes of the model.
    func newDocument(_ type: String) -> MemoryDocument {
        MemoryDocument(
            content: MemoryContent(layout: model.layout),
            metadata: MemoryMetadata(
                identifier: identifier ?? UUID().uuidString, type: type, values: modelMetadata))
    }

    func noteConstraints(_ type: String, _ options: WholeStoreOptions) {
        let constrained = (entities ?? []).filter { !$0.uniquenessConstraints.isEmpty }
            .compactMap(\.name).sorted()
        if constrained.isEmpty || options.enforcesUniqueness { return }
        EngineLog.errorOnce(
            "a store of the type \(type) does not enforce uniqueness constraints, and the model has"
                + " some for \(constrained.joined(separator: ", ")): equal values are saved."
                + " Use NSSQLiteStoreType, or add the store with"
                + " FaultlineEnforceUniquenessConstraintsOption.")
    }
}
