import LabSchedule
import Testing

@Suite struct ReductionTests {
    private struct Draw {
        var generator: SeededGenerator

        mutating func number(_ bound: Int) -> Int { Int(generator.next() % UInt64(bound)) }

        mutating func operation() -> CellWorld.Operation {
            let cell = number(4)
            return switch number(10) {
            case 0, 1, 2: .read(cell)
            case 3, 4: .write(cell)
            case 5, 6: .add(cell)
            case 7, 8: .copyIfSet(cell, number(4))
            default: .post
            }
        }

        mutating func world() -> CellWorld {
            var program: [[CellWorld.Operation]] = []
            for _ in 0..<(2 + number(2)) {
                var steps: [CellWorld.Operation] = []
                for _ in 0..<(1 + number(4)) { steps.append(operation()) }
                program.append(steps)
            }
            var delivery = operation()
            while case .post = delivery { delivery = operation() }
            let orders: [SchedulePlan.Order] =
                number(3) == 0
                ? [
                    .init(
                        lane: 1, position: number(program[1].count), requiredLane: 0,
                        requiredPosition: number(program[0].count))
                ] : []
            return CellWorld(program: program, delivery: delivery, orders: orders)
        }

        /// One step requires a delivery that another session causes.
        mutating func waitingWorld() -> CellWorld {
            var world = world()
            while true {
                var program = world.program
                let (lane, number) = (number(program.count), 1 + number(2))
                for other in program.indices where other != lane {
                    program[other].insert(.post, at: self.number(program[other].count + 1))
                }
                let required = (lane, self.number(program[lane].count), number)
                let made = CellWorld(
                    program: program, delivery: world.delivery, required: required)
                if made.plan.stuckSteps.isEmpty { return made }
                world = self.world()
            }
        }
    }

    private func outcomes(
        _ world: CellWorld, _ strategy: Strategy, shard: Shard? = nil
    ) throws -> (counts: [[[Int]]: UInt64], summary: Explorer.Summary) {
        var explorer = Explorer(plan: world.plan, limit: 1_000_000)
        explorer.strategy = strategy
        explorer.shard = shard
        var counts: [[[Int]]: UInt64] = [:]
        let summary = try explorer.explore(world) {
            (schedule: VisitedSchedule) throws(CellWorld.Broken) in
            counts[world.outcome, default: 0] += schedule.weight
            return true
        }
        return (counts, summary)
    }

    @Test func `random programs have the same outcomes with the same counts, in fewer runs`()
        throws
    {
        var draw = Draw(generator: SeededGenerator(seed: 11))
        var compared = 0
        var all = 0
        var reduced = 0
        for number in 0..<600 {
            let world = draw.world()
            // Some programs have millions of schedules.
            guard world.plan.prediction().count ?? .max <= 1_000 else { continue }
            compared += 1
            let whole = try outcomes(world, .exhaustive)
            let fewer = try outcomes(world, .reduced)
            #expect(fewer.counts == whole.counts, "program \(number): \(world.program)")
            #expect(fewer.summary.isComplete)
            #expect(fewer.summary.represented == UInt64(whole.summary.explored))
            var parts: [[[Int]]: UInt64] = [:]
            for index in 1...3 {
                let part = try outcomes(world, .reduced, shard: Shard(index: index, count: 3))
                #expect(!part.summary.isComplete)
                parts.merge(part.counts, uniquingKeysWith: +)
            }
            #expect(parts == whole.counts, "program \(number) in three shards")
            all += whole.summary.explored
            reduced += fewer.summary.explored
        }
        #expect(compared > 300)
        #expect(reduced * 3 < all, "\(reduced) of \(all)")
    }

    @Test func `with steps that require deliveries, reduction and brute force agree`() throws {
        var draw = Draw(generator: SeededGenerator(seed: 23))
        var compared = 0
        var all = 0
        var reduced = 0
        for number in 0..<200 {
            let world = draw.waitingWorld()
            guard world.plan.prediction().count ?? .max <= 600 else { continue }
            compared += 1
            let whole = try outcomes(world, .exhaustive)
            let fewer = try outcomes(world, .reduced)
            #expect(fewer.counts == whole.counts, "program \(number): \(world.program)")
            #expect(fewer.summary.represented == UInt64(whole.summary.explored))
            #expect(whole.summary.predicted.count == UInt64(whole.summary.explored))
            #expect(!whole.summary.predicted.isExact && !whole.summary.predicted.isUpperBound)
            all += whole.summary.explored
            reduced += fewer.summary.explored
        }
        #expect(compared > 80, "\(compared)")
        #expect(reduced * 2 < all, "\(reduced) of \(all)")
    }

    @Test func `steps that share no cell have one class`() throws {
        let world = CellWorld(
            program: [[.write(0), .write(0)], [.write(1), .write(1)], [.read(2)]],
            delivery: .read(3))
        let (counts, summary) = try outcomes(world, .reduced)
        #expect(summary.explored == 1)
        #expect(summary.represented == 30)
        #expect(counts.values.reduce(0, +) == 30)
    }

