/// Runs the parts of a shared walk in one world.
struct WalkWorker<World: ScheduleWorld, Record: WalkRecord> {
    typealias Walk = SharedWalk<Record, World.Failure>
    typealias Part = WalkPart<Record, World.Failure>
    typealias Kind<Choices: ScheduleWalk> =
        WritableKeyPath<Walk.State, Branches<Choices, Record, World.Failure>>
    typealias Visit = (VisitedSchedule, inout Record) throws(World.Failure) -> Bool

    let walk: Walk
    var cursor: ScheduleCursor<World>
    private var times = TimeShares()
    private var began = ContinuousClock.now

    init(walk: Walk, world: World) {
        self.walk = walk
        cursor = ScheduleCursor(plan: walk.explorer.plan, world: world)
    }

    /// Runs a depth-first walk. Each schedule repeats the choices of the previous schedule up to
    /// the last choice with an untried lane.
    ///
    /// A world cannot undo a step, so it is reset for each schedule and runs the whole path. If
    /// deliveries depend on outcomes, the number of schedules can exceed the prediction.
    mutating func runParts<Choices: ScheduleWalk>(
        _ kind: Kind<Choices>, _ begin: (Int) -> Record,
        _ progress: (Explorer.Progress) -> Void, _ visit: Visit
    ) {
        let depth = walk.phase.depth(in: walk.explorer.plan)
        if walk.isShared { return runBranches(kind, depth, begin, progress, visit) }
        while let (number, choices) = takePart(kind, depth) {
            var part = Part(number: number, record: begin(number))
            do throws(World.Failure) {
                try run(choices, &part, progress, visit)
            } catch {
                part.failure = error
            }
            walk.give(part, takeTimes())
        }
    }

    private mutating func takePart<Choices: ScheduleWalk>(
        _ kind: Kind<Choices>, _ depth: Int
    ) -> (number: Int, walk: Choices)? {
        walk.takePart(kind) { (choices) throws(World.Failure) in
            try goToBeginning(&choices, depth)
        }
    }

    private mutating func goToBeginning(
        _ choices: inout some ScheduleWalk, _ depth: Int
    ) throws(World.Failure) {
        try follow(&choices)
        try goOn(&choices, upTo: depth)
    }

    private mutating func run<Choices: ScheduleWalk>(
        _ beginning: Choices, _ part: inout Part, _ progress: (Explorer.Progress) -> Void,
        _ visit: Visit
    ) throws(World.Failure) {
        var choices = beginning
        while true {
            try runPath(&choices, &part, progress, visit)
            if walk.isStopped(part.number) { return }
            guard choices.advance(keeping: beginning.count) else {
                part.isWhole = true
                return
            }
            if part.uses.count >= walk.allowance { return }
            try follow(&choices)
        }
    }

    private mutating func runPath(
        _ choices: inout some ScheduleWalk, _ part: inout Part,
        _ progress: (Explorer.Progress) -> Void, _ visit: Visit
    ) throws(World.Failure) {
        try goOn(&choices, upTo: .max)
        if cursor.runnableLanes == 0 {
            try complete(weight: choices.weight(), &part, progress, visit)
        } else {
            lap(\.steps)
            part.uses.append(.abandoned)
        }
    }

    /// Runs parts that share the allowance, each up to its share of this round.
    private mutating func runBranches<Choices: ScheduleWalk>(
        _ kind: Kind<Choices>, _ depth: Int, _ begin: (Int) -> Record,
        _ progress: (Explorer.Progress) -> Void, _ visit: Visit
    ) {
        while var branch = takeBranch(kind, depth) {
            var part = branch.part ?? Part(number: branch.number, record: begin(branch.number))
            do throws(World.Failure) {
                try run(&branch, &part, depth, progress, visit)
            } catch {
                part.failure = error
            }
            branch.part = part
            walk.give(branch, kind, takeTimes())
        }
    }

