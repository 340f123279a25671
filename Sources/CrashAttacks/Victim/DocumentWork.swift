import CoreData
import CoreDataDocuments
import Foundation
import Synchronization

/// The work of a victim process that writes a document, and the verification of the document.
struct DocumentWork {
    private static let stepsOfOpening = 5

    let work: VictimWork

    private var request: VictimRequest { work.request }

    /// Runs the body on the main queue. The caller must be the main thread, which runs its run loop
    /// meanwhile.
    static func drained<T: Sendable>(
        _ body: @escaping @MainActor @Sendable () async throws -> T
    ) throws -> T {
        let outcome = Outcome<T>()
        Task { @MainActor in
            do { outcome.set(.success(try await body())) } catch { outcome.set(.failure(error)) }
        }
        while true {
            if let result = outcome.result { return try result.get() }
            _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05))
        }
    }

    private final class Outcome<T: Sendable>: Sendable {
        private let guarded = Mutex<Result<T, any Error>?>(nil)

        var result: Result<T, any Error>? { guarded.withLock { $0 } }

        func set(_ result: Result<T, any Error>) { guarded.withLock { $0 = result } }
    }

    // MARK: Writing

    @MainActor
    func write() async throws {
        let document = LedgerDocument.make(request, in: request.folder)
        guard
            await take(
                0, document, { await document.save(to: document.fileURL, for: .forCreating) })
        else { return }
        var ledger = Ledger()
        for number in request.script.numbers {
            if number % Self.stepsOfOpening == 0 {
                guard await document.close(), await document.open() else {
                    return reportFailure(-1, document)
                }
            }
            let edits = request.script.edits(number, on: ledger)
            let store = try document.ledger(work.opening())
            document.step = number
            let isDone = await take(number, document) {
                do { try store.perform(edits, name: "step \(number)") } catch {
                    VictimVoice.failed(number, error)
                    return false
                }
                return await document.autosave()
            }
            guard isDone else { return }
            ledger.apply(edits)
        }
        guard await document.close() else { return reportFailure(-1, document) }
        VictimVoice.finished()
    }

    /// Runs one step, and prints when it begins and ends.
    @MainActor
    private func take(
        _ number: Int, _ document: LedgerDocument, _ body: @MainActor () async -> Bool
    ) async -> Bool {
        if request.plant == .acknowledgesEarly { VictimVoice.done(number) }
        VictimVoice.begin(number)
        guard await body() else {
            reportFailure(number, document)
            return false
        }
        VictimVoice.done(number)
        return true
    }

    @MainActor
    private func reportFailure(_ number: Int, _ document: LedgerDocument) {
        if let failure = document.failure { VictimVoice.failed(number, failure) }
    }
}

// MARK: Verifying

extension Verification {
    /// Opens the document, checks its contents, and saves it again.
    func runDocument() throws -> Int {
        let kept = try DocumentWork.drained { try await self.checkDocument() }
        if FileManager.default.fileExists(atPath: LedgerDocument.url(in: folder).path) {
            try work.look(at: storePath, kind: .document)
        }
        return kept
    }

    private var storePath: String {
        LedgerDocument.url(in: folder).path + "/StoreContent/persistentStore"
    }

    @MainActor
    private func checkDocument() async throws -> Int {
        let document = LedgerDocument.make(request, in: folder)
        guard FileManager.default.fileExists(atPath: document.fileURL.path) else {
            guard !expected.done.contains(0) else { throw Finding("the document is missing") }
            let isMade = await document.save(to: document.fileURL, for: .forCreating)
            try demand(isMade, document, "cannot be created")
            try demand(await document.close(), document, "does not close")
            return 0
        }
        try demand(await document.open(), document, "does not open")
        let store = try document.ledger(work.opening())
        var ledger = try store.read()
        let candidate = try match((ledger, .first))
        // The file with the step's number is replaced after the store's transaction. If the victim
        // ended in between, the file still contains the number of the previous step.
        guard let step = document.stepRead, candidate.steps.suffix(2).contains(step) else {
            throw Finding(
                "the store has the steps \(candidate.steps), but the content next to it is that of"
                    + " step \(document.stepRead.map(String.init) ?? "none")")
        }
        let last = LedgerScript(seed: request.seed, first: 900_000, count: 1)
        let edits = last.edits(last.first, on: ledger)
        try store.perform(edits, name: "verification")
        ledger.apply(edits)
        document.step = last.first
        try demand(await document.close(), document, "does not save again")
        try demand(await document.open(), document, "does not open a second time")
        let again = try document.ledger(work.opening()).read()
        if let difference = again.difference(from: ledger) {
            throw Finding("after one more save: \(difference)")
        }
        guard document.stepRead == last.first else { throw Finding("its content is old") }
        try demand(await document.close(), document, "does not close")
        try checkDocumentFolder()
        return candidate.steps.count
    }

    @MainActor
    private func demand(_ isDone: Bool, _ document: LedgerDocument, _ what: String) throws {
        guard !isDone else { return }
        let reason = document.failure.map { Self.text($0) } ?? "no reason"
        throw Finding("the document \(what): \(reason)")
    }

    private func checkDocumentFolder() throws {
        let files = FileManager.default
        let inside = try files.contentsOfDirectory(atPath: LedgerDocument.url(in: folder).path)
        let odd = Set(inside).subtracting(["StoreContent", "AdditionalContent"])
        guard odd.isEmpty else {
            throw Finding("unexpected files in the document: \(odd.sorted())")
        }
        let beside = try files.contentsOfDirectory(atPath: folder)
        guard beside.count == 1 else {
            throw Finding("unexpected files next to the document: \(beside.sorted())")
        }
    }
}
