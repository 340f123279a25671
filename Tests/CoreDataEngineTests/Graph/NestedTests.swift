import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace
import Testing

@Suite struct NestedTests {
    private func scene() throws -> (GraphStack, NSManagedObjectContext, NSManagedObjectContext) {
        let stack = try GraphStack(GraphModels.relationships())
        let parent = stack.context()
        return (stack, parent, parent.child())
    }

    @Test func `a member that moves back after the parent moved it is a member again`() throws {
        let context = try GraphStack(GraphModels.moody()).context()
        let child = context.child()
        let (home, away, mood) = try context.on {
            let home = context.make("Country", ["code": "H"])
            let mood = context.make("Mood", ["colour": "blue", "country": home])
            let away = context.make("Country", ["code": "A"])
            try context.obtainPermanentIDs(for: [home, away, mood])
            return (home, away, mood)
        }
        try child.on {
            let own = try child.existingObject(with: mood.objectID)
            let ownHome = try child.existingObject(with: home.objectID)
            own.setValue(nil, forKey: "country")
            context.performAndWait { mood.setValue(away, forKey: "country") }
            child.refreshAllObjects()
            own.setValue(ownHome, forKey: "country")
            #expect(ownHome.value(forKey: "moods") as? Set<NSManagedObject> == [own])
        }
    }

    @Test func `a deletion in a child cascades from where the child has led the object`() throws {
        let book = GraphModels.entity("Book", [GraphModels.text("name")])
        let author = GraphModels.entity("Author", [GraphModels.text("name")])
        GraphModels.relate(
            .init(owner: book, name: "author", rule: .cascadeDeleteRule),
            .init(owner: author, name: "books", toMany: true))
        let parent = try GraphStack(GraphModels.model([book, author])).context()
        try parent.on {
            let former = parent.make("Author", ["name": "former"])
            parent.make("Author", ["name": "later"])
            parent.make("Book", ["name": "book", "author": former])
            try parent.save()
        }
        let child = parent.child()
        try child.on {
            let book = try #require(try child.all("Book").first)
            let later = try #require(try child.all("Author", "name == 'later'").first)
            book.setValue(later, forKey: "author")
            child.delete(book)
            try child.save()
        }
        try parent.on {
            let authors = try parent.all("Author")
            #expect(authors.map { $0.text("name") } == ["former"])
            #expect(try parent.all("Book") == [])
            try parent.save()
        }
    }