    private mutating func takeBranch<Choices: ScheduleWalk>(
        _ kind: Kind<Choices>, _ depth: Int
    ) -> Branch<Choices, Record, World.Failure>? {
        walk.takeBranch(kind) { (choices) throws(World.Failure) in
            try goToBeginning(&choices, depth)
        }
    }

    private mutating func run<Choices: ScheduleWalk>(
        _ branch: inout Branch<Choices, Record, World.Failure>, _ part: inout Part,
        _ depth: Int, _ progress: (Explorer.Progress) -> Void, _ visit: Visit
    ) throws(World.Failure) {
        if branch.part == nil {
            // Another world may already have run the choices up to this point.
            try runChosen(branch.walk)
        } else {
            try follow(&branch.walk)
        }
        for run in 1...branch.share {
            try runPath(&branch.walk, &part, progress, visit)
            if walk.isStopped(part.number) { return }
            guard branch.walk.advance(keeping: min(depth, branch.walk.count)) else {
                part.isWhole = true
                return
            }
            if run < branch.share { try follow(&branch.walk) }
        }
    }

    /// Runs a path from the start. Its last choice is new and has not run yet.
    private mutating func follow(_ choices: inout some ScheduleWalk) throws(World.Failure) {
        try runChosen(choices)
        if choices.count > 0 { choices.ran { cursor.world.footprint } }
    }

    private mutating func runChosen(_ choices: some ScheduleWalk) throws(World.Failure) {
        try start()
        try cursor.run(choosing: { cursor in
            cursor.path.count < choices.count ? choices.lane(at: cursor.path.count) : nil
        })
    }

    private mutating func goOn(
        _ choices: inout some ScheduleWalk, upTo depth: Int
    ) throws(World.Failure) {
        try cursor.run(
            choosing: { cursor in
                choices.count < depth ? choices.next(cursor.runnableLanes) : nil
            },
            then: { cursor, _ in choices.ran { cursor.world.footprint } })
    }

    /// Draws schedules. Each has its own random number generator, so the result does not depend on
    /// the world that runs it.
    ///
    /// If the draws need a profile (the footprints of a schedule), one more schedule runs to record
    /// it. This schedule is the same in every world and is not counted.
    mutating func runDraws(
        _ drawing: Drawing, _ begin: (Int) -> Record, _ progress: (Explorer.Progress) -> Void,
        _ visit: Visit
    ) {
        var profile: Profile?
        while let (number, draws) = walk.takeDraws() {
            var part = Part(number: number, record: begin(number))
            do throws(World.Failure) {
                for draw in draws where !walk.isStopped(number) {
                    let kind = drawing.kind(ofDraw: draw)
                    if profile == nil, kind.needsProfile(cursor.plan) {
                        try start()
                        profile = try cursor.profile()
                        try cursor.world.finish()
                    }
                    try start()
                    var generator = walk.explorer.generator(ofDraw: draw)
                    let estimate = try cursor.draw(kind, profile ?? Profile(), &generator)
                    if let estimate { part.estimates.append(estimate) }
                    try complete(weight: 1, &part, progress, visit)
                }
                part.isWhole = true
            } catch {
                part.failure = error
            }
            walk.give(part, takeTimes())
        }
    }

    private mutating func complete(
        weight: UInt64, _ part: inout Part, _ progress: (Explorer.Progress) -> Void,
        _ visit: Visit
    ) throws(World.Failure) {
        lap(\.steps)
        try cursor.world.finish()
        lap(\.observing)
        let schedule = VisitedSchedule(path: cursor.path, weight: max(1, weight))
        let goesOn = try visit(schedule, &part.record)
        lap(\.judging)
        part.uses.append(.schedule(weight: weight))
        walk.complete(goesOn, in: part.number, progress)
    }

    // MARK: Times

    private mutating func start() throws(World.Failure) {
        began = .now
        try cursor.reset()
        lap(\.reset)
    }

    private mutating func lap(_ part: WritableKeyPath<TimeShares, Duration>) {
        let now = ContinuousClock.now
        times[keyPath: part] += now - began
        began = now
    }

    private mutating func takeTimes() -> TimeShares {
        defer { times = TimeShares() }
        return times
    }
}
