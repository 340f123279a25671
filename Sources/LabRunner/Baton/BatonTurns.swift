import ContextHistory
import CoreDataEngine
import CoreDataStore
import CoreDataTrace
import LabCheck
import LabScenario
import LabSchedule

/// Runs the schedules of scenarios with `mode: baton`. Every session and every context's queue has
/// a real thread. One thread runs at a time. At every wait, the schedule chooses the next thread.
final class BatonTurns: Turns {
    private let lanes: Lanes
    private let baton: Baton
    /// The resource of each context. Main-queue contexts share one resource.
    private var resources: [String: Baton.Resource] = [:]
    private var listeners: [String: BatonListener] = [:]
    private let sessions: Int
    /// The mailbox and context that runner `sessions + n` serves.
    private let servers: [(mailbox: Int, context: Int)]
    private var isRunning = false
    private var failure: CoreDataError?
    /// The number of pieces that each session has completed. A piece is one step, or several steps
    /// that run together.
    private var endedPieces: [Int] = []
    /// The results of the steps that ended before the first deadlock.
    private var ended: [String: ObservedValue] = [:]
    private(set) var findings: [Detection] = []
    /// The resources that threads of this schedule held and waited for. Recorded only for a
    /// transcript.
    private var chart: WaitChart

    init(_ lanes: Lanes) {
        self.lanes = lanes
        let world = lanes.world
        sessions = world.plan.scenario.sessions.count
        servers = world.plan.mailboxes.enumerated().map { index, mailbox in
            switch mailbox {
            case .queue(let context): (index, context)
            case .observer(_, let target): (index, target)
            }
        }
        let baton = Baton(names: world.plan.batonNames)
        self.baton = baton
        chart = WaitChart(threads: world.plan.batonNames)
        baton.onPause = { [unowned world] runner in
            runner.place = (world.recorder.step, world.recorder.context)
        }
        baton.onResume = { [unowned world] runner in
            world.recorder.begin(step: runner.place.step, context: runner.place.context)
        }
        baton.onUse = { [unowned world] resource, use in
            Self.note(use, of: resource.name, in: world.footprints)
        }
        baton.onPush = { [unowned world] isDone in world.lookAtParent(isDone: isDone) }
        world.watch.onLook = { [weak baton] in baton?.isQuiet = $0 }
    }

    private var world: LabWorld { lanes.world }
    private var plan: CellPlan { lanes.world.plan }

    private static func note(
        _ use: Baton.Use, of resource: String, in footprints: FootprintRecorder?
    ) {
        switch use {
        case .contends: footprints?.touch(.lock(resource), .write)
        case .handsOver(let time): footprints?.touch(.handOver(resource, time), .provide)
        case .takesOver(let time): footprints?.touch(.handOver(resource, time), .require)
        }
    }

    var lockOrder: LockOrder { baton.order }

    func makeQueue(_ context: CellPlan.Context) -> any LabQueue {
        let name = context.type == .mainQueueConcurrencyType ? "the main queue" : context.name
        let resource = resources[name] ?? Baton.Resource(name, isLock: false)
        resources[name] = resource
        return BatonQueue(label: context.name, resource: resource, baton: baton)
    }

    // MARK: Schedules

    func giveUp() {
        if isRunning {
            isRunning = false
            baton.collapse()
            baton.end()
        }
        resources = [:]
        failure = nil
        endedPieces = Array(repeating: 0, count: sessions)
        ended = [:]
    }

    func begin() {
        chart = WaitChart(threads: chart.threads)
        listen()
        baton.begin(
            (0..<sessions).map { session in { [unowned self] in runSession(session) } }
                + servers.map { server in
                    { [unowned self] in serve(server.mailbox, server.context) }
                },
            first: plan.pieces.map { $0.first?[0].name.value ?? "end" }
                + servers.map { "~\(plan.contexts[$0.context].name)" })
        isRunning = true
    }

    private func listen() {
        let coordinators = world.store.coordinators
        for (name, coordinator) in coordinators {
            let prefix = coordinators.count > 1 ? "\(name)'s " : ""
            let listener = listeners[name] ?? BatonListener(baton: baton, prefix: prefix)
            listeners[name] = listener
            coordinator.trace.remove(listener)
            coordinator.trace.add(listener)
        }
    }

    func run(lane: Int) throws(CoreDataError) {
        let step = baton.runners[lane].upcoming
        baton.run(lane)
        if world.wantsTranscript { chart.add(step: step, lane: lane, sides) }
        if let failure { throw failure }
    }

    var sides: [WaitChart.Side] { baton.runners.map(WaitChart.Side.init) }

    var threadNames: [String] { chart.threads }

    /// The threads of a schedule that ended in a deadlock, in their final state; nil if the
    /// schedule ran to its end.
    var deadlocked: WaitChart? { baton.deadlocks.isEmpty ? nil : chart }

    func isInsideStep(_ lane: Int) -> Bool { !baton.runners[lane].frames.isEmpty }

