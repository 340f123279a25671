import CoreData
import LabRunner
import Testing

/// Setting a value to its old value is not a change, so it cannot be lost.
@Suite struct UnchangedValuesTests {
    enum Other: CaseIterable {
        case adds, deletes, deletesPastContexts
    }

    @Test(arguments: Other.allCases, [Lab.Strategy.exhaustive, .reduced])
    func `setting a value to its old value loses nothing`(
        _ other: Other, _ strategy: Lab.Strategy
    ) throws {
        let report = try explore(other, strategy) { balance in balance }
        #expect(report.isComplete)
        #expect(report.findings == [:])
    }

    /// Here the new value differs from the old one, so the lab reports the same sessions.
    @Test(arguments: Other.allCases, [Lab.Strategy.exhaustive, .reduced])
    func `setting another value is a lost update`(
        _ other: Other, _ strategy: Lab.Strategy
    ) throws {
        let report = try explore(other, strategy) { balance in balance + 1 }
        #expect(report.isComplete)
        #expect(report.findings[other == .adds ? "lost update" : "ghost update"] != nil)
    }

    private func explore(
        _ other: Other, _ strategy: Lab.Strategy, _ change: @escaping @Sendable (Int) -> Int
    ) throws -> CodeReport {
        var options = Lab.Options.unhurried(strategy: strategy, limit: 20_000)
        options.fails = .nothing
        return try Lab.explore("unchanged", options) { lab in
            let stack = try lab.stack(model: Shop.model)
            let id = try lab.setup { try Shop.account(balance: 10, in: stack) }
            let editor = stack.newBackgroundContext()
            editor.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
            lab.session("editor", on: editor) { editor in
                guard let account = try? editor.existingObject(with: id) else { return }
                account.setValue(change(account.integer("balance")), forKey: "balance")
                try editor.save()
            }
            let context = stack.newBackgroundContext()
            lab.session("other", on: context) { context in
                switch other {
                case .adds: context.add(5, to: "balance", of: id)
                case .deletes: context.delete(context.object(with: id))
                case .deletesPastContexts:
                    try context.execute(NSBatchDeleteRequest(objectIDs: [id]))
                }
                // The save fails if the editor has saved first.
                do { try context.save() } catch { context.rollback() }
            }
        }
    }
}
