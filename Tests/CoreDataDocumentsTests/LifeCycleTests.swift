import CoreData
import CoreDataDocuments
import Foundation
import Testing

@MainActor
struct LifeCycleTests {
    @Test func `a document is created, changed, saved, closed and opened again`() async throws {
        let folder = try DocumentFolder()
        let document = NotesDocument(folder.file())
        let log = StateLog(document)
        #expect(document.documentState == .closed)
        #expect(document.localizedName == "Diary")
        #expect(document.fileType == "notes")
        document.add("one")
        #expect(document.hasUnsavedChanges)
        #expect(await document.save(to: document.fileURL, for: .forCreating))
        #expect(log.states == [.normal])
        #expect(!document.hasUnsavedChanges)
        #expect(document.fileModificationDate != nil)
        #expect(
            folder.names == [
                "Diary.notes", "Diary.notes/StoreContent",
                "Diary.notes/StoreContent/persistentStore",
            ])
        document.add("two")
        #expect(document.hasUnsavedChanges)
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        #expect(!document.hasUnsavedChanges)
        document.add("three")
        #expect(await document.close())
        #expect(log.states == [.normal, .closed])
        #expect(await document.open())
        #expect(try document.texts == ["one", "three", "two"])
        #expect(await document.close())
        #expect(log.states == [.normal, .closed, .normal, .closed])
        #expect(try await folder.texts() == ["one", "three", "two"])
        #expect(document.errors == [])
    }

    @Test func `completion handlers are called on the main queue, in order`() async throws {
        let folder = try DocumentFolder()
        let document = NotesDocument(folder.file())
        var heard: [String] = []
        document.add("one")
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            document.save(to: document.fileURL, for: .forCreating) { isSaved in
                MainActor.assertIsolated()
                heard.append("saved \(isSaved)")
            }
            document.close { heard.append("closed \($0)") }
            document.open { heard.append("opened \($0)") }
            document.autosave { heard.append("nothing to save \($0)") }
            document.close { _ in done.resume() }
            #expect(heard == [], "all of them come later")
        }
        #expect(heard == ["saved true", "closed true", "opened true", "nothing to save true"])
    }

    @Test func `changes are saved automatically after a while`() async throws {
        let folder = try DocumentFolder()
        try await folder.make(["one"])
        let document = NotesDocument(folder.file())
        #expect(document.autosavingInterval == .seconds(15))
        document.autosavingInterval = .milliseconds(5)
        #expect(await document.open())
        document.add("two")
        while document.hasUnsavedChanges, document.errors.isEmpty { await Task.yield() }
        // Another document reads the file while this one is open.
        #expect(try await folder.texts() == ["one", "two"])
        #expect(await document.close())
    }

    @Test func `a save in time waits for the operations before it`() async throws {
        let folder = try DocumentFolder()
        try await folder.make(["one"])
        let document = NotesDocument(folder.file())
        document.autosavingInterval = .milliseconds(1)
        #expect(await document.open())
        for number in 0..<40 {
            document.add("note \(number)")
            if number % 2 == 0 { #expect(await document.autosave()) } else { await Task.yield() }
        }
        #expect(await document.close())
        #expect(document.overlaps == 0)
        #expect(try await folder.texts().count == 41)
    }

    @Test func `a manual save of the main context reaches the store with the document`()
        async throws
    {
        let folder = try DocumentFolder()
        try await folder.make(["one"])
        let document = NotesDocument(folder.file())
        #expect(await document.open())
        document.undoManager = nil
        document.add("two")
        try document.managedObjectContext.save()
        #expect(document.hasUnsavedChanges, "the parent has what the store has not")
        #expect(try await folder.texts() == ["one"])
        #expect(await document.autosave())
        #expect(!document.hasUnsavedChanges)
        #expect(try await folder.texts() == ["one", "two"])
        #expect(await document.close())
    }

    @Test func `changes that an importer saves into the parent are unsaved in the document`()
        async throws
    {
        let folder = try DocumentFolder()
        try await folder.make(["one"])
        let document = NotesDocument(folder.file())
        #expect(await document.open())
        let parent = try #require(document.managedObjectContext.parent)
        #expect(parent.concurrencyType == .privateQueueConcurrencyType)
        #expect(document.managedObjectContext.concurrencyType == .mainQueueConcurrencyType)
        let importer = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        importer.parent = parent
        try await importer.perform {
            let note = NSEntityDescription.insertNewObject(
                forEntityName: "Note", into: importer)
            note.setValue("imported", forKey: "text")
            try importer.save()
        }
        #expect(document.hasUnsavedChanges)
        #expect(await document.close())
        #expect(try await folder.texts() == ["imported", "one"])
    }

    @Test func `objects keep their ids and stay usable when a document is created`() async throws {
        let folder = try DocumentFolder()
        let document = NotesDocument(folder.file())
        let note = document.add("one")
        #expect(await document.save(to: document.fileURL, for: .forCreating))
        try document.managedObjectContext.obtainPermanentIDs(for: [note])
        note.setValue("changed", forKey: "text")
        #expect(await document.autosave())
        #expect(note.objectID.persistentStore === document.store)
        #expect(try document.notes().first === note)
        let store = try #require(document.store?.url)
        #expect(store.path == folder.file().path + "/StoreContent/persistentStore")
        #expect(await document.close())
        #expect(try await folder.texts() == ["changed"])
    }

    @Test func `saving elsewhere continues with a copy and leaves the old one`() async throws {
        let folder = try DocumentFolder()
        try await folder.make(["one"])
        let document = NotesDocument(folder.file())
        #expect(await document.open())
        let note = try #require(try document.notes().first)
        note.setValue("one, changed", forKey: "text")
        document.add("two")
        #expect(await document.save(to: folder.file("Copy.notes"), for: .forCreating))
        #expect(document.fileURL == folder.file("Copy.notes"))
        note.setValue("one, again", forKey: "text")
        #expect(await document.close())
        #expect(try await folder.texts() == ["one"])
        #expect(try await folder.texts("Copy.notes") == ["one, again", "two"])
        #expect(document.errors == [])
    }

    @Test func `reverting reads the file again and reports that editing is unsafe`() async throws {
        let folder = try DocumentFolder()
        try await folder.make(["one"])
        try await folder.make(["other"], name: "Other.notes")
        let document = NotesDocument(folder.file())
        #expect(await document.open())
        let log = StateLog(document)
        document.add("two")
        #expect(await document.revert(toContentsOf: document.fileURL))
        #expect(try document.texts == ["one"])
        #expect(!document.hasUnsavedChanges)
        #expect(log.states == [.editingDisabled, .normal])
        #expect(document.editing == ["disabled", "enabled"])
        #expect(await document.revert(toContentsOf: folder.file("Other.notes")))
        #expect(document.fileURL == folder.file())
        #expect(try document.texts == ["other"])
        #expect(await document.close())
        #expect(try await folder.texts() == ["other"])
    }

    @Test func `undoing reverts changes and counts them`() async throws {
        let folder = try DocumentFolder()
        try await folder.make(["one"])
        let document = NotesDocument(folder.file())
        #expect(await document.open())
        #expect(document.undoManager === document.managedObjectContext.undoManager)
        document.add("two")
        #expect(document.hasUnsavedChanges)
        document.undoManager.undo()
        #expect(try document.texts == ["one"])
        #expect(!document.hasUnsavedChanges)
        document.undoManager.redo()
        #expect(document.hasUnsavedChanges)
        #expect(await document.autosave())
        #expect(!document.hasUnsavedChanges)
        #expect(try await folder.texts() == ["one", "two"])
        document.undoManager.undo()
        #expect(document.hasUnsavedChanges, "what was saved is taken back")
        #expect(await document.close())
        #expect(try await folder.texts() == ["one"])
    }
}

extension NotesDocument {
    var store: NSPersistentStore? {
        managedObjectContext.persistentStoreCoordinator?.persistentStores.first
    }
}
