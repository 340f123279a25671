import ContextHistory
import LabCheck
import LabResults
import LabScenario
import LabSchedule

/// Explores a body of code: runs the schedules, finds the smallest schedule that fails, and records
/// its operations.
struct CodeExploration {
    /// A schedule and its result.
    struct Witness: Sendable {
        let path: [UInt8]
        let lanes: [String]
        let end: CodeWorld.End
    }

    /// The result of a walk.
    struct Walked {
        var summary: Explorer.Summary
        /// The number of schedules for each set of observed values.
        var ends: [String: Int] = [:]
        var findings: [String: Int] = [:]
        var first: Witness?
        var failure: Witness?
        /// The first schedule that passes but shows that another one can fail. For example, two
        /// threads took two locks in opposite orders.
        var warning: Witness?
        /// A result that the walk missed, and the checking schedule with this result.
        var missed: (sight: CodeTally.Sight, witness: Witness)?
        /// The number of schedules that ran only to check that the exploration found all results.
        var checked = 0
    }

    /// The maximum number of threads that a search may leave in endless waits.
    static let abandonedMax = 20

    let name: String
    let options: Lab.Options
    let world: CodeWorld
    var company: CodeCompany?

    /// - Parameter sessions: the names of the sessions that the body declares; nil if they are
    ///   determined by running the body.
    init(
        _ name: String, _ options: Lab.Options, sessions: [String]? = nil,
        _ body: @escaping (CodeLab) throws -> Void
    ) throws {
        self.name = name
        self.options = options
        world = try CodeWorld(options, sessions: sessions, body)
    }

    /// Runs one schedule without recording its result. A store initializes some state at its first
    /// use. Without this run, the first schedule would have more steps than its repetition.
    func warmUp() throws(CodeError) {
        try run([])
        if world.isSerial { world.serial = try serialReference() }
    }

    /// Runs the sessions one after another, in every order.
    private func serialReference() throws(CodeError) -> SerialReference {
        let sessions = world.table.sessions
        if sessions.count > CodeLab.serialSessionsMax {
            throw .unusable(
                "the body declares \(sessions.count) sessions and calls lab.serial(), which runs"
                    + " all orders of the sessions; declare at most \(CodeLab.serialSessionsMax)"
                    + " sessions, or use lab.finally")
        }
        var ends: [(order: [String], end: SerialEnd)] = []
        let orders = Self.orders(of: sessions.count)
        for order in orders {
            try runSerially(order)
            // An order that fails is also one of the explored schedules.
            if let end = world.serialEnd { ends.append((order.map { sessions[$0] }, end)) }
        }
        guard let first = ends.first else { return SerialReference([], again: SerialEnd()) }
        let again = orders.first { $0.map { sessions[$0] } == first.order } ?? []
        try runSerially(again)
        return SerialReference(ends, again: world.serialEnd ?? first.end)
    }

    /// The orders of a number of sessions. The first one is the order of the declarations.
    ///
    /// - Parameter most: the number of orders after which no further one is needed.
    static func orders(of count: Int, most: Int = .max) -> [[Int]] {
        var orders: [[Int]] = [[]]
        for next in 0..<count {
            orders = orders.flatMap { order in
                (0...order.count).reversed().map { place in
                    var longer = order
                    longer.insert(next, at: place)
                    return longer
                }
            }
            if orders.count > most { orders = Array(orders.prefix(most)) }
        }
        return orders
    }

    /// Explores the schedules. If the lab learns something about the program that changes the
    /// footprints (the recorded accesses), the exploration starts again.
    ///
    /// If a schedule cannot be repeated, the error contains the first difference between two runs.
    func exploreInFull() throws -> Walked {
        while true {
            let before = revisions
            do {
                let walked = try explore()
                if walked.failure != nil || revisions == before { return walked }
            } catch CodeError.notDeterministic(let what) {
                throw CodeError.notDeterministic(parting([]) ?? what)
            }
            // If one world must record coarser footprints (accesses), all worlds must.
            for other in footprints { for own in footprints { own.coarsen(as: other) } }
        }
    }

