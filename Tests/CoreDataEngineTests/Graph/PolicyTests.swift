import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace
import Testing

/// Tests of two contexts that change one row. They check the result of each policy for each
/// property.
@Suite struct PolicyTests {
    /// The part of the stack that detects the conflict.
    enum Site: CaseIterable, Sendable { case rowCache, store }

    /// The expected result of a policy. Each letter states the origin of a property's value: the
    /// object (O), the store (S), or the row before both changes (B).
    struct Expectation: Sendable {
        let type: NSMergePolicyType
        /// One letter for each of the properties `both`, `mine`, `theirs` and `none`.
        let values: [String]
    }

    static let table = [
        Expectation(type: .mergeByPropertyStoreTrumpMergePolicyType, values: ["S", "O", "S", "B"]),
        Expectation(
            type: .mergeByPropertyObjectTrumpMergePolicyType, values: ["O", "O", "S", "B"]),
        Expectation(type: .overwriteMergePolicyType, values: ["O", "O", "B", "B"]),
        Expectation(type: .rollbackMergePolicyType, values: ["S", "B", "S", "B"]),
    ]
    static let names = ["both", "mine", "theirs", "none"]

    /// An item and the two stacks that change it. Both use one file; they may be the same stack.
    struct Scene {
        let folder: GraphFolder
        let mine: GraphStack
        let theirs: GraphStack
        let item: NSManagedObjectID
        let uri: URL

        init(_ site: Site) throws {
            folder = try GraphFolder()
            let model = GraphModels.conflict()
            mine = try GraphStack(model, at: folder.store)
            theirs = site == .rowCache ? mine : try GraphStack(model, at: folder.store)
            let context = mine.context()
            item = try context.on {
                let places = ["B", "O", "S"].map { context.make("Place", ["name": $0]) }
                let item = context.make("Item")
                for name in PolicyTests.names {
                    item.setValue("B", forKey: name)
                    item.setValue(places[0], forKey: name + "Place")
                }
                try context.save()
                return item.objectID
            }
            uri = item.uriRepresentation()
        }

