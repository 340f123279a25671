import Foundation
import LabSchedule
import Synchronization
import Testing

private struct Log: WalkRecord, Equatable {
    var lines: [String] = []

    mutating func join(_ next: Log, first count: Int) { lines += next.lines.prefix(count) }
}

/// A log whose `join` is wrong, because it ignores the limit.
private struct GreedyLog: WalkRecord {
    var lines: [String] = []

    mutating func join(_ next: GreedyLog, first _: Int) { lines += next.lines }
}

/// The result of an exploration without times.
private struct Explored: Equatable {
    var summary: Explorer.Summary
    var lines: [String]
}

/// The number of worlds that share the parts of a walk, or a special division.
private enum Company: CustomTestStringConvertible, CaseIterable {
    case one, two, three
    /// The second world runs all other parts while the first one has only begun the first part.
    case withinTheFirst

    var testDescription: String { "\(self)" }

    var threads: Int {
        switch self {
        case .one: 1
        case .two, .withinTheFirst: 2
        case .three: 3
        }
    }
}

/// An exploration of worlds that the test creates. A `Company` divides its parts among them.
private struct Exploration<World: ScheduleWorld & SendableMetatype, Record: WalkRecord> {
    let explorer: Explorer
    let empty: Record
    let lines: any WritableKeyPath<Record, [String]> & Sendable
    let text: @Sendable (World, VisitedSchedule) -> String
    let make: @Sendable () -> World
    var stops: @Sendable (String) -> Bool = { _ in false }

    typealias Walk = SharedWalk<Record, World.Failure>

    func run(_ company: Company) throws -> Explored {
        var sequence = WalkSequence(explorer)
        var kept = empty
        while let phase = sequence.next() {
            let walk = Walk(explorer, phase, empty: empty, after: sequence.summary)
            repeat {
                if company == .withinTheFirst {
                    runWithin(walk)
                } else {
                    run(walk, threads: company.threads)
                }
            } while walk.goOn()
            let (ending, record) = try walk.finish()
            if sequence.take(ending) { kept = empty }
            kept.join(record, first: record[keyPath: lines].count)
        }
        var summary = sequence.summary
        summary.times = TimeShares()
        return Explored(summary: summary, lines: kept[keyPath: lines])
    }

    private func run(_ walk: Walk, threads: Int) {
        let ready = Atomic<Int>(0)
        DispatchQueue.concurrentPerform(iterations: threads) { _ in
            let world = make()
            // All worlds begin together if the machine has enough threads.
            ready.add(1, ordering: .acquiringAndReleasing)
            for _ in 0..<1_000 where ready.load(ordering: .acquiring) < threads { sched_yield() }
            work(walk, world) { sched_yield() }
        }
    }

    private func runWithin(_ walk: Walk) {
        var hasBegun = false
        work(walk, make()) {
            if hasBegun { return }
            hasBegun = true
            work(walk, make()) {}
        }
    }

    private func work(_ walk: Walk, _ world: World, after: () -> Void) {
        walk.work(in: world, begin: { _ in empty }) { (schedule, record) in
            let line = text(world, schedule)
            record[keyPath: lines].append(line)
            after()
            return !stops(line)
        }
    }
}

private func explorer(
    _ plan: SchedulePlan, _ strategy: Strategy, limit: Int, shard: Shard? = nil
) -> Explorer {
    var explorer = Explorer(plan: plan, limit: limit, seed: 3)
    explorer.strategy = strategy
    explorer.shard = shard
    return explorer
}

private func cells() -> CellWorld {
    CellWorld(
        program: [
            [.read(0), .post, .read(2)], [.write(0), .add(2)], [.copyIfSet(0, 2), .write(2)],
        ], delivery: .write(2),
        orders: [.init(lane: 1, position: 1, requiredLane: 0, requiredPosition: 0)])
}

private func locks() -> LockWorld {
    LockWorld(
        program: [
            [.take(0), .take(1), .give(1), .give(0)], [.take(1), .take(0), .give(0), .give(1)],
            [.write(1), .read(0)],
        ])
}

