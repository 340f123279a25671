import CoreData
import Foundation
import LabRunner
import Synchronization
import Testing

@Suite struct ExploreTests {
    private func twoTills(
        _ policy: NSMergePolicy, _ options: Lab.Options = .unhurried()
    ) throws -> CodeReport {
        try Lab.explore("two tills", options) { lab in
            let stack = try lab.stack(model: Shop.model)
            let id = try lab.setup { try Shop.account(balance: 10, in: stack) }
            for (name, amount) in [("till", 5), ("desk", 7)] {
                lab.session(name) {
                    let context = stack.newBackgroundContext()
                    context.mergePolicy = policy
                    try Shop.add(amount, to: id, in: context)
                }
            }
            lab.finally { try #expect(Shop.balance(of: id, in: stack) == 22) }
        }
    }

    @Test func `a lost update of ordinary code is found with the expectation that fails`() throws {
        let failure = #expect(throws: CodeFailure.self) {
            try twoTills(NSMergePolicy.overwrite)
        }
        let found = try #require(failure)
        #expect(found.reasons.contains { $0.contains("ExploreTests.swift") })
        #expect(found.switches <= 3)
        #expect(found.story.contains { $0.contains("Shop.swift:") })
    }

    @Test func `a conflict that a save throws fails the schedule`() throws {
        let failure = #expect(throws: CodeFailure.self) { try twoTills(NSMergePolicy.error) }
        #expect(try #require(failure).reasons.contains { $0.contains("threw") })
    }

