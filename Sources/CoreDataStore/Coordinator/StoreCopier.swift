import CoreDataModel
import CoreDataTrace
import Foundation

/// Copies a coordinator's store to another location or type.
///
/// Created for one migration of a store. The copy is written under a hidden name, so that a process
/// that ends leaves no file at the destination.
struct StoreCopier {
    let source: NSPersistentStore
    let model: FrozenModel
    let trace: Trace
    let type: BuiltInStoreType
    let url: URL
    let options: [AnyHashable: Any]?

    /// - Returns: the copy, open.
    func run() throws(CoreDataError) -> any ObjectStore {
        guard type != .inMemory, let path = try factory.path(url) else {
            let made = try backend(at: url, options)
            try fill(made)
            return made
        }
        if type == .sqlite { try StoreFile.check(path, isReadOnly: false) }
        try StoreMove.hold(path, timeoutMilliseconds: try timeoutMilliseconds()) {
            move throws(CoreDataError) in
            var options = options ?? [:]
            if type == .sqlite { options[SQLiteStoreOptions.valuesOwnerKey] = path }
            let draft = try backend(at: URL(fileURLWithPath: move.draft), options)
            try fill(draft)
            draft.close()
            try move.publish()
        }
        do throws(CoreDataError) { return try backend(at: url, options) } catch {
            // This method created the file, so a failure removes it.
            removeCopy(path)
            throw error
        }
    }

    private var factory: StoreFactory { StoreFactory(model: model, trace: trace) }

    private func backend(
        at url: URL, _ options: [AnyHashable: Any]?
    ) throws(CoreDataError) -> any ObjectStore {
        let configuration =
            source.configurationName == NSManagedObjectModel.defaultConfigurationName
            ? nil : source.configurationName
        return try factory.make(
            type: type, configuration: configuration, url: url, options: options)
    }

    /// Copies everything; closes the target on failure.
    private func fill(_ target: any ObjectStore) throws(CoreDataError) {
        do throws(CoreDataError) {
            try StoreCopy(from: source.backend, to: target, layout: model.layout)
                .run(entities: source.entityIndexes)
        } catch {
            target.close()
            throw error
        }
    }

    private func removeCopy(_ path: String) {
        let files = StoreFiles(url, type: type, options: options)
        guard (try? files.destroy()) != nil else { return }
        unlink(path)
    }

    private func timeoutMilliseconds() throws(CoreDataError) -> Int {
        try StoreOptionsReader(options ?? [:]).timeoutMilliseconds() ?? 5_000
    }
}
