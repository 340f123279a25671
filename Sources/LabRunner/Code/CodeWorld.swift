import ContextHistory
import CoreData
import CoreDataEngine
import CoreDataStore
import FaultlineRecorder
import LabCheck
import LabScenario
import LabSchedule

/// Runs the schedules of ordinary code. For each schedule, it restores the stores and runs the
/// body, which declares the sessions. Then it runs one thread at a time, chosen by an explorer or a
/// replay.
final class CodeWorld: ScheduleWorld {
    typealias Failure = CodeError

    /// The result of a schedule.
    struct End: Equatable {
        /// Errors that sessions have thrown, expectations that failed, and sessions that never
        /// ended.
        var failures: [String] = []
        var findings: [Detection] = []
        var observed: [String] = []

        /// Failures that another schedule could show. For example, this schedule took two locks in
        /// opposite orders, which can be a deadlock in another one.
        var warnings: [Detection] = []
        /// Findings that do not fail the schedule.
        var told: [Detection] = []

        var isFailure: Bool { !failures.isEmpty || !findings.isEmpty }
        var isWarning: Bool { !warnings.isEmpty }

        /// Whether two runs of one schedule have the same result. Values that differ in every run,
        /// such as identifiers, do not count.
        func isSame(as other: End) -> Bool {
            func kinds(_ found: [Detection]) -> [String] { found.map { "\($0.name) \($0.step)" } }
            return failures == other.failures && observed == other.observed
                && kinds(findings + warnings + told)
                    == kinds(other.findings + other.warnings + other.told)
        }

        var summary: String {
            (failures + (findings + warnings).map(\.prose) + observed).description
        }
    }

    let table: CodeLaneTable
    let stage: CodeStage
    private let stores: CodeStores
    private let body: (CodeLab) throws -> Void
    private var lab: CodeLab
    private var failures = CodeFailures()
    private var ended: Set<Int> = []
    private var isRunning = false
    private var sessionCount = 0
    /// Whether the world runs only one schedule, to find the sessions.
    private var isScout = false
    private var bodyFailure: (any Error)?
    private let fails: Lab.Failing
    /// The ends with which ``CodeLab/serial()`` compares. Nil if the body does not call it, or
    /// while the lab determines these ends.
    var serial: SerialReference?
    /// The end of the last schedule, if the body calls ``CodeLab/serial()``.
    private(set) var serialEnd: SerialEnd?
    /// The keys of the rows from before the sessions.
    private var oldRows: Set<String> = []
    private(set) var end = End()

    /// - Parameter sessions: the names of the sessions that the body declares; nil to find them by
    ///   running the body once.
    convenience init(
        _ options: Lab.Options, sessions: [String]? = nil,
        _ body: @escaping (CodeLab) throws -> Void
    ) throws {
        let stores = CodeStores()
        let names = try sessions ?? Self.scout(options, stores, body)
        self.init(options, stores, CodeLaneTable(sessions: names), body)
        stores.listen(stage)
        reportTraps(options, sessions: names)
    }

    private init(
        _ options: Lab.Options, _ stores: CodeStores, _ table: CodeLaneTable,
        _ body: @escaping (CodeLab) throws -> Void
    ) {
        self.body = body
        self.stores = stores
        self.table = table
        fails = options.fails
        stage = CodeStage(
            table, grain: options.grain, patience: options.patience, change: options.change)
        lab = CodeLab(stores, stage)
        stage.freeTimers = options.freeTimers
        stage.progress.limit = options.timeBudget
        stage.progress.turnsMax = options.turnsMax
        stage.touched.forgetsReads = options.forgetsReads
        stage.outsidePatience = options.outsidePatience
        stage.delays = options.delays
    }

    private func reportTraps(_ options: Lab.Options, sessions: [String]?) {
        stage.traps = options.origin.map {
            TrapReport(
                stage.scope, $0, sessions: sessions, isChanged: options.change != CodeChange())
        }
    }

    /// Runs one schedule in a separate world to find the names of the sessions. This world has
    /// lanes for the maximum number of sessions.
    ///
    /// The sessions run one after another to their ends. The result of the schedule is ignored.
    ///
    /// - Returns: the names of the sessions.
    private static func scout(
        _ options: Lab.Options, _ stores: CodeStores, _ body: @escaping (CodeLab) throws -> Void
    ) throws -> [String] {
        let places = (1...CodeLaneTable.sessionsMax).map { "session \($0)" }
        let world = CodeWorld(options, stores, CodeLaneTable(sessions: places), body)
        world.isScout = true
        world.reportTraps(options, sessions: nil)
        do {
            let names = try world.stage.scope.run { () throws -> [String] in
                try world.reset()
                let names = world.lab.sessions.map(\.name)
                while let lane = world.firstReady() { try world.run(lane: lane) }
                try world.finish()
                return names
            }
            world.stage.close()
            return names
        } catch {
            world.keep(after: error)
            world.stage.close()
            throw world.bodyFailure ?? error
        }
    }

