import LabCheck
import LabSchedule

/// Explores one body: the walk, the smallest schedule that fails, and what it shows.
struct CodeExploration {
    /// A schedule, and what it has come to.
    struct Witness: Sendable {
        let path: [UInt8]
        let end: CodeWorld.End
    }

    /// What a walk has come to.
    struct Walked {
        let summary: Explorer.Summary
        /// How many schedules came to which observed values.
        var ends: [String: Int] = [:]
        /// In how many of them was found what.
        var findings: [String: Int] = [:]
        /// The first schedule, whatever it came to.
        var first: Witness?
        /// The first schedule that fails.
        var failure: Witness?
        /// The first schedule that shows what could happen in another one.
        var warning: Witness?
    }

    let name: String
    let options: Lab.Options
    let world: CodeWorld
    /// Worlds that run schedules too.
    var company: CodeCompany?

    init(_ name: String, _ options: Lab.Options, _ body: @escaping (CodeLab) throws -> Void) throws
    {
        self.name = name
        self.options = options
        world = try CodeWorld(options, body)
    }

    /// Runs one schedule that counts for nothing: what a store prepares once and keeps must not
    /// make the first schedule longer than it is when it is repeated.
    func warmUp() throws(CodeError) { try run([]) }

    /// Explores, and once more from the start where footprints have become coarser meanwhile.
    ///
    /// A path that cannot be gone again is told with the first thing that parts two runs.
    func exploreInFull() throws -> Walked {
        while true {
            let before = footprints.map(\.revision)
            do {
                let walked = try explore()
                if walked.failure != nil || footprints.map(\.revision) == before { return walked }
            } catch CodeError.notDeterministic(let what) {
                throw CodeError.notDeterministic(parting([]) ?? what)
            }
            // What one world has seen holds for all of them.
            for other in footprints { for own in footprints { own.coarsen(as: other) } }
        }
    }

    private var footprints: [CodeFootprint] { worlds.map(\.stage.touched) }

    /// All worlds; only while no walk is under way.
    var worlds: [CodeWorld] { [world] + (company?.worlds ?? []) }

    /// Runs schedules until one fails, or the walks have come to their end.
    func explore() throws -> Walked {
        var explorer = Explorer(
            plan: world.table.plan, limit: options.limit, seed: options.seed)
        explorer.strategy = options.strategy.schedules
        explorer.scoutsFirst = true
        explorer.deadline = .now + options.timeBudget
        var (first, failure, warning): (Witness?, Witness?, Witness?) = (nil, nil, nil)
        var sequence = WalkSequence(explorer)
        var tally = CodeTally()
        while let phase = sequence.next() {
            let walk = SharedWalk<CodeTally, CodeError>(
                explorer, phase, empty: CodeTally(), after: sequence.summary)
            repeat { share(walk) } while walk.goOn()
            let (ending, record) = try walk.finish()
            first = first ?? record.first
            failure = failure ?? record.failure
            warning = warning ?? record.warning
            if sequence.take(ending) { tally = CodeTally() }
            tally.join(record, first: record.count)
        }
        return Walked(
            summary: sequence.summary, ends: tally.ends, findings: tally.findings, first: first,
            failure: failure, warning: warning)
    }

    /// Runs a walk in this world and in those of the company.
    private func share(_ walk: SharedWalk<CodeTally, CodeError>) {
        guard let company else { return Self.take(walk, in: world) }
        company.share({ Self.take(walk, in: $0) }) { Self.take(walk, in: world) }
    }

    /// Takes parts of a walk until there are no more.
    private static func take(_ walk: SharedWalk<CodeTally, CodeError>, in world: CodeWorld) {
        walk.work(in: world, begin: { _ in CodeTally() }) {
            (schedule, record) throws(CodeError) in
            record.add(world.end, of: schedule.path)
            return !world.end.isFailure
        }
    }

    /// The schedule with the fewest switches that fails in the same way.
    ///
    /// Tried are those with no preemption, one, two and three, as far as the limits go. A count is
    /// what limits them nearly always, so that the same failure is told each time.
    func smallest(_ first: Witness) throws -> Witness {
        let deadline = ContinuousClock.now + options.timeBudget / 4
        var best = first
        for bound in 0..<4 {
            var explorer = Explorer(plan: world.table.plan, limit: 500, seed: options.seed)
            explorer.strategy = .bounded(bound)
            explorer.deadline = deadline
            _ = try explorer.explore(world) { schedule throws(CodeError) in
                let (switches, least) = (Self.switches(schedule.path), Set(schedule.path).count - 1)
                guard Self.kinds(world.end) == Self.kinds(first.end) else { return true }
                if switches < Self.switches(best.path) {
                    best = Witness(path: schedule.path, end: world.end)
                }
                // Each lane is begun once: no schedule of these lanes has fewer.
                return switches > least + bound
            }
            if Self.switches(best.path) <= Set(best.path).count - 1 + bound { break }
        }
        return best
    }

