import CoreData
import Foundation

/// Every operation that a program can call on a context or a coordinator.
enum Deeds {
    typealias Deed = EverythingIsToldTests.Deed

    static let all: [Deed] = reading + changing + settings + lists + stacks

    private static let reading: [Deed] = [
        Deed("fetch", .step("fetch Item sort amount")) { _ = try $0.context.fetch($0.request) },
        Deed("count", .step("count Item")) { _ = try $0.context.count(for: $0.request) },
        Deed("fetch of dictionaries", .comment("the dictionaries of a fetch of Item")) { desk in
            let request = NSFetchRequest<NSDictionary>(entityName: "Item")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = ["amount"]
            _ = try desk.context.fetch(request)
        },
        Deed("fetch of counts", .step("count Item")) { desk in
            let request = NSFetchRequest<NSNumber>(entityName: "Item")
            request.resultType = .countResultType
            _ = try desk.context.fetch(request)
        },
        Deed("fetch by a block", .comment("fetch(_:), which failed with")) { desk in
            let request = desk.request
            request.predicate = NSPredicate { _, _ in true }
            _ = try? desk.context.fetch(request)
        },
        Deed("fetch that fails", .comment("fetch(_:), which failed with")) { desk in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
            request.predicate = NSPredicate(format: "nothing == 1")
            _ = try? desk.context.fetch(request)
        },
        Deed("existingObject", .step("fire item1")) {
            _ = try $0.context.existingObject(with: $0.item.objectID)
        },
        Deed("object", .names) { _ = $0.context.object(with: $0.item.objectID) },
        Deed("registeredObject", .comment("registeredObject(for:)")) {
            _ = $0.context.registeredObject(for: $0.item.objectID)
        },
        Deed("hasChanges", .step("state has-changes")) { _ = $0.context.hasChanges },
        Deed("insertedObjects", .step("state inserted")) { _ = $0.context.insertedObjects },
        Deed("updatedObjects", .step("state updated")) { _ = $0.context.updatedObjects },
        Deed("deletedObjects", .step("state deleted")) { _ = $0.context.deletedObjects },
        Deed("registeredObjects", .step("state registered")) { _ = $0.context.registeredObjects },
        Deed("isInserted", .step("state item1 is-inserted")) { _ = $0.item.isInserted },
        Deed("isUpdated", .step("state item1 is-updated")) { _ = $0.item.isUpdated },
        Deed("isDeleted", .step("state item1 is-deleted")) { _ = $0.item.isDeleted },
        Deed("isFault", .step("state item1 is-fault")) { _ = $0.item.isFault },
        Deed("hasChanges of an object", .step("state item1 has-changes")) {
            _ = $0.item.hasChanges
        },
        Deed("changedValues", .step("changed item1")) { _ = $0.item.changedValues() },
        Deed("committedValues", .step("committed item1.code")) {
            _ = $0.item.committedValues(forKeys: ["code"])
        },
        Deed("willAccessValue", .step("fire item1")) { desk in
            desk.context.refresh(desk.item, mergeChanges: false)
            desk.item.willAccessValue(forKey: nil)
        },
        Deed("primitiveValue", .step("read item1.code")) {
            _ = $0.item.primitiveValue(forKey: "code")
        },
        Deed("hasFault", .comment("hasFault(forRelationshipNamed:)")) { desk in
            let shelf = NSEntityDescription.insertNewObject(
                forEntityName: "Shelf", into: desk.context)
            _ = shelf.hasFault(forRelationshipNamed: "books")
        },
    ]

