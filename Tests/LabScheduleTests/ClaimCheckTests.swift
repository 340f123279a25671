import LabSchedule
import Testing

/// After a reduced walk, a check runs additional schedules. They show whether those of the walk
/// represent all schedules.
@Suite struct ClaimCheckTests {
    /// Keeps the final state of each schedule.
    private struct Ends: WalkRecord {
        var list: [[[Int]]] = []

        mutating func join(_ next: Ends, first count: Int) { list += next.list.prefix(count) }
    }

    /// The results of a strategy and of the walks that check it.
    private struct Checked {
        var shown: [[[Int]]] = []
        var summary: Explorer.Summary
        var checks: [WalkPhase] = []
        var checked: [[[[Int]]]] = []
        var isWhole: [Bool] = []
    }

    private func explore(
        _ program: [[LockWorld.Operation]], _ strategy: Strategy, forgetsReads: Bool = false
    ) throws -> Checked {
        let world = LockWorld(program: program, forgetsReads: forgetsReads)
        var explorer = Explorer(plan: world.plan, limit: 20_000)
        explorer.strategy = strategy
        explorer.scoutsFirst = true
        var sequence = WalkSequence(explorer)
        func run(_ phase: WalkPhase) throws -> (ending: WalkEnding, record: Ends) {
            let walk = SharedWalk<Ends, LockWorld.Broken>(
                explorer, phase, empty: Ends(), after: sequence.summary)
            repeat {
                walk.work(in: world, begin: { _ in Ends() }) { _, record in
                    record.list.append(world.outcome)
                    return true
                }
            } while walk.goOn()
            return try walk.finish()
        }
        var shown: [[[Int]]] = []
        while let phase = sequence.next() {
            let (ending, record) = try run(phase)
            if sequence.take(ending) { shown = [] }
            shown += record.list
        }
        var checked = Checked(shown: shown, summary: sequence.summary, checks: sequence.checks)
        for phase in sequence.checks {
            let (ending, record) = try run(phase)
            checked.checked.append(record.list)
            checked.isWhole.append(ending.isWhole)
        }
        return checked
    }

    private let race: [[LockWorld.Operation]] = [[.read(0)], [.write(0)]]
    private let long: [[LockWorld.Operation]] = [
        [.read(0), .write(0), .read(0), .read(1), .write(1)],
        [.read(1), .write(0), .read(0), .write(1), .read(0)],
    ]

    @Test func `few schedules are checked by every one`() throws {
        let checked = try explore(race, .reduced)
        #expect(checked.summary.isComplete)
        #expect(checked.checks.map(\.isDrawn) == [false, true])
        #expect(checked.isWhole.first == true)
        #expect(Set(checked.checked[0]) == Set(checked.shown))
    }

    @Test(arguments: [Strategy.reduced, .automatic])
    func `many schedules are checked by two hundred that are drawn`(strategy: Strategy) throws {
        let checked = try explore(long, strategy)
        #expect(checked.summary.isComplete)
        #expect(checked.checks.map(\.isDrawn) == [true])
        let scouts = strategy == .automatic ? Explorer.openScoutMax : 0
        #expect(checked.checked[0].count + scouts == 200)
        #expect(Set(checked.checked[0]).isSubset(of: Set(checked.shown)))
    }

    @Test func `draws that check are none of those that were drawn before`() throws {
        let first = try explore(long, .automatic).checked[0]
        let other = try explore(long, .reduced).checked[0]
        #expect(Array(other.dropFirst(Explorer.openScoutMax)) == first)
    }

    @Test func `footprints that say too little are found`() throws {
        for program in [race, long] {
            let checked = try explore(program, .reduced, forgetsReads: true)
            #expect(checked.summary.isComplete)
            #expect(!Set(checked.checked[0]).isSubset(of: Set(checked.shown)))
        }
    }

    @Test(arguments: [Strategy.exhaustive, .bounded(2), .random])
    func `walks that say all by themselves, or do not say it, have no check`(
        strategy: Strategy
    ) throws {
        #expect(try explore(race, strategy).checks.isEmpty)
    }
}