    /// What makes two failures the same one: the first of each kind, whatever values they show.
    private static func kinds(_ end: CodeWorld.End) -> Set<String> {
        Set(end.findings.map(\.name))
            .union(end.failures.map { String($0.prefix { $0 != ":" && !$0.isNumber }) })
    }

    /// How often another lane goes on.
    static func switches(_ path: [UInt8]) -> Int {
        zip(path, path.dropFirst()).count { $0 != $1 }
    }

    // MARK: Tokens

    /// The schedule as text that can be pasted.
    func token(_ path: [UInt8]) -> String {
        var steps: [String] = []
        var index = path.startIndex
        while index < path.endIndex {
            let end = path[index...].firstIndex { $0 != path[index] } ?? path.endIndex
            let name = world.table.names[Int(path[index])].tokenWord
            steps.append(end - index == 1 ? name : "\(name)*\(end - index)")
            index = end
        }
        return ScheduleToken(
            scenario: name.replacing(":", with: "-"), hash: hash, cell: "-", steps: steps
        ).description
    }

    /// The lanes of a token.
    func path(_ token: ScheduleToken) throws(CodeError) -> [UInt8] {
        let numbers = Dictionary(
            world.table.names.enumerated().map { ($1.tokenWord, $0) }
        ) { first, _ in first }
        var path: [UInt8] = []
        for step in token.steps {
            let parts = step.split(separator: "*")
            let count = parts.count == 2 ? Int(parts[1]) : 1
            guard let lane = parts.first.flatMap({ numbers[String($0)] }), let count else {
                throw .unusable("the token's step '\(step)' names no lane of '\(name)'")
            }
            path += Array(repeating: UInt8(lane), count: count)
        }
        return path
    }

    /// Eight digits of the names of the sessions.
    private var hash: String {
        let sum = world.table.sessions.joined(separator: "\n").utf8.reduce(
            UInt32(0x811C_9DC5)
        ) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        let digits = String(sum, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    // MARK: Running one schedule

    /// Runs a schedule once more.
    ///
    /// - Throws: where it comes to something else than before.
    func repeatRun(_ witness: Witness, story: CodeStory? = nil) throws(CodeError) {
        let again = try run(witness.path, story: story)
        if again.end.isSame(as: witness.end), again.path == witness.path { return }
        throw .notDeterministic(
            parting(witness.path)
                ?? "\(token(witness.path)) came to \(witness.end.summary), and then"
                + " \(token(again.path)) to \(again.end.summary)")
    }

    /// The first thing in which two runs of a schedule differ, if they differ once more.
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
                first.sorted() == other.sorted() ? "; the same is done in another order" : ""
            return "two runs of one schedule part where one does \(line(first)) and the other"
                + " \(line(other))\(hint)"
        }
        return nil
    }

    /// What one run of a schedule did, as far as it came.
    private func lines(_ path: [UInt8]) -> [String] {
        _ = try? run(path)
        return world.stage.history.lines
    }

    /// Runs one schedule; what is left behind its path goes on lane by lane.
    ///
    /// - Parameters:
    ///   - story: is told what the schedule does.
    ///   - recorder: records its contexts.
    @discardableResult
    func run(
        _ path: [UInt8], story: CodeStory? = nil, recorder: CodeRecorder? = nil
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
        for lane in path { try go(on: Int(lane), story, &ran) }
        while let lane = world.table.names.indices.first(where: isReady) {
            try go(on: lane, story, &ran)
        }
        try world.finish()
        return Witness(path: ran, end: world.end)
    }

    /// Runs each session to its end, with all that it has posted, before the next one begins.
    ///
    /// - Parameter order: the sessions' numbers.
    func runSerially(_ order: [Int]) throws(CodeError) {
        try world.reset()
        let others = world.table.sessions.count..<world.table.names.count
        var ran: [UInt8] = []
        for session in order + order {
            while let lane = ([session] + others).first(where: isReady) {
                try go(on: lane, nil, &ran)
            }
        }
        // Sessions that wait for each other go on as they can.
        while let lane = world.table.names.indices.first(where: isReady) {
            try go(on: lane, nil, &ran)
        }
        try world.finish()
    }

    private func isReady(_ lane: Int) -> Bool { world.waiting(inMailbox: lane) > 0 }

    private func go(
        on lane: Int, _ story: CodeStory?, _ ran: inout [UInt8]
    ) throws(CodeError) {
        story?.beginSlice()
        try world.run(lane: lane)
        ran.append(UInt8(lane))
        story?.endSlice(world.table.names[lane])
    }
}