    /// For each world, a number that increases whenever a run shows the lab something new about the
    /// program. The footprints that this world recorded earlier may be incomplete.
    var revisions: [Int] { footprints.map(\.revision) }

    private var footprints: [CodeFootprint] { worlds.map(\.stage.touched) }

    /// All worlds of this exploration. May be read only while no schedules run.
    var worlds: [CodeWorld] { [world] + (company?.worlds ?? []) }

    /// Runs schedules until one fails, or the walks are complete.
    func explore() throws -> Walked {
        var explorer = Explorer(
            plan: world.table.plan, limit: options.limit, seed: options.seed)
        explorer.strategy = options.strategy.schedules
        explorer.scoutsFirst = true
        explorer.checkMin = options.checkMin
        explorer.deadline = .now + options.timeBudget
        var sequence = WalkSequence(explorer)
        var (tally, drawn, whole) = (CodeTally(), CodeTally(), CodeTally())
        while let phase = sequence.next() {
            let (ending, record) = try run(phase, explorer, after: sequence.summary)
            whole.join(record, first: record.count)
            if phase.isDrawn { drawn.join(record, first: record.count) }
            if sequence.take(ending) { tally = CodeTally() }
            tally.join(record, first: record.count)
        }
        var walked = Walked(
            summary: sequence.summary, ends: tally.ends, findings: tally.findings,
            first: whole.first, failure: whole.failure, warning: whole.warning)
        if walked.failure == nil, !sequence.checks.isEmpty {
            try check(&walked, sequence.checks, explorer, tally, drawn)
        }
        return walked
    }

    private func run(
        _ phase: WalkPhase, _ explorer: Explorer, after summary: Explorer.Summary
    ) throws -> (ending: WalkEnding, record: CodeTally) {
        let walk = SharedWalk<CodeTally, CodeError>(
            explorer, phase, empty: CodeTally(), after: summary)
        repeat { share(walk) } while walk.goOn()
        return try walk.finish()
    }

    /// Compares the results of a reduced exploration with those of further schedules. If there are
    /// few schedules, all of them run. Otherwise a random sample runs.
    ///
    /// - Parameters:
    ///   - tally: the results of the reduced exploration.
    ///   - drawn: the results of the random schedules that ran before it.
    private func check(
        _ walked: inout Walked, _ phases: [WalkPhase], _ explorer: Explorer, _ tally: CodeTally,
        _ drawn: CodeTally
    ) throws {
        var (seen, isAll) = (drawn, false)
        for phase in phases {
            let (ending, record) = try run(phase, explorer, after: walked.summary)
            seen.join(record, first: record.count)
            isAll = ending.isWhole && phase.isProof
            if isAll || record.failure != nil { break }
        }
        if !isAll, seen.failure == nil, seen.count < explorer.checkMin {
            walked.summary.isComplete = false
            walked.summary.end = .time
            walked.summary.stoppedAt =
                "the time budget, before \(explorer.checkMin) checking schedules had run"
        }
        walked.checked = seen.count
        walked.failure = seen.failure
        walked.missed = seen.missed(by: tally)
    }

    private func share(_ walk: SharedWalk<CodeTally, CodeError>) {
        guard let company else { return Self.take(walk, in: world) }
        company.share({ Self.take(walk, in: $0) }) { Self.take(walk, in: world) }
    }

    private static func take(_ walk: SharedWalk<CodeTally, CodeError>, in world: CodeWorld) {
        walk.work(in: world, begin: { _ in CodeTally() }) {
            (schedule, record) throws(CodeError) in
            record.add(world.end, of: schedule.path, world.laneNames)
            return !world.end.isFailure
        }
    }

