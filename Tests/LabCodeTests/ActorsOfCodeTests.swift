import CoreData
import LabRunner
import Testing

/// The schedule decides in which order tasks enter an actor, and when a task observes its
/// cancellation.
///
/// Only one exploration may run at a time, because some programs share a global actor.
@Suite(.serialized) struct ActorsOfCodeTests {
    enum Kind: CaseIterable, Sendable {
        case actor, globalActor, customExecutor, taskOnActor, shortStay, suspends, cancel
    }

    /// An account whose balance is doubled and increased.
    private struct Account: Sendable {
        let id: NSManagedObjectID
        let stack: NSPersistentContainer

        func double(_ amount: Int) {
            let context = stack.newBackgroundContext()
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            context.performAndWait {
                guard let account = try? context.existingObject(with: id) else { return }
                let balance = account.value(forKey: "balance") as? Int ?? 0
                account.setValue(balance * 2 + amount, forKey: "balance")
                try? context.save()
            }
        }
    }

    private actor Bank {
        private var value = 0

        func double(_ account: Account, _ amount: Int) { account.double(amount) }

        func note(_ amount: Int) -> Int {
            value = value * 2 + amount
            return value
        }

        func doubleInTwoParts(_ account: Account, _ amount: Int) async {
            value += amount
            await Task.yield()
            account.double(value)
        }
    }

    @globalActor private actor Till {
        static let shared = Till()
    }

    @Till private static func double(_ account: Account, _ amount: Int) { account.double(amount) }

    /// Runs the jobs of an actor as blocks of a queue.
    ///
    /// `@unchecked Sendable` because one thread of the schedule at a time runs.
    private final class QueueExecutor: SerialExecutor, @unchecked Sendable {
        private let queue: LabDispatchQueue

        init(_ queue: LabDispatchQueue) { self.queue = queue }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
        }
    }

    private actor QueueBank {
        private let executor: QueueExecutor

        init(_ executor: QueueExecutor) { self.executor = executor }

        nonisolated var unownedExecutor: UnownedSerialExecutor {
            executor.asUnownedSerialExecutor()
        }

        func double(_ account: Account, _ amount: Int) { account.double(amount) }
    }

    /// The value that each session has received from the actor.
    ///
    /// `@unchecked Sendable` because one thread of the schedule at a time runs.
    private final class Box: @unchecked Sendable {
        var found: [String: Int] = [:]
    }

    private static func declare(_ kind: Kind, _ account: Account, _ lab: CodeLab) {
        let (bank, box) = (Bank(), Box())
        let queueBank = QueueBank(QueueExecutor(lab.queue("bank")))
        for (name, amount) in [("one", 5), ("two", 7)] {
            lab.session(name) {
                switch kind {
                case .actor: await bank.double(account, amount)
                case .globalActor: await double(account, amount)
                case .customExecutor: await queueBank.double(account, amount)
                case .taskOnActor: Task { @Till in account.double(amount) }
                case .shortStay: box.found[name] = await bank.note(amount)
                case .suspends: await bank.doubleInTwoParts(account, amount)
                case .cancel: break
                }
            }
        }
        guard case .cancel = kind else {
            lab.finally { lab.observe("found", box.found.sorted { $0.key < $1.key }) }
            return
        }
        lab.session("three") {
            let task = Task {
                try? await Task.sleep(for: .seconds(1))
                if !Task.isCancelled { account.double(5) }
            }
            let other = Task { task.cancel() }
            await task.value
            await other.value
        }
    }

    private func balances(_ kind: Kind, _ strategy: Lab.Strategy) throws -> CodeReport {
        let limit = strategy == .random ? 200 : strategy == .exhaustive ? 1_000 : 5_000
        var options = Lab.Options.unhurried(strategy: strategy, limit: limit)
        options.fails = .nothing
        return try Lab.explore("a bank", options) { lab in
            let stack = try lab.stack(model: Shop.model)
            let id = try lab.setup { try Shop.account(balance: 10, in: stack) }
            Self.declare(kind, Account(id: id, stack: stack), lab)
            lab.finally { lab.observe("balance", try Shop.balance(of: id, in: stack)) }
        }
    }

    @Test(arguments: Kind.allCases)
    func `the reduced walk shows every result of all schedules`(_ kind: Kind) throws {
        let drawn = try balances(kind, .random)
        #expect(drawn.outcomes.count > 1)
        for strategy in [Lab.Strategy.automatic, .reduced] {
            let reduced = try balances(kind, strategy)
            #expect(reduced.isComplete)
            #expect(Set(reduced.outcomes.keys).isSuperset(of: drawn.outcomes.keys))
        }
        let all = try balances(kind, .exhaustive)
        guard all.isComplete else { return }
        #expect(try balances(kind, .reduced).outcomes.keys.sorted() == all.outcomes.keys.sorted())
    }

    @Test func `code after an actor's code runs concurrently with the actor's next task`() throws {
        func balances(_ strategy: Lab.Strategy, limit: Int) throws -> Set<String> {
            var options = Lab.Options.unhurried(strategy: strategy, limit: limit)
            options.fails = .nothing
            let report = try Lab.explore("behind an actor", options) { lab in
                let stack = try lab.stack(model: Shop.model)
                let id = try lab.setup { try Shop.account(balance: 10, in: stack) }
                let (bank, account) = (Bank(), Account(id: id, stack: stack))
                lab.session("a") {
                    for amount in [1, 2] {
                        Task {
                            await bank.double(account, amount)
                            account.double(10 * amount)
                        }
                    }
                }
                lab.finally { lab.observe("balance", try Shop.balance(of: id, in: stack)) }
            }
            return Set(report.outcomes.keys)
        }
        let reduced = try balances(.reduced, limit: 20_000)
        // Sales outside of the actor can overwrite each other and the next sale on the actor.
        #expect(reduced.count > 4)
        #expect(reduced.isSuperset(of: try balances(.random, limit: 300)))
    }

    @Test func `two sessions that wait for one busy actor come in either order`() throws {
        let reduced = try balances(.actor, .reduced)
        #expect(
            reduced.outcomes.keys.sorted() == [
                "found = [], balance = 57", "found = [], balance = 59",
            ])
        #expect(reduced.schedules < (try balances(.actor, .exhaustive)).schedules)
    }

    // MARK: Endless sessions

    @Test func `a session that never ends is reported with its last operations`() throws {
        let failure = #expect(throws: (any Error).self) {
            try Lab.explore("for ever", .unhurried()) { lab in
                let stack = try lab.stack(model: Shop.model)
                let context = stack.newBackgroundContext()
                lab.session("poll") {
                    while try await context.perform({
                        try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Item"))
                    }) == 0 {
                        await Task.yield()
                    }
                }
                lab.session("other", on: stack.newBackgroundContext()) {
                    try Shop.importItem("a", in: $0)
                }
            }
        }
        let text = "\(try #require(failure))"
        #expect(text.contains("has not ended after 10000 steps"))
        #expect(text.contains("'poll' still runs") || text.contains("'~body/1' still runs"))
        #expect(text.contains("the last lines:"))
    }
}
