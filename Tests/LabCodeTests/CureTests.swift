import CoreData
import Foundation
import Testing

@testable import LabRunner

/// A cure that the lab tries must have the same effect as the same change of the code.
@Suite struct CureTests {
    /// Enough time for every cure, even on a busy machine.
    static let enough = Lab.Options(timeBudget: .unhurried * 4)

    /// The failures of the program with two tills under each merge policy, with every cure tried.
    /// All tests share them.
    private enum Tills {
        static let error = failure(.error)
        static let storeTrump = failure(.mergeByPropertyStoreTrump)
        static let objectTrump = failure(.mergeByPropertyObjectTrump)
        static let overwrite = failure(.overwrite)
        static let rollback = failure(.rollback)

        private static func failure(
            _ policy: NSMergePolicy
        ) -> Result<CodeFailure, any Error> {
            Result { try #require(try CureTests.tills(policy, CureTests.enough)) }
        }
    }

    private func tills(_ type: NSMergePolicyType) throws -> CodeFailure {
        switch type {
        case .errorMergePolicyType: try Tills.error.get()
        case .mergeByPropertyStoreTrumpMergePolicyType: try Tills.storeTrump.get()
        case .mergeByPropertyObjectTrumpMergePolicyType: try Tills.objectTrump.get()
        case .overwriteMergePolicyType: try Tills.overwrite.get()
        case .rollbackMergePolicyType: try Tills.rollback.get()
        }
    }

    private static func tills(
        _ policy: NSMergePolicy, _ options: Lab.Options
    ) throws -> CodeFailure? {
        do {
            try Lab.explore("two tills", options) { lab in
                let stack = try lab.stack(model: Shop.model)
                let id = try lab.setup { try Shop.account(balance: 10, in: stack) }
                for (name, amount) in [("till", 5), ("desk", 7)] {
                    lab.session(name) {
                        let context = stack.newBackgroundContext()
                        context.mergePolicy = policy
                        try Shop.add(amount, to: id, in: context)
                    }
                }
                lab.finally { try #expect(Shop.balance(of: id, in: stack) == 22) }
            }
            return nil
        } catch let failure as CodeFailure {
            return failure
        }
    }

    private func cure(_ name: String, of failure: CodeFailure) throws -> CodeCure {
        try #require(failure.cures.first { $0.name == name })
    }

    @Test func `sessions one after another lose nothing, another policy loses a change`() throws {
        let failure = try tills(.mergeByPropertyObjectTrumpMergePolicyType)
        #expect(failure.policies == ["mergeByPropertyObjectTrump"])
        #expect(try cure("one session after another", of: failure).helps)
        #expect(try cure("all blocks on one queue, one after another", of: failure).helps)
        let now = try cure("as it is", of: failure)
        #expect(now.failing > 0 && now.failing < now.schedules)
        #expect(try cure("one session after another", of: failure).isComplete)
        #expect(failure.description.contains("✓ one session after another"))
        for name in ["mergeByPropertyStoreTrump", "overwrite", "rollback"] {
            #expect(try !cure("mergePolicy = \(name)", of: failure).helps)
        }
    }

    @Test func `a refused save is distinguished from a lost change`() throws {
        let failure = try tills(.overwriteMergePolicyType)
        let refusing = try cure("mergePolicy = error", of: failure)
        #expect(refusing.failing > 0)
        #expect(refusing.refused == refusing.failing)
        #expect(try cure("mergePolicy = rollback", of: failure).refused == 0)
    }

    /// A cure with a merge policy must have the same result as the policy in the code.
    @Test(arguments: [
        NSMergePolicyType.errorMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType,
        .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType,
        .rollbackMergePolicyType,
    ])
    func `a policy that is tried as a cure fails exactly if code with that policy fails`(
        type: NSMergePolicyType
    ) throws {
        let written = try tills(type)
        let tried = try tills(
            type == .errorMergePolicyType ? .overwriteMergePolicyType : .errorMergePolicyType)
        let one = try cure("as it is", of: written)
        let same = try cure("mergePolicy = \(CodeChange.name(type))", of: tried)
        #expect(one.schedules == same.schedules)
        #expect(one.failing == same.failing)
        #expect(one.refused == same.refused)
    }

    /// A screen that keeps an object over several blocks shows old values unless it merges.
    private func screen(merges: Bool) throws -> CodeFailure? {
        do {
            try Lab.explore("old screen", Self.enough) { lab in
                let stack = try lab.stack(model: Shop.model)
                let id = try lab.setup { try Shop.account(balance: 10, in: stack) }
                let screen = stack.newBackgroundContext()
                screen.automaticallyMergesChangesFromParent = merges
                let account = try screen.performAndWait {
                    let account = try screen.existingObject(with: id)
                    _ = account.value(forKey: "balance")
                    return account
                }
                // This save ends before the block of the screen begins. The screen therefore fails
                // only if its object is stale.
                try Shop.add(7, to: id, in: stack.newBackgroundContext())
                lab.session("screen") {
                    screen.performAndWait {
                        #expect(account.value(forKey: "balance") as? Int == 17)
                    }
                }
            }
            return nil
        } catch let failure as CodeFailure {
            return failure
        }
    }

    @Test func `an old object is cured by a refresh at the start of each block`() throws {
        let failure = try #require(try screen(merges: false))
        #expect(try cure("refreshAllObjects() first in each block", of: failure).helps)
        #expect(try !cure("one session after another", of: failure).helps)
    }

    /// A screen that reads the objects of a context again after each change.
    private final class Screen: Sendable {
        let context: NSManagedObjectContext

        init(_ context: NSManagedObjectContext, in lab: CodeLab) {
            self.context = context
            context.retainsRegisteredObjects = true
            let observer = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
            ) { _ in
                context.perform { Self.show(context) }
            }
            lab.tearDown { NotificationCenter.default.removeObserver(observer) }
        }

        static func show(_ context: NSManagedObjectContext) {
            let all = NSFetchRequest<NSManagedObject>(entityName: "Account")
            for account in (try? context.fetch(all)) ?? [] {
                _ = account.value(forKey: "balance")
            }
        }
    }

