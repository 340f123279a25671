import CoreData
import CoreDataDocuments
import Foundation
import Glibc
import Testing

@MainActor
struct ErrorTests {
    @Test func `a missing file, or one that is not a document, does not open`() async throws {
        let folder = try DocumentFolder()
        let missing = NotesDocument(folder.file())
        let log = StateLog(missing)
        #expect(await missing.open() == false)
        #expect(missing.errors.map(\.code) == [CocoaError.fileReadNoSuchFile.rawValue])
        #expect(folder.names == [], "opening makes nothing")
        #expect(log.states == [])
        try Data("text".utf8).write(to: folder.file("File.notes"))
        let file = NotesDocument(folder.file("File.notes"))
        #expect(await file.open() == false)
        #expect(file.errors.map(\.code) == [CocoaError.fileReadCorruptFile.rawValue])
        try FileManager.default.createDirectory(
            at: folder.file("Empty.notes"), withIntermediateDirectories: true)
        let empty = NotesDocument(folder.file("Empty.notes"))
        #expect(await empty.open() == false)
        #expect(empty.errors.map(\.code) == [CocoaError.fileReadCorruptFile.rawValue])
    }

    @Test func `a broken store does not open and stays unchanged`() async throws {
        let folder = try DocumentFolder()
        try await folder.make(["one"])
        let store = folder.file().appendingPathComponent("StoreContent/persistentStore")
        let rubbish = Data(repeating: 0x5A, count: 8_192)
        try rubbish.write(to: store)
        let document = NotesDocument(folder.file())
        #expect(await document.open() == false)
        #expect(document.errors.map(\.code) == [CocoaError.fileReadCorruptFile.rawValue])
        #expect(document.documentState == .closed)
        #expect(try Data(contentsOf: store) == rubbish)
    }

    @Test func `a document is not created over a file, nor in a missing folder`() async throws {
        let folder = try DocumentFolder()
        try await folder.make(["one"])
        let second = NotesDocument(folder.file())
        second.add("two")
        #expect(await second.save(to: second.fileURL, for: .forCreating) == false)
        #expect(second.errors.map(\.code) == [CocoaError.fileWriteFileExists.rawValue])
        #expect(await second.save(to: second.fileURL, for: .forOverwriting) == false)
        #expect(second.documentState == [.closed, .savingError])
        #expect(try await folder.texts() == ["one"])
        let lost = NotesDocument(folder.file("none/Diary.notes"))
        #expect(await lost.save(to: lost.fileURL, for: .forCreating) == false)
        #expect(lost.errors.count == 1)
        #expect(await second.save(to: folder.file("Second.notes"), for: .forCreating))
        #expect(await second.close())
        #expect(try await folder.texts("Second.notes") == ["two"])
    }

    @Test(.enabled(if: getuid() != 0, "root may write everywhere"))
    func `a document cannot be created in a folder without write permission`() async throws {
        let folder = try DocumentFolder()
        let files = FileManager.default
        try files.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder.url.path)
        defer {
            try? files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.url.path)
        }
        let document = NotesDocument(folder.file())
        document.add("one")
        #expect(await document.save(to: document.fileURL, for: .forCreating) == false)
        #expect(document.errors.map(\.code) == [CocoaError.fileWriteNoPermission.rawValue])
        #expect(document.documentState == [.closed, .savingError])
        #expect(document.hasUnsavedChanges)
    }

    @Test func `a document that is opened read-only is read and not saved`() async throws {
        let folder = try DocumentFolder()
        try await folder.make(["one"])
        let document = NotesDocument(folder.file())
        document.persistentStoreOptions = [NSReadOnlyPersistentStoreOption: true as NSNumber]
        #expect(await document.open())
        #expect(try document.texts == ["one"])
        document.add("two")
        #expect(await document.close() == false)
        #expect(document.errors.count == 1)
        #expect(document.documentState == .savingError)
        #expect(try await folder.texts() == ["one"])
        // Reverting drops the changes that could not be saved.
        #expect(await document.revert(toContentsOf: document.fileURL))
        #expect(await document.close())
    }

    @Test func `changes that cannot be saved keep the document open`() async throws {
        let folder = try DocumentFolder()
        try await folder.make(["one"])
        let document = NotesDocument(folder.file())
        #expect(await document.open())
        let log = StateLog(document)
        let note = document.add(nil)
        #expect(await document.close() == false)
        #expect(document.errors.map(\.code) == [NSValidationMissingMandatoryPropertyError])
        #expect(document.documentState == .savingError)
        note.setValue("two", forKey: "text")
        #expect(await document.close())
        #expect(log.states == [.savingError, .normal, .closed])
        #expect(try await folder.texts() == ["one", "two"])
    }

    @Test func `a handler that has repaired the document removes the error`() async throws {
        let folder = try DocumentFolder()
        try await folder.make(["one"])
        let document = NotesDocument(folder.file())
        #expect(await document.open())
        document.add(nil)
        #expect(await document.autosave() == false)
        document.finishedHandlingError(document.errors[0], recovered: true)
        #expect(document.documentState == .normal)
        document.managedObjectContext.rollback()
        #expect(await document.close())
    }

    @Test func `two documents on one file: the second to save is in conflict`() async throws {
        let folder = try DocumentFolder()
        try await folder.make(["one"])
        let (first, second) = (NotesDocument(folder.file()), NotesDocument(folder.file()))
        #expect(await first.open())
        #expect(await second.open())
        try second.notes().first?.setValue("of the second", forKey: "text")
        try first.notes().first?.setValue("of the first", forKey: "text")
        #expect(await first.close())
        let log = StateLog(second)
        #expect(await second.autosave() == false)
        #expect(second.documentState == [.inConflict, .savingError])
        #expect(second.errors.map(\.code) == [NSManagedObjectMergeError])
        #expect(second.hasUnsavedChanges)
        #expect(await second.revert(toContentsOf: second.fileURL))
        #expect(try second.texts == ["of the first"])
        #expect(
            log.states == [
                [.inConflict, .savingError], [.inConflict, .savingError, .editingDisabled],
                .editingDisabled, .normal,
            ])
        #expect(await second.close())
    }

    @Test func `a document whose file was replaced refuses to save over it`() async throws {
        let folder = try DocumentFolder()
        try await folder.make(["one"])
        try await folder.make(["other"], name: "Other.notes")
        let document = NotesDocument(folder.file())
        #expect(await document.open())
        try FileManager.default.removeItem(at: folder.file())
        try FileManager.default.moveItem(at: folder.file("Other.notes"), to: folder.file())
        document.add("two")
        #expect(await document.autosave() == false)
        #expect(document.documentState.contains(.savingError))
        #expect(try await folder.texts() == ["other"])
        document.managedObjectContext.rollback()
        #expect(await document.revert(toContentsOf: document.fileURL))
        #expect(try document.texts == ["other"])
        #expect(await document.close())
    }
}
