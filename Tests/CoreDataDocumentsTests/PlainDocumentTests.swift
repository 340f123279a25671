import CoreData
import CoreDataDocuments
import Foundation
import Synchronization
import Testing

/// A text in a file, without Core Data.
private final class TextDocument: UIDocument {
    var text = ""

    override func contents(forType typeName: String) throws -> Any { Data(text.utf8) }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        text = String(decoding: contents as? Data ?? Data(), as: UTF8.self)
    }
}

/// The same document as a subclass of `NSDocument`.
private final class DesktopText: NSDocument {
    let text = Mutex("")

    override func data(ofType typeName: String) throws -> Data {
        Data(text.withLock { $0 }.utf8)
    }

    override func read(from data: Data, ofType typeName: String) throws {
        text.withLock { $0 = String(decoding: data, as: UTF8.self) }
    }
}

@MainActor
struct PlainDocumentTests {
    @Test func `a file is written, overwritten and read`() async throws {
        let folder = try DocumentFolder()
        let document = TextDocument(fileURL: folder.file("Text.txt"))
        document.text = "one"
        #expect(await document.save(to: document.fileURL, for: .forCreating))
        document.text = "two"
        document.updateChangeCount(.done)
        #expect(document.hasUnsavedChanges)
        #expect(await document.close())
        #expect(folder.names == ["Text.txt"])
        let again = TextDocument(fileURL: folder.file("Text.txt"))
        #expect(await again.open())
        #expect(again.text == "two")
        #expect(await again.save(to: again.fileURL, for: .forCreating) == false)
        #expect(again.documentState == .savingError)
    }

    @Test func `changes during a save stay unsaved`() async throws {
        let folder = try DocumentFolder()
        let document = TextDocument(fileURL: folder.file("Text.txt"))
        #expect(await document.save(to: document.fileURL, for: .forCreating))
        document.updateChangeCount(.done)
        let token = document.changeCountToken(for: .forOverwriting)
        document.updateChangeCount(.done)
        document.updateChangeCount(withToken: token, for: .forOverwriting)
        #expect(document.hasUnsavedChanges)
        document.updateChangeCount(.undone)
        #expect(!document.hasUnsavedChanges)
    }

    @Test func `a class that overrides nothing fails with the method's name`() async throws {
        let folder = try DocumentFolder()
        let document = UIDocument(fileURL: folder.file("Text.txt"))
        #expect(throws: CocoaError.self) { _ = try document.contents(forType: "txt") }
        #expect(throws: CocoaError.self) { try document.load(fromContents: 1, ofType: nil) }
        let desktop = NSDocument()
        #expect(throws: CocoaError.self) { _ = try desktop.data(ofType: "txt") }
        #expect(throws: CocoaError.self) { try desktop.read(from: Data(), ofType: "txt") }
    }

    @Test func `a desktop document's file is overwritten and read`() async throws {
        let folder = try DocumentFolder()
        let url = folder.file("Text.txt")
        let document = DesktopText()
        document.text.withLock { $0 = "one" }
        try await document.save(to: url, ofType: "txt", for: .saveAsOperation)
        document.text.withLock { $0 = "two" }
        document.updateChangeCount(.changeDone)
        #expect(document.isDocumentEdited)
        try await document.save(to: url, ofType: "txt", for: .saveOperation)
        #expect(!document.isDocumentEdited)
        let again = try DesktopText(contentsOf: url, ofType: "txt")
        #expect(again.text.withLock { $0 } == "two")
        #expect(again.fileURL == url)
    }

    @Test func `D-061: a document's type is the extension of its file`() {
        let document = UIDocument(fileURL: URL(fileURLWithPath: "Diary.notes"))
        #expect(document.fileType == "notes" && document.savingFileType == "notes")
        #expect(
            document.fileNameExtension(forType: "notes", saveOperation: .forCreating) == "notes")
        #expect(UIDocument(fileURL: URL(fileURLWithPath: "Diary")).fileType == nil)
    }

    @Test func `D-062: a new document does not replace a file`() async throws {
        let folder = try DocumentFolder()
        try Data("mine".utf8).write(to: folder.file())
        let document = NotesDocument(folder.file())
        document.add("one")
        #expect(await document.save(to: document.fileURL, for: .forCreating) == false)
        #expect(document.errors.map(\.code) == [CocoaError.fileWriteFileExists.rawValue])
        #expect(try Data(contentsOf: folder.file()) == Data("mine".utf8))
    }
}
