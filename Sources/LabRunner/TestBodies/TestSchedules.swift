import CoreDataStore
import LabCheck
import LabSchedule

/// Runs a test's body under schedules of the lab's, which a seed draws.
struct TestSchedules {
    let exploration: CodeExploration
    private let options: TestOptions

    private var world: CodeWorld { exploration.world }
    var stage: CodeStage { world.stage }

    /// - Parameters:
    ///   - isHosted: a thread of the program's runs the test.
    ///   - session: declares the test's session.
    init(
        _ name: String, _ options: TestOptions, _ stacks: TestStacks, isHosted: Bool,
        _ session: @escaping (CodeLab) -> Void
    ) throws {
        self.options = options
        var code = Lab.Options(seed: options.seed, timeBudget: options.timeBudget)
        code.patience = options.patience
        code.lanesPerMaker = 30
        // Tests that exist show on purpose what merge policies lose.
        code.fails = .nothing
        exploration = try CodeExploration(name, code) { session($0) }
        stage.switches = stacks
        if isHosted {
            stage.host = CodeHost(
                lane: 0, runner: stage.baton.addHosted("test"), patience: options.timeBudget * 4)
        }
    }

    /// A schedule fails, and its threads do not come back, so that no other one can follow.
    struct Stuck: Error {
        let verdict: TestVerdict
    }

    /// A schedule that has run.
    private struct Run {
        var path: [UInt8] = []
        var end = CodeWorld.End()
        /// Somewhere in it there was a choice.
        var hadChoice = false
        var told = ToldStory()
    }

    /// Whether the last schedule was left before its end.
    var isMidway: Bool { !world.isOver }

    // MARK: All of them

    /// - Throws: ``CodeError`` where a thread is not in the lab's hands.
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

    /// Runs the schedule of a token alone.
    func replay(_ token: ScheduleToken) throws -> TestVerdict {
        let run = try repeated(try exploration.path(token))
        var verdict = TestVerdict(name: exploration.name, control: .controlled)
        if run.end.isFailure { verdict.failure = failure(run, schedules: 1) }
        verdict.notes = run.end.isFailure ? [] : run.told.lines
        return verdict
    }

    // MARK: One of them

    /// Runs a schedule; `choose` is given the lanes that could go on.
    private func run(story: CodeStory? = nil, choose: ([Int]) throws -> Int) throws -> Run {
        world.story = story
        defer { world.story = nil }
        try world.reset()
        story?.begin()
        var run = Run()
        while true {
            let ready = readyLanes()
            if ready.isEmpty { break }
            if ready.count > 1 { run.hadChoice = true }
            let lane = try choose(ready)
            story?.beginSlice()
            try world.run(lane: lane)
            story?.endSlice(world.table.names[lane])
            run.path.append(UInt8(lane))
        }
        do {
            try world.finish()
        } catch {
            // Threads that wait for each other need not come back; what they have shown is known.
            if !world.end.isFailure { throw error }
            run.end = world.end
            throw Stuck(verdict: stuckVerdict(run))
        }
        run.end = world.end
        run.told = story?.told() ?? ToldStory()
        return run
    }

    /// Waits for what resumes a task from outside, where nothing else can go on.
    private func readyLanes() -> [Int] {
        let lanes = world.table.names.indices
        let end = ContinuousClock.now + options.patience
        while true {
            let ready = lanes.filter { world.waiting(inMailbox: $0) > 0 }
            if !ready.isEmpty || world.isOver || !stage.mayGetArrivals { return ready }
            if ContinuousClock.now >= end { return [] }
            stage.arrivals.wait()
        }
    }

    /// Runs a schedule again, and tells it.
    private func repeated(_ path: [UInt8]) throws -> Run {
        var rest = path[...]
        return try run(story: world.makeStory()) { ready in
            guard let lane = rest.popFirst().map(Int.init) else { return ready[0] }
            guard ready.contains(lane) else {
                throw CodeError.notDeterministic(
                    "'\(world.table.names[lane])' has nothing to run at step"
                        + " \(path.count - rest.count) where it had something before")
            }
            return lane
        }
    }

    // MARK: What fails

    /// Looks for the smallest schedule, and runs it twice more: to compare, and to tell it.
    private func fail(_ run: Run, _ verdict: inout TestVerdict) throws {
        var told = run
        do {
            let smallest = try exploration.smallest(
                CodeExploration.Witness(path: run.path, end: run.end))
            told = Run(path: smallest.path, end: smallest.end)
            let again = try repeated(told.path)
            if again.end.isFailure { told = again }
            if again.end.summary != smallest.end.summary {
                verdict.notes.append(
                    "not deterministic: the schedule came to \(smallest.end.summary), and then to"
                        + " \(again.end.summary)")
            }
        } catch CodeError.notDeterministic(let place) {
            verdict.notes.append("not deterministic: \(place)")
        } catch {
            // What was found stays found, though no other schedule can follow.
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
        let token = exploration.token(run.path)
        return CodeFailure(
            name: exploration.name, end: run.end, schedules: schedules,
            switches: CodeExploration.switches(run.path), token: token, story: run.told,
            command: TestExplorer.command(token, exploration.name))
    }
}
