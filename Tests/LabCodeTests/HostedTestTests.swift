import CoreData
import Foundation
import LabRunner
import Synchronization
import Testing

/// Tests that run on a thread with a run loop, like those of XCTest.
@Suite struct HostedTestTests {
    /// Explores the body on a new thread.
    private func explore(
        _ schedules: Int, _ body: @escaping @Sendable () -> [String]
    ) async -> TestVerdict {
        await ExplorationTurn.shared.take()
        defer { ExplorationTurn.shared.giveBack() }
        return await withCheckedContinuation { continuation in
            let thread = Thread {
                let verdict = HostedTest(
                    "hosted", .unhurried(schedules)
                ).explore(
                    first: { TestFailures(body()) }, attempt: { TestFailures(body()) })
                continuation.resume(returning: verdict)
            }
            thread.stackSize = 4 << 20
            thread.start()
        }
    }

    /// Runs the run loop until the condition is true or the time is over, but at least ten times,
    /// because a busy machine may do little in the given time.
    private static func wait(_ seconds: Double = 60, until isDone: () -> Bool) -> Bool {
        let end = Date(timeIntervalSinceNow: seconds)
        var turns = 0
        while !isDone(), Date() < end || turns < 10 {
            _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05))
            turns += 1
        }
        return isDone()
    }

    @Test func `blocks of contexts run while the test waits in its run loop`() async {
        let verdict = await explore(20) {
            let stack = ExistingStack.make()
            let saved = Mutex(0)
            for code in ["a", "b"] {
                let context = stack.newBackgroundContext()
                context.perform {
                    try? Shop.importItem(code, in: context)
                    saved.withLock { $0 += 1 }
                }
            }
            return Self.wait { saved.withLock { $0 } == 2 } ? [] : ["not saved"]
        }
        #expect(verdict.control == .controlled)
        #expect(verdict.schedules == 20)
        #expect(verdict.failure == nil)
    }

    @Test func `a test that relies on the order of two saves fails in some schedule`() async throws
    {
        let verdict = await explore(100) {
            let stack = ExistingStack.make()
            let order = Mutex<[String]>([])
            for code in ["a", "b"] {
                let context = stack.newBackgroundContext()
                context.perform {
                    try? Shop.importItem(code, in: context)
                    order.withLock { $0.append(code) }
                }
            }
            if !Self.wait(until: { order.withLock { $0.count } == 2 }) { return ["not saved"] }
            // Only the order b, a fails. The first run is not controlled and therefore succeeds.
            return order.withLock { $0 } == ["b", "a"] ? ["b came first"] : []
        }
        // The first run is not controlled by the lab and may already have failed.
        if verdict.control == .asItIs { return }
        let failure = try #require(verdict.failure)
        #expect(failure.reasons.contains { $0.contains("b came first") })
        #expect(failure.switches <= 5)
    }

    @Test func `a wait that never succeeds ends with its own time-out`() async {
        let verdict = await explore(3) {
            let stack = ExistingStack.make()
            let context = stack.newBackgroundContext()
            let isDone = Mutex(false)
            context.perform { isDone.withLock { $0 = true } }
            let never = Self.wait(0.2) { false }
            return never || !isDone.withLock { $0 } ? ["the wait ended too early"] : []
        }
        #expect(verdict.control != .perturbed)
        #expect(verdict.failure == nil)
    }
}
