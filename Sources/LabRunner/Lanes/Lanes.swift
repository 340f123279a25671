import ContextHistory
import CoreDataEngine
import CoreDataModel
import CoreDataStore
import LabCheck
import LabScenario
import LabSchedule

/// The lanes of a schedule, which are its sessions and mailboxes: the position of each session, and
/// the contents of each mailbox.
final class Lanes {
    let world: LabWorld
    let mailboxes: Mailboxes
    private(set) var positions: [Int] = []
    /// The names of the merges and blocks that were delivered. Recorded only if steps wait for some
    /// of them.
    private(set) var delivered: Set<String> = []
    /// A change to the run that must not affect the outcome.
    var metamorphosis: Metamorphosis?
    /// The resources that the last lane used before the schedule chose again. Recorded only if the
    /// world collects footprints.
    private(set) var footprint = Footprint()
    private let isOpaque: Bool
    /// For each lane that other lanes interrupted inside a step, the resources that this step has
    /// used so far.
    private var unfinished: [Int: Footprint] = [:]

    init(_ world: LabWorld) {
        self.world = world
        mailboxes = Mailboxes(world.plan)
        isOpaque = world.plan.isOpaque
        world.deliveries = mailboxes
    }

    private var plan: CellPlan { world.plan }

    func reset() {
        positions = Array(repeating: 0, count: plan.pieces.count)
        delivered = []
        unfinished = [:]
        mailboxes.reset()
    }

    func beginFootprint(of lane: Int) {
        world.footprints?.begin(after: unfinished[lane] ?? Footprint())
        if isOpaque { world.footprints?.touchEverything() }
    }

    /// - Parameter isInsideStep: whether the lane continues its step when it is chosen again.
    func endFootprint(of lane: Int, isInsideStep: Bool) {
        guard let footprints = world.footprints else { return }
        footprint = footprints.end()
        unfinished[lane] = isInsideStep ? footprint.carried : nil
    }

    /// Runs a session's next steps until the schedule chooses again, or the oldest entry of a
    /// mailbox.
    func run(_ lane: Int) throws(CoreDataError) {
        if metamorphosis == .withoutRowCache {
            for coordinator in world.store.coordinators.values { coordinator.rowCache.removeAll() }
        }
        if lane < positions.count {
            runPiece(of: lane)
        } else {
            try runWaiting(in: lane - positions.count)
        }
    }

    func nextName(_ lane: Int) -> String? {
        guard lane < positions.count else {
            return mailboxes.names(in: lane - positions.count).first
        }
        return nextStep(of: lane)
    }

    func nextStep(of session: Int) -> String? {
        let pieces = plan.pieces[session]
        let position = positions[session]
        return position < pieces.count ? pieces[position][0].name.value : nil
    }

    func runPiece(of session: Int) {
        let steps = plan.pieces[session][positions[session]]
        for order in deliveryOrders(of: session) {
            world.footprints?.touch(.delivered(order.delivery), .require)
        }
        positions[session] += 1
        let context = world.contexts[plan.sessionContexts[session]]
        for step in steps { world.runStep(step, in: context, named: step.name.value) }
    }

    func runWaiting(in mailbox: Int) throws(CoreDataError) {
        let item = mailboxes.take(from: mailbox, in: world)
        try run(item, of: mailbox)
        if plan.stepPlan.deliveryOrders.isEmpty { return }
        delivered.insert(item.name)
        world.footprints?.touch(.delivered(item.name), .provide)
    }

    private func deliveryOrders(of session: Int) -> [SchedulePlan.DeliveryOrder] {
        plan.stepPlan.deliveryOrders.filter {
            $0.lane == session && $0.position == positions[session]
        }
    }