        func item(in context: NSManagedObjectContext) throws -> NSManagedObject {
            let id = try #require(
                context.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: uri))
            return try context.existingObject(with: id)
        }

        func change(_ item: NSManagedObject, _ names: [String], to value: String) throws {
            let context = try #require(item.managedObjectContext)
            let place = try #require(try context.all("Place", "name == %@", [value]).first)
            for name in names {
                item.setValue(value, forKey: name)
                item.setValue(place, forKey: name + "Place")
            }
        }

        func theySave(_ names: [String]) throws {
            let context = theirs.context()
            try context.on {
                try change(try item(in: context), names, to: "S")
                try context.save()
            }
        }

        func theyDelete() throws {
            let context = theirs.context()
            try context.on {
                context.delete(try item(in: context))
                try context.save()
            }
        }

        /// The item as a new stack reads it from the file: its strings, the names of its related
        /// objects, and its version.
        func inFile() throws -> (texts: [String], places: [String], version: Int32)? {
            let stack = try GraphStack(GraphModels.conflict(), at: folder.store)
            let context = stack.context()
            return try context.on {
                guard let item = try context.all("Item").first else { return nil }
                return (
                    PolicyTests.names.map { item.text($0) ?? "nil" },
                    PolicyTests.names.map { item.object($0 + "Place")?.text("name") ?? "nil" },
                    item.rowVersion
                )
            }
        }
    }

    // Proves S1.5-13, S3.4-2, S3.4-3, S3.4-4, S3.4-5, S3.4-6, S3.4-7
    @Test(arguments: table, Site.allCases)
    func `each property of both kinds has the table's value`(
        _ row: Expectation, _ site: Site
    ) throws {
        let scene = try Scene(site)
        let context = scene.mine.context(NSMergePolicy(merge: row.type))
        try context.on {
            let item = try scene.item(in: context)
            for name in Self.names { #expect(item.object(name + "Place")?.text("name") == "B") }
            try scene.theySave(["both", "theirs"])
            try scene.change(item, ["both", "mine"], to: "O")
            try context.save()
            #expect(Self.names.map { item.text($0) } == row.values)
            #expect(Self.names.map { item.object($0 + "Place")?.text("name") } == row.values)
            #expect(!context.hasChanges && !item.hasChanges)
            let file = try #require(try scene.inFile())
            #expect(file.texts == row.values)
            #expect(file.places == row.values)
            let isWritten = row.type != .rollbackMergePolicyType
            #expect(file.version == (isWritten ? 3 : 2))
            // The object is current, so the next save has no conflict.
            context.mergePolicy = NSMergePolicy.error
            item.setValue("next", forKey: "none")
            try context.save()
        }
    }

    @Test(arguments: table, Site.allCases)
    func `a property set to its old value is unchanged`(
        _ row: Expectation, _ site: Site
    ) throws {
        let scene = try Scene(site)
        let context = scene.mine.context(NSMergePolicy(merge: row.type))
        try context.on {
            let item = try scene.item(in: context)
            try scene.theySave(["theirs"])
            try scene.change(item, ["mine"], to: "O")
            try scene.change(item, ["theirs", "none"], to: "B")
            try context.save()
            let expected = ["B"] + row.values[1...]
            #expect(Self.names.map { item.text($0) } == expected)
            #expect(try scene.inFile()?.texts == expected)
            #expect(try scene.inFile()?.places == expected)
        }
    }

    // Proves S1.5-15, S2.4-4, S3.2-3, S3.3-1, S3.3-5, S3.4-1
    @Test(arguments: Site.allCases)
    func `the error policy throws with all snapshots and keeps everything`(_ site: Site) throws {
        let scene = try Scene(site)
        let context = scene.mine.context()
        try context.on {
            let item = try scene.item(in: context)
            try scene.theySave(["both", "theirs"])
            try scene.change(item, ["both", "mine"], to: "O")
            for _ in 0..<2 {
                let error = try #require(context.saveError())
                #expect(error.domain == NSCocoaErrorDomain && error.code == 133_020)
                let list = error.userInfo["conflictList"] as? [NSMergeConflict]
                let conflict = try #require(list?.first)
                #expect(list?.count == 1)
                #expect(conflict.sourceObject === item)
                #expect(conflict.oldVersionNumber == 1 && conflict.newVersionNumber == 2)
                #expect(conflict.objectSnapshot?["both"] as? String == "B")
                let place = conflict.objectSnapshot?["nonePlace"] as? NSManagedObjectID
                #expect(place == item.object("nonePlace")?.objectID)
                context.mergePolicy = NSMergePolicy.error
            }
            #expect(item.text("both") == "O" && item.isUpdated && context.hasChanges)
            context.refresh(item, mergeChanges: true)
            #expect(item.text("both") == "O" && item.text("theirs") == "S")
            try context.save()
            #expect(try scene.inFile()?.texts == ["O", "O", "S", "B"])
        }
    }

    // Proves S1.5-11, S1.5-12, S3.2-1, S3.2-2
    @Test func `a conflict with another stack's row shows the cached and the stored values`()
        throws
    {
        let scene = try Scene(.store)
        let context = scene.mine.context()
        try context.on {
            let item = try scene.item(in: context)
            try scene.theySave(["both"])
            item.setValue("O", forKey: "both")
            let error = try #require(context.saveError())
            let conflict = try #require(
                (error.userInfo["conflictList"] as? [NSMergeConflict])?.first)
            #expect(conflict.cachedSnapshot?["both"] as? String == "B")
            #expect(conflict.persistedSnapshot?["both"] as? String == "S")
        }
        let own = try Scene(.rowCache)
        let second = own.mine.context()
        try second.on {
            let item = try own.item(in: second)
            try own.theySave(["both"])
            item.setValue("O", forKey: "both")
            let error = try #require(second.saveError())
            let conflict = try #require(
                (error.userInfo["conflictList"] as? [NSMergeConflict])?.first)
            #expect(conflict.cachedSnapshot?["both"] as? String == "S")
            #expect(conflict.persistedSnapshot == nil)
        }
    }

    // MARK: Deletions

    static let deletions: [(type: NSMergePolicyType, isKept: Bool)] = [
        (.mergeByPropertyStoreTrumpMergePolicyType, false),
        (.mergeByPropertyObjectTrumpMergePolicyType, false),
        (.overwriteMergePolicyType, true),
        (.rollbackMergePolicyType, false),
    ]

    // Proves S3.5-2, S3.5-3
    @Test(arguments: deletions, Site.allCases)
    func `a changed object whose row was deleted is deleted, or inserted again with its id`(
        _ row: (type: NSMergePolicyType, isKept: Bool), _ site: Site
    ) throws {
        let scene = try Scene(site)
        let context = scene.mine.context(NSMergePolicy(merge: row.type))
        try context.on {
            let item = try scene.item(in: context)
            try scene.theyDelete()
            item.setValue("O", forKey: "mine")
            let id = item.objectID
            try context.save()
            let file = try scene.inFile()
            if row.isKept {
                #expect(file?.texts == ["B", "O", "B", "B"])
                #expect(item.objectID == id && item.managedObjectContext === context)
                item.setValue("again", forKey: "mine")
                try context.save()
                #expect(item.text("mine") == "again" && item.rowVersion == 2)
                #expect(try scene.inFile()?.texts == ["B", "again", "B", "B"])
            } else {
                #expect(file == nil)
                #expect(item.managedObjectContext == nil)
            }
            #expect(!context.hasChanges)
        }
    }

    // Proves S3.2-4, S3.5-1
    @Test(arguments: Site.allCases)
    func `under the error policy a deleted row has no snapshot and version zero`(
        _ site: Site
    ) throws {
        let scene = try Scene(site)
        let context = scene.mine.context()
        try context.on {
            let item = try scene.item(in: context)
            try scene.theyDelete()
            item.setValue("O", forKey: "mine")
            let error = try #require(context.saveError())
            let conflict = try #require(
                (error.userInfo["conflictList"] as? [NSMergeConflict])?.first)
            #expect(error.code == 133_020)
            #expect(conflict.newVersionNumber == 0 && conflict.oldVersionNumber == 1)
            #expect(conflict.persistedSnapshot == nil)
            #expect(conflict.description.contains("newVersion = <deleted>"))
            #expect(item.text("mine") == "O" && item.isUpdated)
        }
    }

    static let deletes: [(type: NSMergePolicyType, isKept: Bool)] = [
        (.mergeByPropertyStoreTrumpMergePolicyType, true),
        (.mergeByPropertyObjectTrumpMergePolicyType, false),
        (.overwriteMergePolicyType, false),
        (.rollbackMergePolicyType, true),
    ]

    // Proves S3.5-4
    @Test(arguments: deletes, Site.allCases)
    func `each policy keeps or deletes a row that another context changed`(
        _ row: (type: NSMergePolicyType, isKept: Bool), _ site: Site
    ) throws {
        let scene = try Scene(site)
        let context = scene.mine.context(NSMergePolicy(merge: row.type))
        try context.on {
            let item = try scene.item(in: context)
            _ = item.text("both")
            try scene.theySave(["both"])
            context.delete(item)
            try context.save()
            #expect(!context.hasChanges)
            #expect((try scene.inFile() != nil) == row.isKept)
            #expect((item.managedObjectContext != nil) == row.isKept)
            if row.isKept { #expect(item.text("both") == "S" && !item.isDeleted) }
        }
    }

    // Proves S3.5-4, S3.5-5
    @Test(arguments: Site.allCases)
    func `deleting a changed row under the error policy fails, deleting a deleted one does not`(
        _ site: Site
    ) throws {
        let changed = try Scene(site)
        let first = changed.mine.context()
        try first.on {
            let item = try changed.item(in: first)
            try changed.theySave(["both"])
            first.delete(item)
            #expect(first.saveError()?.code == 133_020)
            #expect(item.isDeleted && first.deletedObjects == [item])
        }
        let gone = try Scene(site)
        let second = gone.mine.context()
        try second.on {
            let item = try gone.item(in: second)
            try gone.theyDelete()
            second.delete(item)
            try second.save()
            #expect(try gone.inFile() == nil)
        }
    }

    // MARK: Unchanged objects and parents

    // Proves S3.1-2
    @Test(arguments: Site.allCases)
    func `an object that was only read conflicts after detectConflicts`(_ site: Site) throws {
        for isGuarded in [false, true] {
            let scene = try Scene(site)
            let context = scene.mine.context()
            try context.on {
                let item = try scene.item(in: context)
                _ = item.text("both")
                if isGuarded { context.detectConflicts(for: item) }
                try scene.theySave(["both"])
                context.make("Place", ["name": "new"])
                let error = context.saveError()
                #expect(error?.code == (isGuarded ? 133_020 : nil))
                if isGuarded {
                    context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
                    try context.save()
                    #expect(item.text("both") == "S")
                }
            }
        }
    }

    @Test(arguments: Site.allCases)
    func `an object that has left its context is never in conflict`(_ site: Site) throws {
        let scene = try Scene(site)
        let context = scene.mine.context()
        try context.on {
            let item = try scene.item(in: context)
            context.detectConflicts(for: item)
            context.delete(item)
            try context.save()
            context.detectConflicts(for: item)
            let new = context.make("Place", ["name": "new"])
            context.delete(new)
            context.detectConflicts(for: new)
            let undone = context.make("Place", ["name": "undone"])
            context.rollback()
            context.detectConflicts(for: undone)
            context.make("Place", ["name": "kept"])
            try context.save()
            #expect(try context.all("Place", "name == %@", ["kept"]).count == 1)
        }
    }
}
