import CoreData
import LabRunner
import Testing

/// The schedule decides when a timer fires: before, between or after other operations.
@Suite struct TimersOfCodeTests {
    enum Kind: CaseIterable, Sendable {
        case sleep, sleepInNanoseconds, sleepUntil, asyncAfter, sleepInTask, sleepInGroup
    }

    /// Explores an editor that edits in two blocks and saves when a timer fires.
    private func autosave(
        _ kind: Kind, _ strategy: Lab.Strategy, freeTimers: Int = 3
    ) throws -> CodeReport {
        var options = Lab.Options.unhurried(
            strategy: strategy, limit: strategy == .random ? 50 : 5_000)
        options.fails = .nothing
        options.freeTimers = freeTimers
        return try Lab.explore("autosave", options) { lab in
            let stack = try lab.stack(model: Shop.model)
            let id = try lab.setup { try Shop.account(balance: 10, in: stack) }
            let context = stack.newBackgroundContext()
            lab.session("edit") {
                for number in [1, 2] {
                    try context.performAndWait {
                        let account = try context.existingObject(with: id)
                        let balance = account.value(forKey: "balance") as? Int ?? 0
                        account.setValue(balance * 2 + number, forKey: "balance")
                    }
                }
            }
            Self.save(context, kind, lab)
            lab.finally { lab.observe("balance", try Shop.balance(of: id, in: stack)) }
        }
    }

    private static func save(_ context: NSManagedObjectContext, _ kind: Kind, _ lab: CodeLab) {
        let queue = lab.queue("timers")
        @Sendable func save() async throws { try await context.perform { try context.save() } }
        lab.session("autosave") {
            switch kind {
            case .sleep:
                try await Task.sleep(for: .milliseconds(10))
                try await save()
            case .sleepInNanoseconds:
                try await Task.sleep(nanoseconds: 10_000_000)
                try await save()
            case .sleepUntil:
                try await Task.sleep(until: .now + .seconds(1), clock: .continuous)
                try await save()
            case .asyncAfter:
                queue.asyncAfter(deadline: .now() + 0.01) {
                    context.performAndWait { try? context.save() }
                }
            case .sleepInTask:
                try await Task {
                    try await Task.sleep(for: .seconds(2))
                    try await save()
                }.value
            case .sleepInGroup:
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        try await Task.sleep(for: .milliseconds(300))
                        try await save()
                    }
                    try await group.waitForAll()
                }
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `a timer is over before, between and after two edits`(_ kind: Kind) throws {
        // Tasks that sleep concurrently have too many schedules.
        let isSmall = kind != .sleepInTask && kind != .sleepInGroup
        for strategy in [Lab.Strategy.automatic, .reduced] + (isSmall ? [.exhaustive] : []) {
            let report = try autosave(kind, strategy)
            #expect(report.isComplete)
            #expect(
                report.outcomes.keys.sorted() == ["balance = 10", "balance = 21", "balance = 44"])
        }
    }

    @Test(arguments: Kind.allCases)
    func `a timer that is not free is over if nothing else can go on`(_ kind: Kind) throws {
        let reduced = try autosave(kind, .reduced, freeTimers: 0)
        #expect(reduced.isComplete)
        #expect(reduced.outcomes.keys.sorted() == ["balance = 44"])
        let drawn = try autosave(kind, .random, freeTimers: 0)
        #expect(drawn.outcomes.keys.sorted() == ["balance = 44"])
    }

    // MARK: Several timers

    /// Explores tasks that sleep one or more times. An outcome is the order in which the sleeps
    /// end.
    private func orders(
        _ sleeps: [[Duration]], _ strategy: Lab.Strategy, freeTimers: Int = 3
    ) throws -> CodeReport {
        var options = Lab.Options.unhurried(strategy: strategy)
        options.freeTimers = freeTimers
        return try Lab.explore("sleeps", options) { lab in
            let seen = Ends()
            for (number, own) in sleeps.enumerated() {
                lab.session("s\(number)") {
                    for sleep in own {
                        try await Task.sleep(for: sleep)
                        seen.add(number)
                    }
                }
            }
            lab.finally { lab.observe("order", seen.text) }
        }
    }

