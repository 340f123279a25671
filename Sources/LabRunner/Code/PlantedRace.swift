import CWaitHooks
import CoreDataStore
import Dispatch
import Synchronization

/// A small race that the lab must find in this process. If it does not find it, the hooks miss some
/// operations, and explorations would miss races.
enum PlantedRace {
    /// The kind of operation that the lab does not see in this process; nil if it sees everything.
    ///
    /// All explorations of a process use the same hooks, so the race runs once.
    static let missing: String? = find()

    static func check() throws(CodeError) {
        guard let missing else { return }
        throw .unusable(
            "the lab cannot explore here: the lab ran a known race and did not see \(missing) of"
                + " this process. The lab's functions must replace those of the system and of"
                + " Swift's runtime: link the lab into the program itself, and use the"
                + " toolchain that the lab was built with")
    }

    private final class Race: Sendable {
        let number = Mutex(0)
        let semaphore = DispatchSemaphore(value: 1)
        let isTaskSeen = Mutex(false)
        let isQueueSeen = Mutex(false)

        /// Adds 1 to the number that was read. Between the read and the write, the other thread can
        /// run while this thread takes a free semaphore.
        func addOne() {
            let read = number.withLock { $0 }
            semaphore.wait()
            number.withLock { $0 = read + 1 }
            semaphore.signal()
        }

        var isSteered: Bool { CodeStage.current?.running != nil }
    }

    private static func find() -> String? {
        let outcomes = Mutex<Set<String>>([])
        let isLockSeen = Mutex(!faultline_watches_locks())
        do {
            let exploration = try CodeExploration(
                "planted race", Lab.Options(strategy: .bounded(1), limit: 200),
                sessions: ["a", "b"]
            ) { lab in
                let race = Race()
                lab.session("a") {
                    race.addOne()
                    Task.detached { race.isTaskSeen.withLock { $0 = race.isSteered } }
                    DispatchQueue.global().async {
                        race.isQueueSeen.withLock { $0 = race.isSteered }
                    }
                }
                lab.session("b") {
                    race.addOne()
                    if let stage = CodeStage.current {
                        let turns = stage.locksTaken
                        faultline_take_planted_lock()
                        if stage.locksTaken > turns { isLockSeen.withLock { $0 = true } }
                    }
                }
                lab.finally {
                    let seen = [race.isTaskSeen.withLock { $0 }, race.isQueueSeen.withLock { $0 }]
                    outcomes.withLock { outcomes in
                        outcomes.insert("number \(race.number.withLock { $0 })")
                        if !seen[0] { outcomes.insert("no tasks") }
                        if !seen[1] { outcomes.insert("no queues") }
                    }
                }
            }
            let stage = exploration.world.stage
            defer { stage.close() }
            _ = try stage.scope.run { try exploration.explore() }
        } catch {
            return "what threads wait for (\(error))"
        }
        let seen = outcomes.withLock { $0 }
        if seen.contains("no tasks") { return "tasks" }
        if seen.contains("no queues") { return "Dispatch queues" }
        if !seen.contains("number 1") || !seen.contains("number 2") { return "semaphores" }
        return isLockSeen.withLock { $0 } ? nil : "locks"
    }
}
