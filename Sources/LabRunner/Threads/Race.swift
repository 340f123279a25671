import CRuntimeShims
import Foundation
import LabSchedule
import Synchronization

/// Starts pieces of work at the same time, each on its own thread. Waits until they and the work
/// that they have enqueued have ended. Each run with `mode: threads` creates one race.
final class Race: Sendable {
    struct Entrant: Sendable {
        let name: String
        let work: @Sendable () -> Void
    }

    /// The interval between two checks of threads that have not ended.
    private static let look = Duration.milliseconds(50)

    private let group = DispatchGroup()
    private let arrived = Atomic<Int>(0)
    /// The number of pieces of work that have not ended, by name.
    private let open = Mutex<[String: Int]>([:])
    /// The clocks of the threads that have begun and not ended.
    private let clocks = Mutex<[Int32: ThreadClock]>([:])

    /// Records that work begins. The race does not end before this work.
    func enter(_ name: String) {
        group.enter()
        open.withLock { $0[name, default: 0] += 1 }
    }

    func leave(_ name: String) {
        open.withLock { open in
            let left = (open[name] ?? 1) - 1
            open[name] = left == 0 ? nil : left
        }
        group.leave()
    }

    /// Runs everything until it ends.
    ///
    /// - Parameter patience: the maximum time for which all unfinished threads may run or sleep.
    ///   While one of them waits for a core, this time does not pass.
    /// - Returns: the names of the threads that have not ended within this time. They continue to
    ///   run.
    func run(_ entrants: [Entrant], patience: Duration) -> [String] {
        for entrant in entrants { enter(entrant.name) }
        for entrant in entrants { start(entrant, of: entrants.count) }
        var spent = Duration.zero
        while group.wait(timeout: .now() + Self.look / .seconds(1)) != .success {
            spent += pass(of: entrants.count)
            if spent >= patience { return open.withLock { $0.keys.sorted() } }
        }
        return []
    }

    private func start(_ entrant: Entrant, of count: Int) {
        let thread = Thread { [self] in
            let number = faultline_thread_number()
            clocks.withLock { $0[number] = ThreadClock(number) }
            arrived.add(1, ordering: .acquiringAndReleasing)
            while arrived.load(ordering: .acquiring) < count { sched_yield() }
            entrant.work()
            clocks.withLock { $0[number] = nil }
            leave(entrant.name)
        }
        thread.stackSize = 4 << 20
        thread.start()
    }

    /// The time since the last check, as the minimum over the clocks of all threads.
    private func pass(of count: Int) -> Duration {
        // A thread that has not begun is waiting for a core.
        if arrived.load(ordering: .acquiring) < count { return .zero }
        return clocks.withLock { clocks in
            var least = Self.look
            for number in clocks.keys {
                least = min(least, clocks[number]?.pass(Self.look) ?? .zero)
            }
            return least
        }
    }
}

/// Small seeded delays between the steps of a thread: nothing, some work, or a yield.
struct Jitter {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func pause() {
        let number = random.next()
        let length = number >> 8
        switch number % 4 {
        case 0: return
        case 1: for _ in 0..<(length % 2_000) { _ = random.next() }
        default: for _ in 0...(length % 3) { sched_yield() }
        }
    }
}
