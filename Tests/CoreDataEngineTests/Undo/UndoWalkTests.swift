import CoreDataEngine
import CoreDataModel
import CoreDataStore
import Foundation
import Testing

/// A sequence of random changes of an object graph. Each step has a description of the graph.
private struct UndoWalk {
    let context: NSManagedObjectContext
    let manager = UndoManager()
    var random: SeededNumbers
    var pictures: [[String]] = []
    var nextName = 0

    init(_ context: NSManagedObjectContext, seed: UInt64) {
        self.context = context
        random = SeededNumbers(seed: seed)
        manager.groupsByEvent = false
        context.undoManager = manager
    }

    private static let toOne = [
        ("Cat", "owner", "Owner"), ("Owner", "favourite", "Cat"), ("Track", "list", "List"),
        ("Node", "parent", "Node"),
    ]
    private static let toMany = [
        ("Owner", "pets", "Cat"), ("List", "tracks", "Track"), ("List", "hits", "Track"),
        ("Track", "hitOf", "List"), ("List", "tags", "Track"), ("Node", "children", "Node"),
    ]

    mutating func pick(_ entity: String) throws -> NSManagedObject? {
        let all = try context.all(entity, sort: "name")
        return all.isEmpty ? nil : all[random.below(all.count)]
    }

    mutating func change() throws {
        switch random.below(12) {
        case 0...3:
            nextName += 1
            let entity = ["Owner", "Cat", "List", "Track", "Node"][random.below(5)]
            context.make(entity, ["name": "\(entity)\(nextName)"])
        case 4:
            try pick("Cat")?.setValue(random.below(9), forKey: "lives")
        case 5:
            if let object = try pick(["Owner", "List", "Track", "Node"][random.below(4)]) {
                context.delete(object)
            }
        case 6...8:
            let (entity, key, other) = Self.toOne[random.below(Self.toOne.count)]
            guard let object = try pick(entity) else { return }
            let destination = random.below(4) == 0 ? nil : try pick(other)
            if destination !== object { object.setValue(destination, forKey: key) }
        case 9:
            guard let list = try pick("List"), let track = try pick("Track") else { return }
            let tracks = list.mutableOrderedSetValue(forKey: "tracks")
            if !tracks.contains(track) { tracks.insert(track, at: 0) }
        default:
            let (entity, key, other) = Self.toMany[random.below(Self.toMany.count)]
            guard let object = try pick(entity) else { return }
            let members = try (0..<3).compactMap { _ in try pick(other) }
            let distinct = NSOrderedSet(array: members.filter { $0 !== object })
            object.setValue(distinct, forKey: key)
        }
    }

    /// Every object with all its values, by name.
    func picture() throws -> [String] {
        var lines: [String] = []
        for (entity, keys) in [
            ("Owner", ["favourite", "pets"]), ("Cat", ["lives", "owner", "favouriteOf"]),
            ("List", ["tracks", "hits", "tags"]), ("Track", ["list", "hitOf", "taggedBy"]),
            ("Node", ["parent", "children"]),
        ] {
            for object in try context.all(entity, sort: "name") {
                let parts = keys.map { key in
                    switch object.value(forKey: key) {
                    case let other as NSManagedObject: other.text("name") ?? "?"
                    case let set as NSSet:
                        "\(set.compactMap { ($0 as? NSManagedObject)?.text("name") }.sorted())"
                    case let set as NSOrderedSet:
                        "\(set.array.compactMap { ($0 as? NSManagedObject)?.text("name") })"
                    case let value: value.map { "\($0)" } ?? "nil"
                    }
                }
                lines.append("\(object.text("name") ?? "?"): \(parts.joined(separator: " "))")
            }
        }
        return lines
    }

    mutating func run(steps: Int, saves: Bool) throws {
        pictures.append(try picture())
        for _ in 0..<steps {
            manager.beginUndoGrouping()
            for _ in 0...random.below(3) { try change() }
            manager.endUndoGrouping()
            if manager.undoCount == pictures.count { pictures.append(try picture()) }
            if saves, random.below(3) == 0 { try context.save() }
        }
        for round in 0..<2 {
            for index in pictures.indices.dropLast().reversed() {
                context.undo()
                try compare(try picture(), pictures[index], "round \(round), back to \(index)")
                if saves, random.below(4) == 0 { try context.save() }
            }
            for index in pictures.indices.dropFirst() {
                context.redo()
                try compare(try picture(), pictures[index], "round \(round), on to \(index)")
                if saves, random.below(4) == 0 { try context.save() }
            }
        }
        if saves {
            try context.save()
            context.reset()
            try compare(try picture(), pictures[pictures.count - 1], "read anew")
        }
    }

