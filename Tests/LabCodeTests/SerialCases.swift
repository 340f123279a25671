import CoreData
import Foundation
import LabRunner

/// A program with a planted bug, which is cured on request. It contains no expectation.
struct SerialCase: Sendable, CustomStringConvertible {
    let description: String
    /// Declares the sessions; the flag says whether the program is cured.
    let code: @Sendable (CodeLab, NSPersistentContainer, Bool) throws -> Void

    init(
        _ name: String,
        _ code: @escaping @Sendable (CodeLab, NSPersistentContainer, Bool) throws -> Void
    ) {
        description = name
        self.code = code
    }

    static let all = [
        twoTills("two tills, object trump", .mergeByPropertyObjectTrump),
        twoTills("two tills, store trump", .mergeByPropertyStoreTrump),
        twoTills("two tills, overwrite", .overwrite),
        otherProperty, appending, findOrCreate, limited, keptCount, writeSkew, report, children,
        deadlock,
    ]

    /// A context with a policy. In a cured program, all sessions use one context.
    private static func contexts(
        _ stack: NSPersistentContainer, _ isCured: Bool,
        _ policy: NSMergePolicy = .mergeByPropertyObjectTrump
    ) -> () -> NSManagedObjectContext {
        let shared = stack.newBackgroundContext()
        // Unchecked because only one session at a time runs.
        nonisolated(unsafe) let policy = policy
        return {
            let context = isCured ? shared : stack.newBackgroundContext()
            context.mergePolicy = policy
            return context
        }
    }

    private static func retry(
        _ context: NSManagedObjectContext, _ change: (NSManagedObjectContext) throws -> Void
    ) throws {
        context.mergePolicy = NSMergePolicy.error
        for time in 1...4 {
            do { return try change(context) } catch {
                if time == 4 { throw error }
                context.performAndWait { context.rollback() }
            }
        }
    }

    private static func twoTills(_ name: String, _ policy: NSMergePolicy) -> SerialCase {
        let type = policy.mergeType
        return SerialCase(name) { lab, stack, isCured in
            let id = try lab.setup { try Shop.account(balance: 10, in: stack) }
            for (name, amount) in [("till", 5), ("desk", 7)] {
                lab.session(name) {
                    let context = stack.newBackgroundContext()
                    if isCured {
                        return try retry(context) { try Shop.add(amount, to: id, in: $0) }
                    }
                    context.mergePolicy = NSMergePolicy(merge: type)
                    try Shop.add(amount, to: id, in: context)
                }
            }
        }
    }

    /// The overwrite policy also writes a property that the session has not changed.
    private static let otherProperty = SerialCase("renamed while selling") { lab, stack, isCured in
        let id = try lab.setup { try Shop.account(balance: 10, in: stack) }
        let policy: NSMergePolicy = isCured ? .mergeByPropertyObjectTrump : .overwrite
        let make = contexts(stack, false, policy)
        lab.session("till") { try Shop.add(5, to: id, in: make()) }
        lab.session("desk") {
            let context = make()
            try context.performAndWait {
                try context.existingObject(with: id).setValue("desk", forKey: "name")
                try context.save()
            }
        }
    }

    private static let appending = SerialCase("two appended names") { lab, stack, isCured in
        let id = try lab.setup { try Shop.account(balance: 10, in: stack) }
        let make = contexts(stack, isCured)
        for name in ["a", "b"] {
            lab.session(name) {
                let context = make()
                try context.performAndWait {
                    let account = try context.existingObject(with: id)
                    let old = account.value(forKey: "name") as? String ?? ""
                    account.setValue(old + name, forKey: "name")
                    try context.save()
                }
            }
        }
    }

    private static let findOrCreate = SerialCase("find or create") { lab, stack, isCured in
        let make = contexts(stack, isCured)
        for name in ["push", "pull"] {
            lab.session(name) {
                let context = make()
                try context.performAndWait { try Shop.importItem("a", in: context) }
            }
        }
    }

    /// Two sessions each check that no item exists, and insert one.
    private static let limited = SerialCase("a limit that two sessions check") {
        lab, stack, isCured in
        let make = contexts(stack, isCured)
        for code in ["a", "b"] {
            lab.session(code) {
                let context = make()
                try context.performAndWait {
                    let all = NSFetchRequest<NSManagedObject>(entityName: "Item")
                    if try context.count(for: all) > 0 { return }
                    let item = NSEntityDescription.insertNewObject(
                        forEntityName: "Item", into: context)
                    item.setValue(code, forKey: "code")
                    try context.save()
                }
            }
        }
    }

