import CoreData
import LabRunner

/// A random small program over two accounts: sessions of reads, writes, fetches and saves.
struct RandomWorld {
    enum Operation {
        case add(account: Int, amount: Int)
        case copy(from: Int, to: Int)
        case count
        case insert
        case refresh(account: Int)
        case delete(account: Int)
        case save
    }

    /// How a session's operations stand in blocks of its context.
    enum Form { case oneBlock, blockEach, mainQueue, asynchronous, child }

    struct Session {
        let form: Form
        let policy: NSMergePolicy
        let merges: Bool
        let operations: [Operation]
    }

    let sessions: [Session]

    init(seed: UInt64) {
        var numbers = Numbers(state: seed)
        func operation() -> Operation {
            switch numbers.below(9) {
            case 0, 1: .add(account: numbers.below(2), amount: numbers.below(5) + 1)
            case 2: .copy(from: numbers.below(2), to: numbers.below(2))
            case 3: .count
            case 4: .insert
            case 5: .refresh(account: numbers.below(2))
            case 6: .delete(account: numbers.below(2))
            default: .save
            }
        }
        let forms: [Form] = [.oneBlock, .blockEach, .mainQueue, .asynchronous, .child]
        let policies: [NSMergePolicy] = [
            .error, .overwrite, .mergeByPropertyObjectTrump, .rollback,
        ]
        sessions = (0..<2).map { _ in
            Session(
                form: forms[numbers.below(forms.count)],
                policy: policies[numbers.below(policies.count)], merges: numbers.below(3) == 0,
                operations: [operation(), .save])
        }
    }

    /// A generator whose numbers are the same everywhere.
    private struct Numbers {
        var state: UInt64

        mutating func below(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(count))
        }
    }

    /// What a session saw: the end of a schedule depends on it; unchecked because the lab runs one
    /// thread at a time.
    final class Seen: @unchecked Sendable {
        var lines: [String] = []
    }

    func explore(_ strategy: Lab.Strategy, limit: Int = 20_000) throws -> CodeReport {
        try Lab.explore("random", Lab.Options(strategy: strategy, limit: limit)) { lab in
            let stack = try lab.stack(model: Shop.model)
            let ids = try lab.setup {
                try (0..<2).map { try Shop.account(balance: 10 * ($0 + 1), in: stack) }
            }
            let seen = sessions.map { _ in Seen() }
            for (index, session) in sessions.enumerated() {
                declare(session, seen[index], "s\(index)", ids, stack, lab)
            }
            lab.finally {
                for (index, seen) in seen.enumerated() {
                    lab.observe("s\(index)", seen.lines.joined(separator: " "))
                }
                for id in ids { lab.observe("b", try? Shop.balance(of: id, in: stack)) }
                lab.observe("n", try Shop.count("Account", in: stack))
            }
        }
    }

    private func declare(
        _ session: Session, _ seen: Seen, _ name: String, _ ids: [NSManagedObjectID],
        _ stack: NSPersistentContainer, _ lab: CodeLab
    ) {
        let context = makeContext(session, stack)
        context.mergePolicy = session.policy
        if session.merges { context.automaticallyMergesChangesFromParent = true }
        if session.form == .asynchronous {
            lab.session(name) {
                for operation in session.operations {
                    await context.perform { run(operation, seen, ids, context) }
                }
            }
        } else if session.form == .oneBlock {
            lab.session(name, on: context) { context in
                for operation in session.operations { run(operation, seen, ids, context) }
            }
        } else {
            lab.session(name) {
                for operation in session.operations {
                    context.performAndWait { run(operation, seen, ids, context) }
                }
            }
        }
    }

    private func makeContext(
        _ session: Session, _ stack: NSPersistentContainer
    ) -> NSManagedObjectContext {
        switch session.form {
        case .mainQueue: return stack.viewContext
        case .child:
            let child = NSManagedObjectContext(.privateQueue)
            child.parent = stack.viewContext
            return child
        case .oneBlock, .blockEach, .asynchronous: return stack.newBackgroundContext()
        }
    }

    private func run(
        _ operation: Operation, _ seen: Seen, _ ids: [NSManagedObjectID],
        _ context: NSManagedObjectContext
    ) {
        func object(_ account: Int) -> NSManagedObject? {
            let object = try? context.existingObject(with: ids[account])
            return object.flatMap { $0.isDeleted ? nil : $0 }
        }
        switch operation {
        case .add(let account, let amount):
            guard let object = object(account) else { return seen.lines.append("none") }
            let balance = object.value(forKey: "balance") as? Int ?? 0
            seen.lines.append("\(balance)")
            object.setValue(balance + amount, forKey: "balance")
        case .copy(let from, let to):
            guard let source = object(from), let target = object(to) else { return }
            target.setValue(source.value(forKey: "balance"), forKey: "balance")
        case .count:
            let request = NSFetchRequest<NSManagedObject>(entityName: "Account")
            seen.lines.append("n\((try? context.count(for: request)) ?? -1)")
        case .insert:
            _ = NSEntityDescription.insertNewObject(forEntityName: "Account", into: context)
        case .refresh(let account):
            if let object = object(account) { context.refresh(object, mergeChanges: true) }
        case .delete(let account): if let object = object(account) { context.delete(object) }
        case .save:
            do {
                if context.hasChanges { try context.save() }
            } catch {
                seen.lines.append("failed")
                context.rollback()
            }
        }
    }
}