    private func compare(_ found: [String], _ wanted: [String], _ place: String) throws {
        let extra = found.filter { !wanted.contains($0) }
        let missing = wanted.filter { !found.contains($0) }
        try #require(found == wanted, "\(place): found \(extra) instead of \(missing)")
    }
}

/// The numbers depend only on the seed.
private struct SeededNumbers {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func below(_ bound: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state >> 11) % bound
    }
}

@Suite struct UndoWalkTests {
    @Test(arguments: 0..<40) func `undo and redo show every graph of a walk again`(
        _ seed: Int
    ) throws {
        let stack = try GraphStack(GraphModels.relationships())
        let context = stack.context()
        try context.on {
            var walk = UndoWalk(context, seed: UInt64(seed) + 1)
            try walk.run(steps: 12, saves: false)
        }
    }

    @Test(arguments: 0..<40)
    func `undo and redo show every graph again, also with saves between the steps`(
        _ seed: Int
    ) throws {
        let stack = try GraphStack(GraphModels.relationships())
        let context = stack.context()
        try context.on {
            var walk = UndoWalk(context, seed: UInt64(seed) + 1001)
            try walk.run(steps: 12, saves: true)
        }
    }

    @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType])
    func `links that change in one event after a deletion are restored at both ends`(
        _ type: String
    ) throws {
        let stack = try GraphStack(GraphModels.relationships(), type: type)
        let context = stack.context()
        context.undoManager = UndoManager()
        try context.on {
            let cat = context.make("Cat", ["name": "cat"])
            let track = context.make("Track", ["name": "track"])
            let list = context.make("List", ["name": "list"])
            let owners = ["first", "second"].map { context.make("Owner", ["name": $0]) }
            owners[0].setValue(cat, forKey: "favourite")
            try context.save()
            context.undoManager?.removeAllActions()
            for object in [owners[0], list, cat] { context.delete(object) }
            cat.setValue(owners[1], forKey: "favouriteOf")
            list.mutableSetValue(forKey: "tags").add(track)
            try context.save()
            context.undo()
            try context.save()
        }
        let other = stack.context()
        try other.on {
            let cat = try #require(try other.all("Cat").first)
            #expect(cat.object("favouriteOf")?.text("name") == "first")
            for owner in try other.all("Owner") {
                #expect((owner.object("favourite") == cat) == (owner.text("name") == "first"))
            }
            #expect(try other.all("List").map { $0.names("tags") } == [[]])
            #expect(try other.all("Track").map { $0.names("taggedBy") } == [[]])
        }
    }

    @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType], [false, true])
    func `a link that is undone leaves both ends unchanged, unread members too`(
        _ type: String, linksItself: Bool
    ) throws {
        let stack = try GraphStack(GraphModels.relationships(), type: type)
        let context = stack.context()
        context.undoManager = UndoManager()
        try context.on {
            let nodes = ["a", "b"].map { context.make("Node", ["name": $0]) }
            try context.save()
            context.undoManager?.removeAllActions()
            nodes[0].setValue(linksItself ? nodes[0] : nodes[1], forKey: "parent")
            context.undo()
            #expect(nodes.filter(\.hasPersistentChangedValues) == [])
            #expect(!context.hasChanges)
            context.redo()
            #expect(context.hasChanges)
            try context.save()
        }
        let other = stack.context()
        try other.on {
            let nodes = try other.all("Node", sort: "name")
            #expect(nodes[linksItself ? 0 : 1].names("children") == ["a"])
        }
    }

    @Test func `redo changes a list in order that was refreshed after the undo`() throws {
        let context = try GraphStack(GraphModels.relationships()).context()
        context.undoManager = UndoManager()
        try context.on {
            let track = context.make("Track", ["name": "t"])
            let lists = ["a", "b"].map { context.make("List", ["name": $0]) }
            track.setValue(lists[0], forKey: "list")
            try context.save()
            context.undoManager?.removeAllActions()
            track.setValue(lists[1], forKey: "list")
            context.undo()
            context.refresh(lists[0], mergeChanges: true)
            context.redo()
            #expect(lists.map { $0.names("tracks") } == [[], ["t"]])
            #expect(lists.filter(\.hasPersistentChangedValues) == lists)
        }
    }

    /// Deleting a book also deletes its author and its tags.
    private static func cascadingModel() -> NSManagedObjectModel {
        let (book, author, tag) = (
            GraphModels.entity("Book", [GraphModels.text("name")]),
            GraphModels.entity("Author", [GraphModels.text("name")]),
            GraphModels.entity("Tag", [GraphModels.text("name")])
        )
        GraphModels.relate(
            .init(owner: book, name: "author", rule: .cascadeDeleteRule),
            .init(owner: author, name: "books", toMany: true))
        GraphModels.relate(
            .init(owner: book, name: "tags", toMany: true, rule: .cascadeDeleteRule),
            .init(owner: tag, name: "books", toMany: true))
        return GraphModels.model([book, author, tag])
    }

    @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType], [false, true])
    func `what a deletion took along comes back with members that were not read`(
        _ type: String, savesDeletion: Bool
    ) throws {
        let stack = try GraphStack(Self.cascadingModel(), type: type)
        let context = stack.context()
        context.undoManager = UndoManager()
        try context.on {
            let book = context.make("Book", ["name": "book"])
            book.setValue(context.make("Author", ["name": "author"]), forKey: "author")
            book.mutableSetValue(forKey: "tags").add(context.make("Tag", ["name": "tag"]))
            try context.save()
            context.reset()
            context.undoManager?.removeAllActions()
            context.delete(try #require(try context.all("Book").first))
            context.processPendingChanges()
            #expect(context.deletedObjects.count == 3)
            if savesDeletion { try context.save() }
            context.undo()
            for entity in ["Author", "Tag"] {
                let owner = try #require(try context.all(entity).first)
                #expect(owner.names("books") == ["book"])
            }
            #expect(context.hasChanges == savesDeletion)
            try context.save()
        }
        let other = stack.context()
        try other.on {
            for entity in ["Author", "Tag"] {
                let owner = try #require(try other.all(entity).first)
                #expect(owner.names("books") == ["book"])
            }
        }
    }

    @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType])
    func `a list whose deletion was saved is restored in its order`(_ type: String) throws {
        let stack = try GraphStack(GraphModels.relationships(), type: type)
        let context = stack.context()
        context.undoManager = UndoManager()
        try context.on {
            let list = context.make("List", ["name": "l"])
            let tracks = ["a", "b", "c"].map { context.make("Track", ["name": $0]) }
            list.setValue(NSOrderedSet(array: tracks.reversed()), forKey: "tracks")
            list.setValue(NSOrderedSet(array: [tracks[1], tracks[2], tracks[0]]), forKey: "hits")
            try context.save()
            context.processPendingChanges()
            context.undoManager?.removeAllActions()
            context.delete(list)
            try context.save()
            context.undo()
            try context.save()
        }
        let other = stack.context()
        try other.on {
            let list = try #require(try other.all("List").first)
            #expect(list.names("tracks") == ["c", "b", "a"])
            #expect(list.names("hits") == ["b", "c", "a"])
        }
    }

    @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType])
    func `undo reverts a link that a merge has changed`(_ type: String) throws {
        let stack = try GraphStack(GraphModels.relationships(), type: type)
        let context = stack.context()
        context.undoManager = UndoManager()
        context.automaticallyMergesChangesFromParent = true
        try context.on {
            let owners = ["a", "b", "c"].map { context.make("Owner", ["name": $0]) }
            let cat = context.make("Cat", ["name": "cat", "favouriteOf": owners[0]])
            try context.save()
            context.undoManager?.removeAllActions()
            owners[1].setValue(cat, forKey: "favourite")
            try context.save()
            let other = stack.context(name: "other")
            try other.on {
                other.object(with: owners[2].objectID)
                    .setValue(other.object(with: cat.objectID), forKey: "favourite")
                try other.save()
            }
            #expect(context.stepped?.runNext() != nil)
            #expect(owners[2].object("favourite") === cat)
            context.undo()
            #expect(owners.map { $0.object("favourite") } == [cat, nil, nil])
            try context.save()
        }
        let other = stack.context()
        try other.on {
            let owners = try other.all("Owner", sort: "name")
            #expect(owners.map { $0.object("favourite")?.text("name") } == ["cat", nil, nil])
            #expect(try other.all("Cat").map { $0.object("favouriteOf") } == [owners[0]])
        }
    }
}
