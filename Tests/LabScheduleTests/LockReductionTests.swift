import LabSchedule
import Testing

/// Compares the reduced walk with all schedules, for threads that wait for each other.
@Suite struct LockReductionTests {
    private struct Draw {
        var generator: SeededGenerator

        mutating func number(_ bound: Int) -> Int { Int(generator.next() % UInt64(bound)) }

        /// A thread that takes nested locks, with work between the locks.
        mutating func thread() -> [LockWorld.Operation] {
            var operations: [LockWorld.Operation] = []
            for _ in 0..<(1 + number(2)) {
                let outer = number(3)
                operations.append(.take(outer))
                if number(4) == 0 { operations.append(work()) }
                let inner = number(3)
                if inner != outer, number(4) > 0 {
                    operations += [.take(inner), .give(inner)]
                }
                operations.append(.give(outer))
                if number(3) == 0 { operations.append(work()) }
            }
            return operations
        }

        mutating func work() -> LockWorld.Operation {
            number(2) == 0 ? .read(number(2)) : .write(number(2))
        }
    }

    private func outcomes(
        _ world: LockWorld, _ strategy: Strategy, limit: Int
    ) throws -> (counts: [[[Int]]: UInt64], summary: Explorer.Summary) {
        var explorer = Explorer(plan: world.plan, limit: limit)
        explorer.strategy = strategy
        var counts: [[[Int]]: UInt64] = [:]
        let summary = try explorer.explore(world) {
            (schedule: VisitedSchedule) throws(LockWorld.Broken) in
            counts[world.outcome, default: 0] += schedule.weight
            return true
        }
        return (counts, summary)
    }

    @Test func `random threads have the same ends and deadlocks, with the same counts`() throws {
        var draw = Draw(generator: SeededGenerator(seed: 23))
        var (compared, deadlocked, all, reduced) = (0, 0, 0, 0)
        for _ in 0..<400 {
            let world = LockWorld(program: (0..<(2 + draw.number(2))).map { _ in draw.thread() })
            let whole = try outcomes(world, .exhaustive, limit: 3_000)
            guard whole.summary.isComplete else { continue }
            let fewer = try outcomes(world, .reduced, limit: 30_000)
            #expect(fewer.counts == whole.counts, "\(world.program)")
            #expect(fewer.summary.isComplete)
            let lengths = world.program.map(\.count)
            if whole.counts.keys.contains(where: { $0.last != lengths }) { deadlocked += 1 }
            compared += 1
            all += whole.summary.explored
            reduced += fewer.summary.explored
        }
        #expect(compared > 150, "\(compared)")
        #expect(deadlocked > 10, "\(deadlocked)")
        #expect(reduced * 2 < all, "\(reduced) of \(all)")
    }

    @Test func `a waiting thread is tried before another thread takes the lock again`() throws {
        let world = LockWorld(
            program: [[.take(0), .give(0), .take(0), .write(0), .give(0)], [.take(0), .read(0)]])
        let whole = try outcomes(world, .exhaustive, limit: 1_000)
        let fewer = try outcomes(world, .reduced, limit: 1_000)
        #expect(whole.summary.isComplete && fewer.counts == whole.counts)
    }
}
