import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import Foundation

/// A store in a temporary folder that a survey creates and reads.
struct SampleStore {
    let url: URL

    struct Record {
        let entity: String
        let key: String
        var values: [String: Any] = [:]
        /// The destinations of each relationship, such as `Entity/p1`.
        var links: [String: Set<String>] = [:]

        var place: String { "\(entity)/\(key)" }
    }

    /// Creates the store with one object of each entity.
    func make(_ model: NSManagedObjectModel) throws {
        try use(model) { context in
            try SampleGraph(model: model, context: context, fillsAll: true).save()
        }
    }

    /// Opens the store. A store of an older version is migrated.
    func migrate(to model: NSManagedObjectModel) throws {
        try use(
            model,
            [
                NSMigratePersistentStoresAutomaticallyOption: true,
                NSInferMappingModelAutomaticallyOption: true,
            ]
        ) { _ in }
    }

    func records(_ model: NSManagedObjectModel) throws -> [Record] {
        try use(model) { context in
            try model.entities.filter { !$0.isAbstract }.flatMap { entity in
                let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
                request.includesSubentities = false
                return try context.fetch(request).map { try record($0) }
            }
        }
    }

    private func record(_ object: NSManagedObject) throws -> Record {
        var record = Record(entity: object.entity.name ?? "", key: key(object))
        for property in object.entity.properties where !property.isTransient {
            switch property {
            case is NSDerivedAttributeDescription: continue
            case let attribute as NSAttributeDescription:
                record.values[attribute.name] = try object.readValue(forKey: attribute.name)
            case let relationship as NSRelationshipDescription:
                let value = try object.readValue(forKey: relationship.name)
                let members = MappedMembers.objects(value).map { member in
                    "\(member.entity.name ?? "")/\(key(member))"
                }
                record.links[relationship.name] = Set(members)
            default: continue
            }
        }
        return record
    }

    private func key(_ object: NSManagedObject) -> String {
        object.objectID.uriRepresentation().lastPathComponent
    }

    /// Opens the store, calls the closure with one of the store's contexts, and closes the store.
    func use<T>(
        _ model: NSManagedObjectModel, _ options: [AnyHashable: Any]? = nil,
        _ body: (NSManagedObjectContext) throws -> T
    ) throws -> T {
        let coordinator = try NSPersistentStoreCoordinator.make(model: model)
        _ = try coordinator.add(
            type: NSSQLiteStoreType, configuration: nil, url: url, options: options)
        defer { for store in coordinator.persistentStores { try? coordinator.remove(store) } }
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        try context.attach(to: coordinator)
        return try context.performAndWait { try body(context) }
    }
}