    /// The schedule with the fewest switches that fails in the same way.
    ///
    /// The search tries schedules without preemptions, then with one, two and three preemptions,
    /// until it reaches a limit. The limit is nearly always a number of schedules, so the reported
    /// failure is reproducible.
    func smallest(_ first: Witness) throws -> Witness {
        let deadline = ContinuousClock.now + options.timeBudget
        var best = first
        // A thread in an endless wait cannot be ended, so each schedule with such a wait costs a
        // thread.
        let abandoned = world.stage.baton.abandoned
        for bound in 0..<4 where world.stage.baton.abandoned < abandoned + Self.abandonedMax {
            var explorer = Explorer(
                plan: world.table.plan, limit: options.searchMax, seed: options.seed)
            explorer.strategy = .bounded(bound)
            explorer.deadline = deadline
            _ = try explorer.explore(world) { schedule throws(CodeError) in
                if world.stage.baton.abandoned >= abandoned + Self.abandonedMax { return false }
                let (switches, least) = (Self.switches(schedule.path), Set(schedule.path).count - 1)
                guard Self.kinds(world.end) == Self.kinds(first.end) else { return true }
                if switches < Self.switches(best.path) {
                    best = Witness(
                        path: schedule.path, lanes: world.laneNames, end: world.end)
                }
                // Each lane must begin once, so every schedule of these lanes has at least this
                // number of switches.
                return switches > least + bound
            }
            if Self.switches(best.path) <= Set(best.path).count - 1 + bound { break }
        }
        return best
    }

    /// The names of the failures at the end of a schedule, without values. Two schedules with equal
    /// names count as the same failure.
    private static func kinds(_ end: CodeWorld.End) -> Set<String> {
        Set(end.findings.map(\.name))
            .union(end.failures.map { String($0.prefix { $0 != ":" && !$0.isNumber }) })
    }

    static func switches(_ path: [UInt8]) -> Int {
        zip(path, path.dropFirst()).count { $0 != $1 }
    }

    /// The share of the continuations that fail, before the first step of a failing schedule and
    /// after each step; empty if the schedule leaves a thread in an endless wait, because each such
    /// continuation would cost a thread.
    func losses(_ witness: Witness) throws -> [Timeline.Loss?] {
        let abandoned = world.stage.baton.abandoned
        try run(witness.path)
        if world.stage.baton.abandoned > abandoned || !world.end.isFailure { return [] }
        var shares = LossShares(plan: world.table.plan, world: world) { [world] in
            world.end.isFailure
        }
        shares.seed = options.seed
        shares.deadline = .now + options.timeBudget / 4
        return try shares.along(witness.path).map { $0.map(Timeline.Loss.init) }
    }

    // MARK: Tokens

    func token(_ witness: Witness) -> String {
        let path = witness.path
        var steps: [String] = []
        var index = path.startIndex
        while index < path.endIndex {
            let end = path[index...].firstIndex { $0 != path[index] } ?? path.endIndex
            let name = witness.lanes[Int(path[index])].tokenWord
            steps.append(end - index == 1 ? name : "\(name)*\(end - index)")
            index = end
        }
        return CodeToken.text(name, sessions: world.table.sessions, steps: steps)
    }

    /// The name of the lane (session, task or queue) of each step of a token.
    func lanes(of token: ScheduleToken) throws(CodeError) -> [String] {
        var lanes: [String] = []
        for step in token.steps {
            let parts = step.split(separator: "*").map(String.init)
            guard let lane = parts.first, let count = parts.count == 2 ? Int(parts[1]) : 1 else {
                throw .unusable(
                    "the token's step '\(step)' is not a lane's name; write NAME or NAME*COUNT")
            }
            lanes += Array(repeating: lane, count: count)
        }
        return lanes
    }

    func lane(_ name: String, step: Int) throws(CodeError) -> Int {
        guard let lane = world.stage.lane(tokenWord: name), isReady(lane) else {
            throw .unusable(
                "step \(step) of the token is '\(name)', which has nothing to run there; the code"
                    + " has changed since, or an earlier release has made the token: explore again")
        }
        return lane
    }

    // MARK: Running one schedule

