import CoreData
import Foundation
import LabRunner

/// The objects that sessions share in addition to the store.
final class CommonThings: Sendable {
    let turns: Turns
    let lock = NSLock()
    /// The order of the blocks that the actor runs. It is separate from `lockOrder`. If the actor
    /// runs one block and the lock guards another, the lab does not see which of them comes first.
    let turnOrder = SeenLines()
    let lockOrder = SeenLines()

    init() { turns = Turns(turnOrder) }

    /// Runs one block at a time, and records the order.
    actor Turns {
        private let order: SeenLines

        init(_ order: SeenLines) { self.order = order }

        func take(_ name: String, _ block: CodeBlock) {
            order.lines.append(name)
            block.runAndWait()
        }
    }
}

/// A block of a session. `@unchecked Sendable` because the lab runs one thread at a time.
struct CodeBlock: @unchecked Sendable {
    let program: RandomCode
    let operations: [RandomCode.Operation]
    let ids: [NSManagedObjectID]
    let context: NSManagedObjectContext
    let seen: SeenLines

    /// The caller runs on the context's queue.
    func run() { run(in: context) }

    func run(in context: NSManagedObjectContext) {
        for operation in operations { program.run(operation, seen, ids, context) }
    }

    func runAndWait() { context.performAndWait { run() } }

    func runInNewContext(of stack: NSPersistentContainer, _ session: RandomCode.Session) {
        let context = stack.newBackgroundContext()
        session.configure(context)
        context.performAndWait { run(in: context) }
    }
}

/// Declares the sessions of a random program.
extension RandomCode {
    func declare(
        _ session: Session, _ name: String, _ blocks: [CodeBlock],
        _ context: NSManagedObjectContext, _ stage: Stage
    ) {
        if session.form.makesContexts {
            return declareMaking(session, name, blocks, stage)
        }
        let lab = stage.lab
        let common = stage.common
        switch session.form {
        case .asynchronous:
            lab.session(name) { for block in blocks { await context.perform { block.run() } } }
        case .group:
            lab.session(name) {
                await withTaskGroup(of: Void.self) { group in
                    for block in blocks {
                        group.addTask { await context.perform { block.run() } }
                    }
                }
            }
        case .oneBlock:
            lab.session(name, on: context) { _ in for block in blocks { block.run() } }
        case .queue:
            let queue = lab.queue("\(name)'s queue")
            lab.session(name) { for block in blocks { queue.async { block.runAndWait() } } }
        case .actor:
            lab.session(name) { for block in blocks { await common.turns.take(name, block) } }
        case .sleeps:
            lab.session(name) {
                for block in blocks {
                    try await Task.sleep(for: .milliseconds(name == "s0" ? 10 : 5))
                    await context.perform { block.run() }
                }
            }
        case .later:
            let queue = lab.queue("\(name)'s timer")
            lab.session(name) {
                for (number, block) in blocks.enumerated() {
                    queue.asyncAfter(deadline: .now() + .milliseconds(5 * (number + 1))) {
                        block.runAndWait()
                    }
                }
            }
        case .lock:
            lab.session(name) {
                for block in blocks {
                    common.lock.withLock {
                        common.lockOrder.lines.append(name)
                        block.runAndWait()
                    }
                }
            }
        case .cancelled:
            lab.session(name) {
                let task = Task {
                    for block in blocks where !Task.isCancelled {
                        await context.perform { block.run() }
                    }
                }
                let other = Task { task.cancel() }
                await task.value
                await other.value
            }
        default: lab.session(name) { for block in blocks { block.runAndWait() } }
        }
    }

    /// Declares a session that creates a new context for each block.
    private func declareMaking(
        _ session: Session, _ name: String, _ blocks: [CodeBlock], _ stage: Stage
    ) {
        let lab = stage.lab
        let stack = stage.stack
        switch session.form {
        case .taskGroup:
            lab.session(name) {
                await withTaskGroup(of: Void.self) { group in
                    for block in blocks {
                        group.addTask { block.runInNewContext(of: stack, session) }
                    }
                }
            }
        case .unstructured:
            lab.session(name) {
                let tasks = blocks.map { block in
                    Task { block.runInNewContext(of: stack, session) }
                }
                for task in tasks { await task.value }
            }
        case .asyncLet:
            lab.session(name) {
                async let first: Void = blocks[0].runInNewContext(of: stack, session)
                for block in blocks.dropFirst() { block.runInNewContext(of: stack, session) }
                await first
            }
        case .backgroundTasks:
            lab.session(name) {
                for block in blocks {
                    stack.performBackgroundTask { context in
                        session.configure(context)
                        block.run(in: context)
                    }
                }
            }
        default:
            let isConcurrent = session.form == .concurrentQueue
            let queue = lab.queue("\(name)'s queue", isConcurrent: isConcurrent)
            lab.session(name) {
                for block in blocks {
                    queue.async { block.runInNewContext(of: stack, session) }
                }
            }
        }
    }
}
