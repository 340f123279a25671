import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import Foundation
import Testing

/// The tests that every kind of store must pass.
///
/// A kind has a type and a function that returns URLs. If the opened store lacks a trait, the test
/// of that trait expects an error. The error must name the type of the store and the trait.
struct StoreTesting {
    let type: String
    /// The location of the store with this name. Nil for kinds whose stores have no location.
    let url: (String) -> URL?

    private func stack(
        _ model: NSManagedObjectModel = GraphModels.relationships(), at name: String = "one",
        options: [AnyHashable: Any]? = nil
    ) throws -> (GraphStack, NSPersistentStore) {
        let stack = try GraphStack(model, at: url(name), type: type, options: options)
        return (stack, try #require(stack.coordinator.persistentStores.first))
    }

    private func traits(_ store: NSPersistentStore) -> StoreTraits { store.backend.traits }

    /// Saves nodes, each of which is a child of the previous node of its chain.
    private func fill(_ stack: GraphStack, count: Int = 30) throws {
        let context = stack.context()
        try context.on {
            var parent: NSManagedObject?
            for number in 0..<count {
                let node = context.make("Node", ["name": "n\((number * 7) % count % 12)"])
                node.setValue(number % 5 == 0 ? nil : parent, forKey: "parent")
                parent = node
            }
            try context.save()
        }
    }

    private func expectRefusal(
        _ store: NSPersistentStore, _ words: String, _ body: () throws -> Void
    ) {
        var text = ""
        do { try body() } catch { text = CoreDataError(error).message }
        #expect(text.contains(store.type) && text.contains(words), "\(text)")
    }

    // MARK: Reading

    private static let requests: [(predicate: String?, sorts: [String], limit: Int, offset: Int)] =
        [
            (nil, ["name"], 0, 0), (nil, ["name"], 7, 5), ("name == 'n3'", [], 0, 0),
            ("name BEGINSWITH 'n1'", ["name"], 0, 0), ("parent == nil", ["name"], 0, 0),
            ("parent.name == 'n2'", ["name"], 3, 0), ("children.@count > 0", ["name"], 0, 0),
            ("ANY children.name == 'n4'", ["name"], 0, 0), ("name IN {'n5', 'n6'}", ["name"], 0, 0),
            ("NOT (name CONTAINS '1' OR parent.parent != nil)", ["name"], 0, 0),
            ("SUBQUERY(children, $c, $c.name == 'n7').@count == 1", ["name"], 0, 0),
        ]

    /// Tests that fetches have the same results as fetches from an in-memory store.
    func fetches() throws {
        let (tried, _) = try stack()
        let reference = try GraphStack(GraphModels.relationships(), type: NSInMemoryStoreType)
        for stack in [tried, reference] { try fill(stack) }
        for wanted in Self.requests {
            func names(_ stack: GraphStack) throws -> ([String?], Int) {
                let context = stack.context()
                return try context.on {
                    let request = NSFetchRequest<NSManagedObject>(entityName: "Node")
                    request.predicate = wanted.predicate.map { NSPredicate(format: $0) }
                    request.sortDescriptors = wanted.sorts.map {
                        NSSortDescriptor(key: $0, ascending: true)
                    }
                    request.fetchLimit = wanted.limit
                    request.fetchOffset = wanted.offset
                    let found = try context.fetch(request).map { $0.text("name") }
                    return (found, try context.count(for: request))
                }
            }
            let (found, expected) = (try names(tried), try names(reference))
            #expect(found == expected && !found.0.isEmpty, "\(wanted)")
        }
    }

    // MARK: Writing

    /// Other contexts read inserted, changed and deleted rows. If the store has a location, another
    /// coordinator reads them too.
    func saves() throws {
        let (first, store) = try stack()
        let context = first.context()
        try context.on {
            let nodes = ["a", "b", "c"].map { context.make("Node", ["name": $0]) }
            try context.save()
            nodes[0].setValue("z", forKey: "name")
            nodes[1].setValue(nodes[0], forKey: "parent")
            context.delete(nodes[2])
            try context.save()
        }
        let lasts = url("one") != nil
        if lasts { try first.coordinator.remove(store) }
        let reader = (lasts ? try stack().0 : first).context()
        try reader.on {
            let nodes = try reader.all("Node", sort: "name")
            #expect(nodes.map { $0.text("name") } == ["b", "z"])
            #expect(nodes[0].value(forKey: "parent") as? NSManagedObject === nodes[1])
        }
    }

    /// Tests that a row that another context has changed is a conflict, which the policy resolves.
    func conflicts() throws {
        let (stack, _) = try stack()
        try fill(stack, count: 1)
        let contexts = [stack.context(), stack.context(), stack.context(.overwrite)]
        let nodes = try contexts.map { context in
            try context.on {
                let node = try context.all("Node")[0]
                #expect(node.text("name") == "n0")
                return node
            }
        }
        let errors = try zip(contexts, nodes).enumerated().map { index, pair in
            try pair.0.on {
                pair.1.setValue("c\(index)", forKey: "name")
                return pair.0.saveError()?.code
            }
        }
        #expect(errors == [nil, NSManagedObjectMergeError, nil])
        let reader = stack.context()
        let names = try reader.on { try reader.all("Node").map { $0.text("name") } }
        #expect(names == ["c2"])
    }

    /// Tests that equal values of a constraint are a conflict, if the store enforces constraints.
    func constraints() throws {
        let (stack, store) = try stack(
            GraphModels.moody(), options: [FaultlineEnforceUniquenessConstraintsOption: true])
        guard traits(store).contains(.uniqueness) else { return }
        let context = stack.context()
        try context.on {
            context.make("Country", ["code": "fr"])
            try context.save()
            context.make("Country", ["code": "fr"])
            #expect(context.saveError()?.code == NSManagedObjectConstraintMergeError)
        }
    }

    /// Tests that members are read from both ends and in their order.
    func relationships() throws {
        let (stack, _) = try stack()
        let context = stack.context()
        func names(_ context: NSManagedObjectContext, _ key: String) throws -> [String?] {
            let list = try context.all("List")[0]
            let members: [Any]
            switch list.value(forKey: key) {
            case let ordered as NSOrderedSet: members = ordered.array
            case let set as NSSet: members = set.allObjects
            default: members = []
            }
            return members.map { ($0 as? NSManagedObject)?.text("name") }
        }
        try context.on {
            let list = context.make("List", ["name": "l"])
            let tracks = ["a", "b", "c"].map { context.make("Track", ["name": $0]) }
            for key in ["tracks", "hits"] {
                list.setValue(NSOrderedSet(array: tracks), forKey: key)
            }
            list.setValue(NSSet(array: tracks), forKey: "tags")
            try context.save()
            for key in ["tracks", "hits"] {
                list.setValue(NSOrderedSet(array: [tracks[2], tracks[0]]), forKey: key)
            }
            list.setValue(NSSet(array: [tracks[1]]), forKey: "tags")
            try context.save()
        }
        let reader = stack.context()
        try reader.on {
            #expect(try names(reader, "tracks") == ["c", "a"])
            #expect(try names(reader, "hits") == ["c", "a"])
            #expect(try names(reader, "tags") == ["b"])
            let tagged = try reader.all("Track", "taggedBy.@count == 1")
            #expect(tagged.map { $0.text("name") } == ["b"])
        }
    }

    /// Tests that a read-only store refuses a save and keeps its rows.
    func readOnly() throws {
        guard url("one") != nil else { return }
        let (writable, store) = try stack()
        try fill(writable, count: 2)
        try writable.coordinator.remove(store)
        let (stack, fixed) = try stack(options: [NSReadOnlyPersistentStoreOption: true])
        #expect(fixed.isReadOnly)
        let context = stack.context()
        try context.on {
            try context.all("Node")[0].setValue("new", forKey: "name")
            #expect(context.saveError() != nil)
            context.rollback()
            #expect(try context.all("Node", "name == 'new'").isEmpty)
        }
    }

    // MARK: Traits

    func history() throws {
        let (stack, store) = try stack(options: [NSPersistentHistoryTrackingKey: true])
        try fill(stack, count: 2)
        let token = stack.coordinator.currentPersistentHistoryToken(fromStores: nil)
        #expect((token != nil) == traits(store).contains(.history))
        let context = stack.context()
        let found = try context.on {
            try context.execute(
                NSPersistentHistoryChangeRequest.fetchHistory(
                    after: nil as NSPersistentHistoryToken?))
        }
        let history = (found as? NSPersistentHistoryResult)?.result as? [Any]
        #expect(history?.count == (token == nil ? 0 : 1))
    }

    func batches() throws {
        let (stack, store) = try stack()
        try fill(stack, count: 3)
        let context = stack.context()
        let request = NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Node"))
        guard traits(store).contains(.batches) else {
            return expectRefusal(store, "does not run batch requests") {
                try context.on { _ = try context.execute(request) }
            }
        }
        try context.on {
            _ = try context.execute(request)
            #expect(try context.all("Node").isEmpty)
        }
    }

    func heldState() throws {
        let (stack, store) = try stack()
        try fill(stack, count: 1)
        let context = stack.context()
        guard traits(store).contains(.heldState) else {
            return expectRefusal(store, "keeps no query generations") {
                try context.on { try context.setQueryGenerationFrom(.current) }
            }
        }
        try context.on {
            try context.setQueryGenerationFrom(.current)
            #expect(try context.all("Node").count == 1)
            try fill(stack, count: 2)
            #expect(try context.all("Node").count == 1)
        }
    }

    func rewinding() throws {
        let (stack, store) = try stack()
        try fill(stack, count: 1)
        guard traits(store).contains(.rewinding) else {
            return expectRefusal(store, "does not go back") { _ = try store.rewindable() }
        }
        let mark = try store.rewindable().mark()
        try fill(stack, count: 2)
        try store.rewindable().rewind(to: mark)
        stack.coordinator.rowCache.removeAll()
        let context = stack.context()
        let count = try context.on { try context.all("Node").count }
        #expect(count == 1)
    }

    /// A save writes the metadata of an open store. They are read without opening the store.
    func metadata() throws {
        let (stack, store) = try stack()
        store.metadata["owner"] = "Ada"
        try fill(stack, count: 1)
        #expect(store.metadata["owner"] as? String == "Ada")
        #expect(store.metadata[NSStoreTypeKey] as? String == type)
        guard let url = url("one") else { return }
        try stack.coordinator.remove(store)
        let kind = try StoreKinds.required(type)
        try kind.setMetadata(["owner": "Ida"], of: ClosedStore(url))
        let found = try kind.metadata(of: ClosedStore(url))
        #expect(found["owner"] as? String == "Ida")
        #expect(found[NSStoreUUIDKey] as? String == store.identifier)
        #expect(try StoreKinds.kind(at: url).type == type)
        try kind.destroy(ClosedStore(url))
        let empty = try self.stack().0.context()
        let count = try empty.on { try empty.all("Node").count }
        #expect(count == 0)
    }

    /// A coordinator detects the rows of another coordinator when it saves, or earlier.
    func coordinators() throws {
        let (one, store) = try stack()
        guard traits(store).contains(.remoteChanges) else { return }
        try fill(one, count: 1)
        let (other, _) = try stack()
        let (first, second) = (one.context(.mergeByPropertyObjectTrump), other.context())
        let node = try first.on { try first.all("Node")[0] }
        try first.on { #expect(node.text("name") == "n0") }
        try second.on {
            let node = try second.all("Node")[0]
            node.setValue(second.make("Node", ["name": "parent"]), forKey: "parent")
            try second.save()
        }
        try first.on {
            node.setValue("mine", forKey: "name")
            try first.save()
            let parent = node.value(forKey: "parent") as? NSManagedObject
            #expect(parent?.text("name") == "parent")
        }
    }
}
