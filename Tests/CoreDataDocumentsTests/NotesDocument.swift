import CoreData
import CoreDataDocuments
import Foundation
import Synchronization
import Testing

enum NotesModel {
    /// - Parameter isSecond: whether to build the second version, which has one more attribute.
    static func make(isSecond: Bool = false) -> NSManagedObjectModel {
        let note = NSEntityDescription()
        note.name = "Note"
        note.managedObjectClassName = NSStringFromClass(NSManagedObject.self)
        var attributes = [attribute("text", .stringAttributeType)]
        attributes.append(attribute("number", .integer64AttributeType))
        if isSecond { attributes.append(attribute("colour", .stringAttributeType)) }
        note.properties = attributes
        let model = NSManagedObjectModel()
        model.entities = [note]
        return model
    }

    private static func attribute(
        _ name: String, _ type: NSAttributeType
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = name != "text"
        return attribute
    }
}

/// Records its calls.
final class NotesDocument: UIManagedDocument {
    private let model: NSManagedObjectModel
    /// The content of a file next to the store. Nil means no file.
    var drawing: String?
    let shared = Mutex(Shared())
    var errors: [NSError] = []
    var editing: [String] = []

    struct Shared: Sendable {
        var drawingRead: String?
        var originalSeen: String?
        var failsToWrite = false
        /// The URL at which a file is created while the document is being written. Nil for no file.
        var obstacle: URL?
    }

    struct Broken: Error {}

    init(_ url: URL, isSecond: Bool = false) {
        model = NotesModel.make(isSecond: isSecond)
        super.init(fileURL: url)
    }

    override var managedObjectModel: NSManagedObjectModel { model }

    /// Saves that began before the previous one had ended.
    private(set) var overlaps = 0
    private var isSaving = false

    override func contents(forType typeName: String) throws -> Any {
        let contents = try super.contents(forType: typeName)
        if isSaving { overlaps += 1 }
        isSaving = true
        return contents
    }

    override func updateChangeCount(
        withToken changeCountToken: Any, for saveOperation: SaveOperation
    ) {
        isSaving = false
        super.updateChangeCount(withToken: changeCountToken, for: saveOperation)
    }

    override func additionalContent(for absoluteURL: URL) throws -> Any {
        drawing ?? NSNull()
    }

    override func writeAdditionalContent(
        _ content: Any, to absoluteURL: URL, originalContentsURL absoluteOriginalContentsURL: URL?
    ) throws {
        let original = absoluteOriginalContentsURL.flatMap {
            try? String(contentsOf: $0.appendingPathComponent("drawing"), encoding: .utf8)
        }
        let text = content as? String ?? ""
        try Data(text.utf8).write(to: absoluteURL.appendingPathComponent("drawing"))
        try shared.withLock {
            $0.originalSeen = original
            if $0.failsToWrite { throw Broken() }
            if let obstacle = $0.obstacle { try Data().write(to: obstacle) }
        }
    }

    override func readAdditionalContent(from absoluteURL: URL) throws {
        let text = try String(
            contentsOf: absoluteURL.appendingPathComponent("drawing"), encoding: .utf8)
        shared.withLock { $0.drawingRead = text }
    }

    override func handleError(_ error: any Error, userInteractionPermitted: Bool) {
        isSaving = false
        errors.append(error as NSError)
        finishedHandlingError(error, recovered: false)
    }

    override func disableEditing() { editing.append("disabled") }
    override func enableEditing() { editing.append("enabled") }

    // MARK: Its content

    @discardableResult
    func add(_ text: String?) -> NSManagedObject {
        let note = NSEntityDescription.insertNewObject(
            forEntityName: "Note", into: managedObjectContext)
        note.setValue(text, forKey: "text")
        managedObjectContext.processPendingChanges()
        return note
    }

    func notes() throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
        request.sortDescriptors = [NSSortDescriptor(key: "text", ascending: true)]
        return try managedObjectContext.fetch(request)
    }

    var texts: [String] {
        get throws { try notes().map { $0.value(forKey: "text") as? String ?? "" } }
    }
}

@MainActor
final class StateLog {
    private(set) var states: [UIDocument.State] = []
    private var observer: (any NSObjectProtocol)?
    private weak var document: UIDocument?

    init(_ document: UIDocument) {
        self.document = document
        observer = NotificationCenter.default.addObserver(
            forName: UIDocument.stateChangedNotification, object: document, queue: nil
        ) { [weak self] _ in
            MainActor.assumeIsolated {
                guard let self, let document = self.document else { return }
                self.states.append(document.documentState)
            }
        }
    }

    isolated deinit {
        if let observer { NotificationCenter.default.removeObserver(observer) }
    }
}

@MainActor
final class DocumentFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("documents-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    isolated deinit { try? FileManager.default.removeItem(at: url) }

    func file(_ name: String = "Diary.notes") -> URL {
        url.appendingPathComponent(name, isDirectory: false)
    }

    /// The names of the files, without the auxiliary files of SQLite.
    var names: [String] {
        let all = FileManager.default.subpaths(atPath: url.path) ?? []
        return all.filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.sorted()
    }

    func make(_ texts: [String], name: String = "Diary.notes") async throws {
        let document = NotesDocument(file(name))
        for text in texts { document.add(text) }
        try #require(await document.save(to: document.fileURL, for: .forCreating))
        #expect(await document.close())
    }

    /// The texts of the notes, as a newly opened document reads them.
    func texts(_ name: String = "Diary.notes") async throws -> [String] {
        let document = NotesDocument(file(name))
        try #require(await document.open())
        let texts = try document.texts
        #expect(await document.close())
        return texts
    }
}