    /// Runs a schedule once more.
    ///
    /// - Throws: an error if its result differs from the previous one.
    func repeatRun(_ witness: Witness, story: CodeStory? = nil) throws(CodeError) {
        let again = try run(witness.path, story: story)
        if again.end.isSame(as: witness.end), again.path == witness.path { return }
        throw .notDeterministic(
            parting(witness.path)
                ?? "\(token(witness)) ended with \(witness.end.summary), and in another run"
                + " \(token(again)) with \(again.end.summary)")
    }

    /// Runs a schedule several times, and describes the first difference between two runs; returns
    /// nil if all runs are equal.
    func parting(_ path: [UInt8]) -> String? {
        let first = lines(path)
        for _ in 0..<4 {
            let other = lines(path)
            if first == other { continue }
            let place = zip(first, other).enumerated().first { $1.0 != $1.1 }?.offset
            let index = place ?? min(first.count, other.count)
            func line(_ lines: [String]) -> String {
                index < lines.count ? "'\(lines[index])'" : "nothing more"
            }
            let hint =
                first.sorted() == other.sorted()
                ? "; both runs have the same lines, in another order" : ""
            return "two runs of one schedule differ: one has \(line(first)) where the other has"
                + " \(line(other))\(hint)"
        }
        return nil
    }

    private func lines(_ path: [UInt8]) -> [String] {
        _ = try? run(path)
        return world.stage.history.lines
    }

    /// Runs one schedule. After the end of the path, the lanes run one after another.
    ///
    /// - Parameters:
    ///   - story: records the operations of the schedule.
    ///   - recorder: records the contexts of the schedule.
    @discardableResult
    func run(
        _ path: [UInt8], story: CodeStory? = nil, recorder: CodeRecorder? = nil
    ) throws(CodeError) -> Witness {
        try run(story: story, recorder: recorder, steps: path.count) { Int(path[$0]) }
    }

    /// Runs the schedule of a token. After the steps of the token, the lanes run one after another.
    func run(_ token: ScheduleToken, story: CodeStory) throws(CodeError) -> Witness {
        let lanes = try lanes(of: token)
        return try run(story: story, recorder: nil, steps: lanes.count) {
            (index) throws(CodeError) in try lane(lanes[index], step: index + 1)
        }
    }

    /// - Parameter lane: returns the lane of a step; called after the previous steps have run.
    private func run(
        story: CodeStory?, recorder: CodeRecorder?, steps: Int,
        _ lane: (Int) throws(CodeError) -> Int
    ) throws(CodeError) -> Witness {
        world.story = story
        world.stage.recorder = recorder
        defer {
            world.story = nil
            world.stage.recorder = nil
        }
        try world.reset()
        story?.begin()
        var ran: [UInt8] = []
        for index in 0..<steps { try go(on: lane(index), story, &ran) }
        while let lane = world.firstReady() { try go(on: lane, story, &ran) }
        try world.finish()
        return Witness(path: ran, lanes: world.laneNames, end: world.end)
    }

    /// Runs the sessions one after another. Each session runs to its end, with all work that it has
    /// enqueued, before the next session begins.
    ///
    /// - Parameter order: the numbers of the sessions.
    func runSerially(_ order: [Int]) throws(CodeError) {
        try world.reset()
        let sessions = world.table.sessions.count
        var ran: [UInt8] = []
        for session in order + order {
            while let lane = ([session] + (sessions..<world.stage.lanes.count)).first(
                where: isReady)
            {
                try go(on: lane, nil, &ran)
            }
        }
        // Sessions that wait for other sessions have not ended yet. They now run as far as they
        // can.
        while let lane = world.firstReady() { try go(on: lane, nil, &ran) }
        try world.finish()
    }

    private func isReady(_ lane: Int) -> Bool { world.waiting(inMailbox: lane) > 0 }

    private func go(
        on lane: Int, _ story: CodeStory?, _ ran: inout [UInt8]
    ) throws(CodeError) {
        story?.beginSlice()
        try world.run(lane: lane)
        ran.append(UInt8(lane))
        story?.endSlice(world.name(of: lane))
    }
}
