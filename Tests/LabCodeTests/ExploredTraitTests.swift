import CoreData
import LabRunner
import LabTesting
import Synchronization
import Testing

/// Bodies of tests as apps write them, explored as they are.
@Suite struct ExploredTraitTests {
    private func makeStack() -> NSPersistentContainer { ExistingStack.make() }

    /// Two imports side by side.
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
                // It may lose something already, which is no matter of the schedules behind it.
                _ = try? await body()
                return false
            }, attempt: body, caught: { await Caught.failures(of: $0) })
    }

    @Test(.explored(schedules: 20)) func `a sound body passes in every schedule`() async throws {
        #expect(try await importTwice(["a", "b"]) == 2)
    }

    @Test func `each schedule runs the body once, after one run as it is`() async throws {
        let runs = Mutex(0)
        let verdict = try await explore(20) {
            runs.withLock { $0 += 1 }
            _ = try await importTwice(["a", "b"])
        }
        #expect(verdict.control == .controlled)
        #expect(verdict.failure == nil)
        #expect(runs.withLock { $0 } == 21)
    }

    @Test func `a body that loses something in some schedule fails with it`() async throws {
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
        // As it is, and under its one schedule.
        #expect(runs.withLock { $0 } <= 2)
    }

    @Test func `a body without a stack runs once`() async throws {
        let verdict = try await explore(20) { await Task.yield() }
        #expect(verdict.control == .noStack)
    }

    @Test func `a body with a Dispatch queue runs on real threads, and says why`() async throws {
        let runs = Mutex(0)
        let verdict = try await explore(5) {
            let stack = makeStack()
            await withCheckedContinuation { continuation in
                DispatchQueue(label: "import").async {
                    let context = stack.newBackgroundContext()
                    context.performAndWait { try? Shop.importItem("a", in: context) }
                    continuation.resume()
                }
            }
            runs.withLock { $0 += 1 }
        }
        #expect(verdict.control == .perturbed)
        #expect(!verdict.notes.isEmpty)
        #expect(runs.withLock { $0 } == 6)
    }

    @Test func `a loss on real threads fails with a seed`() async throws {
        let verdict = try await explore(200, mode: .perturbed) {
            if try await importTwice(["a", "a"]) > 1 { throw Duplicates() }
        }
        let failure = try #require(verdict.failure)
        #expect(failure.token.contains(":perturbed:"))
    }

    @Test func `a static stack comes under each schedule`() async throws {
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

/// Stacks as apps' tests make them.
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