    /// Returns 1 if the thread can run, and 0 otherwise. The explorer sees each thread as a mailbox
    /// with at most one message, which is the thread's next operation.
    func waiting(inMailbox mailbox: Int) -> Int {
        if baton.isCollapsed || !baton.isReady(mailbox) { return 0 }
        if mailbox < sessions { return mayStart(mailbox) ? 1 : 0 }
        // An idle server can run only if its mailbox contains work.
        let isInside = !baton.runners[mailbox].frames.isEmpty
        let server = servers[mailbox - sessions]
        return isInside || lanes.mailboxes.count(in: server.mailbox) > 0 ? 1 : 0
    }

    /// Whether the orders in the scenario file let a session begin its next step. A session that is
    /// inside a step may always continue.
    private func mayStart(_ session: Int) -> Bool {
        if !baton.runners[session].frames.isEmpty { return true }
        return plan.stepPlan.mayStart(
            session, positions: endedPieces, delivered: lanes.delivered)
    }

    func nextName(lane: Int) -> String? {
        waiting(inMailbox: lane) > 0 ? baton.runners[lane].upcoming : nil
    }

    func finish() -> [ObservedValue]? {
        isRunning = false
        if baton.deadlocks.isEmpty {
            // The servers still wait for work, but no more work will arrive.
            baton.collapse()
            baton.end()
            findings = baton.inversions.map(\.detection)
            return nil
        }
        let stuck = baton.runners.filter { !$0.frames.isEmpty }
        let steps = Set(stuck.compactMap(\.frames.first))
        let values = plan.scenario.observations.map { value(of: $0.source, stuck: steps) }
        findings = baton.deadlocks.map { $0.detection(step: steps.min() ?? "") }
            .sorted { $0.prose < $1.prose }
        for runner in stuck { describeWait(of: runner) }
        // The threads run to their ends, but the remaining part of their steps is not recorded.
        let told = world.recorder
        baton.collapse()
        baton.end()
        world.recorder = told
        return values
    }

    private func describeWait(of runner: Baton.Runner) {
        guard case .waiting(let resource) = runner.state else { return }
        world.recorder.begin(step: runner.place.step, context: runner.place.context)
        world.recorder.line(
            runner.frames.dropFirst().joined(separator: " > "),
            "never ends: waits for \(resource.name), which \(resource.holder?.name ?? "nobody")"
                + " holds")
    }

    /// The result of a step in a schedule with a deadlock: the status of a step that had ended, and
    /// `deadlock` for every other step.
    private func value(
        of source: ObservationSpec.Source, stuck: Set<String>
    ) -> ObservedValue {
        guard case .status(let step) = source else { return .none }
        if stuck.contains(step.value) { return .text("deadlock") }
        return ended[step.value] ?? .text("deadlock")
    }

    // MARK: Threads

    private func runSession(_ session: Int) {
        while let name = lanes.nextStep(of: session) {
            if baton.isCollapsed { return }
            let piece = lanes.positions[session]
            baton.runners[session].frames = [name]
            touchOrders(before: piece, of: session)
            lanes.runPiece(of: session)
            if baton.isCollapsed { return }
            baton.runners[session].frames = []
            endedPieces[session] = piece + 1
            world.footprints?.touch(.end(session: session, piece: piece), .provide)
            ended[name] = world.notes.status(of: name)
            if let next = lanes.nextStep(of: session) { baton.pause(next: next) }
        }
    }

    /// Records the pieces of other sessions that had to end before this piece.
    private func touchOrders(before piece: Int, of session: Int) {
        for order in plan.stepPlan.orders where order.lane == session && order.position == piece {
            world.footprints?.touch(
                .end(session: order.requiredLane, piece: order.requiredPosition), .require)
        }
    }

    /// Runs the work in a context's mailbox, one item after another, on the thread of the context's
    /// queue.
    private func serve(_ mailbox: Int, _ context: Int) {
        let runner = baton.runners[sessions + mailbox]
        let name = "~\(plan.contexts[context].name)"
        while !baton.isCollapsed {
            if lanes.mailboxes.count(in: mailbox) > 0 {
                runner.frames = [name]
                lanes.mailboxes.touchOldest(in: mailbox, of: world)
                do throws(CoreDataError) {
                    try world.contexts[context].queue.runAndWait { () throws(CoreDataError) in
                        try lanes.runWaiting(in: mailbox)
                    }
                } catch {
                    failure = error
                }
                if baton.isCollapsed { return }
                runner.frames = []
            }
            baton.pause(next: name)
        }
    }
}

extension CellPlan {
    fileprivate var batonNames: [String] {
        scenario.sessions.map(\.name.value)
            + mailboxes.map { mailbox in
                switch mailbox {
                case .queue(let context): "the queue of \(contexts[context].name)"
                case .observer(let source, let target):
                    "the observer of \(contexts[source].name) for \(contexts[target].name)"
                }
            }
    }
}
