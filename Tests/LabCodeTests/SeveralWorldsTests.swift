import CoreData
import Foundation
import LabRunner
import Synchronization
import Testing

@Suite struct SeveralWorldsTests {
    static let strategies: [Lab.Strategy] = [
        .automatic, .exhaustive, .reduced, .bounded(1), .random, .partialOrder,
    ]

    /// Explores two tills with synchronous or asynchronous code. A clerk may read the history of
    /// the store.
    private static func tills(
        worlds: Int, _ options: Lab.Options, isAsync: Bool = false, readsHistory: Bool = false
    ) throws -> CodeReport {
        try Lab.explore("tills", worlds: worlds, options, function: "tills") { lab in
            let stack = try lab.stack(model: Shop.model)
            let id = try lab.setup { try Shop.account(balance: 10, in: stack) }
            for (name, amount) in [("till", 5), ("desk", 7)] {
                let context = stack.newBackgroundContext()
                context.mergePolicy = NSMergePolicy.overwrite
                if isAsync {
                    lab.session(name) {
                        try await context.perform { try Shop.add(amount, to: id, in: context) }
                    }
                } else {
                    lab.session(name) { try Shop.add(amount, to: id, in: context) }
                }
            }
            if readsHistory {
                lab.session("clerk") {
                    let context = stack.newBackgroundContext()
                    try context.performAndWait {
                        let request = NSPersistentHistoryChangeRequest.fetchHistory(
                            after: Date.distantPast)
                        let result = try context.execute(request)
                        let changes = (result as? NSPersistentHistoryResult)?.result
                        lab.observe("saves", (changes as? [NSPersistentHistoryTransaction])?.count)
                    }
                }
            }
            lab.finally {
                lab.observe("balance", try Shop.balance(of: id, in: stack))
                if options.fails != .nothing {
                    #expect(try Shop.balance(of: id, in: stack) == 22)
                }
            }
        }
    }

    /// All properties of a report as text.
    private static func text(_ report: CodeReport) -> String {
        "\(report) \(report.schedules) \(report.isComplete) \(report.strategy)"
            + " \(String(describing: report.estimate))"
    }

    @Test(arguments: strategies, [false, true])
    func `several worlds have the same result as one`(strategy: Lab.Strategy, isAsync: Bool) throws
    {
        // An exhaustive walk changes the last decisions first, so it needs more schedules.
        let limit = strategy == .exhaustive ? 200 : 30
        var options = Lab.Options.unhurried(strategy: strategy, limit: limit)
        options.fails = .nothing
        let one = try Self.tills(worlds: 1, options, isAsync: isAsync)
        #expect(one.outcomes.count > 1 && one.findings["lost update"] != nil)
        for worlds in 2...3 {
            let several = try Self.tills(worlds: worlds, options, isAsync: isAsync)
            #expect(Self.text(several) == Self.text(one), "\(worlds) worlds")
        }
    }

    @Test func `footprints that one world has learnt apply to all`() throws {
        var options = Lab.Options.unhurried(strategy: .reduced)
        options.fails = .nothing
        let reports = try [1, 2, 3].map {
            try Self.tills(worlds: $0, options, readsHistory: true)
        }
        #expect(reports[0].isComplete)
        #expect(Set(reports.map(Self.text)).count == 1)
    }

    @Test(arguments: strategies)
    func `several worlds report the failure that one world reports`(strategy: Lab.Strategy) throws {
        let options = Lab.Options.unhurried(strategy: strategy, limit: 30)
        let told = try (1...3).map { worlds in
            let failure = #expect(throws: CodeFailure.self) {
                try Self.tills(worlds: worlds, options)
            }
            let found = try #require(failure)
            #expect(found.reasons.contains { $0.contains("SeveralWorldsTests.swift") })
            return "\(found.schedules) \(found.token) \(found.reasons) \(found.story)"
        }
        #expect(Set(told).count == 1, "\(told)")
    }

    @Test func `each world has its own thread and set-up`() throws {
        let threads = Mutex<Set<ObjectIdentifier>>([])
        let setups = Mutex(0)
        let report = try Lab.explore(
            "threads", worlds: 3, .unhurried(strategy: .random, limit: 60)
        ) { lab in
            let stack = try lab.stack(model: Shop.model)
            try lab.setup { setups.withLock { $0 += 1 } }
            _ = threads.withLock { $0.insert(ObjectIdentifier(Thread.current)) }
            for name in ["a", "b"] {
                let context = stack.newBackgroundContext()
                lab.session(name) {
                    try context.performAndWait { try Shop.importItem(name, in: context) }
                }
            }
        }
        #expect(report.schedules == 60)
        #expect(threads.withLock { $0.count } == 3)
        #expect(setups.withLock { $0 } == 3)
    }

    private static func next(_ count: borrowing Mutex<Int>) -> Int {
        count.withLock {
            $0 += 1
            return $0
        }
    }

    @Test func `a world that cannot be created ends the exploration`() throws {
        struct NoStock: Error {}
        let setups = Mutex(0)
        #expect(throws: NoStock.self) {
            try Lab.explore("no stock", worlds: 3, .unhurried()) { lab in
                try lab.setup {
                    if Self.next(setups) == 2 { throw NoStock() }
                }
                lab.session("a") {}
            }
        }
    }

    @Test(arguments: [0, -1]) func `an exploration without any world is refused`(count: Int) throws
    {
        let error = #expect(throws: (any Error).self) {
            try Lab.explore("none", worlds: count) { lab in lab.session("a") {} }
        }
        #expect("\(try #require(error))".contains("\(count) worlds cannot explore; give 1 or more"))
    }

    @Test func `a thread that the lab did not create ends the exploration in any world`() throws {
        let bodies = Mutex(0)
        let failure = #expect(throws: (any Error).self) {
            try Lab.explore("outside", worlds: 2, .unhurried(strategy: .random)) { lab in
                let stack = try lab.stack(model: Shop.model)
                let isLate = Self.next(bodies) > 9
                lab.session("screen") {
                    let context = stack.newBackgroundContext()
                    guard isLate else { return context.performAndWait {} }
                    let isDone = DispatchSemaphore(value: 0)
                    Thread {
                        context.performAndWait {}
                        isDone.signal()
                    }.start()
                    isDone.wait()
                }
                lab.session("sync") { stack.newBackgroundContext().performAndWait {} }
            }
        }
        #expect("\(try #require(failure))".contains("did not create used the context 'screen/1'"))
    }
}
