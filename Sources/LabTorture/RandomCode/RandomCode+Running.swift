import CoreData
import Foundation
import LabRunner

/// The lines that one block of a random program has observed. `@unchecked Sendable` because the lab
/// runs one thread at a time.
final class SeenLines: @unchecked Sendable {
    var lines: [String] = []
}

/// Merges the saves of another context into a context. `@unchecked Sendable` because the lab runs
/// one thread at a time.
private final class MergeObserver: @unchecked Sendable {
    private var observer: (any NSObjectProtocol)?

    init(of saver: NSManagedObjectContext, for context: NSManagedObjectContext) {
        observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: saver, queue: nil
        ) { [weak context] note in
            // Unchecked because contexts only read the contents of a notification.
            nonisolated(unsafe) let note = note
            guard let context else { return }
            context.perform { context.mergeChanges(fromContextDidSave: note) }
        }
    }

    deinit { observer.map { NotificationCenter.default.removeObserver($0) } }
}

extension RandomCode {
    /// The state that all sessions of one run share.
    struct Stage {
        let lab: CodeLab
        let stack: NSPersistentContainer
        let ids: [NSManagedObjectID]
        let common: CommonThings
    }

    func explore(
        _ strategy: Lab.Strategy, limit: Int, worlds: Int = 1, forgetsReads: Bool = false
    ) throws -> CodeReport {
        var options = Lab.Options(
            strategy: strategy, limit: limit, timeBudget: .seconds(120), grain: grain)
        options.fails = .nothing
        options.forgetsReads = forgetsReads
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
            let common = CommonThings()
            try run(on: Stage(lab: lab, stack: stack, ids: ids, common: common))
        }
    }

    private func run(on stage: Stage) throws {
        let shared = stage.stack.newBackgroundContext()
        let contexts = sessions.map { makeContext($0, stage.stack, shared) }
        var observers: [MergeObserver] = []
        for (index, session) in sessions.enumerated() {
            guard case .observer = session.merging else { continue }
            for (other, saver) in contexts.enumerated()
            where other != index && saver !== contexts[index] {
                observers.append(MergeObserver(of: saver, for: contexts[index]))
            }
        }
        let seen = sessions.map { session in session.blocks.map { _ in SeenLines() } }
        for (index, session) in sessions.enumerated() {
            let name = "s\(index)"
            let blocks = session.blocks.enumerated().map { number, operations in
                CodeBlock(
                    program: self, operations: operations, ids: stage.ids,
                    context: contexts[index], seen: seen[index][number])
            }
            declare(session, name, blocks, contexts[index], stage)
        }
        stage.lab.finally { [observers] in
            withExtendedLifetime(observers) {}
            for (index, seen) in seen.enumerated() {
                let lines = seen.map { $0.lines.joined(separator: " ") }
                stage.lab.observe("s\(index)", lines.joined(separator: " / "))
            }
            let orders = [stage.common.turnOrder, stage.common.lockOrder]
            stage.lab.observe(
                "order", orders.map { $0.lines.joined(separator: " ") }.joined(separator: ", "))
            try observe(stage.stack, stage.lab)
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
        guard !stack.persistentStoreCoordinator.persistentStores.isEmpty else {
            return lab.observe("rows", "no store")
        }
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
        default: context = stack.newBackgroundContext()
        }
        session.configure(context)
        return context
    }
}

extension RandomCode.Session {
    func configure(_ context: NSManagedObjectContext) {
        context.mergePolicy = NSMergePolicy(merge: policy)
        if case .automatic = merging { context.automaticallyMergesChangesFromParent = true }
    }
}
