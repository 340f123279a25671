import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace
import Testing

@Suite struct RelationshipTests {
    private func context() throws -> NSManagedObjectContext {
        let stack = try GraphStack(GraphModels.relationships())
        return stack.context()
    }

    private func tracks(_ context: NSManagedObjectContext, _ names: String) -> [NSManagedObject] {
        names.map { context.make("Track", ["name": String($0)]) }
    }

    private func list(_ context: NSManagedObjectContext, _ name: String) throws -> NSManagedObject {
        try #require(try context.all("List", "name == %@", [name]).first)
    }

    @Test func `a one-to-one partner leaves its former partner, from either side`() throws {
        let context = try context()
        try context.on {
            let owners = ["x", "y"].map { context.make("Owner", ["name": $0]) }
            let cats = ["k", "l"].map { context.make("Cat", ["name": $0]) }
            owners[0].setValue(cats[0], forKey: "favourite")
            #expect(cats[0].object("favouriteOf") === owners[0])
            cats[1].setValue(owners[1], forKey: "favouriteOf")
            try context.save()
            owners[1].setValue(cats[0], forKey: "favourite")
            #expect(owners[0].object("favourite") == nil)
            #expect(cats[1].object("favouriteOf") == nil)
            #expect(cats[0].object("favouriteOf") === owners[1])
            try context.save()
            context.reset()
            let found = try context.all("Owner", sort: "name")
            #expect(found.map { $0.object("favourite")?.text("name") } == [nil, "k"])
            #expect(
                try context.all("Cat", sort: "name").map { $0.object("favouriteOf")?.text("name") }
                    == ["y", nil])
        }
    }

    @Test func `a polymorphic destination comes back in its own entity`() throws {
        let context = try context()
        try context.on {
            let owner = context.make("Owner", ["name": "o"])
            owner.setValue(
                NSSet(array: [
                    context.make("Cat", ["name": "c"]), context.make("Dog", ["name": "d"]),
                ]),
                forKey: "pets")
            let favourite = context.make("Dog", ["name": "f", "owner": owner])
            owner.setValue(favourite, forKey: "favourite")
            try context.save()
            context.reset()
            let found = try #require(try context.all("Owner").first)
            #expect(found.names("pets") == ["c", "d", "f"])
            let pets =
                (found.value(forKey: "pets") as? NSSet)?.allObjects as? [NSManagedObject] ?? []
            #expect(Set(pets.compactMap(\.entity.name)) == ["Cat", "Dog"])
            #expect(found.object("favourite")?.entity.name == "Dog")
            #expect(
                try context.all("Animal", sort: "name").map(\.entity.name) == ["Cat", "Dog", "Dog"])
            #expect(try context.all("Dog", "owner == %@", [found], sort: "name").count == 2)
            #expect(throws: CoreDataError.self) { try found.writeValue(found, forKey: "favourite") }
        }
    }

    // Proves S1.7-1
    @Test func `a child moves with its inverses, from either side`() throws {
        let context = try context()
        try context.on {
            let owners = ["x", "y"].map { context.make("Owner", ["name": $0]) }
            let cat = context.make("Cat", ["name": "c", "owner": owners[0]])
            #expect(owners[0].names("pets") == ["c"])
            try context.save()
            cat.setValue(owners[1], forKey: "owner")
            #expect(owners[0].names("pets").isEmpty && owners[1].names("pets") == ["c"])
            owners[0].setValue(NSSet(object: cat), forKey: "pets")
            #expect(cat.object("owner") === owners[0] && owners[1].names("pets").isEmpty)
            owners[1].mutableSetValue(forKey: "pets").add(cat)
            #expect(cat.object("owner") === owners[1] && owners[0].names("pets").isEmpty)
            try context.save()
            context.reset()
            let found = try context.all("Owner", sort: "name")
            #expect(found.map { $0.names("pets") } == [[], ["c"]])
            found[1].mutableSetValue(forKey: "pets").removeAllObjects()
            #expect(try context.all("Cat").first?.object("owner") == nil)
            try context.save()
            context.reset()
            #expect(try context.all("Cat", "owner == nil").count == 1)
        }
    }

    @Test func `removing and adding the same member changes nothing`() throws {
        let context = try context()
        try context.on {
            let owner = context.make("Owner")
            let cat = context.make("Cat", ["name": "c", "owner": owner])
            try context.save()
            let pets = owner.mutableSetValue(forKey: "pets")
            pets.remove(cat)
            pets.add(cat)
            #expect(!owner.hasPersistentChangedValues && !cat.hasPersistentChangedValues)
            let version = owner.rowVersion
            try context.save()
            #expect(owner.rowVersion == version && cat.object("owner") === owner)
        }
    }

    @Test func `an ordered one-to-many keeps its order through saves and moves`() throws {
        let context = try context()
        try context.on {
            let first = context.make("List", ["name": "1"])
            first.setValue(NSOrderedSet(array: tracks(context, "cabd")), forKey: "tracks")
            try context.save()
            context.reset()
            var list = try list(context, "1")
            #expect(list.names("tracks") == ["c", "a", "b", "d"])
            let proxy = list.mutableOrderedSetValue(forKey: "tracks")
            let d = proxy.object(at: 3)
            proxy.removeObject(at: 3)
            proxy.insert(d, at: 0)
            proxy.insert(context.make("Track", ["name": "e"]), at: 2)
            #expect(list.names("tracks") == ["d", "c", "e", "a", "b"])
            try context.save()
            context.reset()
            list = try self.list(context, "1")
            #expect(list.names("tracks") == ["d", "c", "e", "a", "b"])
            let other = context.make("List", ["name": "2"])
            let e = try #require(try context.all("Track", "name == 'e'").first)
            e.setValue(other, forKey: "list")
            #expect(list.names("tracks") == ["d", "c", "a", "b"] && other.names("tracks") == ["e"])
            try context.save()
            context.reset()
            #expect(try self.list(context, "1").names("tracks") == ["d", "c", "a", "b"])
            #expect(try self.list(context, "2").names("tracks") == ["e"])
        }
    }

    @Test func `an ordered many-to-many keeps its order, and its inverse is a set`() throws {
        let context = try context()
        try context.on {
            let made = tracks(context, "xyz")
            let first = context.make("List", ["name": "1"])
            let second = context.make("List", ["name": "2"])
            first.setValue(NSOrderedSet(array: [made[2], made[0], made[1]]), forKey: "hits")
            second.setValue(NSOrderedSet(array: [made[1], made[2]]), forKey: "hits")
            try context.save()
            context.reset()
            let list = try list(context, "1")
            #expect(list.names("hits") == ["z", "x", "y"])
            #expect(try self.list(context, "2").names("hits") == ["y", "z"])
            let y = try #require(try context.all("Track", "name == 'y'").first)
            #expect(y.names("hitOf") == ["1", "2"])
            let hits = list.mutableOrderedSetValue(forKey: "hits")
            hits.remove(y)
            hits.insert(y, at: 0)
            y.mutableSetValue(forKey: "hitOf").remove(try self.list(context, "2"))
            try context.save()
            context.reset()
            #expect(try self.list(context, "1").names("hits") == ["y", "z", "x"])
            #expect(try self.list(context, "2").names("hits") == ["z"])
        }
    }

    @Test func `many-to-many works from both sides, also in one save`() throws {
        let context = try context()
        try context.on {
            let made = tracks(context, "ab")
            let list = context.make("List", ["name": "1"])
            list.mutableSetValue(forKey: "tags").add(made[0])
            made[1].mutableSetValue(forKey: "taggedBy").add(list)
            #expect(list.names("tags") == ["a", "b"] && made[0].names("taggedBy") == ["1"])
            try context.save()
            context.reset()
            let again = try self.list(context, "1")
            #expect(again.names("tags") == ["a", "b"])
            let a = try #require(try context.all("Track", "name == 'a'").first)
            a.setValue(NSSet(), forKey: "taggedBy")
            #expect(again.names("tags") == ["b"])
            context.delete(try #require(try context.all("Track", "name == 'b'").first))
            try context.save()
            context.reset()
            #expect(try self.list(context, "1").names("tags").isEmpty)
            #expect(try context.all("Track").map { $0.names("taggedBy") } == [[]])
        }
    }

    @Test func `an unsaved order survives a refresh that keeps changes`() throws {
        let context = try context()
        try context.on {
            let list = context.make("List", ["name": "1"])
            list.setValue(NSOrderedSet(array: tracks(context, "abc")), forKey: "tracks")
            try context.save()
            let proxy = list.mutableOrderedSetValue(forKey: "tracks")
            let reversed = [2, 1, 0].map { proxy.object(at: $0) }
            list.setValue(NSOrderedSet(array: reversed), forKey: "tracks")
            context.refresh(list, mergeChanges: true)
            #expect(list.names("tracks") == ["c", "b", "a"])
            try context.save()
            context.reset()
            #expect(try self.list(context, "1").names("tracks") == ["c", "b", "a"])
        }
    }

    @Test(arguments: ["tracks", "hits"], [false, true])
    func `a member that comes back to an order that was not read stands at the end`(
        _ name: String, isUndoable: Bool
    ) throws {
        let context = try GraphStack(GraphModels.relationships()).context()
        try context.on {
            let tracks = ["a", "b"].map { context.make("Track", ["name": $0]) }
            context.make("List", ["name": "1", name: NSOrderedSet(array: tracks)])
            try context.save()
            context.reset()
            if isUndoable { context.undoManager = UndoManager() }
            let list = try list(context, "1")
            let track = try #require(try context.all("Track", "name == 'a'").first)
            if name == "tracks" {
                track.setValue(nil, forKey: "list")
                track.setValue(list, forKey: "list")
            } else {
                track.mutableSetValue(forKey: "hitOf").remove(list)
                track.mutableSetValue(forKey: "hitOf").add(list)
            }
            #expect(list.names(name) == ["b", "a"])
            try context.save()
            context.reset()
            #expect(try self.list(context, "1").names(name) == ["b", "a"])
        }
    }

    @Test func `an order that is the saved one again is no change behind a refresh`() throws {
        let context = try GraphStack(GraphModels.relationships()).context()
        try context.on {
            let track = context.make("Track", ["name": "t"])
            let list = context.make("List", ["tracks": NSOrderedSet(array: [track])])
            try context.save()
            #expect(list.names("tracks") == ["t"])
            track.setValue(nil, forKey: "list")
            track.setValue(list, forKey: "list")
            context.refreshAllObjects()
            #expect(!list.hasPersistentChangedValues)
            #expect(list.names("tracks") == ["t"])
        }
    }

    @Test(arguments: [false, true])
    func `a deletion that is undone restores the member in a list that was not read`(
        isSaved: Bool
    ) throws {
        let context = try GraphStack(GraphModels.relationships()).context()
        let manager = UndoManager()
        manager.groupsByEvent = false
        try context.on {
            let tracks = ["a", "b"].map { context.make("Track", ["name": $0]) }
            let list = context.make("List", ["tracks": NSOrderedSet(array: tracks)])
            try context.save()
            let doomed = isSaved ? tracks[0] : context.make("Track", ["name": "c", "list": list])
            context.processPendingChanges()
            context.undoManager = manager
            context.refreshAllObjects()
            manager.beginUndoGrouping()
            context.delete(doomed)
            context.processPendingChanges()
            manager.endUndoGrouping()
            #expect(list.names("tracks") == (isSaved ? ["b"] : ["a", "b"]))
            context.undo()
            #expect(list.names("tracks") == (isSaved ? ["a", "b"] : ["a", "b", "c"]))
            #expect(doomed.object("list") === list)
        }
    }

    @Test func `a link that is undone removes the member from a list that was not read`() throws {
        let context = try GraphStack(GraphModels.relationships()).context()
        let manager = UndoManager()
        manager.groupsByEvent = false
        try context.on {
            let track = context.make("Track", ["name": "t"])
            let list = context.make("List", ["tracks": NSOrderedSet(array: [track])])
            try context.save()
            track.setValue(nil, forKey: "list")
            context.processPendingChanges()
            context.undoManager = manager
            context.refreshAllObjects()
            manager.beginUndoGrouping()
            track.setValue(list, forKey: "list")
            context.processPendingChanges()
            manager.endUndoGrouping()
            #expect(list.names("tracks") == ["t"])
            context.undo()
            #expect(list.names("tracks").isEmpty && track.object("list") == nil)
        }
    }

    // Proves S1.6-3
    @Test func `a tree of one entity cascades to its leaves`() throws {
        let context = try context()
        try context.on {
            let root = context.make("Node", ["name": "root"])
            for index in 0..<3 {
                let child = context.make("Node", ["name": "child \(index)", "parent": root])
                for leaf in 0..<2 {
                    context.make("Node", ["name": "leaf \(leaf)", "parent": child])
                }
            }
            try context.save()
            context.reset()
            let found = try #require(try context.all("Node", "parent == nil").first)
            #expect(found.names("children") == ["child 0", "child 1", "child 2"])
            let child = try #require(try context.all("Node", "name == 'child 1'").first)
            context.delete(child)
            try context.save()
            #expect(found.names("children") == ["child 0", "child 2"])
            #expect(try context.all("Node").count == 7)
            context.delete(found)
            try context.save()
            #expect(try context.all("Node").isEmpty)
        }
    }

    // MARK: Delete rules

    struct Rule: Sendable {
        let owner: NSDeleteRule
        let part: NSDeleteRule
        /// The names of the remaining objects after the whole or one part was deleted. Nil if the
        /// deletion fails.
        let afterWhole: [String]?
        let afterPart: [String]?
    }

    static let rules = [
        Rule(
            owner: .nullifyDeleteRule, part: .nullifyDeleteRule, afterWhole: ["p", "q"],
            afterPart: ["q", "w"]),
        Rule(
            owner: .cascadeDeleteRule, part: .nullifyDeleteRule, afterWhole: [],
            afterPart: ["q", "w"]),
        Rule(owner: .cascadeDeleteRule, part: .cascadeDeleteRule, afterWhole: [], afterPart: []),
        Rule(
            owner: .nullifyDeleteRule, part: .cascadeDeleteRule, afterWhole: ["p", "q"],
            afterPart: ["q"]),
        Rule(
            owner: .denyDeleteRule, part: .nullifyDeleteRule, afterWhole: nil,
            afterPart: ["q", "w"]),
        Rule(
            owner: .nullifyDeleteRule, part: .denyDeleteRule, afterWhole: ["p", "q"],
            afterPart: nil),
        Rule(
            owner: .noActionDeleteRule, part: .noActionDeleteRule, afterWhole: ["p", "q"],
            afterPart: ["q", "w"]),
    ]

    // Proves S1.6-3, S1.6-4, S1.6-5, S1.6-6
    @Test(arguments: rules, [true, false])
    func `delete rules act from both sides, also on objects that were never read`(
        _ rule: Rule, _ deletesWhole: Bool
    ) throws {
        let stack = try GraphStack(GraphModels.rules(rule.owner, rule.part))
        let context = stack.context()
        try context.on {
            let whole = context.make("Whole", ["name": "w"])
            for name in ["p", "q"] { context.make("Part", ["name": name, "whole": whole]) }
            try context.save()
            context.reset()
            let doomed = try #require(
                deletesWhole
                    ? try context.all("Whole").first
                    : try context.all("Part", "name == 'p'").first)
            context.delete(doomed)
            let expected = deletesWhole ? rule.afterWhole : rule.afterPart
            let error = context.saveError()
            guard let expected else {
                #expect(error?.code == 1600)
                #expect(context.deletedObjects.contains(doomed))
                let destinations = try deletesWhole ? context.all("Part") : context.all("Whole")
                for destination in destinations { context.delete(destination) }
                if deletesWhole { try context.save() }
                return
            }
            #expect(error == nil)
            context.reset()
            let left = try (context.all("Part") + context.all("Whole")).compactMap {
                $0.text("name")
            }
            #expect(left.sorted() == expected)
            if rule.owner != .noActionDeleteRule, deletesWhole {
                #expect(try context.all("Part", "whole != nil").isEmpty)
            }
        }
    }

    @Test func `deleting many children reads their parents together`() throws {
        let stack = try GraphStack(GraphModels.rules(.nullifyDeleteRule, .nullifyDeleteRule))
        let context = stack.context()
        try context.on {
            for index in 0..<20 {
                let whole = context.make("Whole", ["name": "\(index)"])
                context.make("Part", ["whole": whole])
            }
            try context.save()
            context.reset()
            let parts = try context.all("Part")
            stack.counters.reset()
            for part in parts { context.delete(part) }
            context.processPendingChanges()
            #expect(stack.selects() == 1)
            try context.save()
            #expect(try context.all("Part").isEmpty)
        }
    }
}
