import CoreData
import Foundation
import LabRunner

/// A random small program over two accounts: sessions that read, write, fetch, save and merge in
/// all the ways of apps.
struct RandomWorld {
    enum Operation {
        case add(account: Int, amount: Int)
        case copy(from: Int, to: Int)
        case count
        case list
        case insert(name: String)
        case refresh(account: Int)
        case delete(account: Int)
        case addNote(account: Int)
        case countNotes(account: Int)
        case batchUpdate(amount: Int)
        case batchDelete(account: Int)
        case history
        case mergeByHand
        case detect(account: Int)
        case sum
        case reset
        case batchInsert
        case prefetch
        case pin
        case save
    }

    /// The arrangement of a session's operations in blocks of its context.
    enum Form: CaseIterable {
        case oneBlock, blockEach, mainQueue, asynchronous, child, childOfOwn, group, shared, queue
    }

    /// The kind of store.
    enum Store: Equatable {
        /// The lab's own store.
        case image
        /// A stack in memory that the body creates itself.
        case memory
    }

    struct Session {
        let form: Form
        let policy: NSMergePolicyType
        let merges: Bool
        let operations: [Operation]
    }

    let model: RandomModel
    let sessions: [Session]
    let store: Store
    let grain: Lab.Grain

    init(seed: UInt64) {
        var numbers = RandomNumbers(seed: seed)
        let model = RandomModel(&numbers)
        self.model = model
        func operation() -> Operation {
            switch numbers.below(model.hasNotes ? 21 : 18) {
            case 0, 1: .add(account: numbers.below(2), amount: numbers.below(5) + 1)
            case 2: .copy(from: numbers.below(2), to: numbers.below(2))
            case 3: .count
            case 4: .insert(name: numbers.below(2) == 0 ? "same" : "a")
            case 5: .refresh(account: numbers.below(2))
            case 6: .delete(account: numbers.below(2))
            case 7: .list
            case 8: .batchUpdate(amount: numbers.below(5) + 1)
            case 9: .batchDelete(account: numbers.below(2))
            case 10: .history
            case 11: .mergeByHand
            case 12: .save
            case 13: .detect(account: numbers.below(2))
            case 14: .sum
            case 15: .reset
            case 16: .batchInsert
            case 17: .pin
            case 18: .addNote(account: numbers.below(2))
            case 19: .prefetch
            default: .countNotes(account: numbers.below(2))
            }
        }
        let policies: [NSMergePolicyType] = [
            .errorMergePolicyType, .overwriteMergePolicyType,
            .mergeByPropertyObjectTrumpMergePolicyType,
            .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType,
        ]
        let count = numbers.below(5) == 0 ? 3 : 2
        sessions = (0..<count).map { _ in
            let form = Form.allCases[numbers.below(Form.allCases.count)]
            let policy = policies[numbers.below(policies.count)]
            let merges = numbers.below(3) == 0
            let first = operation()
            let isLong = count == 2 && numbers.below(3) == 0
            return Session(
                form: form, policy: policy, merges: merges,
                operations: isLong ? [first, operation(), .save] : [first, .save])
        }
        // Only SQLite enforces constraints.
        store = !model.isUnique && numbers.below(5) == 0 ? .memory : .image
        grain = numbers.below(5) == 0 ? .blocks : .operations
    }

    /// The observations of a session, which identify the end of a schedule; unchecked because the
    /// lab runs one thread at a time.
    final class Seen: @unchecked Sendable {
        var lines: [String] = []
        /// Notifications of other sessions' saves.
        var inbox: [Notification] = []
        var observer: (any NSObjectProtocol)?

        func listen(to other: NSManagedObjectContext) {
            observer = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextDidSave, object: other, queue: nil
            ) { [weak self] note in
                // Unchecked because the block runs while the notification is posted.
                nonisolated(unsafe) let note = note
                self?.inbox.append(note)
            }
        }

