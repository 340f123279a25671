import CoreData
import LabRunner
import Testing

/// Tests that every queue has its own lane, regardless of the code that created it. Two pieces of
/// code with separate contexts lose each other's updates in every form.
@Suite struct LanesOfCodeTests {
    /// The call by which a piece of code runs work on the queue of its context.
    enum Way: CaseIterable, Sendable { case waits, performs, backgroundTask, child }

    /// The API by which two pieces of code run concurrently.
    enum Maker: CaseIterable, Sendable {
        case sessions, asyncSessions, asyncLet, taskGroup, tasks, detachedTasks
        case serialQueues, concurrentQueue, operations, timers
        case backgroundTasks, blocks, actors
    }

    /// Adds to the balance in its own context.
    private struct Sale: Sendable {
        let way: Way
        let id: NSManagedObjectID
        let stack: NSPersistentContainer

        func callAsFunction(_ amount: Int) {
            switch way {
            case .waits: stack.newBackgroundContext().performAndWait { [self] in add(amount) }
            case .performs:
                let context = stack.newBackgroundContext()
                context.perform { [self] in add(amount, in: context) }
            case .backgroundTask: stack.performBackgroundTask { [self] in add(amount, in: $0) }
            case .child: addInChild(amount)
            }
        }

        private func add(_ amount: Int) {
            let context = stack.newBackgroundContext()
            context.performAndWait { add(amount, in: context) }
        }

        /// Adds an amount in a child context, saves the child and then its parent.
        private func addInChild(_ amount: Int) {
            let parent = stack.newBackgroundContext()
            parent.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = parent
            child.perform { [self] in
                add(amount, in: child)
                parent.perform { try? parent.save() }
            }
        }

        private func add(_ amount: Int, in context: NSManagedObjectContext) {
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try? Shop.add(amount, to: id, in: context)
        }
    }

    private static func run(_ maker: Maker, _ sale: Sale, _ lab: CodeLab) {
        switch maker {
        case .sessions:
            lab.session("a") { sale(5) }
            lab.session("b") { sale(7) }
        case .asyncSessions:
            lab.session("a") { () async in sale(5) }
            lab.session("b") { () async in sale(7) }
        case .asyncLet:
            lab.session("a") {
                async let one: Void = sold(sale, 5)
                async let other: Void = sold(sale, 7)
                _ = await (one, other)
            }
        case .taskGroup:
            lab.session("a") {
                await withTaskGroup(of: Void.self) { group in
                    for amount in [5, 7] { group.addTask { sale(amount) } }
                }
            }
        case .tasks: lab.session("a") { for amount in [5, 7] { Task { sale(amount) } } }
        case .detachedTasks:
            lab.session("a") { for amount in [5, 7] { Task.detached { sale(amount) } } }
        case .serialQueues, .concurrentQueue, .operations, .timers: runOnQueues(maker, sale, lab)
        case .backgroundTasks:
            lab.session("a") {
                for amount in [5, 7] { sale.stack.performBackgroundTask { _ in sale(amount) } }
            }
        case .blocks:
            let contexts = (0..<2).map { _ in sale.stack.newBackgroundContext() }
            lab.session("a") { contexts[0].perform { sale(5) } }
            lab.session("b") { contexts[1].perform { sale(7) } }
        case .actors:
            lab.session("a") { await Clerk().sell { sale(5) } }
            lab.session("b") { await Clerk().sell { sale(7) } }
        }
    }

    private static func sold(_ sale: Sale, _ amount: Int) async { sale(amount) }

    private static func runOnQueues(_ maker: Maker, _ sale: Sale, _ lab: CodeLab) {
        let (one, other) = (lab.queue("one"), lab.queue("other"))
        let concurrent = lab.queue("both", isConcurrent: true)
        let operations = lab.operationQueue()
        lab.session("a") {
            for (queue, amount) in [(one, 5), (other, 7)] {
                switch maker {
                case .serialQueues: queue.async { sale(amount) }
                case .concurrentQueue: concurrent.async { sale(amount) }
                case .operations: operations.addOperation { sale(amount) }
                default: queue.asyncAfter(deadline: .now() + 1) { sale(amount) }
                }
            }
        }
    }

    private actor Clerk {
        func sell(_ work: @Sendable () -> Void) { work() }
    }