    @Test func `a walk that is stopped at its limit does not say that it is complete`() throws {
        let world = CellWorld(
            program: [[.write(0), .write(0)], [.write(0), .write(0)]], delivery: .read(3))
        var explorer = Explorer(plan: world.plan, limit: 3)
        explorer.strategy = .reduced
        let summary = try explorer.explore(world) {
            (_: VisitedSchedule) throws(CellWorld.Broken) in true
        }
        #expect(summary.explored == 3)
        #expect(!summary.isComplete)
        #expect(summary.stoppedAt == "the limit of 3 schedules")
    }
}

@Suite struct StrategyTests {
    @Test(arguments: Strategy.forms.filter { !$0.contains("N") && !$0.contains("DEPTH") })
    func `the text of a strategy is written and read`(form: String) throws {
        #expect(try #require(Strategy(form)).description.hasPrefix(form))
    }

    @Test(arguments: ["", "bounded", "bounded:-1", "bounded:x", "pct:0", "random:3", "Exhaustive"])
    func `a text that is not a strategy is refused`(text: String) {
        #expect(Strategy(text) == nil)
    }

    @Test func `preemption bounds grow to all schedules, and 0 runs lanes one after another`()
        throws
    {
        var counts: [Int] = []
        for bound in 0...6 {
            let world = NumberWorld(.lanes(3, 2))
            var explorer = Explorer(plan: world.plan, limit: 1000)
            explorer.strategy = .bounded(bound)
            var logs: Set<[String]> = []
            _ = try explorer.explore(world) { (_: VisitedSchedule) throws(NumberWorld.Broken) in
                logs.insert(world.log)
                return true
            }
            counts.append(logs.count)
        }
        // There are two serial orders. One preemption has 2 + 1 possible positions.
        #expect(counts[0] == 2)
        #expect(counts[1] == 5)
        #expect(counts == counts.sorted())
        #expect(counts.last == 10)
    }

    @Test(arguments: [1, 2, 3, 7])
    func `shards divide all schedules without gap and without overlap`(count: Int) throws {
        var logs: [[String]] = []
        for index in 1...count {
            let world = NumberWorld(.lanes(4, 3, 2))
            var explorer = Explorer(plan: world.plan, limit: 10_000)
            explorer.strategy = .exhaustive
            explorer.shard = Shard(index: index, count: count)
            let summary = try explorer.explore(world) {
                (_: VisitedSchedule) throws(NumberWorld.Broken) in
                logs.append(world.log)
                return true
            }
            #expect(!summary.isComplete)
            #expect(summary.explored * count > 1260 / 2)
        }
        #expect(logs.count == 1260)
        #expect(Set(logs).count == 1260)
    }

    @Test func `shards of a sample draw the schedules that one process draws`() throws {
        func draw(_ shard: Shard?) throws -> [[String]] {
            let world = NumberWorld(.lanes(6, 6, 6))
            var explorer = Explorer(plan: world.plan, limit: 40, seed: 5)
            explorer.strategy = .random
            explorer.shard = shard
            var logs: [[String]] = []
            _ = try explorer.explore(world) { (_: VisitedSchedule) throws(NumberWorld.Broken) in
                logs.append(world.log)
                return true
            }
            return logs
        }
        let whole = try draw(nil)
        let parts = try (1...3).map { try draw(Shard(index: $0, count: 3)) }
        #expect(whole.count == 40)
        #expect(parts.map(\.count).reduce(0, +) == 40)
        #expect(
            parts.flatMap(\.self).sorted { "\($0)" < "\($1)" } == whole.sorted { "\($0)" < "\($1)" }
        )
    }

    @Test func `PCT draws complete schedules, the same for the same seed`() throws {
        func draw(_ seed: UInt64) throws -> [[String]] {
            let world = NumberWorld(.lanes(4, 4))
            var explorer = Explorer(plan: world.plan, limit: 30, seed: seed)
            explorer.strategy = .pct(depth: 3)
            var logs: [[String]] = []
            _ = try explorer.explore(world) { (_: VisitedSchedule) throws(NumberWorld.Broken) in
                logs.append(world.log)
                return true
            }
            return logs
        }
        let first = try draw(1)
        #expect(first.allSatisfy { $0.count == 8 })
        #expect(Set(first).count > 3)
        #expect(try draw(1) == first)
        #expect(try draw(2) != first)
    }

    @Test func `no schedule starts after the deadline`() throws {
        let world = NumberWorld(.lanes(4, 4))
        var explorer = Explorer(plan: world.plan, limit: 1000)
        explorer.deadline = .now
        let summary = try explorer.explore(world) {
            (_: VisitedSchedule) throws(NumberWorld.Broken) in true
        }
        #expect(summary.explored == 1)
        #expect(!summary.isComplete)
        #expect(summary.stoppedAt == "the time budget, after 1 schedules")
    }

    @Test func `a portfolio of a large plan reduces, draws by priorities, and draws evenly`() throws
    {
        let world = NumberWorld(.lanes(6, 6, 6))
        var explorer = Explorer(plan: world.plan, limit: 30)
        explorer.strategy = .portfolio
        let summary = try explorer.explore(world) {
            (_: VisitedSchedule) throws(NumberWorld.Broken) in true
        }
        #expect(summary.explored == 30)
        #expect(
            summary.strategy == "reduced, then PCT of depth 3 with seed 1, then sample with seed 1")
    }
}