    private static func check(_ lab: CodeLab) throws(CodeError) {
        let names = lab.sessions.map(\.name)
        if names.isEmpty {
            throw CodeError.unusable("the body declares no session; call lab.session(\"…\") { … }")
        }
        if names.count > CodeLaneTable.sessionsMax {
            throw CodeError.unusable(
                "the body declares \(names.count) sessions; declare at most"
                    + " \(CodeLaneTable.sessionsMax)")
        }
        for name in names where names.count(where: { $0 == name }) > 1 {
            throw CodeError.unusable(
                "two sessions have the name '\(name)'; give each session its own name")
        }
    }

    // MARK: Stories

    func makeStory() -> CodeStory { CodeStory(stage, stores.coordinators) }

    var story: CodeStory? {
        get { stage.story }
        set {
            if let old = stage.story { stores.leave(old.sink) }
            stage.story = newValue
            if let newValue { stores.listen(newValue.sink) }
        }
    }

    // MARK: Schedules

    func reset() throws(CodeError) {
        if isRunning {
            try comeToRest()
            if isOver { look(CodeFailures()) }
        }
        lab.close()
        end = End()
        ended = []
        failures = CodeFailures()
        try stores.reset()
        stage.reset(keeping: stores.count)
        if let recorder = stage.recorder {
            for coordinator in stores.coordinators {
                recorder.followContextsToCome(of: coordinator)
            }
        }
        lab = CodeLab(stores, stage)
        let lab = lab
        _ = TaskHooks.areInstalled
        _ = WaitHooks.areInstalled
        _ = HopHooks.areInstalled
        _ = DispatchHooks.areInstalled
        do {
            try stage.scope.run { try body(lab) }
        } catch let error as CodeError {
            throw error
        } catch {
            bodyFailure = error
            throw .unusable("the body threw \(error)")
        }
        if isScout {
            try Self.check(lab)
        } else if lab.sessions.map(\.name) != table.sessions {
            throw .notDeterministic("the body declares other sessions than in an earlier run")
        }
        if lab.isSerial { oldRows = lookingAtRows { SerialRows.keys($0) } }
        isRunning = true
        sessionCount = lab.sessions.count
        stage.openSessions = sessionCount
        stage.scope.run { for index in lab.sessions.indices { begin(index) } }
    }

    /// Starts a session as a task with the caller's task-local values. The session's lane runs the
    /// jobs of the task.
    private func begin(_ index: Int) {
        let session = lab.sessions[index]
        let failures = failures
        if isScout { stage.lanes[index].name = session.name }
        stage.lanes[index].servesBlock = session.isBlock
        if let block = session.block {
            return stage.append(session.name, to: index) { [unowned self] in
                block(failures)
                end(index)
            }
        }
        let work = Handed { [unowned self] in
            await failures.watch("session '\(session.name)'", session.run)
            end(index)
        }
        stage.beginning = index
        Task(executorPreference: stage.executor) { await work.run() }
        stage.beginning = nil
    }

    private func end(_ index: Int) {
        ended.insert(index)
        stage.openSessions -= 1
    }

    func run(lane: Int) throws(CodeError) {
        try checkNext(lane)
        try stage.run(lane)
    }

    func run(choosing next: () throws(CodeError) -> Int?) throws(CodeError) {
        // The thread of a test has a different time limit from the other threads, so each lane runs
        // by a separate call.
        if stage.host != nil { return try runOneByOne(next) }
        try stage.run { () throws(CodeError) in
            guard let lane = try next() else { return nil }
            try checkNext(lane)
            return lane
        }
    }

    private func checkNext(_ lane: Int) throws(CodeError) {
        // A foreign thread may still have to resume the lane's task.
        if stage.next(lane) == nil, stage.nextLanes & 1 << UInt64(lane) == 0 {
            throw .notDeterministic(
                "at step \(stage.turns + 1) '\(name(of: lane))' has nothing to run, but it had in"
                    + " an earlier run")
        }
    }

    func name(of lane: Int) -> String {
        stage.lanes.indices.contains(lane) ? stage.lanes[lane].name : "lane \(lane)"
    }

    var laneNames: [String] { stage.lanes.map(\.name) }

    var isOver: Bool { ended.count == sessionCount }

    func waiting(inMailbox mailbox: Int) -> Int { stage.next(mailbox) == nil ? 0 : 1 }