    /// Two sessions each insert a row, and store the number of all rows in an account.
    private static let keptCount = SerialCase("a kept count") { lab, stack, isCured in
        let id = try lab.setup { try Shop.account(balance: 0, in: stack) }
        let make = contexts(stack, isCured)
        for code in ["a", "b"] {
            lab.session(code) {
                let context = make()
                try context.performAndWait {
                    let account = try context.existingObject(with: id)
                    let item = NSEntityDescription.insertNewObject(
                        forEntityName: "Item", into: context)
                    item.setValue(code, forKey: "code")
                    let all = NSFetchRequest<NSManagedObject>(entityName: "Item")
                    account.setValue(try context.count(for: all), forKey: "balance")
                    try context.save()
                }
            }
        }
    }

    /// An account may be overdrawn if the other account covers it. Two sessions each overdraw one.
    private static let writeSkew = SerialCase("two covered accounts") { lab, stack, isCured in
        let ids = try lab.setup {
            [try Shop.account(balance: 10, in: stack), try Shop.account(balance: 10, in: stack)]
        }
        let make = contexts(stack, isCured)
        for (name, own) in [("till", 0), ("desk", 1)] {
            lab.session(name) {
                let context = make()
                try context.performAndWait {
                    let accounts = try ids.map { try context.existingObject(with: $0) }
                    let balances = accounts.map { $0.value(forKey: "balance") as? Int ?? 0 }
                    if balances.reduce(0, +) < 15 { return }
                    accounts[own].setValue(balances[own] - 15, forKey: "balance")
                    try context.save()
                }
            }
        }
    }

    /// A report reads two accounts during a transfer between them.
    private static let report = SerialCase("a report of two accounts") { lab, stack, isCured in
        let ids = try lab.setup {
            [try Shop.account(balance: 10, in: stack), try Shop.account(balance: 20, in: stack)]
        }
        // Unchecked because only one session at a time runs.
        nonisolated(unsafe) var sum = 0
        lab.session("transfer") {
            let context = stack.newBackgroundContext()
            try context.performAndWait {
                for (id, amount) in zip(ids, [-5, 5]) {
                    let account = try context.existingObject(with: id)
                    let balance = account.value(forKey: "balance") as? Int ?? 0
                    account.setValue(balance + amount, forKey: "balance")
                }
                try context.save()
            }
        }
        lab.session("report") {
            let context = stack.newBackgroundContext()
            sum = try context.performAndWait {
                if isCured {
                    let all = NSFetchRequest<NSManagedObject>(entityName: "Account")
                    all.returnsObjectsAsFaults = false
                    return try context.fetch(all).reduce(0) {
                        $0 + ($1.value(forKey: "balance") as? Int ?? 0)
                    }
                }
                return try ids.reduce(0) {
                    let account = try context.existingObject(with: $1)
                    return $0 + (account.value(forKey: "balance") as? Int ?? 0)
                }
            }
        }
        lab.finally { lab.observe("sum", sum) }
    }

    /// Two children of one context save. A save into a parent has no version check.
    private static let children = SerialCase("two children of one context") {
        lab, stack, isCured in
        let id = try lab.setup { try Shop.account(balance: 10, in: stack) }
        let parent = stack.newBackgroundContext()
        func child() -> NSManagedObjectContext {
            let child = NSManagedObjectContext(.privateQueue)
            child.parent = parent
            return child
        }
        let shared = child()
        for (name, amount) in [("till", 5), ("desk", 7)] {
            lab.session(name) {
                try Shop.add(amount, to: id, in: isCured ? shared : child())
                try parent.performAndWait { try parent.save() }
            }
        }
    }

    private static let deadlock = SerialCase("two contexts that wait for each other") {
        lab, stack, isCured in
        let (a, b) = (stack.newBackgroundContext(), stack.newBackgroundContext())
        lab.session("first") { a.performAndWait { b.performAndWait {} } }
        lab.session("second") {
            let (outer, inner) = isCured ? (a, b) : (b, a)
            outer.performAndWait { inner.performAndWait {} }
        }
    }
}
