import CoreData
import Testing

/// Conformance tests for section 7: staleness, refreshing, query generations and merging of remote
/// changes.
@MainActor struct RefreshingTests {
    private let shop: Bookshop

    init() throws { shop = try Bookshop() }

    /// A context that is pinned to the generation in which the author's name is "1", and that
    /// author.
    private func pinned() throws -> (NSManagedObjectContext, NSManagedObject) {
        let author = shop.add("Author", ["name": "1"])
        try shop.context.save()
        let context = shop.newContext()
        try context.setQueryGenerationFrom(.current)
        #expect(try context.count(for: shop.request("Author")) == 1)
        return (context, author)
    }

    private func addAnother() throws {
        shop.add("Author", ["name": "another"])
        try shop.context.save()
    }

    // Proves S7-1
    @Test func `a staleness interval limits the age of a cached row`() throws {
        let author = shop.add("Author", ["name": "old"])
        try shop.context.save()
        let other = try Bookshop(shop.model, in: shop.folder)
        try other.find("Author")[0].setValue("new", forKey: "name")
        try other.context.save()
        shop.context.stalenessInterval = 1_000
        shop.context.refresh(author, mergeChanges: false)
        #expect(author.text("name") == "old")
        shop.context.stalenessInterval = 0.001
        let end = Date(timeIntervalSinceNow: 0.005)
        while Date() < end {}
        shop.context.refresh(author, mergeChanges: false)
        #expect(author.text("name") == "new")
    }

    // Proves S7-2
    @Test func `a merging refresh keeps members that were added`() throws {
        let author = shop.add("Author", ["name": "a"])
        shop.add("Book", ["title": "1", "author": author])
        try shop.context.save()
        shop.add("Book", ["title": "2", "author": author])
        let other = shop.newContext()
        let same = try other.existingObject(with: author.objectID)
        shop.add("Book", ["title": "3", "author": same], to: other)
        try other.save()
        shop.context.stalenessInterval = 0
        shop.context.refresh(author, mergeChanges: true)
        #expect(author.titles == ["1", "2", "3"])
    }

    // Proves S7-3
    @Test func `refreshAllObjects keeps every pending change`() throws {
        let (changed, deleted) = (shop.add("Author"), shop.add("Author"))
        try shop.context.save()
        changed.setValue("v", forKey: "name")
        shop.context.delete(deleted)
        let inserted = shop.add("Author", ["name": "i"])
        shop.context.processPendingChanges()
        shop.context.refreshAllObjects()
        #expect(changed.text("name") == "v" && inserted.text("name") == "i")
        #expect(deleted.isDeleted && inserted.isInserted)
        try shop.context.save()
        #expect(try shop.count("Author") == 2)
    }

    // MARK: Generations

    // Proves S7-4
    @Test func `a save moves a pinned context to the newest generation`() throws {
        let (context, _) = try pinned()
        try addAnother()
        #expect(try context.count(for: shop.request("Author")) == 1)
        shop.add("Author", to: context)
        #expect(try context.count(for: shop.request("Author")) == 2)
        try context.save()
        #expect(try context.count(for: shop.request("Author")) == 3)
    }

    // Proves S7-5
    @Test func `reset moves a pinned context to the newest generation`() throws {
        let (context, _) = try pinned()
        try addAnother()
        #expect(try context.count(for: shop.request("Author")) == 1)
        context.reset()
        #expect(try context.count(for: shop.request("Author")) == 2)
    }

