import CoreData
import LabRunner
import Testing

/// Correct programs have no findings. Similar programs with a bug have findings.
@Suite struct CorrectProgramsTests {
    private func tills(
        _ name: String, sum: Int?,
        _ sell: @escaping (NSManagedObjectContext, Int, NSManagedObjectID) throws -> Void
    ) throws -> CodeReport {
        try Lab.explore(name, .unhurried(limit: 2_000)) { lab in
            let stack = try lab.stack(model: Shop.model)
            let id = try lab.setup { try Shop.account(balance: 10, in: stack) }
            for (name, amount) in [("till", 5), ("desk", 7)] {
                lab.session(name) { try sell(stack.newBackgroundContext(), amount, id) }
            }
            lab.finally {
                if let sum { try #expect(Shop.balance(of: id, in: stack) == sum) }
            }
        }
    }

    /// Tries again after each conflict, at most `times` times in total.
    private static func retry(
        _ context: NSManagedObjectContext, _ amount: Int, _ id: NSManagedObjectID, times: Int
    ) throws {
        context.mergePolicy = NSMergePolicy.error
        for time in 1...times {
            do {
                return try Shop.add(amount, to: id, in: context)
            } catch {
                if time == times { throw error }
                context.performAndWait { context.rollback() }
            }
        }
    }

    @Test func `a save that is tried again loses nothing`() throws {
        let report = try tills("retry", sum: 22) { context, amount, id in
            try Self.retry(context, amount, id, times: 4)
        }
        #expect(report.isComplete)
        // The program with the bug saves only once.
        #expect(throws: CodeFailure.self) {
            try tills("no retry", sum: 22) { context, amount, id in
                try Self.retry(context, amount, id, times: 1)
            }
        }
    }

    /// The greater of both balances, like a high score.
    ///
    /// `@unchecked Sendable` because it has no state.
    private final class Highest: NSMergePolicy, @unchecked Sendable {
        override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
            let own = list.map { $0.sourceObject.value(forKey: "balance") as? Int ?? 0 }
            try super.resolve(optimisticLockingConflicts: list)
            for (conflict, own) in zip(list, own) {
                let theirs = conflict.sourceObject.value(forKey: "balance") as? Int ?? 0
                conflict.sourceObject.setValue(max(own, theirs), forKey: "balance")
            }
        }
    }

    @Test func `a policy that decides by both sides loses nothing`() throws {
        func sell(_ policy: NSMergePolicy) throws -> CodeReport {
            try tills("highest", sum: nil) { context, amount, id in
                context.mergePolicy = policy
                try Shop.add(amount, to: id, in: context)
            }
        }
        let report = try sell(Highest(merge: .mergeByPropertyStoreTrumpMergePolicyType))
        #expect(report.findings["lost update"] == nil)
        #expect(report.isComplete)
        // The policy with the bug keeps the store's value.
        #expect(throws: CodeFailure.self) { try sell(NSMergePolicy.mergeByPropertyStoreTrump) }
    }
}
