import CoreData
import LabRunner
import LabTesting
import Synchronization
import Testing

@Suite struct ExploredTraitTests {
    private func makeStack() -> NSPersistentContainer {
        let stack = NSPersistentContainer(name: "explored", managedObjectModel: Shop.model)
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        stack.persistentStoreDescriptions = [description]
        stack.loadPersistentStores { _, error in #expect(error == nil) }
        return stack
    }

    /// Two imports side by side, as an app's test writes them.
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
        _ schedules: Int, _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await ExploredTrait.explored(schedules: schedules).provideScope(
            for: try #require(Test.current), testCase: Test.Case.current, performing: body)
    }

    @Test(.explored(schedules: 20)) func `a sound body passes in every schedule`() async throws {
        #expect(try await importTwice(["a", "b"]) == 2)
    }

    @Test func `the body runs once for each schedule`() async throws {
        let runs = Mutex(0)
        try await explore(20) {
            runs.withLock { $0 += 1 }
            #expect(try await importTwice(["a", "b"]) == 2)
        }
        #expect(runs.withLock { $0 } == 20)
    }

    @Test func `a body that loses something in some schedule fails with it`() async throws {
        let failure = await #expect(throws: CodeFailure.self) {
            try await explore(100) { #expect(try await importTwice(["a", "a"]) == 1) }
        }
        #expect(try #require(failure).reasons.contains { $0.contains("ExploredTraitTests") })
    }

    @Test func `a body with a thread of its own runs once, as it is`() async throws {
        let runs = Mutex(0)
        try await explore(20) {
            let stack = makeStack()
            let count = try await Task.detached { try Shop.count("Item", in: stack) }.value
            #expect(count == 0)
            runs.withLock { $0 += 1 }
        }
        #expect(runs.withLock { $0 } >= 1)
    }
}
