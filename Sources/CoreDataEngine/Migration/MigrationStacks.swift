import CoreDataModel
import CoreDataStore
import Foundation

/// The two Core Data stacks of one migration.
///
/// A migration manager creates them when a migration begins, and closes them when it ends.
struct MigrationStacks {
    let sourceBinding: ModelBinding
    let destinationBinding: ModelBinding
    let source: NSManagedObjectContext
    let destination: NSManagedObjectContext
    private let coordinators: [NSPersistentStoreCoordinator]

    /// The location of a store to read or write.
    struct Place {
        let url: URL
        let type: String
        let options: [AnyHashable: Any]
        let configuration: String?
    }

    /// Opens the source only for reading, and the destination for writing.
    ///
    /// - Parameter inherited: the UUID and the metadata that a new destination store receives.
    /// - Throws: 134150 or 134160 for a store that cannot be opened.
    init(
        sourceModel: NSManagedObjectModel, _ from: Place,
        destinationModel: NSManagedObjectModel, _ to: Place, inherited: [String: Any]
    ) throws(CoreDataError) {
        sourceBinding = try GenericModel.binding(of: sourceModel)
        destinationBinding = try GenericModel.binding(of: destinationModel)
        let reading = try NSPersistentStoreCoordinator.make(model: sourceBinding.model)
        let writing = try NSPersistentStoreCoordinator.make(model: destinationBinding.model)
        var options = from.options
        options[NSReadOnlyPersistentStoreOption] = true
        do {
            _ = try reading.add(
                type: from.type, configuration: from.configuration, url: from.url, options: options)
        } catch {
            throw Self.wrap(error, .migrationSourceStore, "source store", from.url)
        }
        do {
            let store = try writing.addDestination(to, identifier: inherited[NSStoreUUIDKey])
            if !inherited.isEmpty { try store.setMetadata(inherited) }
        } catch {
            throw Self.wrap(error, .migrationDestinationStore, "destination store", to.url)
        }
        coordinators = [reading, writing]
        source = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        destination = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        source.persistentStoreCoordinator = reading
        destination.persistentStoreCoordinator = writing
    }

    private static func wrap(
        _ error: CoreDataError, _ code: CoreDataError.Code, _ what: String, _ url: URL
    ) -> CoreDataError {
        CoreDataError(
            code, "The \(what) of the migration cannot be opened: \(error.message)",
            info: ["NSFilePath": url.path],
            payload: CoreDataError.Payload(userInfo: [NSUnderlyingErrorKey: error.nsError]))
    }

    func close() {
        for coordinator in coordinators {
            for store in coordinator.persistentStores { try? coordinator.remove(store) }
        }
    }
}

extension NSPersistentStoreCoordinator {
    /// Adds a store, with the given UUID if it is new.
    fileprivate func addDestination(
        _ place: MigrationStacks.Place, identifier: Any?
    ) throws(CoreDataError) -> NSPersistentStore {
        let kind = try StoreKinds.required(place.type)
        var request = StoreRequest(
            model: frozenModel, trace: trace, location: try kind.location(of: place.url),
            configuration: place.configuration, options: place.options)
        request.identifier = identifier as? String
        return try add(
            try kind.opening(request), type: kind.type, configuration: place.configuration,
            url: place.url, options: place.options)
    }
}