    // Proves S7-6
    @Test func `a merge moves a pinned context to the newest generation`() throws {
        let (context, _) = try pinned()
        let saves = Heard(.NSManagedObjectContextDidSave, from: shop.context)
        try addAnother()
        #expect(try context.count(for: shop.request("Author")) == 1)
        context.mergeChanges(fromContextDidSave: try #require(saves.notes.first))
        #expect(try context.count(for: shop.request("Author")) == 2)
    }

    // Proves S7-7
    @Test func `a batch update does not change the generation of a pinned context`() throws {
        let (context, _) = try pinned()
        let update = NSBatchUpdateRequest(entityName: "Author")
        update.propertiesToUpdate = ["name": "2"]
        try context.execute(update)
        #expect(try context.count(for: shop.request("Author", "name == '1'")) == 1)
    }

    // Proves S7-8, S7-9
    @Test func `faults read the pinned generation, and conflicts the newest rows`() throws {
        let (context, author) = try pinned()
        let request = shop.request("Author")
        request.includesPropertyValues = false
        let fault = try context.fetch(request)[0]
        author.setValue("2", forKey: "name")
        try shop.context.save()
        #expect(fault.text("name") == "1")
        fault.setValue("3", forKey: "name")
        #expect(failure { try context.save() }?.code == NSManagedObjectMergeError)
    }

    // Proves S7-10
    @Test func `a token pins another context to the same generation`() throws {
        let (context, _) = try pinned()
        let token = try #require(context.queryGenerationToken)
        try addAnother()
        let third = shop.newContext()
        try third.setQueryGenerationFrom(token)
        #expect(try third.count(for: shop.request("Author")) == 1)
        try third.setQueryGenerationFrom(nil)
        #expect(try third.count(for: shop.request("Author")) == 2)
    }

    // Proves S7-11
    @Test func `automatic merging moves a pinned context to the newest generation`() async throws {
        let (context, author) = try pinned()
        context.automaticallyMergesChangesFromParent = true
        let same = try context.existingObject(with: author.objectID)
        #expect(same.text("name") == "1")
        author.setValue("2", forKey: "name")
        try shop.context.save()
        for _ in 0..<1_000 where same.text("name") != "2" { await Task.yield() }
        await context.perform {}
        #expect(same.text("name") == "2")
    }

    // MARK: Remote changes

    // Proves S7-12
    @Test func `ids of updates refresh only registered objects`() throws {
        let ids = [shop.add("Author", ["name": "1"]), shop.add("Author", ["name": "1"])]
        try shop.context.save()
        let (known, unknown) = (ids[0].objectID, ids[1].objectID)
        shop.context.reset()
        let author = try shop.context.existingObject(with: known)
        #expect(author.text("name") == "1")
        let update = NSBatchUpdateRequest(entityName: "Author")
        update.propertiesToUpdate = ["name": "2"]
        update.resultType = .updatedObjectIDsResultType
        let result = try #require(try shop.context.execute(update) as? NSBatchUpdateResult)
        let updated = try #require(result.result as? [NSManagedObjectID])
        #expect(Set(updated) == [known, unknown] && author.text("name") == "1")
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSUpdatedObjectIDsKey: updated], into: [shop.context])
        #expect(author.text("name") == "2" && !shop.context.hasChanges)
        #expect(shop.context.registeredObject(for: unknown) == nil)
    }

    // Proves S7-13
    @Test func `ids of deletions delete registered objects and are posted`() throws {
        let author = shop.add("Author", ["name": "1"])
        try shop.context.save()
        let delete = NSBatchDeleteRequest(objectIDs: [author.objectID])
        try shop.context.execute(delete)
        let changes = Heard(.NSManagedObjectContextObjectsDidChange, from: shop.context)
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSDeletedObjectIDsKey: [author.objectID]],
            into: [shop.context])
        #expect(changes.objects(NSDeletedObjectsKey) == [author])
        #expect(!shop.context.hasChanges)
    }

    // Proves S7-14
    @Test func `two coordinators over one file see each other's conflicts`() throws {
        let author = shop.add("Author", ["name": "1"])
        try shop.context.save()
        let other = try Bookshop(shop.model, in: shop.folder)
        let same = try other.find("Author")[0]
        #expect(same.text("name") == "1")
        author.setValue("2", forKey: "name")
        try shop.context.save()
        same.setValue("3", forKey: "name")
        #expect(failure { try other.context.save() }?.code == NSManagedObjectMergeError)
    }
}