    func filledMailboxes(of count: Int) -> UInt64 { stage.nextLanes }

    /// The first lane that can run; nil if no lane can, even after waiting for foreign threads.
    func firstReady() -> Int? {
        let able = stage.nextLanes
        return able == 0 ? nil : able.trailingZeroBitCount
    }

    func nextName(lane: Int) -> String? { stage.next(lane) }

    func finish() throws(CodeError) {
        if let told = stage.outside.first { throw .outside(told) }
        let deadlocks = stage.baton.deadlocks.map { $0.detection(step: "") }
        let inversions = stage.baton.inversions.map(\.detection)
        let names = lab.sessions.map(\.name)
        let left = deadlocks.isEmpty ? names.indices.filter { !ended.contains($0) } : []
        for index in left {
            let wait = stage.lastWait(of: index)
            failures.add(
                "session '\(names[index])' never ends: "
                    + (wait ?? "it waits for an event that no session, task or timer can cause"))
        }
        if !left.isEmpty {
            for lane in table.sessions.count..<stage.lanes.count {
                guard let wait = stage.lastWait(of: lane) else { continue }
                failures.add("'\(stage.lanes[lane].name)' never ends: \(wait)")
            }
        }
        let found = deadlocks.isEmpty && left.isEmpty ? stage.findings() : []
        end.findings = deadlocks + stage.misuses + found.filter { fails.includes($0.name) }
        end.told = found.filter { !fails.includes($0.name) }
        end.warnings = inversions
        try comeToRest()
        // Deadlocked threads continue after the schedule, and these operations do not count. The
        // checks of the final state still run, but their failures do not count.
        if !deadlocks.isEmpty, isOver { look(CodeFailures()) }
        if deadlocks.isEmpty, left.isEmpty { look(failures) }
        end.failures = failures.all
        end.observed = lab.observed.map { "\($0.name) = \($0.value)" }
        if lab.isSerial { compareWithSerialOrders() }
        lab.close()
    }

    var isSerial: Bool { lab.isSerial }

    /// Schedules that fail for another reason are not compared, because their sessions have not run
    /// to their ends.
    private func compareWithSerialOrders() {
        serialEnd = nil
        if !end.failures.isEmpty || !isOver { return }
        var now = SerialEnd(rows: lookingAtRows { SerialRows.end($0, old: oldRows) })
        for (name, value) in lab.observed { now.observed[name] = value }
        serialEnd = now
        if let finding = serial?.finding(now) { end.findings.append(finding) }
    }

    /// The lab's own reads are not part of the schedule.
    private func lookingAtRows<T>(_ body: ([NSPersistentStoreCoordinator]) -> T) -> T {
        let wasLooking = stage.isLooking
        stage.isLooking = true
        defer { stage.isLooking = wasLooking }
        return body(stores.coordinators + stage.ownCoordinators(notIn: stores))
    }

    /// Retains the world for ever if a thread did not return, because that thread may still use it.
    /// After any other error, the run of the body ends.
    func keep(after error: any Error) {
        switch error as? CodeError {
        case .endless:
            _ = Unmanaged.passRetained(self)
            lab.close()
        case .outside, .stuck: _ = Unmanaged.passRetained(self)
        default: lab.close()
        }
    }

    private func comeToRest() throws(CodeError) {
        isRunning = false
        let left = stage.baton.abandoned
        try stage.collapse()
        stage.isAtEnd = true
        if stage.baton.abandoned > left { stage.silenceContexts() }
    }

    private func look(_ failures: CodeFailures) {
        guard lab.hasEnd else { return }
        let lab = lab
        let executor = InlineExecutor()
        let work = Handed { await failures.watch("finally") { try lab.end() } }
        stage.scope.run {
            Task(executorPreference: executor) { await work.run() }
            executor.runAll()
        }
    }

    var recordsFootprints: Bool {
        get { stage.touched.isCollecting }
        set { stage.touched.isCollecting = newValue }
    }

    var footprint: Footprint { stage.touched.collected }
}

/// Code that is passed to a task. `@unchecked Sendable` because one thread at a time runs the jobs
/// of the task: the thread with the baton, or the thread that creates the task.
private struct Handed: @unchecked Sendable {
    let run: () async -> Void
}

/// An executor that runs the jobs of a task on the thread that calls it.
final class InlineExecutor: TaskExecutor {
    // Unchecked because one thread creates the task, and one thread then runs its jobs.
    private nonisolated(unsafe) var jobs: [UnownedJob] = []

    func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }

    func runAll() {
        while !jobs.isEmpty {
            jobs.removeFirst().runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