    private func balances(
        _ maker: Maker, _ way: Way, _ strategy: Lab.Strategy, limit: Int
    ) throws -> CodeReport {
        var options = Lab.Options.unhurried(strategy: strategy, limit: limit)
        options.fails = .nothing
        // The test knows all results, so it limits the check of the reduced walk.
        options.checkMin = 40
        return try Lab.explore("two sales", options) { lab in
            let stack = try lab.stack(model: Shop.model)
            let id = try lab.setup { try Shop.account(balance: 10, in: stack) }
            Self.run(maker, Sale(way: way, id: id, stack: stack), lab)
            lab.finally { lab.observe("balance", try Shop.balance(of: id, in: stack)) }
        }
    }

    private static let all = ["balance = 15", "balance = 17", "balance = 22"]

    @Test(arguments: Maker.allCases, Way.allCases)
    func `contexts of two pieces of code come in every order`(_ maker: Maker, _ way: Way) throws {
        let reduced = try balances(maker, way, .automatic, limit: 5_000)
        #expect(reduced.isComplete)
        #expect(reduced.outcomes.keys.sorted() == Self.all)
    }

    @Test func `the reduced walk shows every result of all schedules`() throws {
        for maker in [Maker.sessions, .serialQueues, .concurrentQueue] {
            let all = try balances(maker, .waits, .exhaustive, limit: 5_000)
            #expect(all.isComplete)
            #expect(all.outcomes.keys.sorted() == Self.all)
        }
    }

    @Test(arguments: [false, true])
    func `the seventh context of one creator has its own lane`(_ isMadeByBody: Bool) throws {
        var options = Lab.Options.unhurried()
        options.fails = .nothing
        let report = try Lab.explore("many contexts", options) { lab in
            let stack = try lab.stack(model: Shop.model)
            let id = try lab.setup { try Shop.account(balance: 10, in: stack) }
            func contexts() -> [NSManagedObjectContext] {
                (0..<8).map { _ in
                    let context = stack.newBackgroundContext()
                    context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
                    return context
                }
            }
            let made = isMadeByBody ? contexts() : []
            lab.session("a") {
                let own = isMadeByBody ? made : contexts()
                for (context, amount) in [(own[6], 5), (own[7], 7)] {
                    context.perform { try? Shop.add(amount, to: id, in: context) }
                }
            }
            lab.finally { lab.observe("balance", try Shop.balance(of: id, in: stack)) }
        }
        #expect(report.isComplete)
        #expect(report.outcomes.keys.sorted() == Self.all)
    }

    @Test func `more queues than a path can name are reported as such`() throws {
        let report = try Lab.explore("a crowd", .unhurried(strategy: .random, limit: 5)) { lab in
            let stack = try lab.stack(model: Shop.model)
            lab.session("a") {
                for number in 0..<80 {
                    stack.performBackgroundTask { try? Shop.importItem("\(number)", in: $0) }
                }
            }
            lab.finally { try #expect(Shop.count("Item", in: stack) == 80) }
        }
        #expect(!report.isComplete)
    }

    @Test func `a crowd does not claim to stand for all schedules`() throws {
        let report = try Lab.explore("a crowd of none", .unhurried(limit: 30)) { lab in
            let stack = try lab.stack(model: Shop.model)
            lab.session("a") {
                for _ in 0..<80 {
                    let context = stack.newBackgroundContext()
                    context.perform {}
                }
            }
        }
        #expect(!report.isComplete)
    }

    // MARK: Tokens

    private func lostInTasks(_ options: Lab.Options) throws -> CodeReport {
        try Lab.explore("sales in tasks", options) { lab in
            let stack = try lab.stack(model: Shop.model)
            let id = try lab.setup { try Shop.account(balance: 10, in: stack) }
            Self.run(.tasks, Sale(way: .performs, id: id, stack: stack), lab)
            lab.finally { try #expect(Shop.balance(of: id, in: stack) == 22) }
        }
    }

    @Test func `a token names the lanes that tasks create, and replays`() throws {
        let first = #expect(throws: CodeFailure.self) { try lostInTasks(.unhurried()) }
        var options = Lab.Options.unhurried()
        options.replay = try #require(first).token
        #expect(try #require(options.replay).contains("~a/1/1"))
        let again = #expect(throws: CodeFailure.self) { try lostInTasks(options) }
        #expect(try #require(again).token == options.replay)
        #expect(try #require(again).reasons == first?.reasons)
    }

    @Test func `a token whose lanes no longer exist is refused with a remedy`() throws {
        var options = Lab.Options.unhurried()
        options.replay = "lab1:sales in tasks@e40c292c:-:a.~a/1.~body/1*2"
        let failure = #expect(throws: (any Error).self) { try lostInTasks(options) }
        let text = "\(try #require(failure))"
        #expect(text.contains("step 3 of the token is '~body/1'"))
        #expect(text.contains("explore again"))
    }
}
