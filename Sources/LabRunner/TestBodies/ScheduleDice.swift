import LabSchedule

/// Chooses the next thread by one of several random methods, which change from schedule to
/// schedule.
///
/// Existing tests are explored with random schedules. Their threads share state that footprints
/// (recorded accesses) do not show.
struct ScheduleDice {
    private enum Manner {
        /// Continues the running thread as long as it can run.
        case straight
        /// Chooses each thread with equal probability.
        case walk
        /// Usually continues the running thread, so that there are few switches.
        case sticky
        /// Chooses the thread with the highest priority, and changes priorities at random points
        /// (PCT).
        case priorities
    }

    private let manner: Manner
    private var generator: SeededGenerator
    private var priorities: [Int: UInt64] = [:]
    private var changes: Set<Int> = []
    private var steps = 0
    private var last: Int?

    /// - Parameters:
    ///   - index: the index of the schedule. In the first schedule, a thread runs as long as it
    ///     can.
    ///   - length: the number of steps of the previous schedule.
    init(seed: UInt64, index: Int, length: Int) {
        generator = SeededGenerator(seed: seed &+ UInt64(index) &* 0x9E37_79B9_7F4A_7C15)
        manner = index == 0 ? .straight : [.walk, .priorities, .sticky][index % 3]
        for _ in 0..<2 { changes.insert(Int.random(in: 1...max(length, 2), using: &generator)) }
    }

    mutating func choose(_ ready: [Int]) -> Int {
        defer { steps += 1 }
        let chosen = pick(ready)
        last = chosen
        return chosen
    }

    private mutating func pick(_ ready: [Int]) -> Int {
        let goesOn = last.flatMap { ready.contains($0) ? $0 : nil }
        switch manner {
        case .straight: return goesOn ?? ready[0]
        case .walk: return any(ready)
        case .sticky:
            return goesOn.flatMap { Int.random(in: 0..<5, using: &generator) > 0 ? $0 : nil }
                ?? any(ready)
        case .priorities:
            for lane in ready where priorities[lane] == nil {
                priorities[lane] = UInt64.random(in: 1_000...UInt64.max, using: &generator)
            }
            if changes.contains(steps), let last {
                priorities[last] = UInt64.random(in: 0..<1_000, using: &generator)
            }
            return ready.max { priorities[$0, default: 0] < priorities[$1, default: 0] } ?? ready[0]
        }
    }

    private mutating func any(_ ready: [Int]) -> Int {
        ready[Int.random(in: 0..<ready.count, using: &generator)]
    }
}