private func exploration(
    _ strategy: Strategy, limit: Int, shard: Shard? = nil
) -> Exploration<CellWorld, Log> {
    Exploration(
        explorer: explorer(cells().plan, strategy, limit: limit, shard: shard), empty: Log(),
        lines: \.lines, text: { "\($1.path) \($1.weight) \($0.outcome)" }, make: { cells() })
}

@Suite struct SharedWalkTests {
    static let strategies: [Strategy] = [
        .automatic, .exhaustive, .reduced, .bounded(2), .pct(depth: 3), .random, .portfolio,
    ]

    @Test(arguments: strategies, [1, 2, 7, 50, 300, 3_000])
    func `several worlds have the result of one world, also at a limit`(
        strategy: Strategy, limit: Int
    ) throws {
        let exploration = exploration(strategy, limit: limit)
        let one = try exploration.run(.one)
        #expect(one.lines.count == one.summary.explored)
        #expect(one.summary.explored > 0)
        for company in Company.allCases {
            #expect(try exploration.run(company) == one, "\(company)")
        }
    }

    @Test(arguments: [Strategy.automatic, .reduced, .exhaustive], [1, 5, 60, 5_000])
    func `several worlds of threads that wait have the result of one world`(
        strategy: Strategy, limit: Int
    ) throws {
        let exploration = Exploration(
            explorer: explorer(locks().plan, strategy, limit: limit), empty: Log(),
            lines: \.lines, text: { "\($1.path) \($1.weight) \($0.outcome)" }, make: { locks() })
        let one = try exploration.run(.one)
        for company in Company.allCases { #expect(try exploration.run(company) == one) }
    }

    @Test(arguments: strategies, [20, 300, 3_000])
    func `a visitor stops several worlds at the schedule at which it stops one world`(
        strategy: Strategy, limit: Int
    ) throws {
        var counts: Set<Int> = []
        for one in [2, 5, 23, 91, 400] {
            var exploration = exploration(strategy, limit: limit)
            exploration.stops = { $0.utf8.reduce(17) { ($0 &* 31 &+ Int($1)) & 0xFFFF } % one == 0 }
            let alone = try exploration.run(.one)
            if let last = alone.lines.last, exploration.stops(last) {
                #expect(!alone.lines.dropLast().contains(where: exploration.stops))
                #expect(!alone.summary.isComplete && alone.summary.stoppedAt == nil)
                counts.insert(alone.lines.count)
            }
            for company in Company.allCases {
                #expect(try exploration.run(company) == alone, "1 of \(one), \(company)")
            }
        }
        #expect(!counts.isEmpty)
    }

    @Test(arguments: [Strategy.automatic, .exhaustive, .reduced, .bounded(2)], 1...5)
    func `shards together have the result of one process`(strategy: Strategy, count: Int) throws {
        let whole = try exploration(strategy, limit: 60_000).run(.one)
        var parts: [String] = []
        for index in 1...count {
            let shard = Shard(index: index, count: count)
            let part = try exploration(strategy, limit: 60_000, shard: shard)
                .run(index % 2 == 0 ? .two : .one)
            #expect(!part.summary.isComplete)
            parts += part.lines
        }
        #expect(parts.count == whole.lines.count)
        #expect(Set(parts) == Set(whole.lines))
    }

    @Test func `a record that exceeds its limit is noticed`() throws {
        let make = { @Sendable in NumberWorld(.lanes(4, 4)) }
        func differing<Record: WalkRecord>(
            _ empty: Record, _ lines: any WritableKeyPath<Record, [String]> & Sendable
        ) throws -> [Int] {
            try (1...69).filter { limit in
                let exploration = Exploration(
                    explorer: explorer(make().plan, .reduced, limit: limit), empty: empty,
                    lines: lines, text: { (world, _) in world.log.joined() }, make: make)
                return try exploration.run(.one) != exploration.run(.withinTheFirst)
            }
        }
        #expect(try differing(Log(), \.lines).isEmpty)
        #expect(try differing(GreedyLog(), \.lines).count > 10)
    }

    @Test(arguments: [7, 100, 1_000]) func `at a limit, all beginnings have an equal share`(
        limit: Int
    ) throws {
        let make = { @Sendable in NumberWorld(.lanes(5, 5, 1)) }
        let exploration = Exploration(
            explorer: explorer(make().plan, .exhaustive, limit: limit), empty: Log(),
            lines: \.lines, text: { (world, _) in world.log.joined(separator: " ") }, make: make)
        let one = try exploration.run(.one)
        #expect(one.lines.count == limit && Set(one.lines).count == limit)
        #expect(one.lines == one.lines.sorted { $0.order < $1.order })
        #expect(one.summary.stoppedAt == "the limit of \(limit) schedules")
        // The first four steps of the 2,772 schedules have 48 orders with at most one step of c.
        #expect(Set(one.lines.map { $0.order.prefix(4) }).count == min(limit, 48))
        for company in Company.allCases { #expect(try exploration.run(company) == one) }
    }

    @Test func `a large space is sampled first, and a walk that is cut reports the sample`()
        throws
    {
        let make = { @Sendable in NumberWorld(.lanes(6, 6, 6)) }
        let exploration = Exploration(
            explorer: explorer(make().plan, .automatic, limit: 100), empty: Log(),
            lines: \.lines, text: { $0.log.joined() + "\($1.weight)" }, make: make)
        let one = try exploration.run(.one)
        #expect(one.summary.strategy == "sample with seed 3, then reduced")
        #expect(one.summary.explored == 100)
        #expect(one.summary.stoppedAt == "the limit of 100 schedules")
        #expect(one.summary.seed == 3 && one.summary.represented == nil)
        // Without sampling, the first session would begin every schedule.
        #expect(Set(one.lines.map(\.first)).count == 3)
        #expect(try exploration.run(.two) == one)
    }

    @Test func `a walk that reaches its end reports only its own schedules, not the sample`() throws
    {
        let make = { @Sendable in
            CellWorld(
                program: (0..<4).map { [.write($0), .write($0), .write($0)] }, delivery: .read(3))
        }
        let exploration = Exploration(
            explorer: explorer(make().plan, .automatic, limit: 10_000), empty: Log(),
            lines: \.lines, text: { "\($1.path) \($1.weight) \($0.outcome)" }, make: make)
        let two = try exploration.run(.two)
        #expect(two.summary.predicted.count == 369_600)
        #expect(two.summary.isComplete && two.summary.strategy == "reduced")
        #expect(two.summary.seed == nil && two.summary.stoppedAt == nil)
        #expect(two.lines.count == 1 && two.summary.represented == 369_600)
    }

    @Test func `the thrown error is the first error of one world`() throws {
        final class Breaking: ScheduleWorld {
            struct Broken: Error { let log: [String] }
            let inner = NumberWorld(.lanes(3, 3, 3))
            var recordsFootprints = false
            var footprint: Footprint { inner.footprint }
            func reset() throws(Broken) { try? inner.reset() }
            func run(lane: Int) throws(Broken) {
                try? inner.run(lane: lane)
                let log = inner.log
                if log.count == 7, log[0] == "b1" { throw Broken(log: log) }
            }
            func waiting(inMailbox mailbox: Int) -> Int { inner.waiting(inMailbox: mailbox) }
            func nextName(lane: Int) -> String? { inner.nextName(lane: lane) }
            func finish() throws(Broken) { try? inner.finish() }
        }
        let exploration = Exploration(
            explorer: explorer(Breaking().inner.plan, .exhaustive, limit: 10_000), empty: Log(),
            lines: \.lines, text: { "\($1.path) \($0.inner.log)" }, make: { Breaking() })
        var thrown: [[String]] = []
        for company in Company.allCases {
            let broken = #expect(throws: Breaking.Broken.self) { try exploration.run(company) }
            thrown.append(broken?.log ?? [])
        }
        #expect(thrown[0].first == "b1" && Set(thrown).count == 1)
    }
}

extension String {
    /// The session of each step in a log line, as one letter.
    fileprivate var order: String { String(split(separator: " ").compactMap(\.first)) }
}
