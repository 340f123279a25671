import CoreData
import Foundation
import LabRunner
import Synchronization
import Testing

/// Threads wait for locks, semaphores and queues, some of them for ever.
@Suite struct LocksInCodeTests {
    private func explore(
        _ name: String, _ options: Lab.Options = .unhurried(limit: 500),
        _ body: @escaping (CodeLab, NSPersistentContainer) throws -> Void
    ) throws -> CodeReport {
        try Lab.explore(name, options) { lab in try body(lab, lab.stack(model: Shop.model)) }
    }

    private func failure(
        _ name: String, _ body: @escaping (CodeLab, NSPersistentContainer) throws -> Void
    ) throws -> CodeFailure {
        try #require(
            #expect(throws: CodeFailure.self) {
                try explore(name) { lab, stack in try body(lab, stack) }
            })
    }

    /// Two sessions acquire two resources in the same order, or in opposite orders if `isCrossed`.
    private func crossed(
        _ name: String, isCrossed: Bool,
        _ make:
            @escaping (CodeLab, NSPersistentContainer) -> (
                one: (() -> Void) -> Void, other: (() -> Void) -> Void
            )
    ) throws -> CodeReport {
        try explore(name) { lab, stack in
            let pair = make(lab, stack)
            lab.session("a") { pair.one { pair.other {} } }
            lab.session("b") {
                if isCrossed { pair.other { pair.one {} } } else { pair.one { pair.other {} } }
            }
        }
    }

    private func expectDeadlock(
        _ name: String,
        _ make:
            @escaping (CodeLab, NSPersistentContainer) -> (
                one: (() -> Void) -> Void, other: (() -> Void) -> Void
            )
    ) throws {
        let found = try #require(
            #expect(throws: CodeFailure.self) { try crossed(name, isCrossed: true, make) })
        #expect(found.reasons.contains { $0.hasPrefix("deadlock") })
        for side in ["a waits for", "b waits for"] {
            #expect(found.waits.contains { $0.hasPrefix(side) })
        }
        #expect(found.waits.count { $0.contains("LocksInCodeTests.swift:") } >= 2)
        // The correct program acquires both resources in the same order.
        let report = try crossed(name, isCrossed: false, make)
        #expect(report.isComplete)
    }

    @Test func `two locks that are taken in opposite orders are a deadlock`() throws {
        try expectDeadlock("two locks") { _, _ in
            let (one, other) = (NSLock(), NSLock())
            return ({ work in one.withLock { work() } }, { work in other.withLock { work() } })
        }
    }

    @Test func `a lock and a context's queue are a deadlock`() throws {
        try expectDeadlock("lock and context") { _, stack in
            let (lock, context) = (NSRecursiveLock(), stack.newBackgroundContext())
            return (
                { work in lock.withLock { work() } }, { work in context.performAndWait { work() } }
            )
        }
    }

    @Test func `a lock and a Dispatch queue are a deadlock`() throws {
        try expectDeadlock("lock and queue") { _, _ in
            let (lock, queue) = (NSLock(), DispatchQueue(label: "files"))
            return ({ work in lock.withLock { work() } }, { work in queue.sync { work() } })
        }
    }

    @Test func `two Dispatch queues are a deadlock`() throws {
        try expectDeadlock("two queues") { _, _ in
            let (one, other) = (DispatchQueue(label: "one"), DispatchQueue(label: "other"))
            return ({ work in one.sync { work() } }, { work in other.sync { work() } })
        }
    }

    private static func onMain(_ work: () -> Void) {
        withoutActuallyEscaping(work) { work in
            // `nonisolated(unsafe)` is safe because the caller waits for the work.
            nonisolated(unsafe) let work = work
            DispatchQueue.main.sync { work() }
        }
    }

    @Test func `a context and the main Dispatch queue are a deadlock`() throws {
        try expectDeadlock("context and main") { _, stack in
            let context = stack.newBackgroundContext()
            return (
                { work in context.performAndWait { work() } },
                { work in Self.onMain(work) }
            )
        }
    }

    @Test func `a Mutex and a context's queue are a deadlock`() throws {
        final class Box: Sendable { let mutex = Mutex(()) }
        let found = try failure("mutex and context") { lab, stack in
            let (box, context) = (Box(), stack.newBackgroundContext())
            lab.session("a") { box.mutex.withLock { _ in context.performAndWait {} } }
            lab.session("b") { context.performAndWait { box.mutex.withLock { _ in } } }
        }
        #expect(found.reasons.contains { $0.hasPrefix("deadlock") })
    }

    @Test func `a lock that its thread already holds is a deadlock`() throws {
        let found = try failure("locked twice") { lab, _ in
            let lock = NSLock()
            lab.session("a") { lock.withLock { lock.withLock {} } }
        }
        #expect(found.reasons.contains { $0.hasPrefix("deadlock") })
        #expect(throws: Never.self) {
            try explore("locked twice") { lab, _ in
                let lock = NSRecursiveLock()
                lab.session("a") { lock.withLock { lock.withLock {} } }
            }
        }
    }

    @Test func `a queue that waits for itself is a deadlock`() throws {
        let found = try failure("sync in sync") { lab, _ in
            let queue = DispatchQueue(label: "files")
            lab.session("a") { queue.sync { queue.sync {} } }
        }
        #expect(found.reasons.contains { $0.hasPrefix("deadlock") })
    }

    enum Unsignalled: CaseIterable { case semaphore, group, condition }

    @Test(arguments: Unsignalled.allCases)
    func `an endless wait is reported with its position, and the process goes on`(
        _ kind: Unsignalled
    ) throws {
        let found = try failure("in vain") { lab, _ in
            let semaphore = DispatchSemaphore(value: 0)
            let group = DispatchGroup()
            let condition = NSCondition()
            lab.session("a") {
                switch kind {
                case .semaphore: semaphore.wait()
                case .group:
                    group.enter()
                    group.wait()
                case .condition:
                    condition.lock()
                    condition.wait()
                    condition.unlock()
                }
            }
        }
        let reason = try #require(found.reasons.first)
        #expect(reason.hasPrefix("session 'a' never ends: it waits for the \(kind)"))
        #expect(reason.contains("LocksInCodeTests.swift:"))
    }

    /// Explores two threads that acquire a lock and record their order, which has no effect on the
    /// store.
    private func numbers(_ protect: @escaping (CodeLab) -> (() -> Void) -> Void) throws
        -> CodeReport
    {
        final class Count: Sendable {
            let mutex = Mutex(0)
            func next() -> Int {
                mutex.withLock { count in
                    count += 1
                    return count
                }
            }
        }
        return try explore("numbers") { lab, stack in
            let id = try lab.setup { try Shop.account(balance: 0, in: stack) }
            let count = Count()
            let protect = protect(lab)
            let (one, other) = (stack.newBackgroundContext(), stack.newBackgroundContext())
            var numbers = [0, 0]
            lab.session("one") { protect { numbers[0] = count.next() } }
            lab.session("other") { protect { numbers[1] = count.next() } }
            lab.finally { lab.observe("order", numbers) }
            _ = (id, one, other)
        }
    }

    @Test func `the order in which a lock is taken is explored`() throws {
        let locked = try numbers { _ in
            let lock = NSLock()
            return { work in lock.withLock { work() } }
        }
        let signalled = try numbers { _ in
            let semaphore = DispatchSemaphore(value: 1)
            return { work in
                semaphore.wait()
                work()
                semaphore.signal()
            }
        }
        let queued = try numbers { _ in
            let queue = DispatchQueue(label: "numbers")
            return { work in queue.sync { work() } }
        }
        for report in [locked, signalled, queued] {
            #expect(report.isComplete)
            #expect(report.outcomes.count == 2)
        }
    }

    /// Counts the accounts whenever a cache evicts an object. The cache holds a lock meanwhile.
    private final class Eviction: NSObject, NSCacheDelegate {
        let context: NSManagedObjectContext
        var evicted: [String] = []

        init(_ context: NSManagedObjectContext) { self.context = context }

        func cache(_ cache: NSCache<AnyObject, AnyObject>, willEvictObject object: Any) {
            let all = NSFetchRequest<NSManagedObject>(entityName: "Account")
            context.performAndWait { _ = try? context.count(for: all) }
            evicted.append("\(object)")
        }
    }

    @Test func `the order of a library's lock matters if it is held over a block`() throws {
        let report = try explore("a cache") { lab, stack in
            let cache = NSCache<NSString, NSString>()
            cache.countLimit = 1
            cache.setObject("first", forKey: "first")
            let eviction = Eviction(stack.newBackgroundContext())
            cache.delegate = eviction
            for name: NSString in ["one", "other"] {
                lab.session(name as String) { cache.setObject(name, forKey: name) }
            }
            lab.finally { lab.observe("evicted", eviction.evicted) }
        }
        #expect(report.isComplete)
        #expect(report.outcomes.count == 2)
    }
}
