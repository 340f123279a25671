import ContextHistory
import CoreDataEngine
import CoreDataModel
import CoreDataStore

/// The contents of a store at the end of a schedule, read by a new context, with the lab's object
/// names. Trials compare the graphs of several stores and check inverse relationships.
package struct StoredGraph: Sendable, Hashable {
    package struct Object: Sendable, Hashable {
        package var entity: String
        package var attributes: [String: String] = [:]
        package var relationships: Set<String> = []
        /// The names of the destinations of to-one relationships, without those that are nil.
        package var toOne: [String: String] = [:]
        /// The names of the members of to-many relationships; sorted if the relationship is
        /// unordered.
        package var toMany: [String: [String]] = [:]

        package init(entity: String) { self.entity = entity }
    }

    package var objects: [String: Object] = [:]

    package init() {}

    static func read(_ world: LabWorld) throws(CoreDataError) -> StoredGraph {
        let queue = SteppedQueue(label: "graph")
        let context = NSManagedObjectContext(
            concurrencyType: .privateQueueConcurrencyType, queue: queue)
        try context.attach(to: world.store.main)
        return try queue.runAndWait { () throws(CoreDataError) in
            var graph = StoredGraph()
            for entity in world.layout.entities where entity.superIndex == nil {
                let request = FetchRequestOptions(entityName: entity.name)
                guard case .objects(let objects) = try context.fetchResults(request) else {
                    continue
                }
                for object in objects {
                    graph.objects[world.alias(object.objectKey)] = try Self.values(
                        of: object, world)
                }
            }
            return graph
        }
    }

    private static func values(
        of object: NSManagedObject, _ world: LabWorld
    ) throws(CoreDataError) -> Object {
        var made = Object(entity: object.layout.name)
        for (slot, property) in object.layout.values.enumerated() {
            let value = LiteralCoding.observed(
                try object.value(at: slot), kind: property.kind, name: world.alias)
            if property.kind != .toOne {
                made.attributes[property.name] = value.description
                continue
            }
            made.relationships.insert(property.name)
            if case .object(let name) = value { made.toOne[property.name] = name }
        }
        for slot in object.layout.toMany {
            made.relationships.insert(slot.name)
            let members = try Relating.members(of: object, slot.name).map {
                world.alias($0.objectKey)
            }
            made.toMany[slot.name] = slot.isOrdered ? members : members.sorted()
        }
        return made
    }
}
