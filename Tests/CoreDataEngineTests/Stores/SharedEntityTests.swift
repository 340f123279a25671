import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace
import Foundation
import TestSupport
import Testing

@testable import CoreDataEngine

/// Several stores of one coordinator contain the same entity.
@Suite struct SharedEntityTests {
    private let folder: GraphFolder

    init() throws { folder = try GraphFolder() }

    private static let pairs = [NSSQLiteStoreType, NSInMemoryStoreType, NSBinaryStoreType]
        .flatMap { first in
            [NSSQLiteStoreType, NSInMemoryStoreType].map { [first, $0] }
        }

    private func coordinator(
        _ types: [String], options: [AnyHashable: Any]? = nil
    ) throws -> (NSPersistentStoreCoordinator, [NSPersistentStore]) {
        let made = NSPersistentStoreCoordinator(managedObjectModel: GraphModels.relationships())
        let stores = try types.enumerated().map { index, type in
            try made.addPersistentStore(
                ofType: type, configurationName: nil,
                at: folder.url.appendingPathComponent("\(index).store"), options: options)
        }
        return (made, stores)
    }

    private func context(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
        let made = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        made.persistentStoreCoordinator = coordinator
        return made
    }

    private func nodeNames(
        _ context: NSManagedObjectContext,
        _ change: (NSFetchRequest<NSManagedObject>) -> Void = { _ in }
    ) throws -> [String?] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Node")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        change(request)
        return try context.fetch(request).map { $0.text("name") }
    }

    // Proves S1.7-5
    @Test(arguments: pairs)
    func `each object stays in the store that it was assigned to`(types: [String]) throws {
        let (coordinator, stores) = try coordinator(types)
        let context = context(coordinator)
        try context.on {
            for (index, name) in ["b", "d", "a", "c"].enumerated() {
                context.assign(context.make("Node", ["name": name]), to: stores[index % 2])
            }
            let plain = context.make("Node", ["name": "e"])
            try context.save()
            #expect(plain.objectID.persistentStore === stores[0])
            context.reset()
            let all = try context.all("Node", sort: "name")
            let found = all.map { $0.text("name") }
            #expect(found == ["a", "b", "c", "d", "e"])
            let kept = all.map { object in
                stores.firstIndex { $0 === object.objectID.persistentStore }
            }
            #expect(kept == [0, 0, 1, 1, 0])
            // The same primary key in two files identifies two different rows.
            let numbers = Set(all.map { $0.objectID.uriRepresentation().lastPathComponent })
            #expect(numbers.count == 3 && Set(all.map(\.objectID)).count == 5)
            for object in all {
                let again = coordinator.managedObjectID(
                    forURIRepresentation: object.objectID.uriRepresentation())
                #expect(again == object.objectID)
            }
            let error = #expect(throws: CoreDataError.self) {
                try context.assignObject(all[0], to: stores[1])
            }
            #expect(
                error?.message.hasPrefix("Can't reassign an object to a different store") == true)
        }
    }

    // Proves S2.5-17
    @Test(arguments: pairs)
    func `limits, batches, ids and counts span all stores`(types: [String]) throws {
        let (coordinator, stores) = try coordinator(types)
        let context = context(coordinator)
        try context.on {
            for index in 0..<10 {
                let node = context.make("Node", ["name": "n\(index)"])
                context.assign(node, to: stores[index * 7 % 10 % 2])
            }
            try context.save()
            context.reset()
            let middle = try nodeNames(context) {
                $0.fetchOffset = 3
                $0.fetchLimit = 4
            }
            #expect(middle == ["n3", "n4", "n5", "n6"])
            let batched = try nodeNames(context) { $0.fetchBatchSize = 3 }
            #expect(batched == (0..<10).map { "n\($0)" })
            let some = try nodeNames(context) { $0.predicate = NSPredicate(format: "name > 'n6'") }
            #expect(some == ["n7", "n8", "n9"])
            let own = try nodeNames(context) { $0.affectedStores = [stores[1]] }
            #expect(own == ["n1", "n3", "n5", "n7", "n9"])
            let request = NSFetchRequest<NSManagedObject>(entityName: "Node")
            request.fetchLimit = 7
            let count = try context.count(for: request)
            #expect(count == 7)
            let rows = NSFetchRequest<NSDictionary>(entityName: "Node")
            rows.resultType = .dictionaryResultType
            rows.propertiesToFetch = ["name"]
            rows.sortDescriptors = [NSSortDescriptor(key: "name", ascending: false)]
            rows.fetchLimit = 2
            let shown = try context.fetch(rows).map { $0["name"] as? String }
            #expect(shown == ["n9", "n8"])
            let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Node")
            ids.resultType = .managedObjectIDResultType
            let places = try context.fetch(ids).map { $0.persistentStore?.identifier }
            #expect(Set(places).count == 2)
        }
    }

    @Test(arguments: pairs)
    func `changes and relationships are saved in the stores of their objects`(types: [String])
        throws
    {
        let (coordinator, stores) = try coordinator(types)
        let context = context(coordinator)
        try context.on {
            for (index, store) in stores.enumerated() {
                let parent = context.make("Node", ["name": "parent \(index)"])
                let child = context.make("Node", ["name": "child \(index)", "parent": parent])
                for node in [parent, child] { context.assign(node, to: store) }
                let list = context.make("List", ["name": "list \(index)"])
                let track = context.make("Track", ["name": "track \(index)"])
                list.setValue(NSOrderedSet(array: [track]), forKey: "tracks")
                list.setValue(NSSet(array: [track]), forKey: "tags")
                for object in [list, track] { context.assign(object, to: store) }
            }
            try context.save()
            context.reset()
            for index in stores.indices {
                let parent = try #require(
                    try context.all("Node", "name == %@", ["parent \(index)"]).first)
                let children = parent.value(forKey: "children") as? Set<NSManagedObject>
                #expect(children?.first?.text("name") == "child \(index)")
                let found = try context.all("Node", "parent == %@", [parent])
                #expect(found.map { $0.text("name") } == ["child \(index)"])
                let lists = try context.all("List", "ANY tags.name == %@", ["track \(index)"])
                #expect(lists.map { $0.text("name") } == ["list \(index)"])
                parent.setValue("changed \(index)", forKey: "name")
            }
            try context.save()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Node")
            request.predicate = NSPredicate(format: "parent != nil")
            request.relationshipKeyPathsForPrefetching = ["parent"]
            context.reset()
            let parents = try context.fetch(request).map {
                ($0.value(forKey: "parent") as? NSManagedObject)?.text("name")
            }
            #expect(Set(parents) == ["changed 0", "changed 1"])
            for node in try context.all("Node", "name BEGINSWITH 'changed'") {
                context.delete(node)
            }
            try context.save()
            let left = try context.all("Node")
            #expect(left.isEmpty)
            // Objects of two stores cannot refer to each other.
            let pair = stores.map { store in
                let node = context.make("Node")
                context.assign(node, to: store)
                return node
            }
            pair[0].setValue(pair[1], forKey: "parent")
            let error = #expect(throws: NSError.self) { try context.save() }
            #expect(error?.code == 133_010)
        }
    }

    @Test(arguments: pairs)
    func `a conflict is found in the store of the row`(types: [String]) throws {
        let (coordinator, stores) = try coordinator(types)
        let (first, second) = (context(coordinator), context(coordinator))
        try first.on {
            for (name, store) in zip(["a", "b"], stores) {
                first.assign(first.make("Node", ["name": name]), to: store)
            }
            try first.save()
        }
        for name in ["a", "b"] {
            let mine = try first.on {
                let node = try #require(try first.all("Node", "name == %@", [name]).first)
                #expect(node.text("name") == name)
                return node
            }
            try second.on {
                let theirs = try #require(try second.all("Node", "name == %@", [name]).first)
                theirs.setValue("their \(name)", forKey: "name")
                try second.save()
            }
            try first.on {
                mine.setValue("my \(name)", forKey: "name")
                let error = #expect(throws: NSError.self) { try first.save() }
                #expect(error?.code == 133_020)
                let conflicts = error?.userInfo["conflictList"] as? [NSMergeConflict]
                #expect(conflicts?.first?.sourceObject === mine)
                first.mergePolicy = NSMergePolicy.overwrite
                try first.save()
                first.mergePolicy = NSMergePolicy.error
            }
        }
        let names = try second.on {
            second.reset()
            return try nodeNames(second)
        }
        #expect(names == ["my a", "my b"])
    }

    @Test func `a child's object goes to the store that the child assigned it to`() throws {
        let (coordinator, stores) = try coordinator([NSSQLiteStoreType, NSSQLiteStoreType])
        let parent = context(coordinator)
        let child = parent.child()
        try child.on {
            child.assign(child.make("Node", ["name": "late"]), to: stores[1])
            let early = child.make("Node", ["name": "early"])
            child.assign(early, to: stores[1])
            try child.obtainPermanentIDs(for: [early])
            #expect(early.objectID.persistentStore === stores[1])
            try child.save()
        }
        try parent.on {
            try parent.save()
            let kept = try parent.all("Node").map { $0.objectID.persistentStore === stores[1] }
            #expect(kept == [true, true])
        }
    }

    @Test func `batches and history affect each store, or the named stores`() throws {
        let (coordinator, stores) = try coordinator(
            [NSSQLiteStoreType, NSSQLiteStoreType],
            options: [NSPersistentHistoryTrackingKey: true])
        let context = context(coordinator)
        try context.on {
            for (name, store) in zip(["a", "b"], stores) {
                context.assign(context.make("Node", ["name": name]), to: store)
            }
            try context.save()
            let update = NSBatchUpdateRequest(entityName: "Node")
            update.propertiesToUpdate = ["name": "both"]
            update.resultType = .updatedObjectIDsResultType
            let result = try context.execute(update) as? NSBatchUpdateResult
            let ids = result?.result as? [NSManagedObjectID] ?? []
            #expect(ids.map { $0.persistentStore === stores[1] } == [false, true])
            update.affectedStores = [stores[1]]
            update.propertiesToUpdate = ["name": "second"]
            _ = try context.execute(update)
            context.reset()
            let found = try nodeNames(context)
            #expect(found == ["both", "second"])
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: .distantPast)
            request.resultType = .changesOnly
            let history = try context.execute(request) as? NSPersistentHistoryResult
            let changes = history?.result as? [NSPersistentHistoryChange] ?? []
            #expect(Set(changes.map(\.changedObjectID)) == Set(ids) && changes.count == 5)
            _ = try context.execute(NSBatchDeleteRequest(objectIDs: [ids[1]]))
            context.reset()
            let left = try nodeNames(context)
            #expect(left == ["both"])
            let insert = NSBatchInsertRequest(entityName: "Node", objects: [["name": "new"]])
            insert.affectedStores = [stores[1]]
            _ = try context.execute(insert)
            let new = try context.all("Node", "name == 'new'").first
            #expect(new?.objectID.persistentStore === stores[1])
        }
    }

    @Test func `a pinned context reads both stores as they were`() throws {
        let (coordinator, stores) = try coordinator([NSSQLiteStoreType, NSSQLiteStoreType])
        let (reader, writer) = (context(coordinator), context(coordinator))
        try writer.on {
            for (name, store) in zip(["a", "b"], stores) {
                writer.assign(writer.make("Node", ["name": name]), to: store)
            }
            try writer.save()
        }
        try reader.on {
            try reader.setQueryGenerationFrom(.current)
            let found = try nodeNames(reader)
            #expect(found == ["a", "b"])
        }
        try writer.on {
            for node in try writer.all("Node") { node.setValue("new", forKey: "name") }
            try writer.save()
        }
        try reader.on {
            reader.refreshAllObjects()
            let old = try nodeNames(reader)
            #expect(old == ["a", "b"])
        }
    }

    @Test func `removing one store leaves the objects of the other`() throws {
        let (coordinator, stores) = try coordinator([NSSQLiteStoreType, NSSQLiteStoreType])
        let context = context(coordinator)
        try context.on {
            let nodes = stores.map { store in
                let node = context.make("Node", ["name": store === stores[0] ? "a" : "b"])
                context.assign(node, to: store)
                return node
            }
            try context.save()
            try coordinator.remove(stores[0])
            #expect(nodes[0].managedObjectContext == nil && nodes[1].managedObjectContext != nil)
            nodes[1].setValue("still here", forKey: "name")
            try context.save()
            context.reset()
            let found = try nodeNames(context)
            #expect(found == ["still here"])
            // The store may be added again, and is then the second one.
            let again = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: stores[0].url)
            let both = try nodeNames(context)
            #expect(both == ["a", "still here"])
            let other = try context.all("Node", "name == 'a'").first
            #expect(other?.objectID.persistentStore === again)
        }
    }

    @Test func `a store is added once, and a key without room for a tag is an error`() throws {
        let (coordinator, stores) = try coordinator([NSSQLiteStoreType])
        let twice = #expect(throws: NSError.self) {
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: stores[0].url)
        }
        #expect(twice?.code == 134_080)
        #expect(throws: CoreDataError.self) { _ = try StoreTag.none.tagged(Int64(1) << 40) }
    }

    /// The file of each store must be independent. The second store is therefore opened without the
    /// first one at the end.
    @Test(arguments: 1...8)
    func `a random walk over two stores reads as one graph`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let (coordinator, stores) = try coordinator([NSSQLiteStoreType, NSSQLiteStoreType])
        let context = context(coordinator)
        var expected: [[Int: Int?]] = [[:], [:]]
        var next = 0
        try context.on {
            for _ in 0..<40 {
                var nodes = try context.all("Node")
                for _ in 0..<Int.random(in: 1...6, using: &random) {
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0, 1:
                        let store = Int.random(in: 0...1, using: &random)
                        let node = context.make("Node", ["name": "\(next)"])
                        context.assign(node, to: stores[store])
                        let parent = expected[store].keys.sorted().randomElement(using: &random)
                        node.setValue(
                            nodes.first { $0.text("name") == parent.map { "\($0)" } },
                            forKey: "parent")
                        expected[store][next] = .some(parent)
                        nodes.append(node)
                        next += 1
                    case 2:
                        guard let node = nodes.randomElement(using: &random) else { continue }
                        let name = Int(node.text("name") ?? "") ?? -1
                        let store = expected[0].keys.contains(name) ? 0 : 1
                        node.setValue(nil, forKey: "parent")
                        expected[store][name] = .some(nil)
                    default:
                        let leaf = nodes.first {
                            ($0.value(forKey: "children") as? NSSet)?.count == 0
                        }
                        guard let leaf else { continue }
                        let name = Int(leaf.text("name") ?? "") ?? -1
                        for store in 0...1 { expected[store].removeValue(forKey: name) }
                        context.delete(leaf)
                        nodes.removeAll { $0 === leaf }
                    }
                }
                try context.save()
                if Bool.random(using: &random) { context.reset() }
                try check(context, expected[0].merging(expected[1]) { $1 })
            }
        }
        for index in 0...1 {
            let alone = NSPersistentStoreCoordinator(
                managedObjectModel: GraphModels.relationships())
            try alone.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: stores[index].url)
            let reader = self.context(alone)
            try reader.on { try check(reader, expected[index]) }
        }
    }

    private func check(_ context: NSManagedObjectContext, _ expected: [Int: Int?]) throws {
        var found: [Int: Int?] = [:]
        for node in try context.all("Node") {
            let parent = (node.value(forKey: "parent") as? NSManagedObject)?.text("name")
            found[Int(node.text("name") ?? "") ?? -1] = .some(parent.flatMap { Int($0) })
        }
        #expect(found == expected)
    }
}