    @Test func `a token replays the schedule byte for byte`() throws {
        let first = #expect(throws: CodeFailure.self) { try twoTills(NSMergePolicy.overwrite) }
        var options = Lab.Options.unhurried()
        options.replay = try #require(first).token
        let runs = try (0..<2).map { _ in
            try #require(
                #expect(throws: CodeFailure.self) {
                    try twoTills(NSMergePolicy.overwrite, options)
                })
        }
        #expect(runs[0].story == runs[1].story)
        #expect(runs[0].reasons == runs[1].reasons)
        #expect(runs[0].token == options.replay)
    }

    @Test func `sessions one after another on one queue pass in every schedule`() throws {
        let report = try Lab.explore("one queue", .unhurried()) { lab in
            let stack = try lab.stack(model: Shop.model)
            let id = try lab.setup { try Shop.account(balance: 10, in: stack) }
            let context = stack.newBackgroundContext()
            lab.session("till") { try Shop.add(5, to: id, in: context) }
            lab.session("desk") { try Shop.add(7, to: id, in: context) }
            lab.finally {
                lab.observe("balance", try Shop.balance(of: id, in: stack))
                #expect(try Shop.balance(of: id, in: stack) == 22)
            }
        }
        #expect(report.isComplete)
        #expect(report.schedules >= 2)
        #expect(report.outcomes.keys.sorted() == ["balance = 22"])
    }

    @Test func `asynchronous code runs on the lab's executor`() throws {
        let failure = #expect(throws: CodeFailure.self) {
            try Lab.explore("async import", .unhurried()) { lab in
                let stack = try lab.stack(model: Shop.model)
                for name in ["sync", "push"] {
                    lab.session(name) {
                        try await stack.performBackgroundTask { context in
                            try Shop.importItem("a", in: context)
                        }
                    }
                }
                lab.finally { try #expect(Shop.count("Item", in: stack) == 1) }
            }
        }
        #expect(try #require(failure).reasons.contains { $0.contains("ExploreTests.swift") })
    }

    @Test func `two queues that wait for each other are a deadlock`() throws {
        let failure = #expect(throws: CodeFailure.self) {
            try Lab.explore("crossed queues", .unhurried()) { lab in
                let stack = try lab.stack(model: Shop.model)
                let (one, other) = (stack.newBackgroundContext(), stack.newBackgroundContext())
                lab.session("a") { one.performAndWait { other.performAndWait {} } }
                lab.session("b") { other.performAndWait { one.performAndWait {} } }
            }
        }
        #expect(try #require(failure).reasons.contains { $0.hasPrefix("deadlock") })
    }

    @Test func `use of a context off its queue is reported, and the process goes on`() throws {
        let failure = #expect(throws: CodeFailure.self) {
            try Lab.explore("off the queue", .unhurried()) { lab in
                let stack = try lab.stack(model: Shop.model)
                let id = try lab.setup { try Shop.account(balance: 1, in: stack) }
                lab.session("screen") {
                    _ = stack.viewContext.object(with: id).value(forKey: "balance")
                }
            }
        }
        #expect(try #require(failure).reasons.contains { $0.hasPrefix("queue confinement") })
    }

    @Test
    func `a save off the queue is reported with the steps before it, and the process goes on`()
        throws
    {
        let failure = #expect(throws: CodeFailure.self) {
            try Lab.explore("saves off the queue", .unhurried()) { lab in
                let stack = try lab.stack(model: Shop.model)
                let id = try lab.setup { try Shop.account(balance: 1, in: stack) }
                let other = stack.newBackgroundContext()
                lab.session("screen") {
                    let context = stack.newBackgroundContext()
                    context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
                    let account = try context.existingObject(with: id)
                    account.setValue(2, forKey: "balance")
                    try Shop.importItem("a", in: context)
                    try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Item"))
                        .forEach(context.delete)
                    try context.save()
                    context.refreshAllObjects()
                    context.rollback()
                    context.reset()
                }
                lab.session("desk") { try Shop.add(5, to: id, in: other) }
            }
        }
        let reasons = try #require(failure).reasons
        #expect(reasons.contains { $0.hasPrefix("queue confinement") })
        #expect(reasons.contains { $0.contains("save()") })
    }

    @Test func `a thread that the lab did not create ends the exploration and is described`() throws
    {
        let failure = #expect(throws: (any Error).self) {
            try Lab.explore("outside", .unhurried()) { lab in
                let stack = try lab.stack(model: Shop.model)
                let id = try lab.setup { try Shop.account(balance: 1, in: stack) }
                lab.session("screen") {
                    let context = stack.newBackgroundContext()
                    let isDone = DispatchSemaphore(value: 0)
                    Thread {
                        context.performAndWait { _ = try? context.existingObject(with: id) }
                        isDone.signal()
                    }.start()
                    isDone.wait()
                }
            }
        }
        let text = "\(try #require(failure))"
        #expect(text.contains("did not create used the context 'screen/1'"))
        #expect(text.contains("lab.session"))
    }

    @Test func `state that outlives a schedule is reported as not deterministic`() throws {
        let runs = Mutex(0)
        let failure = #expect(throws: (any Error).self) {
            try Lab.explore("remembers", .unhurried()) { lab in
                let stack = try lab.stack(model: Shop.model)
                let blocks = runs.withLock { runs in
                    runs += 1
                    return runs
                }
                for name in ["a", "b"] {
                    lab.session(name) {
                        for _ in 0..<blocks { stack.newBackgroundContext().performAndWait {} }
                    }
                }
            }
        }
        #expect("\(try #require(failure))".hasPrefix("not deterministic"))
    }

    @Test func `a random number is reported with the first difference that it causes`() throws {
        let failure = #expect(throws: (any Error).self) {
            try Lab.explore("dice", .unhurried()) { lab in
                let stack = try lab.stack(model: Shop.model)
                let id = try lab.setup { try Shop.account(balance: 1, in: stack) }
                let context = stack.newBackgroundContext()
                lab.session("a") { try Shop.add(Int.random(in: 1...1 << 40), to: id, in: context) }
                lab.session("b") { context.performAndWait {} }
                lab.finally { lab.observe("balance", try Shop.balance(of: id, in: stack)) }
            }
        }
        let text = "\(try #require(failure))"
        #expect(text.hasPrefix("not deterministic"))
        #expect(text.contains("a#3: body/1 sets Account#1.balance to"))
    }

    @Test func `the order of a set is reported as the cause`() throws {
        // A set in new memory has a different order.
        let kept = Mutex<[Set<String>]>([])
        let failure = #expect(throws: (any Error).self) {
            try Lab.explore("set", .unhurried()) { lab in
                let stack = try lab.stack(model: Shop.model)
                let context = stack.newBackgroundContext()
                var order: [String] = []
                lab.session("a", on: context) { context in
                    let codes = Set((0..<20).map { "\($0)" })
                    kept.withLock { $0.append(codes) }
                    for code in codes {
                        order.append(code)
                        try Shop.importItem(code, in: context)
                    }
                }
                lab.finally { lab.observe("order", order.joined(separator: " ")) }
            }
        }
        let text = "\(try #require(failure))"
        #expect(text.hasPrefix("not deterministic"))
        #expect(text.contains("looks for Item where code =="))
    }

    @Test func `identifiers that are new in each run are not reported if they change nothing`()
        throws
    {
        let report = try Lab.explore("identifiers", .unhurried()) { lab in
            let stack = try lab.stack(model: Shop.model)
            let context = stack.newBackgroundContext()
            lab.session("a", on: context) { context in
                context.insert("Item", ["code": UUID().uuidString])
                try context.save()
            }
            lab.finally { try #expect(Shop.count("Item", in: stack) == 1) }
        }
        #expect(report.isComplete)
    }
}
