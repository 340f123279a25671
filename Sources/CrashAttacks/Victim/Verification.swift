import CoreData
import CoreDataSQLite
import Foundation

/// Verifies one folder. This runs in a separate process, so that a damaged store does not end the
/// campaign.
struct Verification {
    /// A problem that the verification found.
    struct Finding: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    /// A state that the store may have.
    struct Candidate {
        let steps: [Int]
        let ledger: Ledger
        let model: LedgerModel
    }

    let request: VictimRequest
    let expected: VerifiedCase
    let work: VictimWork

    init(_ request: VictimRequest, _ expected: VerifiedCase) {
        self.expected = expected
        self.request = request
        var own = request
        own.folder = expected.folder
        work = VictimWork(own)
    }

    private var kind: VictimKind { request.kind }
    var folder: String { expected.folder }
    private var path: String { folder + "/" + StoreName.own }

    /// Runs all checks, and returns the number of steps that the store contains.
    func run() throws -> Int {
        if kind == .document { return try runDocument() }
        let found = try first()
        let candidate = try match(found)
        try work.look(at: path, kind: kind)
        if kind == .history { try checkHistory(candidate.steps) }
        try goOn(from: candidate)
        if kind.hasExternalNotes { try checkExternalFiles(StoreName.own) }
        if kind.withoutExternalNotes == .copy {
            try checkCopy(candidate.ledger, isCertain: expected.done.contains(0))
        }
        try checkLeftOvers()
        return candidate.steps.count
    }

    // MARK: Possible content

    /// The ledger before the victim's script, after the initial steps of the victim's kind.
    static func start(_ request: VictimRequest) -> Ledger {
        ledger(request, after: Array(0..<request.kind.initialSteps))
    }

    private static func ledger(_ request: VictimRequest, after steps: [Int]) -> Ledger {
        let kind = request.kind
        var ledger = Ledger()
        if kind.needsTemplate {
            ledger = request.template.replay(Array(request.template.numbers), on: ledger)
        }
        if steps.contains(0) {
            if kind.withoutExternalNotes == .destruction { ledger = Ledger() }
            if kind.withoutExternalNotes == .replacement {
                let other = request.otherTemplate
                ledger = other.replay(Array(other.numbers), on: Ledger())
            }
        }
        return request.script.replay(steps.filter { $0 >= kind.initialSteps }, on: ledger)
    }

    private func candidates() -> [Candidate] {
        var lists: [[Int]] = []
        for step in [expected.open].compactMap(\.self) + expected.failed {
            lists.append(expected.done + [step])
        }
        for missing in 0...min(expected.missable, expected.done.count) {
            lists.append(expected.done.dropLast(missing))
        }
        return lists.map { steps in
            let isMigrated = kind.isMigration && steps.contains(0)
            return Candidate(
                steps: steps, ledger: Self.ledger(request, after: steps),
                model: isMigrated ? .second : .first)
        }
    }

    func match(_ found: (ledger: Ledger, model: LedgerModel)) throws -> Candidate {
        let candidates = candidates()
        let fitting = candidates.first { $0.ledger == found.ledger && $0.model == found.model }
        if let fitting { return fitting }
        let nearest = candidates.first { $0.model == found.model }
        let what =
            nearest.flatMap { found.ledger.difference(from: $0.ledger) }
            ?? "the store has the \(found.model.rawValue) version of the model"
        throw Finding(
            "after the steps \(expected.done), not acknowledged: \(shownOpen): \(what)")
    }

    private var shownOpen: String { expected.open.map { "step \($0)" } ?? "none" }

    // MARK: First check

