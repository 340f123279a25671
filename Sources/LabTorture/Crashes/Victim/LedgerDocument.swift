import CoreData
import CoreDataDocuments
import Foundation
import Synchronization

/// The ledger in a document that also stores the number of the last saved step next to its store.
final class LedgerDocument: UIManagedDocument {
    /// The number of the step that the next save stores.
    var step = 0
    /// The error of the last operation.
    private(set) var failure: (any Error)?
    private let told = Mutex<Int?>(nil)

    /// The path of the document in the folder of a victim's stores.
    nonisolated static func url(in folder: String) -> URL {
        URL(fileURLWithPath: folder + "/ledger.document")
    }

    /// The closed document in a victim's folder.
    static func make(_ request: VictimRequest, in folder: String) -> LedgerDocument {
        let document = LedgerDocument(fileURL: url(in: folder))
        document.persistentStoreOptions = [NSSQLitePragmasOption: request.journal.pragmas]
        return document
    }

    /// The number of the step that was read when the document was opened; nil if the content was
    /// not complete.
    var stepRead: Int? { told.withLock { $0 } }

    /// The open document's ledger, whose steps the document saves.
    func ledger(_ opening: LedgerStore.Opening) throws -> LedgerStore {
        try LedgerStore(opening, managedObjectContext)
    }

    override var managedObjectModel: NSManagedObjectModel { LedgerModel.first.make() }

    override func additionalContent(for absoluteURL: URL) throws -> Any { step }

    override func writeAdditionalContent(
        _ content: Any, to absoluteURL: URL, originalContentsURL absoluteOriginalContentsURL: URL?
    ) throws {
        // Two files, so that a half-written content is detected.
        let text = Data("\(content)".utf8)
        for name in ["one", "two"] { try text.write(to: absoluteURL.appendingPathComponent(name)) }
    }

    override func readAdditionalContent(from absoluteURL: URL) throws {
        let texts = try ["one", "two"].map {
            try String(contentsOf: absoluteURL.appendingPathComponent($0), encoding: .utf8)
        }
        told.withLock { $0 = texts[0] == texts[1] ? Int(texts[0]) : nil }
    }

    override func handleError(_ error: any Error, userInteractionPermitted: Bool) {
        failure = error
    }
}