    private func check(_ sleeps: [Duration], _ wanted: [String]) throws {
        for strategy in [Lab.Strategy.exhaustive, .reduced, .automatic] {
            let report = try orders(sleeps.map { [$0] }, strategy)
            #expect(report.isComplete)
            #expect(report.outcomes.keys.sorted() == wanted.map { "order = \($0)" }, "\(strategy)")
        }
    }

    @Test func `sleeps of one length end in every order`() throws {
        try check([.seconds(1), .seconds(1)], ["01", "10"])
    }

    @Test func `a shorter sleep is over first, unless it begins when the longer one is over`()
        throws
    {
        try check([.milliseconds(10), .seconds(1)], ["01", "10"])
    }

    @Test func `sleeps that begin together end in their order`() throws {
        var options = Lab.Options.unhurried(strategy: .exhaustive)
        options.fails = .nothing
        let report = try Lab.explore("together", options) { lab in
            let seen = Ends()
            let queue = lab.queue("timers", isConcurrent: true)
            lab.session("a") {
                queue.asyncAfter(deadline: .now() + 5) { seen.add(5) }
                queue.asyncAfter(deadline: .now() + 1) { seen.add(1) }
            }
            lab.session("b") { queue.async { seen.add(0) } }
            lab.finally { lab.observe("order", seen.text.replacing("0", with: "")) }
        }
        #expect(report.isComplete)
        // Each timer puts its block into a separate lane, where the block may wait.
        #expect(Set(report.outcomes.keys) == ["order = 15", "order = 51"])
    }

    @Test func `a chain of sleeps does not explode, and all of it runs`() throws {
        let chain = Array(repeating: Duration.milliseconds(10), count: 12)
        // The sessions share nothing that the lab knows, because it does not observe the shared
        // variable.
        let report = try Lab.explore("chain", .unhurried(strategy: .automatic)) { lab in
            let ends = [Ends(), Ends()]
            for (number, own) in [chain, [.milliseconds(25)]].enumerated() {
                lab.session("s\(number)") {
                    for sleep in own {
                        try await Task.sleep(for: sleep)
                        ends[number].add(number)
                    }
                }
            }
            lab.finally { lab.observe("ends", ends.map(\.text).joined()) }
        }
        #expect(report.isComplete)
        #expect(report.schedules < 500)
        #expect(Array(report.outcomes.keys) == ["ends = \(String(repeating: "0", count: 12))1"])
    }

    @Test func `a timer that starts the next one is reported as endless`() throws {
        var options = Lab.Options(timeBudget: .seconds(2), cures: false)
        options.fails = .nothing
        let failure = #expect(throws: (any Error).self) {
            try Lab.explore("for ever", options) { lab in
                let queue = lab.queue("timers")
                func again() { queue.asyncAfter(deadline: .now() + 1) { again() } }
                lab.session("a") { again() }
            }
        }
        #expect("\(try #require(failure))".contains("has not ended after"))
    }

    @Test func `a time-out comes before and after the operation that it bounds`() throws {
        func first(_ strategy: Lab.Strategy) throws -> CodeReport {
            try Lab.explore("time-out", .unhurried(strategy: strategy)) { lab in
                let stack = try lab.stack(model: Shop.model)
                let id = try lab.setup { try Shop.account(balance: 10, in: stack) }
                let seen = Ends()
                lab.session("request") {
                    let found = await withTaskGroup(of: Int.self) { group in
                        group.addTask {
                            let context = stack.newBackgroundContext()
                            return await context.perform {
                                let account = try? context.existingObject(with: id)
                                return account?.value(forKey: "balance") as? Int ?? 0
                            }
                        }
                        group.addTask {
                            try? await Task.sleep(for: .milliseconds(1))
                            return 0
                        }
                        defer { group.cancelAll() }
                        return await group.next() ?? -1
                    }
                    seen.add(found)
                }
                lab.finally { lab.observe("first", seen.text) }
            }
        }
        for strategy in [Lab.Strategy.exhaustive, .reduced, .automatic] {
            #expect(try first(strategy).outcomes.keys.sorted() == ["first = 0", "first = 10"])
        }
    }

    /// The numbers of the ended operations.
    ///
    /// `@unchecked Sendable` because one thread at a time runs.
    private final class Ends: @unchecked Sendable {
        private var all: [Int] = []

        func add(_ number: Int) { all.append(number) }

        var text: String { all.map(String.init).joined() }
    }
}