    /// Opens the store if it already has the second version. If the handler of its migration stage
    /// has not run yet, it runs now.
    private func migrated() -> LedgerStore? {
        if let store = try? LedgerStore(work.opening(StoreName.own, .second)) { return store }
        let opening = work.opening(StoreName.own, .second, VictimWork.migration(kind))
        let metadata = try? NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: URL(fileURLWithPath: opening.path))
        guard metadata?["NSStoreModelVersionHandlerDue"] != nil else { return nil }
        return try? LedgerStore(opening)
    }

    /// Reads the store without starting a migration.
    private func first() throws -> (ledger: Ledger, model: LedgerModel) {
        if kind.isMigration, let store = migrated() {
            defer { try? store.close() }
            return (try store.read(), .second)
        }
        let store: LedgerStore
        do { store = try LedgerStore(work.opening()) } catch {
            throw Finding("the store does not open: \(Self.text(error))")
        }
        defer { try? store.close() }
        return (try store.read(), .first)
    }

    static func text(_ error: any Error) -> String {
        if let damage = error as? LedgerStore.Damage { return damage.description }
        let error = error as NSError
        return "\(error.code) \(error.localizedDescription)"
    }

    // MARK: Continuing

    /// Migrates the store if necessary, saves once more, and opens the store a second time.
    private func goOn(from candidate: Candidate) throws {
        var ledger = candidate.ledger
        let model: LedgerModel = kind.isMigration ? .second : .first
        let options = candidate.model == model ? [:] : VictimWork.migration(kind)
        let last = LedgerScript(seed: request.seed, first: 900_000, count: 1)
        do {
            let store = try LedgerStore(work.opening(StoreName.own, model, options))
            if kind == .deferredMigration {
                try store.coordinator.finishDeferredLightweightMigration()
            }
            if let difference = try store.read().difference(from: ledger) {
                throw Finding("the second time it opens: \(difference)")
            }
            let edits = last.edits(last.first, on: ledger)
            try store.perform(edits, name: "verification")
            ledger.apply(edits)
            try store.close()
            let again = try LedgerStore(work.opening(StoreName.own, model))
            let difference = try again.read().difference(from: ledger)
            try again.close()
            if let difference { throw Finding("after another save: \(difference)") }
        } catch let finding as Finding {
            throw finding
        } catch {
            throw Finding("the store cannot be used further: \(Self.text(error))")
        }
        try work.look(at: path, kind: kind)
    }

    // MARK: Other results of a kind

    private func checkHistory(_ steps: [Int]) throws {
        let store = try LedgerStore(work.opening())
        defer { try? store.close() }
        let names = try store.context.performAndWait {
            let request = NSPersistentHistoryChangeRequest.fetchHistory(
                after: nil as NSPersistentHistoryToken?)
            let result = try store.context.execute(request) as? NSPersistentHistoryResult
            let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
            if let empty = transactions.first(where: { $0.changes?.isEmpty ?? true }) {
                throw Finding("the history's transaction \(empty.transactionNumber) has no changes")
            }
            return transactions.compactMap(\.contextName)
        }
        let expected = steps.map { "step \($0)" }
        guard names == expected else {
            throw Finding("the history has \(names), expected \(expected)")
        }
    }

    /// Checks that the copy is complete. If the copy is missing, checks that it can still be
    /// created.
    private func checkCopy(_ source: Ledger, isCertain: Bool) throws {
        let path = expected.folder + "/" + StoreName.copy
        var source = source
        if !FileManager.default.fileExists(atPath: path) {
            guard !isCertain else { throw Finding("the copy is missing") }
            do {
                // The store contains one more save than `source`.
                let store = try LedgerStore(work.opening())
                source = try store.read()
                try store.close()
                try work.copy()
            } catch {
                throw Finding("the copy cannot be created again: \(Self.text(error))")
            }
        }
        let ledger: Ledger
        do {
            let store = try LedgerStore(work.opening(StoreName.copy))
            ledger = try store.read()
            // An empty journal file remains until the next write.
            let last = LedgerScript(seed: request.seed, first: 910_000, count: 1)
            try store.perform(last.edits(last.first, on: ledger), name: "verification")
            try store.close()
        } catch {
            throw Finding("the copy cannot be opened or used: \(Self.text(error))")
        }
        try work.look(at: path, kind: kind)
        if let difference = ledger.difference(from: source) {
            throw Finding("the copy: \(difference)")
        }
        if kind.hasExternalNotes { try checkExternalFiles(StoreName.copy) }
    }

    /// Checks that each file next to the store belongs to a row. The opposite direction is already
    /// checked: a value whose file is missing is read as nil.
    private func checkExternalFiles(_ store: String) throws {
        let connection = try Connection(.file(expected.folder + "/" + store))
        let statement = try connection.statement(
            "SELECT CAST(substr(ZNOTE, 2, 36) AS TEXT) FROM ZACCOUNT"
                + " WHERE length(ZNOTE) = 38 AND hex(substr(ZNOTE, 1, 1)) = '02'")
        defer { statement.finish() }
        var named: Set<String> = []
        while try statement.step() { named.insert(statement.text(0)) }
        let folder = "\(expected.folder)/\(StoreName.support(store))/_EXTERNAL_DATA"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        guard Set(names) == named else {
            let odd = named.symmetricDifference(names).sorted()
            throw Finding("rows and files next to the store disagree about \(odd)")
        }
    }

    private func checkLeftOvers() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: expected.folder)
        let sides = kind.names.flatMap { [$0 + "-wal", $0 + "-shm"] }
        let unused = kind.names.map { $0 + "-journal" }.filter { isUnused($0) }
        let odd = Set(names).subtracting(kind.names).subtracting(sides).subtracting(unused)
        guard odd.isEmpty else { throw Finding("unexpected files: \(odd.sorted())") }
    }
}

