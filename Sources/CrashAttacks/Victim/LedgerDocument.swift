import CoreData
import CoreDataDocuments
import Foundation
import Synchronization

/// A document that contains the ledger's store. The number of the last saved step is in separate
/// files of the document.
final class LedgerDocument: UIManagedDocument {
    var step = 0
    private(set) var failure: (any Error)?
    private let told = Mutex<Int?>(nil)

    nonisolated static func url(in folder: String) -> URL {
        URL(fileURLWithPath: folder + "/ledger.document")
    }

    /// Creates the document object of a victim's folder. The document is not opened.
    static func make(_ request: VictimRequest, in folder: String) -> LedgerDocument {
        let document = LedgerDocument(fileURL: url(in: folder))
        document.persistentStoreOptions = [NSSQLitePragmasOption: request.journal.pragmas]
        return document
    }

    /// The step number that was read when the document was opened. Nil before that, or if the
    /// document's two files with this number disagree.
    var stepRead: Int? { told.withLock { $0 } }

    func ledger(_ opening: LedgerStore.Opening) throws -> LedgerStore {
        try LedgerStore(opening, managedObjectContext)
    }

    override var managedObjectModel: NSManagedObjectModel { LedgerModel.first.make() }

    override func additionalContent(for absoluteURL: URL) throws -> Any { step }

    override func writeAdditionalContent(
        _ content: Any, to absoluteURL: URL, originalContentsURL absoluteOriginalContentsURL: URL?
    ) throws {
        // The step number is written to two files, so that an incomplete write is detected.
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
