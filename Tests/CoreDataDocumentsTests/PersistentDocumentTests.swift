import CoreData
import CoreDataDocuments
import Foundation
import Testing

private final class Ledger: NSPersistentDocument {
    override var managedObjectModel: NSManagedObjectModel? { NotesModel.make() }

    func add(_ text: String?) {
        guard let context = managedObjectContext else { return }
        let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
        note.setValue(text, forKey: "text")
        context.processPendingChanges()
    }

    var texts: [String] {
        get throws {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
            request.sortDescriptors = [NSSortDescriptor(key: "text", ascending: true)]
            return try managedObjectContext?.fetch(request).map {
                $0.value(forKey: "text") as? String ?? ""
            } ?? []
        }
    }

    var storeTypes: [String] {
        managedObjectContext?.persistentStoreCoordinator?.persistentStores.map(\.type) ?? []
    }
}

@MainActor
struct PersistentDocumentTests {
    @Test func `a new document is saved, changed and read again`() async throws {
        let folder = try DocumentFolder()
        let url = folder.file("Ledger.sqlite")
        let document = try Ledger(type: "sqlite")
        #expect(document.fileURL == nil && document.displayName == "Untitled")
        #expect(!document.isDocumentEdited)
        document.add("one")
        #expect(document.isDocumentEdited)
        try await document.save(to: url, ofType: "sqlite", for: .saveAsOperation)
        #expect(document.fileURL == url && document.displayName == "Ledger")
        #expect(!document.isDocumentEdited)
        document.add("two")
        try await document.save(to: url, ofType: "sqlite", for: .saveOperation)
        document.add("lost")
        document.close()
        let again = try Ledger(contentsOf: url, ofType: "sqlite")
        #expect(try again.texts == ["one", "two"])
        #expect(!again.isDocumentEdited)
        again.close()
    }

    @Test func `undo of a document is that of its context`() async throws {
        let document = try Ledger(type: "sqlite")
        document.add("one")
        #expect(document.undoManager === document.managedObjectContext?.undoManager)
        document.undoManager?.undo()
        #expect(try document.texts == [])
        #expect(!document.isDocumentEdited)
        document.undoManager?.redo()
        #expect(document.isDocumentEdited)
        document.hasUndoManager = false
        #expect(document.managedObjectContext?.undoManager == nil)
    }

    @Test func `save as copies the store, also to another type`() async throws {
        let folder = try DocumentFolder()
        let first = folder.file("Ledger.sqlite")
        let document = try Ledger(type: "sqlite")
        document.add("one")
        try await document.save(to: first, ofType: "sqlite", for: .saveAsOperation)
        document.add("two")
        let second = folder.file("Second.sqlite")
        try await document.save(to: second, ofType: "sqlite", for: .saveAsOperation)
        document.add("three")
        let third = folder.file("Third.xml")
        try await document.save(to: third, ofType: "xml", for: .saveAsOperation)
        #expect(document.storeTypes == [NSXMLStoreType])
        #expect(document.fileURL == third)
        document.close()
        #expect(try Ledger(contentsOf: first, ofType: "sqlite").texts == ["one"])
        #expect(try Ledger(contentsOf: second, ofType: "sqlite").texts == ["one", "two"])
        #expect(try Ledger(contentsOf: third, ofType: "xml").texts == ["one", "three", "two"])
    }

    @Test func `a copy that cannot be saved leaves the document at its location`() async throws {
        let folder = try DocumentFolder()
        let first = folder.file("Ledger.sqlite")
        let document = try Ledger(type: "sqlite")
        document.add("one")
        try await document.save(to: first, ofType: "sqlite", for: .saveAsOperation)
        document.add(nil)
        await #expect(throws: (any Error).self) {
            try await document.save(
                to: folder.file("Second.sqlite"), ofType: "sqlite", for: .saveAsOperation)
        }
        #expect(folder.names == ["Ledger.sqlite"])
        #expect(document.fileURL == first)
        document.managedObjectContext?.rollback()
        document.add("two")
        try await document.save(to: first, ofType: "sqlite", for: .saveOperation)
        document.close()
        #expect(try Ledger(contentsOf: first, ofType: "sqlite").texts == ["one", "two"])
    }

    @Test func `reverting drops unsaved changes`() async throws {
        let folder = try DocumentFolder()
        let url = folder.file("Ledger.sqlite")
        let document = try Ledger(type: "sqlite")
        document.add("one")
        try await document.save(to: url, ofType: "sqlite", for: .saveAsOperation)
        document.add("two")
        try document.revert(toContentsOf: url, ofType: "sqlite")
        #expect(try document.texts == ["one"])
        #expect(!document.isDocumentEdited)
        document.close()
    }

    @Test func `a document that cannot be read or written reports an error`() async throws {
        let folder = try DocumentFolder()
        let url = folder.file("Ledger.sqlite")
        #expect(throws: CocoaError.self) { _ = try Ledger(contentsOf: url, ofType: "sqlite") }
        #expect(folder.names == [], "reading makes nothing")
        let document = try Ledger(type: "sqlite")
        document.add("one")
        await #expect(throws: CocoaError.self) {
            try await document.save(to: url, ofType: "sqlite", for: .saveToOperation)
        }
        try Data("mine".utf8).write(to: url)
        await #expect(throws: CocoaError.self) {
            try await document.save(to: url, ofType: "sqlite", for: .saveAsOperation)
        }
        #expect(try Data(contentsOf: url) == Data("mine".utf8))
        #expect(document.isDocumentEdited)
    }
}
