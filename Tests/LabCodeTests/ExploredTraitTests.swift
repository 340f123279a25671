import CoreData
import Foundation
import LabRunner
import LabTesting
import Synchronization
import Testing

/// The bodies of an app's tests can be explored without changes.
@Suite struct ExploredTraitTests {
    private func makeStack() -> NSPersistentContainer { ExistingStack.make() }

    private func importTwice(_ codes: [String]) async throws -> Int {
        let stack = makeStack()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for code in codes {
                group.addTask {
                    try await stack.performBackgroundTask { context in
                        try Shop.importItem(code, in: context)
                    }
                }
            }
            try await group.waitForAll()
        }
        return try Shop.count("Item", in: stack)
    }

    private func explore(
        _ schedules: Int, mode: TestOptions.Mode = .automatic,
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws -> TestVerdict {
        try await AsyncTest(
            "explored", .unhurried(schedules, mode: mode)
        ).explore(
            first: {
                // The first run is not controlled and may lose an object. Only later schedules are
                // judged.
                _ = try? await body()
                return false
            }, attempt: body, caught: { await Caught.failures(of: $0) })
    }

    @Test(.explored(schedules: 20)) func `a sound body passes in every schedule`() async throws {
        #expect(try await importTwice(["a", "b"]) == 2)
    }

    @Test func `each schedule runs the body once, after one run without control`() async throws {
        let runs = Mutex(0)
        let verdict = try await explore(20) {
            runs.withLock { $0 += 1 }
            _ = try await importTwice(["a", "b"])
        }
        #expect(verdict.control == .controlled)
        #expect(verdict.failure == nil)
        #expect(runs.withLock { $0 } == 21)
    }

    @Test func `a body that loses an object in some schedule fails with that schedule`()
        async throws
    {
        let verdict = try await explore(200) {
            let count = try await importTwice(["a", "a"])
            if count > 1 { throw Duplicates() }
        }
        let failure = try #require(verdict.failure)
        #expect(failure.reasons.contains { $0.contains("Duplicates") })
        #expect(failure.story.contains { $0.contains("fetches Item: 0 rows") })
        #expect(failure.token.hasPrefix("lab1:explored@"))
    }

    private struct Duplicates: Error {}

    @Test func `unstructured and detached tasks are steered`() async throws {
        let verdict = try await explore(20) {
            let stack = makeStack()
            let one = Task {
                try await stack.performBackgroundTask { try Shop.importItem("a", in: $0) }
            }
            let other = Task.detached {
                try await stack.performBackgroundTask { try Shop.importItem("b", in: $0) }
            }
            try await one.value
            try await other.value
            try #expect(Shop.count("Item", in: stack) == 2)
        }
        #expect(verdict.control == .controlled)
        #expect(verdict.schedules == 20)
    }

    @Test func `a body of one thread has one schedule`() async throws {
        let runs = Mutex(0)
        let verdict = try await explore(20) {
            let stack = makeStack()
            try #expect(Shop.count("Item", in: stack) == 0)
            runs.withLock { $0 += 1 }
        }
        #expect(verdict.control == .singleThreaded)
        // The body runs once without control and once in its only schedule.
        #expect(runs.withLock { $0 } <= 2)
    }

    @Test func `a body without a stack runs once`() async throws {
        let verdict = try await explore(20) { await Task.yield() }
        #expect(verdict.control == .noStack)
    }

    private func importOnce(
        _ stack: NSPersistentContainer, _ start: (@escaping @Sendable () -> Void) -> Void
    ) async {
        await withCheckedContinuation { continuation in
            start {
                let context = stack.newBackgroundContext()
                context.performAndWait { try? Shop.importItem("a", in: context) }
                continuation.resume()
            }
        }
    }

    @Test func `a body with a Dispatch queue is steered`() async throws {
        let runs = Mutex(0)
        let verdict = try await explore(5) {
            let stack = makeStack()
            let queue = DispatchQueue(label: "import")
            async let other: Void = importOnce(stack) { queue.async(execute: $0) }
            await importOnce(stack) { DispatchQueue.global().async(execute: $0) }
            await other
            runs.withLock { $0 += 1 }
        }
        #expect(verdict.control == .controlled)
        #expect(verdict.notes.count == 1 && verdict.notes.first?.hasPrefix("unique race: ") == true)
        #expect(runs.withLock { $0 } == 6)
    }

    @Test func `a body with its own thread runs on real threads, and reports why`() async throws {
        let runs = Mutex(0)
        let verdict = try await explore(5) {
            await importOnce(makeStack()) { work in Thread { work() }.start() }
            runs.withLock { $0 += 1 }
        }
        #expect(verdict.control == .perturbed)
        #expect(!verdict.notes.isEmpty)
        #expect(runs.withLock { $0 } == 6)
    }

    private func addTwice(
        guardedBy guarded: @escaping @Sendable (() -> Void) -> Void
    ) async throws -> Int {
        let stack = makeStack()
        let id = try Shop.account(balance: 10, in: stack)
        @Sendable func add(_ amount: Int) {
            guarded {
                let context = stack.newBackgroundContext()
                context.mergePolicy = NSMergePolicy.overwrite
                try? Shop.add(amount, to: id, in: context)
            }
        }
        async let one: Void = add(5)
        async let other: Void = add(7)
        _ = await (one, other)
        return try Shop.balance(of: id, in: stack)
    }

    @Test func `a test whose tasks wait for a lock is steered`() async throws {
        let verdict = try await explore(50) {
            let lock = NSLock()
            if try await addTwice(guardedBy: { work in lock.withLock { work() } }) != 22 {
                throw Duplicates()
            }
        }
        #expect(verdict.control == .controlled)
        #expect(verdict.failure == nil)
        // The test with the bug takes no lock.
        let open = try await explore(50) {
            if try await addTwice(guardedBy: { work in work() }) != 22 { throw Duplicates() }
        }
        #expect(open.failure != nil)
    }

    @Test func `a test that waits for something unknown to the lab fails with the position`()
        async throws
    {
        let runs = Mutex(0)
        let verdict = try await AsyncTest("in vain", .hasty(5)).explore(
            first: {
                _ = try await importTwice(["a", "b"])
                return false
            },
            attempt: {
                async let imports = importTwice(["a", "b"])
                if runs.withLock({
                    $0 += 1
                    return $0
                }) == 1 {
                    Self.readFromNobody()
                }
                _ = try await imports
            }, caught: { await Caught.failures(of: $0) })
        let failure = try #require(verdict.failure)
        #expect(failure.reasons.contains { $0.contains("ExploredTraitTests.swift:") })
    }

    /// Reads from a pipe to which nothing is written.
    private static func readFromNobody() {
        var ends: [Int32] = [0, 0]
        pipe(&ends)
        var byte: UInt8 = 0
        read(ends[0], &byte, 1)
    }

    @Test func `a test that fails or is skipped without a schedule ends as it is`() async throws {
        let verdict = try await AsyncTest("fails", .unhurried(5)).explore(
            first: { true }, attempt: {}, caught: { _ in [] })
        #expect(verdict.control == .asItIs)
        #expect("\(verdict)".hasSuffix("it fails without a schedule"))
        let passing = try await explore(5) { _ = try await importTwice(["a", "b"]) }
        #expect("\(passing)".contains("nothing failed"))
    }

    @Test func `a loss on real threads fails with a seed`() async throws {
        let verdict = try await explore(200, mode: .perturbed) {
            if try await importTwice(["a", "a"]) > 1 { throw Duplicates() }
        }
        let failure = try #require(verdict.failure)
        #expect(failure.token.contains(":perturbed:"))
    }

    @Test func `a static stack belongs to the schedules`() async throws {
        let verdict = try await explore(20) {
            let stack = ExistingStack.shared
            async let one: Void = stack.performBackgroundTask { context in
                try Shop.importItem("a", in: context)
            }
            async let other: Void = stack.performBackgroundTask { context in
                try Shop.importItem("b", in: context)
            }
            try await one
            try await other
        }
        #expect(verdict.control == .controlled)
        #expect(verdict.schedules == 20)
    }

    @Test func `a continuation that another thread resumes stays in the schedule`() async throws {
        let verdict = try await explore(10) {
            let stack = makeStack()
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async { continuation.resume() }
            }
            try await stack.performBackgroundTask { try Shop.importItem("a", in: $0) }
            try #expect(Shop.count("Item", in: stack) == 1)
        }
        #expect(verdict.control != .perturbed)
        #expect(verdict.failure == nil)
    }
}

enum ExistingStack {
    static let shared = make()

    static func make() -> NSPersistentContainer {
        let stack = NSPersistentContainer(name: "explored", managedObjectModel: Shop.model)
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        stack.persistentStoreDescriptions = [description]
        stack.loadPersistentStores { _, error in #expect(error == nil) }
        return stack
    }
}

enum Caught {
    static func failures(of body: @Sendable () async throws -> Void) async -> [String] {
        do {
            try await body()
            return []
        } catch {
            return ["\(error)"]
        }
    }
}
