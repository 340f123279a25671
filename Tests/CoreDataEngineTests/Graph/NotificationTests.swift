import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import Foundation
import Testing

@Suite struct NotificationTests {
    /// Records the user infos of the notifications of one context and one name.
    private final class Infos {
        // `@unchecked Sendable` because a test posts and reads on one thread.
        private final class State: @unchecked Sendable {
            var infos: [[AnyHashable: Any]] = []
        }

        private let state = State()
        private let token: any NSObjectProtocol

        init(_ name: Notification.Name, _ context: NSManagedObjectContext) {
            let state = state
            token = NotificationCenter.default.addObserver(
                forName: name, object: context, queue: nil
            ) { state.infos.append($0.userInfo ?? [:]) }
        }

        deinit { NotificationCenter.default.removeObserver(token) }

        func ids(_ key: NSManagedObjectContext.NotificationKey) -> Set<NSManagedObjectID>? {
            state.infos.last?[key.rawValue] as? Set<NSManagedObjectID>
        }

        var count: Int { state.infos.count }
    }

    // Proves S1.5-14, S1.8-4, S1.8-5, S4.2-5
    @Test func `a save posts its ids, and so does the context that merges it`() throws {
        let stack = try GraphStack(GraphModels.moody())
        let (writer, reader) = (stack.context(), stack.context())
        let saved = Infos(NSManagedObjectContext.didSaveObjectIDsNotification, writer)
        let merged = Infos(NSManagedObjectContext.didMergeChangesObjectIDsNotification, reader)
        var country: NSManagedObject?
        try writer.on {
            country = writer.make("Country", ["code": "A"])
            try writer.save()
        }
        let id = try #require(country?.objectID)
        #expect(saved.ids(.insertedObjectIDs) == [id] && saved.ids(.updatedObjectIDs) == nil)
        let note = Notification(
            name: NSManagedObjectContext.didSaveObjectsNotification, object: writer,
            userInfo: [NSInsertedObjectsKey: Set([try #require(country)])])
        reader.performAndWait { reader.mergeChanges(fromContextDidSave: note) }
        #expect(merged.ids(.insertedObjectIDs) == [id] && merged.count == 1)
    }

    // Proves S4.3-2
    @Test func `remote changes reach a parent before its child, by ids or URLs`() throws {
        let stack = try GraphStack(GraphModels.moody())
        let (writer, parent) = (stack.context(), stack.context())
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        let id = try writer.on {
            let country = writer.make("Country", ["code": "A", "name": "old"])
            try writer.save()
            return country.objectID
        }
        let held = try child.on { try child.existingObject(with: id) }
        try child.on { #expect(held.text("name") == "old") }
        try writer.on {
            writer.object(with: id).setValue("new", forKey: "name")
            try writer.save()
        }
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSUpdatedObjectsKey: [id.uriRepresentation()]],
            into: [child, parent])
        try child.on { #expect(held.text("name") == "new") }
        #expect(throws: CoreDataError.self) {
            try NSManagedObjectContext.mergeRemote([NSDeletedObjectIDsKey: 7], into: [parent])
        }
    }

    @Test func `one value can be validated before it is set`() throws {
        let model = GraphModels.moody()
        let name = try #require(model.entitiesByName["Country"]?.attributesByName["name"])
        name.isOptional = false
        let stack = try GraphStack(model)
        let context = stack.context()
        try context.on {
            let country = context.make("Country")
            var value: Any? = "x"
            try country.validateValue(&value, forKey: "name")
            value = nil
            #expect(throws: NSError.self) { try country.validateValue(&value, forKey: "name") }
        }
    }

    @Test func `an object is assigned to a store that contains its entity, or not at all`() throws {
        let stack = try GraphStack(GraphModels.moody())
        let other = try GraphStack(GraphModels.moody())
        let context = stack.context()
        try context.on {
            let country = context.make("Country")
            try context.assignObject(country, to: stack.coordinator.persistentStores[0])
            #expect(throws: CoreDataError.self) {
                try context.assignObject(country, to: other.coordinator.persistentStores[0])
            }
        }
    }
}
