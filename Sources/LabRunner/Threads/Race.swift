import Foundation
import LabSchedule
import Synchronization

/// Runs pieces of work on threads of their own from one barrier on, and waits until they and all
/// they have put on queues are done. Threads worlds make one for each run.
final class Race: Sendable {
    /// A thread's name, with what it does.
    struct Entrant: Sendable {
        let name: String
        let work: @Sendable () -> Void
    }

    private let group = DispatchGroup()
    private let arrived = Atomic<Int>(0)
    /// How much each name has under way.
    private let open = Mutex<[String: Int]>([:])

    /// Something begins, and the race ends no earlier than it does.
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

    /// Runs all to their ends.
    ///
    /// - Returns: who has not come to an end when patience was over; their threads go on.
    func run(_ entrants: [Entrant], patience: Duration) -> [String] {
        let count = entrants.count
        for entrant in entrants { enter(entrant.name) }
        for entrant in entrants {
            let thread = Thread { [self] in
                arrived.add(1, ordering: .acquiringAndReleasing)
                while arrived.load(ordering: .acquiring) < count { sched_yield() }
                entrant.work()
                leave(entrant.name)
            }
            thread.stackSize = 4 << 20
            thread.start()
        }
        let parts = patience.components
        let seconds = Double(parts.seconds) + Double(parts.attoseconds) / 1e18
        if group.wait(timeout: .now() + seconds) == .success { return [] }
        return open.withLock { $0.keys.sorted() }
    }
}

/// Small seeded delays between the steps of a thread: nothing, some work, or giving way.
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
