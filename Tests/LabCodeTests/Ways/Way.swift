import CoreData
import LabRunner
import Synchronization
import Testing

/// A form of concurrent code. Two sessions each perform a piece of work in this form.
struct Way: Sendable, CustomTestStringConvertible {
    /// A piece of work that a session performs.
    typealias Section = @Sendable () -> Void
    /// Performs or starts a piece of work.
    enum Runner {
        case plain((@escaping Section) -> Void)
        case asynchronous((@escaping Section) async -> Void)
    }

    let name: String
    /// Whether only one session at a time can perform its work in this form, as under a lock. The
    /// session continues when its work has ended.
    var guards = false
    /// Whether only one session uses the form. The other session then performs its work directly.
    var isForOne = false
    /// Creates the runner, which both sessions share.
    let make: @Sendable (CodeLab) -> Runner

    var testDescription: String { name }

    /// Whether the form uses objects of the whole process, which two explorations would share.
    var isOfProcess: Bool {
        [
            "a global NSLock", "a global actor", "MainActor.run",
            "MainActor.run next to a session", "Task on the main actor", "DispatchQueue.main.sync",
            "DispatchQueue.main.async", "OperationQueue.main", "an observer on the main queue",
        ].contains(name)
    }

    /// The forms in which a thread outside of the schedule resumes a task.
    static let uncontrolled = all.filter {
        $0.name == "a continuation that a foreign thread resumes"
    }
    static let controlled = all.filter { way in !uncontrolled.contains { $0.name == way.name } }
    private static let all = guarding + starting

    static func guarding(
        _ name: String, _ make: @escaping @Sendable (CodeLab) -> (@escaping Section) -> Void
    ) -> Way {
        Way(name: name, guards: true) { .plain(make($0)) }
    }

    static func guardingLater(
        _ name: String, _ make: @escaping @Sendable (CodeLab) -> (@escaping Section) async -> Void
    ) -> Way {
        Way(name: name, guards: true) { .asynchronous(make($0)) }
    }

    static func starting(
        _ name: String, isForOne: Bool = false,
        _ make: @escaping @Sendable (CodeLab) -> (@escaping Section) -> Void
    ) -> Way {
        Way(name: name, isForOne: isForOne) { .plain(make($0)) }
    }

    static func startingLater(
        _ name: String, isForOne: Bool = false,
        _ make: @escaping @Sendable (CodeLab) -> (@escaping Section) async -> Void
    ) -> Way {
        Way(name: name, isForOne: isForOne) { .asynchronous(make($0)) }
    }
}

/// Two sessions add to one balance in the form `way`.
///
/// A form that guards holds its guard during the read and the write. With the bug, it releases the
/// guard between the two. In any other form, both sessions share one context. With the bug, each
/// session has a separate one.
struct WayProgram {
    let way: Way
    let hasBug: Bool

    func explore() throws -> CodeReport {
        var options = Lab.Options.unhurried(limit: 300)
        (options.checkMin, options.searchMax) = (50, 50)
        return try Lab.explore(way.name, options) { lab in
            let stack = try lab.stack(model: Shop.model)
            let id = try lab.setup { try Shop.account(balance: 10, in: stack) }
            let shared = stack.newBackgroundContext()
            let runner = way.make(lab)
            for (name, amount) in [("one", 5), ("other", 7)] {
                let sections = sections(amount, id, stack, shared)
                if way.isForOne, name == "other" {
                    lab.session(name) { for section in sections { section() } }
                    continue
                }
                switch runner {
                case .plain(let run):
                    lab.session(name) { for section in sections { run(section) } }
                case .asynchronous(let run):
                    lab.session(name) { for section in sections { await run(section) } }
                }
            }
            lab.finally {
                let balance = try Shop.balance(of: id, in: stack)
                lab.observe("balance", balance)
                #expect(balance == 22)
            }
        }
    }

    private func sections(
        _ amount: Int, _ id: NSManagedObjectID, _ stack: NSPersistentContainer,
        _ shared: NSManagedObjectContext
    ) -> [Way.Section] {
        let usesShared = !way.guards && !hasBug
        @Sendable func context() -> NSManagedObjectContext {
            if usesShared { return shared }
            let made = stack.newBackgroundContext()
            made.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            return made
        }
        guard way.guards, hasBug else { return [{ try? Shop.add(amount, to: id, in: context()) }] }
        let found = Found()
        return [
            { found.set((try? Shop.balance(of: id, in: stack)) ?? -1) },
            {
                let context = context()
                context.performAndWait {
                    let account = try? context.existingObject(with: id)
                    account?.setValue(found.value + amount, forKey: "balance")
                    try? context.save()
                }
            },
        ]
    }

    private final class Found: Sendable {
        private let number = Mutex(0)
        var value: Int { number.withLock { $0 } }
        func set(_ value: Int) { number.withLock { $0 = value } }
    }
}