    @Test func `a cure with which code runs for ever is given up after a number of steps`() throws {
        let failure = #expect(throws: CodeFailure.self) {
            try Lab.explore("a screen", Self.enough) { lab in
                let stack = try lab.stack(model: Shop.model)
                let id = try lab.setup { try Shop.account(balance: 10, in: stack) }
                let screen = Screen(stack.newBackgroundContext(), in: lab)
                lab.session("screen") {
                    let context = screen.context
                    // The cure refreshes the objects of the first block in the second one.
                    for _ in 1...2 { context.performAndWait { Screen.show(context) } }
                }
                lab.session("till") { try Shop.add(5, to: id, in: stack.newBackgroundContext()) }
                lab.finally { try #expect(Shop.balance(of: id, in: stack) == 10) }
            }
        }
        let found = try #require(failure)
        let refreshed = try cure("refreshAllObjects() first in each block", of: found)
        let reason = try #require(refreshed.notTried)
        #expect(reason.contains("does not end within"))
    }

    @Test func `cures that are turned off are not tried`() throws {
        let failure = try #require(
            try Self.tills(.overwrite, Lab.Options(timeBudget: .unhurried, cures: false)))
        #expect(failure.cures.isEmpty)
    }

    @Test func `cures for which no time is left are reported as not tried`() throws {
        let failure = try tills(.overwriteMergePolicyType)
        let spent = CodeCures(
            name: failure.name, options: Lab.Options(timeBudget: .zero), body: { _ in },
            isAboutThreads: false
        ).tried()
        #expect(!spent.isEmpty)
        #expect(spent.allSatisfy { $0.notTried != nil && !$0.helps })
    }

    @Test func `a cure that too few schedules have confirmed has no mark`() {
        var cure = CodeCure(name: "refresh", schedules: 3)
        #expect(!cure.helps)
        #expect(cure.result == "0 of 3 tried schedules fail, too few to tell")
        cure.isComplete = true
        #expect(cure.helps)
        #expect(cure.result == "0 of 3 schedules fail")
        cure.failing = 2
        cure.refused = 2
        #expect(!cure.helps)
        #expect(cure.result == "2 of 3 schedules fail, each with a save that is refused")
    }

    @Test func `overrides apply to saves, and the program reads its own setting`() throws {
        var options = Self.enough
        options.strategy = .exhaustive
        let failure = try #require(try Self.tills(.overwrite, options))
        #expect(failure.policies == ["overwrite"])
        #expect(try cure("mergePolicy = error", of: failure).refused > 0)
    }
}
