import ContextHistory
import CoreDataStore
import LabSchedule

/// Runs the body of a test under randomly drawn schedules.
struct TestSchedules {
    let exploration: CodeExploration
    private let options: TestOptions

    private var world: CodeWorld { exploration.world }
    var stage: CodeStage { world.stage }

    /// - Parameters:
    ///   - isHosted: whether a thread of the program runs the test.
    ///   - session: declares the test's session.
    init(
        _ name: String, _ options: TestOptions, _ stacks: TestStacks, isHosted: Bool,
        _ session: @escaping (CodeLab) -> Void
    ) throws {
        try PlantedRace.check()
        self.options = options
        var code = Lab.Options(seed: options.seed, timeBudget: options.timeBudget)
        code.patience = options.patience
        // Existing tests sleep to wait for other threads, so a sleep must not end before these
        // threads have run.
        code.freeTimers = 0
        // Existing tests may show intentionally which values a merge policy loses.
        code.fails = .nothing
        exploration = try CodeExploration(name, code, sessions: ["test"]) { session($0) }
        stage.switches = stacks
        if isHosted {
            stage.host = CodeHost(
                lane: 0, runner: stage.baton.addHosted("test"), patience: options.timeBudget * 4)
        }
    }

    /// Thrown if the threads of the failed schedule do not return the baton, so that no other
    /// schedule can follow.
    struct Stuck: Error {
        let verdict: TestVerdict
    }

    private struct Run {
        var path: [UInt8] = []
        var lanes: [String] = []
        var end = CodeWorld.End()
        /// Whether there was at least one choice between threads.
        var hadChoice = false
        var told = ToldStory()
    }

    var isMidway: Bool { !world.isOver }

    // MARK: All schedules

    /// - Throws: ``CodeError`` if the lab cannot control a thread.
    func explore() throws -> TestVerdict {
        var verdict = TestVerdict(name: exploration.name, control: .controlled, schedules: 0)
        let deadline = ContinuousClock.now + options.timeBudget
        var length = 0
        for index in 0..<options.schedules {
            if index > 0, ContinuousClock.now >= deadline {
                verdict.notes.append("stopped at the time budget of \(options.timeBudget)")
                break
            }
            var dice = ScheduleDice(seed: options.seed, index: index, length: length)
            let run = try run { dice.choose($0) }
            verdict.schedules += 1
            length = run.path.count
            verdict.note(run.end)
            if run.end.isFailure {
                try fail(run, &verdict)
                break
            }
            if index == 0, !run.hadChoice {
                verdict.control = .singleThreaded
                break
            }
        }
        return verdict
    }

    func replay(_ token: ScheduleToken) throws -> TestVerdict {
        let lanes = try exploration.lanes(of: token)
        var step = 0
        let run = try run(story: world.makeStory()) { ready in
            guard step < lanes.count else { return ready[0] }
            defer { step += 1 }
            return try exploration.lane(lanes[step], step: step + 1)
        }
        var verdict = TestVerdict(name: exploration.name, control: .controlled)
        if run.end.isFailure { verdict.failure = failure(run, schedules: 1) }
        verdict.notes = run.end.isFailure ? [] : run.told.lines
        return verdict
    }

    // MARK: One schedule

    /// Runs a schedule; `choose` receives the lanes that can run.
    private func run(story: CodeStory? = nil, choose: ([Int]) throws -> Int) throws -> Run {
        world.story = story
        defer { world.story = nil }
        try world.reset()
        story?.begin()
        var run = Run()
        while true {
            let ready = readyLanes()
            if ready.isEmpty { break }
            run.hadChoice = run.hadChoice || isChoice(ready)
            let lane = try choose(ready)
            story?.beginSlice()
            run.path.append(UInt8(lane))
            if let what = try goOn(lane) {
                run.lanes = world.laneNames
                run.end.failures = [what]
                throw Stuck(verdict: stuckVerdict(run))
            }
            story?.endSlice(world.name(of: lane))
        }
        run.lanes = world.laneNames
        do {
            try world.finish()
        } catch {
            // Threads that wait for each other do not return the baton. Their deadlock has already
            // been recorded.
            if !world.end.isFailure { throw error }
            run.end = world.end
            throw Stuck(verdict: stuckVerdict(run))
        }
        run.end = world.end
        run.told = story?.told() ?? ToldStory()
        return run
    }

    /// Whether the schedule can choose between lanes. A lane and the lane that waits for its end
    /// count as one lane.
    private func isChoice(_ ready: [Int]) -> Bool {
        Set(ready.map { stage.lanes[$0].waitingLane ?? $0 }).count > 1
    }

    /// Runs a lane (session, task or queue).
    ///
    /// - Returns: the reason why the lane waits, if it does not return the baton.
    private func goOn(_ lane: Int) throws -> String? {
        do {
            try world.run(lane: lane)
            return nil
        } catch {
            guard case .stuck(let what) = error else { throw error }
            return what
        }
    }

    /// The lanes that can run. If no lane can run, waits for an external event that resumes a task.
    private func readyLanes() -> [Int] {
        let end = ContinuousClock.now + options.patience
        while true {
            let ready = stage.lanes.indices.filter { world.waiting(inMailbox: $0) > 0 }
            if !ready.isEmpty || world.isOver || !stage.mayGetArrivals { return ready }
            if ContinuousClock.now >= end { return [] }
            stage.arrivals.wait()
        }
    }

    private func repeated(_ path: [UInt8]) throws -> Run {
        var rest = path[...]
        return try run(story: world.makeStory()) { ready in
            guard let lane = rest.popFirst().map(Int.init) else { return ready[0] }
            guard ready.contains(lane) else {
                throw CodeError.notDeterministic(
                    "'\(world.name(of: lane))' has nothing to run at step"
                        + " \(path.count - rest.count), but it had in an earlier run")
            }
            return lane
        }
    }

    // MARK: Failures

    /// Finds the smallest failing schedule. Runs it twice more: once to compare the results, and
    /// once to record the story.
    private func fail(_ run: Run, _ verdict: inout TestVerdict) throws {
        var told = run
        do {
            let smallest = try exploration.smallest(
                CodeExploration.Witness(path: run.path, lanes: run.lanes, end: run.end))
            told = Run(path: smallest.path, lanes: smallest.lanes, end: smallest.end)
            let again = try repeated(told.path)
            if again.end.isFailure { told = again }
            if again.end.summary != smallest.end.summary {
                verdict.notes.append(
                    "not deterministic: the schedule ended with \(smallest.end.summary), and in"
                        + " another run with \(again.end.summary)")
            }
        } catch CodeError.notDeterministic(let place) {
            verdict.notes.append("not deterministic: \(place)")
        } catch {
            // The results so far stay valid, although no other schedule can follow.
            verdict.failure = failure(told, schedules: verdict.schedules)
            throw Stuck(verdict: verdict)
        }
        verdict.failure = failure(told, schedules: verdict.schedules)
    }

    private func stuckVerdict(_ run: Run) -> TestVerdict {
        var verdict = TestVerdict(name: exploration.name, control: .controlled)
        verdict.failure = failure(run, schedules: 1)
        return verdict
    }

    private func failure(_ run: Run, schedules: Int) -> CodeFailure {
        let token = exploration.token(
            CodeExploration.Witness(path: run.path, lanes: run.lanes, end: run.end))
        return CodeFailure(
            name: exploration.name, end: run.end, schedules: schedules,
            switches: CodeExploration.switches(run.path), token: token, story: run.told,
            command: TestExplorer.command(token, exploration.name))
    }
}
