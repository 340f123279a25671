import CoreData
import CoreDataDocuments

func check(_ isTrue: Bool, _ what: String) {
    guard !isTrue else { return }
    print("failed: \(what)")
    exit(1)
}

/// Keeps references to a document, like a view controller.
@MainActor
final class DiaryScreen {
    let document: DiaryDocument
    private(set) var states: [UIDocument.State] = []
    private var observer: NSObjectProtocol?

    init(_ document: DiaryDocument) {
        self.document = document
        observer = NotificationCenter.default.addObserver(
            forName: UIDocument.stateChangedNotification, object: document, queue: nil
        ) { [weak self] _ in
            MainActor.assumeIsolated { self?.noteState() }
        }
    }

    private func noteState() { states.append(document.documentState) }

    func use(_ isReady: @escaping (Bool) -> Void) {
        if FileManager.default.fileExists(atPath: document.fileURL.path) {
            document.open(completionHandler: isReady)
        } else {
            document.save(
                to: document.fileURL, for: .forCreating, completionHandler: isReady)
        }
    }
}

@MainActor
func use(_ screen: DiaryScreen) async -> Bool {
    await withCheckedContinuation { done in screen.use { done.resume(returning: $0) } }
}

@MainActor
func runDiary(in folder: URL) async throws {
    let url = folder.appendingPathComponent("Mine.diary")
    let screen = DiaryScreen(DiaryDocument(fileURL: url))
    let document = screen.document
    check(document.documentState == .closed, "a document is closed at first")
    check(await use(screen), "it is made")
    check(document.documentState == .normal, "it is open")
    let context = document.managedObjectContext
    check(context.concurrencyType == .mainQueueConcurrencyType, "its context is the screen's")
    check(context.parent?.concurrencyType == .privateQueueConcurrencyType, "the parent saves")
    let page = Page(context: context)
    page.text = "one"
    context.processPendingChanges()
    page.text = "two"
    context.processPendingChanges()
    document.undoManager.undo()
    check(page.text == "one", "an edit is undone")
    document.drawing = "a tree"
    check(document.hasUnsavedChanges, "there is something to save")
    check(await document.autosave(), "it is saved by itself")
    check(!document.hasUnsavedChanges, "nothing is left to save")
    check(await document.close(), "it is closed")
    check(screen.states == [.normal, .closed], "states: \(screen.states)")

    let again = DiaryDocument(fileURL: url)
    check(await use(DiaryScreen(again)), "it is opened again")
    let request = NSFetchRequest<Page>(entityName: "Page")
    check(try again.managedObjectContext.fetch(request).map(\.text) == ["one"], "what was saved")
    let drawing = url.appendingPathComponent("AdditionalContent/drawing")
    check(try String(contentsOf: drawing, encoding: .utf8) == "a tree", "what lies beside")
    check(await again.close(), "it is closed again")
    check(document.failures.isEmpty && again.failures.isEmpty, "without errors")

    let missing = DiaryDocument(fileURL: folder.appendingPathComponent("Other.diary"))
    check(!(await missing.open()), "one that is not there is not opened")
    check(missing.failures.count == 1, "and says so")
}

@MainActor
func runDesk(in folder: URL) throws {
    let url = folder.appendingPathComponent("Desk.sqlite")
    let document = try DeskDocument(type: NSSQLiteStoreType)
    let context = document.managedObjectContext
    check(context != nil, "a document has a context")
    if let context { Page(context: context).text = "one" }
    check(document.isDocumentEdited, "it is edited")
    document.save(to: url, ofType: NSSQLiteStoreType, for: .saveAsOperation) { error in
        check(error == nil, "it is saved: \(String(describing: error))")
    }
    document.close()
    let again = try DeskDocument(contentsOf: url, ofType: NSSQLiteStoreType)
    let request = NSFetchRequest<Page>(entityName: "Page")
    check(try again.managedObjectContext?.count(for: request) == 1, "it is read again")
    again.close()
}

@MainActor
func run() async throws {
    let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("documents-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await runDiary(in: folder)
    try runDesk(in: folder)
}

try await run()
print("Documents: made, saved, closed and opened again")