        deinit { observer.map { NotificationCenter.default.removeObserver($0) } }
    }

    func explore(
        _ strategy: Lab.Strategy, limit: Int = 20_000, worlds: Int = 1
    ) throws -> CodeReport {
        var options = Lab.Options(
            strategy: strategy, limit: limit, timeBudget: .seconds(120), grain: grain)
        options.fails = .nothing
        let model = model.make()
        return try Lab.explore("random", worlds: worlds, options) { lab in
            let stack: NSPersistentContainer
            let ids: [NSManagedObjectID]
            switch store {
            case .image:
                stack = try lab.stack(model: model)
                ids = try lab.setup { try setUp(stack) }
            case .memory:
                stack = try memoryStack(model)
                ids = try setUp(stack)
            }
            let seen = sessions.map { _ in Seen() }
            let shared = stack.newBackgroundContext()
            for (index, session) in sessions.enumerated() {
                let context = makeContext(session, stack, shared)
                if let before = contextBefore(index, stack, shared) {
                    seen[index].listen(to: before)
                }
                declare(session, seen[index], "s\(index)", ids, context, lab)
            }
            lab.finally {
                for (index, seen) in seen.enumerated() {
                    lab.observe("s\(index)", seen.lines.joined(separator: " "))
                }
                try observe(stack, lab)
            }
        }
    }

    private func memoryStack(_ model: NSManagedObjectModel) throws -> NSPersistentContainer {
        let stack = NSPersistentContainer(name: "memory", managedObjectModel: model)
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        stack.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        stack.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
        return stack
    }

    private func setUp(_ stack: NSPersistentContainer) throws -> [NSManagedObjectID] {
        let context = stack.newBackgroundContext()
        return try context.performAndWait {
            let accounts = (0..<2).map { number in
                let account = NSEntityDescription.insertNewObject(
                    forEntityName: "Account", into: context)
                account.setValue(10 * (number + 1), forKey: "balance")
                account.setValue("\(number)", forKey: "name")
                return account
            }
            try context.save()
            return accounts.map(\.objectID)
        }
    }

    private func observe(_ stack: NSPersistentContainer, _ lab: CodeLab) throws {
        let context = stack.newBackgroundContext()
        try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Account")
            let rows = try context.fetch(request).map { account in
                let balance = account.value(forKey: "balance") as? Int ?? -1
                let notes = model.hasNotes ? (account.value(forKey: "notes") as? NSSet)?.count : 0
                return "\(account.value(forKey: "name") ?? "nil"):\(balance):\(notes ?? 0)"
            }
            lab.observe("rows", rows.sorted().joined(separator: " "))
            guard model.hasNotes else { return }
            let notes = NSFetchRequest<NSManagedObject>(entityName: "Note")
            lab.observe("notes", try context.count(for: notes))
        }
    }

    // MARK: Sessions

    /// The view context, or the shared one, whose saves a session may merge explicitly.
    private func contextBefore(
        _ index: Int, _ stack: NSPersistentContainer, _ shared: NSManagedObjectContext
    ) -> NSManagedObjectContext? {
        index == 0 ? nil : sessions[0].form == .shared ? shared : stack.viewContext
    }

    private func makeContext(
        _ session: Session, _ stack: NSPersistentContainer, _ shared: NSManagedObjectContext
    ) -> NSManagedObjectContext {
        let context: NSManagedObjectContext
        switch session.form {
        case .mainQueue: context = stack.viewContext
        case .shared: context = shared
        case .child, .childOfOwn:
            context = NSManagedObjectContext(.privateQueue)
            context.parent =
                session.form == .child ? stack.viewContext : stack.newBackgroundContext()
        case .oneBlock, .blockEach, .asynchronous, .group, .queue:
            context = stack.newBackgroundContext()
        }
        context.mergePolicy = NSMergePolicy(merge: session.policy)
        if session.merges { context.automaticallyMergesChangesFromParent = true }
        return context
    }

    private func declare(
        _ session: Session, _ seen: Seen, _ name: String, _ ids: [NSManagedObjectID],
        _ context: NSManagedObjectContext, _ lab: CodeLab
    ) {
        switch session.form {
        case .asynchronous:
            lab.session(name) {
                for operation in session.operations {
                    await context.perform { run(operation, seen, ids, context) }
                }
            }
        case .group:
            lab.session(name) {
                await withTaskGroup(of: Void.self) { group in
                    for operation in session.operations {
                        group.addTask {
                            await context.perform { run(operation, seen, ids, context) }
                        }
                    }
                }
            }
        case .oneBlock:
            lab.session(name, on: context) { context in
                for operation in session.operations { run(operation, seen, ids, context) }
            }
        case .queue:
            let queue = lab.queue("\(name)'s queue")
            lab.session(name) {
                for operation in session.operations {
                    queue.async { context.performAndWait { run(operation, seen, ids, context) } }
                }
            }
        case .blockEach, .mainQueue, .child, .childOfOwn, .shared:
            lab.session(name) {
                for operation in session.operations {
                    context.performAndWait { run(operation, seen, ids, context) }
                }
            }
        }
    }
}