    @Test(arguments: ["new", "saved", "fault", "read", "undo"])
    func `an object that a child links to an owner is among its members in the parent`(
        owned: String
    ) throws {
        let (stack, parent, child) = try scene()
        let owner = try parent.on {
            if owned == "undo" { parent.undoManager = UndoManager() }
            let owner = parent.make("Owner", ["name": "o"])
            if owned == "new" {
                try parent.obtainPermanentIDs(for: [owner])
            } else {
                try parent.save()
            }
            if owned == "fault" { parent.refresh(owner, mergeChanges: false) }
            if owned == "read" { #expect(owner.names("pets") == []) }
            return owner
        }
        try child.on {
            let own = child.object(with: owner.objectID)
            let other = child.make("Owner", ["name": "p"])
            for (name, owner) in [("a", own), ("b", own), ("c", other), ("d", own)] {
                child.make("Cat", ["name": name, "owner": owner])
            }
            child.make("Cat", ["name": "stray"])
            try child.save()
        }
        try parent.on {
            #expect(owner.names("pets") == ["a", "b", "d"])
            let cats = try parent.all("Cat", sort: "name")
            #expect(cats.map { $0.object("owner") === owner } == [true, true, false, true, false])
            try parent.save()
        }
        let other = stack.context()
        try other.on {
            let owners = try other.all("Owner", sort: "name")
            #expect(owners.map { $0.names("pets") } == [["a", "b", "d"], ["c"]])
        }
    }

    @Test func `a member that is added again counts, also if the parent had removed it`()
        throws
    {
        let (_, context, child) = try scene()
        let (owner, other, cat) = try context.on {
            (context.make("Owner"), context.make("Owner"), context.make("Cat", ["name": "c"]))
        }
        try child.on {
            let pet = child.object(with: cat.objectID)
            let first = child.object(with: owner.objectID)
            pet.setValue(child.object(with: other.objectID), forKey: "owner")
            context.performAndWait { cat.setValue(owner, forKey: "owner") }
            child.refreshAllObjects()
            context.performAndWait { cat.setValue(other, forKey: "owner") }
            child.refreshAllObjects()
            first.mutableSetValue(forKey: "pets").add(pet)
            child.refreshAllObjects()
            #expect(pet.object("owner") === first && first.names("pets") == ["c"])
            try child.save()
        }
        #expect(try context.on { owner.names("pets") == ["c"] && other.names("pets").isEmpty })
    }

    @Test(arguments: ["batch", "prefetch", "faults"])
    func `a child reads objects of subentities through a parent that has registered none`(
        _ way: String
    ) throws {
        let (stack, context, child) = try scene()
        let writer = stack.context()
        try writer.on {
            for name in ["a", "b"] {
                let cat = writer.make("Cat", ["name": name, "lives": 9])
                _ = writer.make("Owner", ["name": "o" + name, "pets": Set([cat])])
            }
            try writer.save()
        }
        try child.on {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Animal")
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            if way == "batch" { request.fetchBatchSize = 2 }
            if way == "prefetch" { request.relationshipKeyPathsForPrefetching = ["owner.pets"] }
            if way == "faults" { request.includesPropertyValues = false }
            let cats = try child.fetch(request)
            #expect(cats.map { $0.entity.name } == ["Cat", "Cat"])
            #expect(cats.map { $0.value(forKey: "name") as? String } == ["a", "b"])
            #expect(cats.map { $0.value(forKey: "lives") as? Int } == [9, 9])
            let own = context.performAndWait {
                cats.map { context.object(with: $0.objectID).entity.name }
            }
            #expect(own == ["Cat", "Cat"])
        }
    }

    @Test(arguments: [false, true])
    func `the child's last change of a to-many member wins over the parent's`(
        _ isMember: Bool
    ) throws {
        let (_, context, child) = try scene()
        let (list, track) = try context.on {
            let track = context.make("Track", ["name": "t"])
            let tags: Set<NSManagedObject> = isMember ? [track] : []
            return (context.make("List", ["tags": tags]), track)
        }
        func change(_ list: NSManagedObject, _ track: NSManagedObject, adding: Bool) {
            let lists = track.mutableSetValue(forKey: "taggedBy")
            if adding { lists.add(list) } else { lists.remove(list) }
        }
        let expected = isMember ? ["t"] : []
        try child.on {
            let own = child.object(with: list.objectID)
            let mine = child.object(with: track.objectID)
            change(own, mine, adding: !isMember)
            context.performAndWait { change(list, track, adding: !isMember) }
            child.refreshAllObjects()
            change(own, mine, adding: isMember)
            #expect(own.names("tags") == expected)
            child.refreshAllObjects()
            #expect(own.names("tags") == expected)
            try child.save()
        }
        #expect(try context.on { list.names("tags") == expected })
    }

    @Test func `removed members belong to the members of the last save`() throws {
        let (_, context, _) = try scene()
        try context.on {
            let owner = context.make("Owner")
            let cat = context.make("Cat", ["name": "c", "owner": owner])
            try context.save()
            context.refreshAllObjects()
            cat.setValue(nil, forKey: "owner")
            #expect(owner.names("pets").isEmpty && owner.changedValues()["pets"] != nil)
            let saved = owner.committedValues(forKeys: ["pets"])["pets"]
            #expect(saved as? Set<NSManagedObject> == [cat])
        }
    }

    // Proves S4.1-3, S4.1-5
    @Test func `a child's save overwrites the parent's values and reaches no store`() throws {
        let (stack, parent, child) = try scene()
        try parent.on {
            let owner = parent.make("Owner", ["name": "old"])
            let cat = parent.make("Cat", ["name": "cat"])
            try parent.save()
            owner.setValue("parent", forKey: "name")
            try child.on {
                let mine = child.object(with: owner.objectID)
                #expect(mine.text("name") == "parent" && mine !== owner)
                mine.setValue("child", forKey: "name")
                child.object(with: cat.objectID).setValue(mine, forKey: "owner")
                stack.counters.reset()
                try child.save()
                #expect(stack.counters.current.statements[.update] == nil)
                #expect(!child.hasChanges)
            }
            #expect(owner.text("name") == "child" && owner.isUpdated)
            #expect(cat.object("owner") === owner && owner.names("pets") == ["cat"])
            try parent.save()
            parent.reset()
            #expect(try parent.all("Owner").first?.names("pets") == ["cat"])
        }
    }

    // Proves S4.1-7
    @Test func `a fetch in a child sees the unsaved changes of its parents`() throws {
        let (_, parent, child) = try scene()
        let grandchild = child.child(name: "grandchild")
        try parent.on {
            let owner = parent.make("Owner", ["name": "stored"])
            parent.make("Owner", ["name": "doomed"])
            try parent.save()
            owner.setValue("changed", forKey: "name")
            let cat = parent.make("Cat", ["name": "cat", "owner": owner])
            parent.delete(try #require(try parent.all("Owner", "name == 'doomed'").first))
            try child.on {
                child.make("Owner", ["name": "new"])
                try grandchild.on {
                    let owners = try grandchild.all("Owner", sort: "name")
                    #expect(owners.map { $0.text("name") } == ["changed", "new"])
                    let found = try grandchild.all("Cat", "owner == %@", [owners[0]])
                    #expect(found.map(\.objectID) == [cat.objectID])
                    #expect(owners[0].names("pets") == ["cat"])
                    let request = NSFetchRequest<NSManagedObject>(entityName: "Owner")
                    #expect(try grandchild.count(for: request) == 2)
                    let prefetched = try grandchild.all("Owner", "name == 'changed'") {
                        $0.relationshipKeyPathsForPrefetching = ["pets"]
                    }
                    #expect(prefetched[0].names("pets") == ["cat"])
                    let limited = try grandchild.all("Owner", sort: "name") { $0.fetchLimit = 1 }
                    #expect(limited.count == 1)
                }
            }
        }
    }

    // Proves S4.1-6
    @Test func `siblings overwrite each other, and read the parent again when refreshed`() throws {
        let (_, parent, first) = try scene()
        let second = parent.child(name: "second")
        try parent.on {
            let owner = parent.make("Owner", ["name": "old"])
            try parent.save()
            try second.on {
                let mine = second.object(with: owner.objectID)
                #expect(mine.text("name") == "old")
                try first.on {
                    first.object(with: owner.objectID).setValue("first", forKey: "name")
                    try first.save()
                }
                #expect(mine.text("name") == "old")
                second.refresh(mine, mergeChanges: true)
                #expect(mine.text("name") == "first")
                mine.setValue("second", forKey: "name")
                second.refresh(mine, mergeChanges: false)
                #expect(mine.text("name") == "first")
                mine.setValue("second", forKey: "name")
                try second.save()
            }
            #expect(owner.text("name") == "second")
        }
    }

    @Test func `siblings that both append to an ordered relationship lose no member`() throws {
        let (_, parent, first) = try scene()
        let second = parent.child(name: "second")
        try parent.on {
            let list = parent.make("List", ["name": "l"])
            list.setValue(
                NSOrderedSet(array: ["a", "b"].map { parent.make("Track", ["name": $0]) }),
                forKey: "tracks")
            try parent.save()
            let children = [first, second]
            try first.on {
                try second.on {
                    for (index, child) in children.enumerated() {
                        let mine = child.object(with: list.objectID)
                        #expect(mine.names("tracks") == ["a", "b"])
                        mine.mutableOrderedSetValue(forKey: "tracks")
                            .insert(child.make("Track", ["name": "new \(index)"]), at: 0)
                    }
                    for child in children { try child.save() }
                }
            }
            #expect(Set(list.names("tracks")) == ["a", "b", "new 0", "new 1"])
            #expect(list.names("tracks").first == "new 1")
            try parent.save()
            parent.reset()
            let tracks = try parent.all("List").first?.names("tracks") ?? []
            #expect(tracks.count == 4 && tracks.first == "new 1")
        }
    }

    // Proves S4.1-10
    @Test func `a deletion travels up level by level`() throws {
        let (_, parent, child) = try scene()
        try parent.on {
            let root = parent.make("Node", ["name": "root"])
            parent.make("Node", ["name": "leaf", "parent": root])
            let unsaved = parent.make("Owner", ["name": "unsaved"])
            try parent.save()
            let new = parent.make("Owner", ["name": "new"])
            try child.on {
                for id in [root.objectID, unsaved.objectID, new.objectID] {
                    child.delete(child.object(with: id))
                }
                #expect(try child.all("Node").isEmpty && !root.isDeleted)
                try child.save()
            }
            #expect(root.isDeleted && unsaved.isDeleted)
            #expect(parent.deletedObjects.count == 3 && new.managedObjectContext == nil)
            #expect(try parent.all("Node").isEmpty)
            try parent.save()
            #expect(try parent.all("Owner").isEmpty)
        }
    }

    @Test func `a deletion that a merge reported before it was pushed is saved`() throws {
        let (stack, root, parent) = try scene()
        let child = parent.child(name: "grandchild")
        let (owner, cat) = try root.on {
            let cat = root.make("Cat", ["name": "c"])
            let owner = root.make("Owner", ["name": "o", "favourite": cat])
            try root.save()
            return (owner, cat)
        }
        let posted = Box<Notification?>(nil)
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: child, queue: nil
        ) { posted.value = $0 }
        defer { NotificationCenter.default.removeObserver(token) }
        try child.on {
            child.delete(child.object(with: cat.objectID))
            try child.save()
        }
        try root.on { root.mergeChanges(fromContextDidSave: try #require(posted.value)) }
        try parent.on { try parent.save() }
        try root.on {
            #expect(root.deletedObjects == [cat])
            try root.save()
            #expect(owner.object("favourite") == nil)
        }
        let other = stack.context()
        #expect(try other.on { try other.all("Cat").isEmpty })
    }

    @Test func `a child that requests a deleted object does not change its parent`() throws {
        let (_, parent, child) = try scene()
        try parent.on {
            let owner = parent.make("Owner", ["name": "old"])
            try parent.save()
            let id = owner.objectID
            parent.delete(owner)
            try parent.save()
            try child.on {
                let unsaved = child.make("Owner")
                for missing in [id, unsaved.objectID] {
                    let asked = missing == id ? child : parent.child()
                    do {
                        _ = try asked.on { try asked.existingObject(with: missing) }
                        Issue.record("there is no such object")
                    } catch let error as NSError {
                        #expect(error.code == 133_000)
                    }
                }
            }
            #expect(!parent.hasChanges && parent.deletedObjects.isEmpty)
        }
    }

    // Proves S4.1-9
    @Test func `transient values are pushed to the parent and not to the file`() throws {
        let stack = try GraphStack(Watched.makeModel())
        let parent = stack.context()
        let child = parent.child()
        try parent.on {
            let object = Watched(context: parent)
            try parent.save()
            try child.on {
                child.object(with: object.objectID).setValue("t", forKey: "note")
                try child.save()
            }
            #expect(object.text("note") == "t" && object.hasChanges)
        }
    }

    // Proves S4.1-4
    @Test func `the parent notifies its observers of the pushed changes`() throws {
        let (_, parent, child) = try scene()
        try parent.on {
            let owner = parent.make("Owner", ["name": "old"])
            let doomed = parent.make("Owner", ["name": "doomed"])
            try parent.save()
            let log = Notes(parent)
            try child.on {
                child.object(with: owner.objectID).setValue("new", forKey: "name")
                child.delete(child.object(with: doomed.objectID))
                child.make("Owner", ["name": "made"])
                try child.save()
            }
            #expect(
                log.changes == [["deleted": ["doomed"], "inserted": ["made"], "updated": ["new"]]])
            #expect(log.saves.isEmpty)
            try parent.save()
            #expect(
                log.saves == [["deleted": ["doomed"], "inserted": ["made"], "updated": ["new"]]])
        }
    }
}

/// Records the notifications of a context as the names of their objects, by user info key.
///
/// `@unchecked Sendable` because only the thread of its test uses it.
final class Notes: @unchecked Sendable {
    private(set) var changes: [[String: [String]]] = []
    private(set) var saves: [[String: [String]]] = []
    private var tokens: [any NSObjectProtocol] = []

    init(_ context: NSManagedObjectContext, _ key: String = "name") {
        tokens.append(
            NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
            ) { [unowned self] in changes.append(Self.names($0, key)) })
        tokens.append(
            NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextDidSave, object: context, queue: nil
            ) { [unowned self] in saves.append(Self.names($0, key)) })
    }

    deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }

    private static func names(_ notification: Notification, _ key: String) -> [String: [String]] {
        var names: [String: [String]] = [:]
        for (name, value) in notification.userInfo ?? [:] {
            guard let name = name as? String, let objects = value as? Set<NSManagedObject> else {
                continue
            }
            names[name] = objects.map { $0.text(key) ?? "nil" }.sorted()
        }
        return names
    }
}