    private func run(_ item: Mailboxes.Item, of mailbox: Int) throws(CoreDataError) {
        switch (plan.mailboxes[mailbox], item) {
        case (.queue(let target), .merge(let posted, let name)):
            let context = world.contexts[target]
            beginMerge(posted, name: name, in: context)
            let before = view(of: context)
            context.queue.runOldest(isMerge: true)
            if metamorphosis == .deliveredTwice { try merge(posted, into: context) }
            reportMergedChanges(name, into: context, since: before)
        case (.observer(_, let target), .merge(let posted, let name)):
            let context = world.contexts[target]
            beginMerge(posted, name: name, in: context)
            let before = view(of: context)
            do {
                try merge(posted, into: context)
                if metamorphosis == .deliveredTwice { try merge(posted, into: context) }
                reportMergedChanges(name, into: context, since: before)
            } catch {
                world.recorder.record(
                    .failed(code: error.cocoaCode, message: Scrubbed.text(error.message)))
            }
        case (.queue(let target), .block(let index, let name)):
            let (block, context) = (plan.scenario.blocks[index], world.contexts[target])
            world.recorder.begin(step: name, context: context.plan.name)
            world.recorder.record(.blockBegan(block: block.name.value))
            context.queue.runOldest(isMerge: false)
            world.runStep(block.step, in: context, named: name)
        case (.observer, .block): break
        }
    }

    private func merge(
        _ posted: LabContext.Posted, into context: LabContext
    ) throws(CoreDataError) {
        try context.queue.runAndWait { () throws(CoreDataError) in
            try world.merge(posted, into: context)
        }
    }

    private func view(of context: LabContext) -> ContextView? {
        world.recorder.wantsLines ? ContextView(of: context, in: world) : nil
    }

    private func reportMergedChanges(
        _ name: String, into context: LabContext, since before: ContextView?
    ) {
        guard let before else { return }
        // Other threads may have begun steps while the merge waited.
        world.recorder.begin(step: name, context: context.plan.name)
        for text in ContextView(of: context, in: world).changes(since: before) {
            world.recorder.detail(text)
        }
    }

    private func beginMerge(_ posted: LabContext.Posted, name: String, in context: LabContext) {
        world.recorder.begin(step: name, context: context.plan.name)
        world.touch(context: context.index)
        for key in posted.keys.inserted + posted.keys.updated + posted.keys.deleted {
            let root = world.layout[Int(key.entity)].rootIndex
            world.footprints?.touch(.row(root: root, key: key.key), .read)
        }
        world.recordMerge(posted)
        world.recorder.line("merge \(posted.step) of \(plan.contexts[posted.saver].name)", "")
    }
}

extension Lanes {
    /// A step that has never run. `delivery` is the delivery for which the step waited; nil if the
    /// step waited for another step.
    struct NeverRun {
        let step: String
        let context: String
        let delivery: String?
    }

    var neverRun: [NeverRun] {
        if plan.stepPlan.deliveryOrders.isEmpty { return [] }
        return plan.pieces.indices.flatMap { session -> [NeverRun] in
            let left = plan.pieces[session].dropFirst(positions[session]).flatMap(\.self)
            let missing = deliveryOrders(of: session).first { !delivered.contains($0.delivery) }
            return left.enumerated().map { index, step in
                NeverRun(
                    step: step.name.value,
                    context: plan.contexts[plan.sessionContexts[session]].name,
                    delivery: index == 0 ? missing?.delivery : nil)
            }
        }
    }

    /// Records the steps that have never run, in the transcript and as their status.
    func noteNeverRun() {
        for left in neverRun {
            world.recorder.begin(step: left.step, context: left.context)
            let why = left.delivery.map { "requires \($0)" } ?? "follows a step that waits"
            world.recorder.line(why, "never runs")
            world.notes.note(.text("never"), of: left.step)
        }
    }

    /// One finding for each session whose required delivery never came.
    var findings: [Detection] {
        neverRun.compactMap { left in
            guard let delivery = left.delivery else { return nil }
            return Detection(
                name: "step never runs",
                prose: "\(left.step) requires \(delivery), which never came: its"
                    + " cause did not happen, failed, or had no changes.",
                evidence: ["\(left.step) on \(left.context): waits for \(delivery)"],
                step: left.step)
        }
    }
}
