import ContextHistory
import CoreDataEngine
import CoreDataModel
import CoreDataStore
import Foundation
import LabScenario
import LabSchedule

/// Runs a scenario with `mode: threads`. Every session is a real thread, every context has a real
/// Dispatch queue, and the threads run concurrently.
final class ThreadsWorld: Deliveries {
    let lab: LabWorld
    private let sessions: [SessionThread]
    /// The threads that run merges and blocks on the contexts' queues.
    private let servers: [SessionThread]
    private var race = Race()
    private var mainQueue = DispatchConfinementQueue(label: "main")
    private let lock = NSLock()
    /// The number of times that saves enqueued each block; guarded by `lock`.
    private var observed: [String: Int] = [:]
    private(set) var outcome = Outcome(values: [])

    init(plan: CellPlan, template: StoreTemplate, store: StoreStage, layout: ModelLayout) {
        let notes = ScheduleNotes(layout: layout, isShared: true)
        func world() -> LabWorld {
            LabWorld(
                plan: plan, template: template, store: store, layout: layout, notes: notes,
                keepsHistory: false)
        }
        lab = world()
        sessions = plan.scenario.sessions.map { _ in SessionThread(world()) }
        servers = plan.contexts.map { _ in SessionThread(world()) }
        for thread in sessions + servers { thread.world.deliveries = self }
    }

    private var plan: CellPlan { lab.plan }

    private func makeQueue(_ context: CellPlan.Context) -> any LabQueue {
        let isMain = context.type == .mainQueueConcurrencyType
        let queue = isMain ? mainQueue : DispatchConfinementQueue(label: context.name)
        return ThreadsQueue(queue, race: race)
    }

    private func reset() throws(CoreDataError) {
        race = Race()
        mainQueue = DispatchConfinementQueue(label: "main")
        observed = [:]
        try lab.reset { makeQueue($0) }
        for thread in sessions + servers { thread.world.begin(on: lab.contexts) }
    }

    /// Restores the store, runs all sessions concurrently, and observes the result.
    ///
    /// - Parameter seed: the seed of the delays between steps.
    /// - Returns: the names of the threads that hang. If there are any, nothing is observed, and
    ///   this world cannot be used again.
    func run(seed: UInt64, patience: Duration) throws(CoreDataError) -> [String] {
        try reset()
        var seeds = SeededGenerator(seed: seed)
        let entrants = sessions.enumerated().map { index, thread in
            let jitter = Jitter(seed: seeds.next())
            return Race.Entrant(name: plan.scenario.sessions[index].name.value) {
                thread.run(session: index, jitter)
            }
        }
        let hanging = race.run(entrants, patience: patience)
        if hanging.isEmpty {
            let values = try Observer(world: lab).observe()
            outcome = Outcome(values: values.map(lab.notes.renamed))
        } else {
            // Threads that never end continue to use the store and this world.
            lab.store.abandon()
            _ = Unmanaged.passRetained(self)
        }
        return hanging
    }

    // MARK: Saves and blocks

    /// Called when a context has saved. Each observer enqueues the merge on the queue of its own
    /// context. The engine itself performs automatic merges.
    func post(_ posted: LabContext.Posted, by saver: LabContext, in world: LabWorld) {
        for mailbox in plan.mailboxes {
            guard case .observer(posted.saver, let target) = mailbox else { continue }
            let server = servers[target]
            lab.contexts[target].queue.enqueue("merge") {
                server.merge(observed: posted, into: target)
            }
        }
        for context in lab.contexts where context.index != posted.saver { context.hear(posted) }
        for block in saver.plan.onSave where mayObserve(block) { enqueue(block, in: world) }
    }

    /// Limits how often saves enqueue a block, because the saves of blocks may enqueue blocks
    /// again.
    private func mayObserve(_ block: String) -> Bool {
        lock.withLock {
            observed[block, default: 0] += 1
            return observed[block, default: 0] <= LabWorld.observationMax
        }
    }

    func enqueue(_ block: String, in _: LabWorld) {
        guard let spec = plan.scenario.blocks.first(where: { $0.name.value == block }) else {
            return
        }
        let target = plan.position(of: spec.context.value)
        let server = servers[target]
        lab.contexts[target].queue.enqueue(block) { server.run(spec.step, in: target, as: block) }
    }
}
