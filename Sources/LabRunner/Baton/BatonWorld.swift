import CoreDataEngine
import CoreDataModel
import CoreDataStore
import CoreDataTrace
import LabCheck
import LabScenario
import LabSchedule

/// A world in baton mode: every session and every context's queue is a real thread, one of them
/// runs at a time, and the schedule chooses at every wait. Cell runners make one where a scenario
/// says `mode: baton`.
final class BatonWorld: LabWorld {
    private let baton: Baton
    /// The resources of contexts, shared by those on the main queue.
    private var resources: [String: Baton.Resource] = [:]
    private var listeners: [String: BatonListener] = [:]
    private let sessions: Int
    /// Runner `sessions + n` serves this context's mailbox.
    private let servers: [(mailbox: Int, context: Int)]
    private var isRunning = false
    private var failure: CoreDataError?
    /// How many pieces of steps each session has ended.
    private var endedPieces: [Int] = []

    override init(
        plan: CellPlan, template: StoreTemplate, store: StoreStage, layout: ModelLayout
    ) {
        sessions = plan.scenario.sessions.count
        servers = plan.mailboxes.enumerated().map { index, mailbox in
            switch mailbox {
            case .queue(let context): (index, context)
            case .observer(_, let target): (index, target)
            }
        }
        baton = Baton(names: plan.batonNames)
        super.init(plan: plan, template: template, store: store, layout: layout)
        baton.onPause = { [unowned self] runner in
            runner.place = (recorder.step, recorder.context)
        }
        baton.onResume = { [unowned self] runner in
            recorder.begin(step: runner.place.step, context: runner.place.context)
        }
        baton.onUse = { [unowned self] resource, use in note(use, of: resource.name) }
    }

    private func note(_ use: Baton.Use, of resource: String) {
        switch use {
        case .contends: footprints?.touch(.lock(resource), .write)
        case .handsOver(let time): footprints?.touch(.handOver(resource, time), .provide)
        case .takesOver(let time): footprints?.touch(.handOver(resource, time), .require)
        }
    }

    /// Lock orders of all schedules that were kept.
    private(set) var lockOrder = LockOrder()

    /// Keeps what the schedule that has just finished has shown of lock orders.
    func keepLockOrder(of path: [UInt8]) { lockOrder.formUnion(baton.order, of: path) }

    override func makeQueue(_ context: CellPlan.Context) -> any LabQueue {
        let name = context.type == .mainQueueConcurrencyType ? "the main queue" : context.name
        let resource = resources[name] ?? Baton.Resource(name)
        resources[name] = resource
        return BatonQueue(label: context.name, resource: resource, baton: baton)
    }

    // MARK: Schedules

