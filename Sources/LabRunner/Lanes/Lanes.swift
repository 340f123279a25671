import CoreDataEngine
import CoreDataModel
import CoreDataStore
import LabCheck
import LabScenario
import LabSchedule

/// The lanes of a schedule: how far each session has come, and what waits in mailboxes. Whoever
/// gives turns has them run a piece of one.
final class Lanes {
    let world: LabWorld
    let mailboxes: Mailboxes
    private(set) var positions: [Int] = []
    /// A change of how steps run, which must not matter.
    var metamorphosis: Metamorphosis?
    /// What the last lane that ran has touched, while footprints are recorded.
    private(set) var footprint = Footprint()
    private let isOpaque: Bool
    /// What the slices of each lane's step have touched so far, where steps have several.
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
        unfinished = [:]
        mailboxes.reset()
    }

    /// Begins to collect what a lane touches until the schedule may choose again.
    func beginFootprint(of lane: Int) {
        world.footprints?.begin(after: unfinished[lane] ?? Footprint())
        if isOpaque { world.footprints?.touchEverything() }
    }

    /// - Parameter isInsideStep: whether the lane goes on with its step when it is chosen again.
    func endFootprint(of lane: Int, isInsideStep: Bool) {
        guard let footprints = world.footprints else { return }
        footprint = footprints.end()
        unfinished[lane] = isInsideStep ? footprint.carried : nil
    }

    /// Runs the next piece of a session, or the oldest entry of a mailbox, to its end.
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

    /// The name of a session's next step; nil at its end.
    func nextStep(of session: Int) -> String? {
        let pieces = plan.pieces[session]
        let position = positions[session]
        return position < pieces.count ? pieces[position][0].name.value : nil
    }

    /// Runs the next piece of a session.
    func runPiece(of session: Int) {
        let steps = plan.pieces[session][positions[session]]
        positions[session] += 1
        let context = world.contexts[plan.sessionContexts[session]]
        for step in steps { world.runStep(step, in: context, named: step.name.value) }
    }

    /// Runs the oldest entry of a mailbox.
    func runWaiting(in mailbox: Int) throws(CoreDataError) {
        let item = mailboxes.take(from: mailbox, in: world)
        switch (plan.mailboxes[mailbox], item) {
        case (.queue(let target), .merge(let posted, let name)):
            let context = world.contexts[target]
            beginMerge(posted, name: name, in: context)
            let before = view(of: context)
            context.queue.runOldest()
            if metamorphosis == .deliveredTwice { try merge(posted, into: context) }
            tellMerged(name, into: context, since: before)
        case (.observer(_, let target), .merge(let posted, let name)):
            let context = world.contexts[target]
            beginMerge(posted, name: name, in: context)
            let before = view(of: context)
            do {
                try merge(posted, into: context)
                if metamorphosis == .deliveredTwice { try merge(posted, into: context) }
                tellMerged(name, into: context, since: before)
            } catch {
                world.recorder.record(
                    .failed(code: error.cocoaCode, message: Scrubbed.text(error.message)))
            }
        case (.queue(let target), .block(let index, let name)):
            let (block, context) = (plan.scenario.blocks[index], world.contexts[target])
            world.recorder.begin(step: name, context: context.plan.name)
            world.recorder.record(.blockBegan(block: block.name.value))
            context.queue.runOldest()
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

    /// What a context holds before a merge; nil where nobody reads a transcript.
    private func view(of context: LabContext) -> ContextView? {
        world.recorder.wantsLines ? ContextView(of: context, in: world) : nil
    }

    private func tellMerged(_ name: String, into context: LabContext, since before: ContextView?) {
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
