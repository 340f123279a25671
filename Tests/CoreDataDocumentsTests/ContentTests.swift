import CoreData
import CoreDataDocuments
import Foundation
import Synchronization
import Testing

@MainActor
struct ContentTests {
    @Test func `additional content is next to the store and is read with it`() async throws {
        let folder = try DocumentFolder()
        let document = NotesDocument(folder.file())
        document.drawing = "a house"
        #expect(await document.save(to: document.fileURL, for: .forCreating))
        #expect(document.shared.withLock { $0.originalSeen } == nil)
        document.drawing = "a boat"
        document.updateChangeCount(.done)
        #expect(await document.close())
        #expect(document.shared.withLock { $0.originalSeen } == "a house")
        #expect(
            folder.names == [
                "Diary.notes", "Diary.notes/AdditionalContent",
                "Diary.notes/AdditionalContent/drawing", "Diary.notes/StoreContent",
                "Diary.notes/StoreContent/persistentStore",
            ])
        let again = NotesDocument(folder.file())
        #expect(await again.open())
        #expect(again.shared.withLock { $0.drawingRead } == "a boat")
        again.add("one")
        #expect(await again.save(to: folder.file("Copy.notes"), for: .forCreating))
        #expect(await again.close())
        let copy = NotesDocument(folder.file("Copy.notes"))
        #expect(await copy.open())
        #expect(copy.shared.withLock { $0.drawingRead } == "a boat", "it goes with the document")
        #expect(await copy.close())
    }

    @Test func `additional content that fails leaves store and content unchanged`()
        async throws
    {
        let folder = try DocumentFolder()
        let document = NotesDocument(folder.file())
        document.drawing = "a house"
        document.add("one")
        #expect(await document.save(to: document.fileURL, for: .forCreating))
        document.shared.withLock { $0.failsToWrite = true }
        document.drawing = "half a boat"
        document.add("two")
        #expect(await document.autosave() == false)
        #expect(document.documentState == .savingError)
        #expect(document.errors.count == 1)
        #expect(document.hasUnsavedChanges)
        let other = NotesDocument(folder.file())
        #expect(await other.open())
        #expect(try other.texts == ["one"])
        #expect(other.shared.withLock { $0.drawingRead } == "a house")
        #expect(await other.close())
        document.shared.withLock { $0.failsToWrite = false }
        #expect(await document.close())
        #expect(try await folder.texts() == ["one", "two"])
        #expect(!folder.names.contains { $0.contains("new") })
    }

    @Test func `a failed first save of a document leaves no file`() async throws {
        let folder = try DocumentFolder()
        let document = NotesDocument(folder.file())
        document.drawing = "half a boat"
        document.shared.withLock { $0.failsToWrite = true }
        document.add("one")
        #expect(await document.save(to: document.fileURL, for: .forCreating) == false)
        #expect(folder.names == [])
        #expect(document.documentState == [.closed, .savingError])
        document.shared.withLock { $0.failsToWrite = false }
        #expect(await document.save(to: document.fileURL, for: .forCreating))
        #expect(document.documentState == .normal)
        #expect(await document.close())
        #expect(try await folder.texts() == ["one"])
    }

    @Test func `a document whose location was taken during the save is saved elsewhere`()
        async throws
    {
        let folder = try DocumentFolder()
        let document = NotesDocument(folder.file())
        document.drawing = "a house"
        document.shared.withLock { $0.obstacle = folder.file() }
        document.add("one")
        #expect(await document.save(to: document.fileURL, for: .forCreating) == false)
        #expect(document.errors.map(\.code) == [CocoaError.fileWriteFileExists.rawValue])
        #expect(document.hasUnsavedChanges, "it is in no place that anybody knows")
        document.shared.withLock { $0.obstacle = nil }
        document.add("two")
        #expect(await document.save(to: folder.file("Other.notes"), for: .forCreating))
        #expect(!document.hasUnsavedChanges)
        #expect(await document.close())
        #expect(try await folder.texts("Other.notes") == ["one", "two"])
        #expect(!folder.names.contains { $0.contains("new") })
    }

    @Test func `a failed copy leaves the document on its own store`()
        async throws
    {
        let folder = try DocumentFolder()
        try await folder.make(["one"])
        let document = NotesDocument(folder.file())
        #expect(await document.open())
        document.add(nil)
        // The note requires a text, so the save of the main context fails.
        #expect(await document.save(to: folder.file("Copy.notes"), for: .forCreating) == false)
        document.managedObjectContext.rollback()
        document.add("two")
        document.drawing = "half a boat"
        document.shared.withLock { $0.failsToWrite = true }
        #expect(await document.save(to: folder.file("Copy.notes"), for: .forCreating) == false)
        #expect(document.fileURL == folder.file())
        document.drawing = nil
        #expect(await document.close())
        #expect(try await folder.texts() == ["one", "two"])
        #expect(!folder.names.contains { $0.contains("Copy") })
    }

    @Test func `a store of an older model is migrated if the options request it`() async throws {
        let folder = try DocumentFolder()
        try await folder.make(["one"])
        let document = NotesDocument(folder.file(), isSecond: true)
        #expect(await document.open() == false)
        #expect(document.errors.map(\.code) == [NSPersistentStoreIncompatibleVersionHashError])
        #expect(document.documentState == .closed)
        document.persistentStoreOptions = [
            NSMigratePersistentStoresAutomaticallyOption: true as NSNumber,
            NSInferMappingModelAutomaticallyOption: true as NSNumber,
        ]
        #expect(await document.open())
        try document.notes().first?.setValue("red", forKey: "colour")
        #expect(await document.close())
        #expect(await document.open())
        #expect(try document.notes().first?.value(forKey: "colour") as? String == "red")
        #expect(await document.close())
    }

    @Test func `a subclass names its store and overrides its opening`() async throws {
        let folder = try DocumentFolder()
        let document = OwnDocument(folder.file())
        document.add("one")
        #expect(await document.save(to: document.fileURL, for: .forCreating))
        #expect(document.store?.type == NSXMLStoreType)
        #expect(document.calls.withLock { $0 } == ["notes"])
        #expect(await document.close())
        #expect(folder.names.contains("Diary.notes/StoreContent/notes.xml"))
        #expect(await document.open())
        #expect(try document.texts == ["one"])
        #expect(await document.close())
    }
}
