import CoreData
import Foundation
import LabRunner
import Synchronization
import Testing

/// Tests of code with additional Dispatch queues. The twin types of the lab replace them.
@Suite struct TwinQueueTests {
    private func sales(onOneQueue: Bool) throws -> CodeReport {
        try Lab.explore("sales on queues", .unhurried()) { lab in
            let stack = try lab.stack(model: Shop.model)
            let id = try lab.setup { try Shop.account(balance: 10, in: stack) }
            let one = lab.queue("one")
            let other = onOneQueue ? one : lab.queue("other")
            lab.session("till") {
                for (queue, amount) in [(one, 5), (other, 7)] {
                    queue.async {
                        let context = stack.newBackgroundContext()
                        context.mergePolicy = NSMergePolicy.overwrite
                        try? Shop.add(amount, to: id, in: context)
                    }
                }
            }
            lab.finally { try #expect(Shop.balance(of: id, in: stack) == 22) }
        }
    }

    @Test func `two queues lose an update`() throws {
        let failure = #expect(throws: CodeFailure.self) { try sales(onOneQueue: false) }
        #expect(try #require(failure).story.contains { $0.contains("balance 10 → ") })
    }

    @Test func `one serial queue loses nothing in any schedule`() throws {
        #expect(try sales(onOneQueue: true).isComplete)
    }

    @Test func `sync runs after the blocks that were enqueued before it`() throws {
        let report = try Lab.explore("sync", .unhurried()) { lab in
            let queue = lab.queue("serial")
            let seen = Seen()
            lab.session("a") {
                queue.async { seen.add("async") }
                queue.sync { seen.add("sync") }
            }
            lab.session("b") { queue.async { seen.add("b") } }
            lab.finally {
                let lines = seen.lines.filter { $0 != "b" }
                #expect(lines == ["async", "sync"])
                lab.observe("order", seen.lines.joined(separator: " "))
            }
        }
        #expect(report.isComplete)
        #expect(report.outcomes.count > 1)
    }

    @Test func `a barrier runs while no other block runs`() throws {
        let report = try Lab.explore("barrier", .unhurried()) { lab in
            let queue = lab.queue("readers", isConcurrent: true)
            let seen = Seen()
            lab.session("a") {
                for name in ["r1", "r2"] { queue.async { seen.add(name) } }
                queue.async(flags: .barrier) { seen.add("write") }
                queue.async { seen.add("r3") }
            }
            lab.finally {
                #expect(seen.lines.count == 4)
                #expect(seen.lines[2] == "write")
                lab.observe("order", seen.lines.joined(separator: " "))
            }
        }
        #expect(report.outcomes.count == 2)
    }

    @Test func `asyncAfter runs after everything else that is ready`() throws {
        let report = try Lab.explore("after", .unhurried()) { lab in
            let queue = lab.queue("serial")
            let seen = Seen()
            lab.session("a") {
                queue.asyncAfter(deadline: .now() + 5) { seen.add("late") }
                queue.asyncAfter(deadline: .now() + 1) { seen.add("soon") }
                queue.async { seen.add("now") }
            }
            lab.finally { #expect(seen.lines == ["now", "soon", "late"]) }
        }
        #expect(report.isComplete)
    }

    @Test func `operations wait for their dependencies and for the limit of concurrent ones`()
        throws
    {
        let report = try Lab.explore("operations", .unhurried()) { lab in
            let queue = lab.operationQueue()
            let seen = Seen()
            lab.session("a") {
                queue.maxConcurrentOperationCount = 2
                let load = BlockOperation { seen.add("load") }
                let parse = BlockOperation { seen.add("parse") }
                parse.addDependency(load)
                queue.addOperations([parse, load], waitUntilFinished: false)
                queue.addOperation { seen.add("other") }
                queue.waitUntilAllOperationsAreFinished()
                seen.add("all")
            }
            lab.finally {
                let lines = seen.lines
                #expect(lines.last == "all")
                #expect(lines.firstIndex(of: "load")! < lines.firstIndex(of: "parse")!)
                lab.observe("order", lines.joined(separator: " "))
            }
        }
        #expect(report.isComplete)
        #expect(report.outcomes.count > 1)
    }

    @Test func `a queue that waits for itself is a deadlock`() throws {
        let failure = #expect(throws: CodeFailure.self) {
            try Lab.explore("self", .unhurried()) { lab in
                let queue = lab.queue("serial")
                lab.session("a") { queue.sync { queue.sync {} } }
            }
        }
        #expect(try #require(failure).reasons.contains { $0.hasPrefix("deadlock") })
    }

    /// Records lines from the explored code.
    ///
    /// `@unchecked Sendable` because one thread at a time runs.
    private final class Seen: @unchecked Sendable {
        private(set) var lines: [String] = []

        func add(_ line: String) { lines.append(line) }
    }
}
