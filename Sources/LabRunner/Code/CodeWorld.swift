import CoreData
import CoreDataEngine
import CoreDataStore
import FaultlineRecorder
import LabCheck
import LabSchedule

/// Runs the schedules of ordinary code: puts the stores back, has the body declare its sessions,
/// and lets one thread at a time go on. Explorers and replays drive it.
final class CodeWorld: ScheduleWorld {
    typealias Failure = CodeError

    /// What a schedule has come to.
    struct End: Equatable {
        /// What sessions have thrown, expectations that failed, and what never ended.
        var failures: [String] = []
        var findings: [Detection] = []
        var observed: [String] = []

        /// What could happen in another schedule: two lock orders that are opposite.
        var warnings: [Detection] = []
        /// Findings that fail nothing.
        var told: [Detection] = []

        var isFailure: Bool { !failures.isEmpty || !findings.isEmpty }
        var isWarning: Bool { !warnings.isEmpty }

        /// What two runs of one schedule have in common. Values that are new in every run, such as
        /// identifiers, make no other end.
        func isSame(as other: End) -> Bool {
            func kinds(_ found: [Detection]) -> [String] { found.map { "\($0.name) \($0.step)" } }
            return failures == other.failures && observed == other.observed
                && kinds(findings + warnings + told)
                    == kinds(other.findings + other.warnings + other.told)
        }

        /// All of it, in one line.
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
    /// Sessions whose code has ended.
    private var ended: Set<Int> = []
    private var isRunning = false
    private let fails: Lab.Failing
    private(set) var end = End()

    init(_ options: Lab.Options, _ body: @escaping (CodeLab) throws -> Void) throws {
        let stores = CodeStores()
        self.body = body
        self.stores = stores
        fails = options.fails
        // The first run of the body tells how many sessions there are.
        let scout = CodeStage(
            CodeLaneTable(sessions: []), grain: options.grain, patience: options.patience)
        scout.reset(keeping: 0)
        lab = CodeLab(stores, scout)
        let first = lab
        try scout.scope.run { try body(first) }
        try Self.check(first)
        let names = first.sessions.map(\.name)
        table = CodeLaneTable(sessions: names, shareMax: options.lanesPerMaker)
        first.close()
        scout.close()
        stage = CodeStage(
            table, grain: options.grain, patience: options.patience, change: options.change)
        stores.listen(stage)
    }

    private static func check(_ lab: CodeLab) throws {
        let names = lab.sessions.map(\.name)
        if names.isEmpty {
            throw CodeError.unusable("the body declares no session; call lab.session(\"…\") { … }")
        }
        if names.count > CodeLaneTable.sessionsMax {
            throw CodeError.unusable(
                "the body declares \(names.count) sessions; \(CodeLaneTable.sessionsMax) is the"
                    + " most")
        }
        for name in names where names.count(where: { $0 == name }) > 1 {
            throw CodeError.unusable("two sessions have the name '\(name)'; give each its own")
        }
    }

    // MARK: Stories

    /// A story of the next schedule.
    func makeStory() -> CodeStory { CodeStory(stage, stores.coordinators) }

    /// Has the schedules from now on tell what they do; nil for no more.
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
        if isRunning { try comeToRest() }
        lab.close()
        end = End()
        ended = []
        failures = CodeFailures()
        do { try stores.reset() } catch { throw .unusable(error.message) }
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
        do {
            try stage.scope.run { try body(lab) }
        } catch let error as CodeError {
            throw error
        } catch {
            throw .unusable("the body threw \(error)")
        }
        if lab.sessions.map(\.name) != table.sessions {
            throw .notDeterministic("the body declares other sessions than before")
        }
        isRunning = true
        stage.scope.run { for index in lab.sessions.indices { begin(index) } }
    }

    /// A session is a task of its own, which has the caller's task-local values; its jobs come to
    /// the lane.
    private func begin(_ index: Int) {
        let session = lab.sessions[index]
        let failures = failures
        stage.lanes[index].servesBlock = session.isBlock
        if let block = session.block {
            return stage.post(session.name, to: index) { [unowned self] in
                block(failures)
                ended.insert(index)
            }
        }
        let work = Handed { [unowned self] in
            await failures.watch("session '\(session.name)'", session.run)
            ended.insert(index)
        }
        stage.beginning = index
        Task(executorPreference: stage.executor) { await work.run() }
        stage.beginning = nil
    }

    func run(lane: Int) throws(CodeError) {
        try checkNext(lane)
        try stage.run(lane)
    }

    func run(choosing next: () throws(CodeError) -> Int?) throws(CodeError) {
        // The thread of a test has a patience of its own.
        if stage.host != nil { return try runOneByOne(next) }
        try stage.run { () throws(CodeError) in
            guard let lane = try next() else { return nil }
            try checkNext(lane)
            return lane
        }
    }

    private func checkNext(_ lane: Int) throws(CodeError) {
        if stage.next(lane) == nil {
            throw .notDeterministic(
                "at step \(stage.turns + 1) '\(table.names[lane])' has nothing to run, where it"
                    + " had something before")
        }
    }

    /// Whether the code of every session has ended.
    var isOver: Bool { ended.count == table.sessions.count }

    func waiting(inMailbox mailbox: Int) -> Int { stage.next(mailbox) == nil ? 0 : 1 }

    func filledMailboxes(of count: Int) -> UInt64 { stage.nextLanes }

    func nextName(lane: Int) -> String? { stage.next(lane) }

    func finish() throws(CodeError) {
        let deadlocks = stage.baton.deadlocks.map { $0.detection(step: "") }
        let inversions = stage.baton.inversions.map(\.detection)
        let left = deadlocks.isEmpty ? table.sessions.indices.filter { !ended.contains($0) } : []
        for index in left {
            failures.add(
                "session '\(table.sessions[index])' never ends: it waits for something that nobody"
                    + " does any more")
        }
        let found = deadlocks.isEmpty && left.isEmpty ? stage.findings() : []
        end.findings = deadlocks + stage.misuses + found.filter { fails.includes($0.name) }
        end.told = found.filter { !fails.includes($0.name) }
        end.warnings = inversions
        try comeToRest()
        if deadlocks.isEmpty, left.isEmpty, lab.hasEnd { look() }
        end.failures = failures.all
        end.observed = lab.observed.map { "\($0.name) = \($0.value)" }
        lab.close()
    }

    /// Keeps the world for good where it has ended with a thread that did not come back: that may
    /// use it for as long as it likes.
    func keep(after error: any Error) {
        if case .outside? = error as? CodeError { _ = Unmanaged.passRetained(self) }
    }

    private func comeToRest() throws(CodeError) {
        isRunning = false
        try stage.collapse()
    }

    /// Runs what looks at the end, on this thread.
    private func look() {
        let (lab, failures) = (lab, failures)
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

/// Code on its way to a task; `@unchecked Sendable` because whoever makes the task runs its jobs,
/// one thread at a time, with the baton.
private struct Handed: @unchecked Sendable {
    let run: () async -> Void
}

/// Runs the jobs of a task on the thread that asks for it.
final class InlineExecutor: TaskExecutor {
    // Unchecked because one thread makes the task, and one thread then runs its jobs.
    private nonisolated(unsafe) var jobs: [UnownedJob] = []

    func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }

    func runAll() {
        while !jobs.isEmpty {
            jobs.removeFirst().runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