// MARK: Checks by SQL

extension Verification {
    /// Whether SQLite ignores the rollback journal. It does if the journal's first byte is 0, or if
    /// the journal is empty.
    private func isUnused(_ name: String) -> Bool {
        guard let data = FileManager.default.contents(atPath: expected.folder + "/" + name) else {
            return false
        }
        return data.first ?? 0 == 0
    }
}

extension VictimWork {
    /// Runs SQLite's integrity check, and checks Core Data's own tables.
    func look(at path: String, kind: VictimKind) throws {
        guard kind.isSQLite else { return }
        let connection = try Connection(.file(path))
        let integrity = try connection.firstText("PRAGMA integrity_check")
        guard integrity == "ok" else {
            throw Verification.Finding("integrity check: \(integrity ?? "no answer")")
        }
        for (entity, table) in [("Account", "ZACCOUNT"), ("Tag", "ZTAG"), ("Entry", "ZENTRY")] {
            let keys = try connection.firstText(
                "SELECT COUNT(*) FROM \(table) WHERE Z_PK > (SELECT Z_MAX FROM Z_PRIMARYKEY"
                    + " WHERE Z_NAME = '\(entity)')")
            guard keys == "0" else {
                throw Verification.Finding("\(keys ?? "?") keys of \(table) are above Z_MAX")
            }
        }
        try checkLinks(connection)
    }

    private func checkLinks(_ connection: Connection) throws {
        let table = try connection.firstText(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND (name GLOB 'Z_[0-9]*TAGS'"
                + " OR name GLOB 'Z_[0-9]*ACCOUNTS')")
        guard let table else { throw Verification.Finding("the join table is missing") }
        let columns = try connection.statement(
            "SELECT name FROM pragma_table_info('\(table)') ORDER BY name")
        var names: [String] = []
        while try columns.step() { names.append(columns.text(0)) }
        for name in names {
            let owner = name.hasSuffix("TAGS") ? "ZTAG" : "ZACCOUNT"
            let lost = try connection.firstText(
                "SELECT COUNT(*) FROM \(table) WHERE \(name) NOT IN (SELECT Z_PK FROM \(owner))")
            guard lost == "0" else {
                throw Verification.Finding("\(lost ?? "?") links of \(table).\(name) are dangling")
            }
        }
    }
}