    private static let changing: [Deed] = [
        Deed("insert", .step("insert Item as item2 with code = \"early\"")) { desk in
            let entity = NSEntityDescription.entity(forEntityName: "Item", in: desk.context)
            guard let entity else { return }
            let made = NSManagedObject(entity: entity, insertInto: nil)
            made.setValue("early", forKey: "code")
            desk.context.insert(made)
        },
        Deed("insert of a deleted object", .comment("insert(_:) of a deleted object")) { desk in
            desk.context.delete(desk.item)
            desk.context.insert(desk.item)
        },
        Deed("delete", .step("delete item2")) { desk in
            let made = NSEntityDescription.insertNewObject(
                forEntityName: "Item", into: desk.context)
            try desk.context.save()
            desk.context.delete(made)
        },
        Deed("save", .step("save")) { try $0.context.save() },
        Deed("refresh", .step("refresh item1 discard")) {
            $0.context.refresh($0.item, mergeChanges: false)
        },
        Deed("refreshAllObjects", .step("refresh-all")) { $0.context.refreshAllObjects() },
        Deed("rollback", .step("rollback")) { $0.context.rollback() },
        Deed("reset", .step("reset")) { desk in
            desk.context.reset()
            // The reset turned the old object into one without values, so the row is fetched again.
            let again = try desk.context.existingObject(with: desk.item.objectID)
            again.setValue(3, forKey: "amount")
        },
        Deed("processPendingChanges", .step("process-pending")) { desk in
            desk.item.setValue(2, forKey: "amount")
            desk.context.processPendingChanges()
        },
        Deed("obtainPermanentIDs", .step("obtain-ids item2")) { desk in
            let made = NSEntityDescription.insertNewObject(
                forEntityName: "Item", into: desk.context)
            try desk.context.obtainPermanentIDs(for: [made])
        },
        Deed("detectConflicts", .step("detect-conflicts item1")) { desk in
            desk.context.detectConflicts(for: desk.item)
        },
        Deed("assign", .comment("assign(_:to:)")) { desk in
            let made = NSEntityDescription.insertNewObject(
                forEntityName: "Item", into: desk.context)
            desk.context.assign(made, to: desk.coordinator.persistentStores[0])
        },
        Deed("undo", .step("undo")) { desk in
            desk.context.undoManager = UndoManager()
            desk.item.setValue(2, forKey: "amount")
            desk.context.undo()
        },
        Deed("redo", .step("redo")) { desk in
            desk.context.undoManager = UndoManager()
            desk.item.setValue(2, forKey: "amount")
            desk.context.undo()
            desk.context.redo()
        },
        Deed("execute", .step("batch-update Item with amount = 9")) { desk in
            let request = NSBatchUpdateRequest(entityName: "Item")
            request.propertiesToUpdate = ["amount": 9]
            try desk.context.execute(request)
            desk.context.refresh(desk.item, mergeChanges: false)
        },
        Deed("batch of several rows", .step("batch-insert Item with code = \"b\"")) { desk in
            try desk.context.execute(
                NSBatchInsertRequest(entityName: "Item", objects: [["code": "a"], ["code": "b"]]))
        },
        Deed("batch of ids", .step("batch-delete Item where SELF == $item2")) { desk in
            let made = NSEntityDescription.insertNewObject(
                forEntityName: "Item", into: desk.context)
            try desk.context.save()
            try desk.context.execute(NSBatchDeleteRequest(objectIDs: [made.objectID]))
        },
        Deed("history", .step("history")) { desk in
            try desk.context.execute(
                NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast))
        },
        Deed("history deletion", .comment("deleteHistory(before:)")) { desk in
            try desk.context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: Date()))
        },
        Deed("mergeChanges", .step("merge-remote desk into other")) { desk in
            let request = NSBatchUpdateRequest(entityName: "Item")
            request.propertiesToUpdate = ["amount": 9]
            try desk.context.execute(request)
            desk.context.refresh(desk.item, mergeChanges: false)
            NSManagedObjectContext.mergeChanges(
                fromRemoteContextSave: [NSUpdatedObjectsKey: [desk.item.objectID]],
                into: [desk.other])
        },
    ]

    private static let settings: [Deed] = [
        Deed("stalenessInterval", .step("staleness 0")) { $0.context.stalenessInterval = 0 },
        Deed("automaticallyMergesChangesFromParent", .step("automerge on")) {
            $0.context.automaticallyMergesChangesFromParent = true
        },
        Deed("shouldDeleteInaccessibleFaults", .step("delete-inaccessible off")) {
            $0.context.shouldDeleteInaccessibleFaults = false
        },
        Deed("mergePolicy", .step("policy objectTrump")) { desk in
            try desk.context.save()
            desk.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        },
        Deed("propagatesDeletesAtEndOfEvent", .comment("propagatesDeletesAtEndOfEvent")) {
            $0.context.propagatesDeletesAtEndOfEvent = false
        },
        Deed("retainsRegisteredObjects", .comment("retainsRegisteredObjects")) {
            $0.context.retainsRegisteredObjects = true
        },
        Deed("undoManager", .comment("an undo manager that is set later")) {
            $0.context.undoManager = UndoManager()
        },
        Deed("transactionAuthor", .comment("transactionAuthor")) {
            $0.context.transactionAuthor = "somebody"
        },
        Deed("setQueryGenerationFrom", .step("pin")) {
            try $0.context.setQueryGenerationFrom(.current)
        },
        Deed("setQueryGenerationFrom of another", .step("pin to other")) { desk in
            let token = try desk.other.performAndWait {
                try desk.other.setQueryGenerationFrom(.current)
                _ = try desk.other.fetch(desk.request)
                return desk.other.queryGenerationToken
            }
            try desk.context.setQueryGenerationFrom(token)
        },
        Deed("setQueryGenerationFrom nothing", .step("unpin")) { desk in
            try desk.context.setQueryGenerationFrom(.current)
            try desk.context.setQueryGenerationFrom(nil)
        },
        Deed("queryGenerationToken", .step("state is-pinned")) {
            _ = $0.context.queryGenerationToken
        },
    ]

    private static let lists: [Deed] = [
        Deed("performFetch", .step("watch Item by code sort amount -> l1")) { desk in
            let list = NSFetchedResultsController(
                fetchRequest: desk.request, managedObjectContext: desk.context,
                sectionNameKeyPath: "code", cacheName: nil)
            try list.performFetch()
        },
        Deed("fetchedObjects", .step("shown l1")) { desk in
            let list = NSFetchedResultsController(
                fetchRequest: desk.request, managedObjectContext: desk.context,
                sectionNameKeyPath: nil, cacheName: nil)
            try list.performFetch()
            _ = list.fetchedObjects
        },
        Deed("sections", .step("shown l1 by-section")) { desk in
            let list = NSFetchedResultsController(
                fetchRequest: desk.request, managedObjectContext: desk.context,
                sectionNameKeyPath: "code", cacheName: nil)
            try list.performFetch()
            _ = list.sections
        },
    ]

    private static let stacks: [Deed] = [
        Deed("perform", .step("enqueue block1")) { desk in
            let (other, request) = (desk.other, desk.request)
            other.perform { _ = try? other.fetch(request) }
            // The block has started when `performAndWait` returns.
            other.performAndWait {}
        },
        Deed("performAndWait", .step("wait block1")) { desk in
            _ = try desk.other.performAndWait { try desk.other.fetch(desk.request) }
        },
        Deed("remove", .step("remove-store")) { desk in
            try desk.coordinator.remove(desk.coordinator.persistentStores[0])
        },
        Deed("setMetadata", .comment("setMetadata(_:for:)")) { desk in
            desk.coordinator.setMetadata(["a": 1], for: desk.coordinator.persistentStores[0])
        },
        Deed("setURL", .comment("setURL(_:for:)")) { desk in
            let store = desk.coordinator.persistentStores[0]
            desk.coordinator.setURL(desk.coordinator.url(for: store), for: store)
        },
        Deed("perform of a coordinator", .comment("performAndWait(_:)")) { desk in
            desk.coordinator.performAndWait {}
        },
        Deed("currentPersistentHistoryToken", .comment("currentPersistentHistoryToken")) { desk in
            _ = desk.coordinator.currentPersistentHistoryToken(fromStores: nil)
        },
        Deed("addPersistentStore", .comment("addPersistentStore(type:at:)")) { desk in
            try desk.coordinator.addPersistentStore(
                ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        },
        Deed("destroyPersistentStore", .comment("destroyPersistentStore(at:type:options:)")) {
            try $0.coordinator.destroyPersistentStore(
                at: Stacks.folder(), ofType: NSSQLiteStoreType)
        },
        Deed("replacePersistentStore", .comment("replacePersistentStore(at:")) {
            try? $0.coordinator.replacePersistentStore(
                at: Stacks.folder(), withPersistentStoreFrom: Stacks.folder(),
                ofType: NSSQLiteStoreType)
        },
        Deed("migratePersistentStore", .comment("migratePersistentStore(_:to:)")) { desk in
            try desk.coordinator.migratePersistentStore(
                desk.coordinator.persistentStores[0], to: Stacks.folder(),
                withType: NSSQLiteStoreType)
        },
        Deed(
            "finishDeferredLightweightMigration", .comment("finishDeferredLightweightMigration()")
        ) { try $0.coordinator.finishDeferredLightweightMigration() },
        Deed(
            "finishDeferredLightweightMigrationTask",
            .comment("finishDeferredLightweightMigrationTask()")
        ) { try $0.coordinator.finishDeferredLightweightMigrationTask() },
    ]

    /// The members without an operation in the table, with the reasons.
    static let others: [String: String] = [
        "name": "a context has it in the file", "concurrencyType": "a context has it in the file",
        "userInfo": "the program's own", "parent": "a context has it in the file",
        "persistentStoreCoordinator": "a context has it in the file",
        "shouldHandleInaccessibleFault": "overridden, and not called",
        "lock": "deprecated, told as the calls above", "unlock": "as lock", "tryLock": "as lock",
        "observeValue": "does nothing", "managedObjectModel": "the file has it",
        "persistentStores": "answers from memory", "persistentStore": "answers from memory",
        "url": "answers from memory", "metadata": "reads what contexts do not write",
        "managedObjectID": "answers from memory", "registerStoreClass": "before there is a stack",
        "registeredStoreTypes": "answers from memory",
        "metadataForPersistentStore": "reads what contexts do not write",
        "faultFailureHandler": "a handler",
    ]
}
