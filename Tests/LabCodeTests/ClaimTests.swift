import CoreData
import Foundation
import Testing

@testable import LabRunner

/// Tests of the reduced walk. In these programs, the reads of other lanes decide where a lane may
/// switch. The walk must show every result, or report that it may have missed results.
@Suite struct ClaimTests {
    /// The reports of these strategies claim that the schedules represent all schedules.
    private static let claiming: [Lab.Strategy] = [.automatic, .reduced]

    private static func options(_ strategy: Lab.Strategy) -> Lab.Options {
        var options = Lab.Options.unhurried(strategy: strategy, limit: 60_000)
        options.fails = .nothing
        return options
    }

    /// Expects that each claiming strategy has the same results as another strategy.
    ///
    /// - Parameter end: an outcome that every strategy must show.
    private func expectNothingMissed(
        by other: Lab.Strategy, _ end: String, _ body: @escaping (CodeLab) throws -> Void
    ) throws {
        let all = try Lab.explore("claim", Self.options(other), body)
        #expect(all.outcomes.keys.contains(end))
        for strategy in Self.claiming {
            let report = try Lab.explore("claim", Self.options(strategy), body)
            #expect(report.isComplete)
            #expect(report.outcomes.keys.contains(end), "\(strategy)")
            let missed = Set(all.outcomes.keys).subtracting(report.outcomes.keys)
            #expect(missed.isEmpty, "\(strategy)")
        }
    }

    // MARK: Two reads and a deletion

    /// Declares a session that reads a row twice in a block, a second one that reads it once, and a
    /// third one that deletes it.
    private func twoReads(_ lab: CodeLab) throws {
        let stack = try lab.stack(model: Shop.model)
        let id = try lab.setup { try Shop.account(balance: 10, in: stack) }
        let contexts = (0..<3).map { _ in stack.newBackgroundContext() }
        var (first, second): (Bool, [Bool]) = (false, [])
        lab.session("reader") {
            contexts[0].performAndWait {
                guard let account = try? contexts[0].existingObject(with: id) else { return }
                first = true
                account.setValue(1, forKey: "balance")
            }
        }
        lab.session("again") {
            contexts[1].performAndWait {
                for _ in 0..<2 {
                    let account = try? contexts[1].existingObject(with: id)
                    second.append(account != nil)
                }
            }
        }
        lab.session("deleter") {
            try contexts[2].performAndWait {
                contexts[2].delete(try contexts[2].existingObject(with: id))
                try contexts[2].save()
            }
        }
        lab.finally {
            lab.observe("reader", first)
            lab.observe("again", second)
        }
    }

    @Test func `a row that others hold is read twice around its deletion`() throws {
        try expectNothingMissed(by: .bounded(2), "reader = true, again = [true, false]", twoReads)
    }

    // MARK: A lookup between a read and a write

    /// An editor sets a value in one block and saves in the next one. A sync reads the object,
    /// looks it up again and sets a value.
    ///
    /// - Parameter refreshes: whether the sync refreshes the object instead.
    private func editorAndSync(_ lab: CodeLab, refreshes: Bool) throws {
        let stack = try lab.stack(model: Shop.model)
        let id = try lab.setup { try Shop.account(balance: 10, in: stack) }
        let (editor, sync) = (stack.newBackgroundContext(), stack.newBackgroundContext())
        sync.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
        var (edited, seen) = (false, 0)
        lab.session("editor") {
            try editor.performAndWait {
                try editor.existingObject(with: id).setValue(30, forKey: "balance")
            }
            editor.performAndWait { edited = (try? editor.save()) != nil }
        }
        lab.session("sync") {
            try sync.performAndWait {
                // The object is released between the two calls, because no variable keeps it.
                seen = try sync.existingObject(with: id).value(forKey: "balance") as? Int ?? -1
                let account = try sync.existingObject(with: id)
                if refreshes {
                    account.setValue("sync", forKey: "name")
                    sync.refresh(account, mergeChanges: true)
                }
                account.setValue(35, forKey: "balance")
                try sync.save()
            }
        }
        lab.finally {
            lab.observe("edited", edited)
            lab.observe("seen", seen)
            lab.observe("end", try Shop.balance(of: id, in: stack))
        }
    }

    @Test(arguments: [false, true])
    func `an edit is lost between a read and the lookup after it`(refreshes: Bool) throws {
        try expectNothingMissed(by: .exhaustive, "edited = true, seen = 10, end = 35") {
            try editorAndSync($0, refreshes: refreshes)
        }
    }

    // MARK: The check of the claim

    /// Declares a session that reads a balance, and another one that adds to it.
    ///
    /// - Parameter isOld: whether the reader fails unless it reads the old balance.
    private func readerAndWriter(_ lab: CodeLab, expects isOld: Bool = false) throws {
        let stack = try lab.stack(model: Shop.model)
        let id = try lab.setup { try Shop.account(balance: 10, in: stack) }
        let context = stack.newBackgroundContext()
        var seen = 0
        lab.session("reader") { seen = try Shop.balance(of: id, in: stack) }
        lab.session("writer") {
            try context.performAndWait { try Shop.add(5, to: id, in: context) }
        }
        lab.finally {
            lab.observe("seen", seen)
            if isOld { #expect(seen == 10) }
        }
    }

    @Test(arguments: [Lab.Strategy.automatic, .reduced])
    func `a footprint without the rows that were read is reported`(strategy: Lab.Strategy) throws {
        var options = Self.options(strategy)
        options.forgetsReads = true
        let error = #expect(throws: CodeError.self) {
            try Lab.explore("claim", options) { try readerAndWriter($0) }
        }
        let text = "\(try #require(error))"
        #expect(text.contains("represent all schedules"))
        #expect(text.contains("drawn with seed 1"))
        #expect(text.contains("ends with seen = 15"))
        options.forgetsReads = false
        let report = try Lab.explore("claim", options) { try readerAndWriter($0) }
        #expect(report.isComplete)
        #expect(report.outcomes.count == 2)
        #expect(report.checked > 0)
    }

    @Test func `state that the lab does not see is reported`() throws {
        var options = Self.options(.reduced)
        func race(_ lab: CodeLab) throws {
            let stack = try lab.stack(model: Shop.model)
            var order: [String] = []
            for name in ["one", "two"] {
                lab.session(name) {
                    stack.newBackgroundContext().performAndWait { order.append(name) }
                }
            }
            lab.finally { lab.observe("order", order) }
        }
        let error = #expect(throws: CodeError.self) { try Lab.explore("order", options, race) }
        #expect("\(try #require(error))".contains("a variable or a file"))
        options.strategy = .exhaustive
        #expect(try Lab.explore("order", options, race).outcomes.count == 2)
    }

    /// The walk has missed a schedule that fails. The report names the failure and the missed
    /// result.
    @Test func `a failure that only the check finds is reported as the program's`() throws {
        var options = Self.options(.reduced)
        options.forgetsReads = true
        let failure = #expect(throws: CodeFailure.self) {
            try Lab.explore("claim", options) { try readerAndWriter($0, expects: true) }
        }
        #expect(try #require(failure).description.contains("represent all schedules"))
    }
}