    override func reset() throws(CoreDataError) {
        giveUp()
        resources = [:]
        failure = nil
        endedPieces = Array(repeating: 0, count: sessions)
        ended = [:]
        try super.reset()
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

    /// Ends a schedule that was left before its end.
    private func giveUp() {
        guard isRunning else { return }
        isRunning = false
        baton.collapse()
        baton.end()
    }

    private func listen() {
        for (name, coordinator) in store.coordinators {
            let prefix = store.coordinators.count > 1 ? "\(name)'s " : ""
            let listener =
                listeners[name]
                ?? BatonListener(
                    baton: baton, prefix: prefix)
            listeners[name] = listener
            coordinator.trace.remove(listener)
            coordinator.trace.add(listener)
        }
    }

    override var isLooking: Bool { didSet { baton.isQuiet = isLooking } }

    override func go(on lane: Int) throws(CoreDataError) {
        baton.run(lane)
        if let failure { throw failure }
    }

    override func isInsideStep(_ lane: Int) -> Bool { !baton.runners[lane].frames.isEmpty }

    override func waiting(inMailbox mailbox: Int) -> Int {
        if baton.isCollapsed || !baton.isReady(mailbox) { return 0 }
        if mailbox < sessions { return mayStart(mailbox) ? 1 : 0 }
        // A server that is not inside of a piece of work needs one to begin.
        let server = servers[mailbox - sessions]
        return !baton.runners[mailbox].frames.isEmpty || waitingItems(inMailbox: server.mailbox) > 0
            ? 1 : 0
    }

    /// Whether the orders of the file let a session begin its next step, if it is between two.
    private func mayStart(_ session: Int) -> Bool {
        if !baton.runners[session].frames.isEmpty { return true }
        return plan.stepPlan.mayStart(session, positions: endedPieces)
    }

    override func nextName(lane: Int) -> String? {
        waiting(inMailbox: lane) > 0 ? baton.runners[lane].upcoming : nil
    }

    override func finish() throws(CoreDataError) {
        isRunning = false
        if baton.deadlocks.isEmpty {
            // Servers wait for more; nothing comes.
            baton.collapse()
            baton.end()
            extra = baton.order.inversions().map(\.detection)
            return try super.finish()
        }
        let stuck = baton.runners.filter { !$0.frames.isEmpty }
        let steps = Set(stuck.compactMap(\.frames.first))
        outcome = Outcome(
            values: plan.scenario.observations.map { value(of: $0.source, stuck: steps) })
        extra = baton.deadlocks.map { $0.detection(step: steps.sorted().first ?? "") }
            .sorted { $0.prose < $1.prose }
        for runner in stuck { describeWait(of: runner) }
        // The threads come to their ends, which is no part of the schedule.
        let told = recorder
        baton.collapse()
        baton.end()
        recorder = told
    }

    private func describeWait(of runner: Baton.Runner) {
        guard case .waiting(let resource) = runner.state else { return }
        recorder.begin(step: runner.place.step, context: runner.place.context)
        recorder.line(
            runner.frames.dropFirst().joined(separator: " > "),
            "never ends: waits for \(resource.name), which \(resource.holder?.name ?? "nobody")"
                + " holds")
    }

    /// What a schedule that never ends shows: the steps that had ended, and the stuck ones.
    private func value(
        of source: ObservationSpec.Source, stuck: Set<String>
    ) -> ObservedValue {
        guard case .status(let step) = source else { return .none }
        if stuck.contains(step.value) { return .text("deadlock") }
        return ended[step.value] ?? .text("deadlock")
    }

    private var extra: [Detection] = []
    /// How steps ended before any deadlock.
    private var ended: [String: ObservedValue] = [:]

    override var findings: [Detection] {
        baton.deadlocks.isEmpty ? super.findings + extra : extra
    }

    // MARK: Threads

    private func runSession(_ session: Int) {
        while positions[session] < plan.pieces[session].count {
            let piece = positions[session]
            let name = plan.pieces[session][piece][0].name.value
            if baton.isCollapsed { return }
            baton.runners[session].frames = [name]
            touchOrders(before: piece, of: session)
            runPiece(session)
            if baton.isCollapsed { return }
            baton.runners[session].frames = []
            endedPieces[session] = piece + 1
            footprints?.touch(.end(session: session, piece: piece), .provide)
            ended[name] = statuses[name]
            if positions[session] < plan.pieces[session].count {
                baton.pause(next: plan.pieces[session][positions[session]][0].name.value)
            }
        }
    }

    /// A piece could not have begun before those that the file's orders put before it have ended.
    private func touchOrders(before piece: Int, of session: Int) {
        for order in plan.stepPlan.orders where order.lane == session && order.position == piece {
            footprints?.touch(
                .end(session: order.requiredLane, piece: order.requiredPosition), .require)
        }
    }

    /// Runs what waits for a context, one piece after another, on the queue's own thread.
    private func serve(_ mailbox: Int, _ context: Int) {
        let runner = baton.runners[sessions + mailbox]
        let name = "~\(plan.contexts[context].name)"
        while !baton.isCollapsed {
            if waitingItems(inMailbox: mailbox) > 0 {
                runner.frames = [name]
                touchOldest(mailbox)
                do throws(CoreDataError) {
                    try contexts[context].queue.runAndWait { () throws(CoreDataError) in
                        try runWaiting(mailbox)
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
    /// The threads of baton mode: the sessions, then one for each mailbox.
    var batonNames: [String] {
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
