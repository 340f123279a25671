import CoreDataEngine
import CoreDataModel
import CoreDataStore
import Foundation
import LabCheck
import LabScenario
import LabSchedule

/// A world in threads mode: every session is a real thread, every context has a real Dispatch
/// queue, and nobody takes turns. Cell runners make one where a scenario says `mode: threads`.
final class ThreadsWorld: LabWorld {
    /// Guards names, statuses, values and observations, which all threads write.
    private let notes = NSLock()
    private var race = Race()
    private var mainQueue = DispatchConfinementQueue(label: "main")
    private lazy var sessions = plan.scenario.sessions.map { _ in SessionWorld(of: self) }
    /// For what runs on a context's queue by itself.
    private lazy var servers = plan.contexts.map { _ in SessionWorld(of: self) }
    private var observed: [String: Int] = [:]
    /// Names that were made up for objects whose inserting session had not told theirs yet.
    private var renamed: [String: String] = [:]

    override var keepsHistory: Bool { false }

    override var findings: [Detection] { [] }

    override func makeQueue(_ context: CellPlan.Context) -> any LabQueue {
        let isMain = context.type == .mainQueueConcurrencyType
        let queue = isMain ? mainQueue : DispatchConfinementQueue(label: context.name)
        return ThreadsQueue(queue, race: race)
    }

    override func reset() throws(CoreDataError) {
        race = Race()
        mainQueue = DispatchConfinementQueue(label: "main")
        observed = [:]
        renamed = [:]
        try super.reset()
        for world in sessions + servers { world.begin(on: contexts) }
    }

    /// Runs all sessions at once, from a fresh store to an observation.
    ///
    /// - Parameter seed: of the delays between steps.
    /// - Returns: who hangs; then nothing is observed, and this world is of no more use.
    func run(seed: UInt64, patience: Duration) throws(CoreDataError) -> [String] {
        try reset()
        var seeds = SeededGenerator(seed: seed)
        let entrants = sessions.enumerated().map { index, world in
            let jitter = Jitter(seed: seeds.next())
            return Race.Entrant(name: plan.scenario.sessions[index].name.value) {
                world.run(session: index, jitter)
            }
        }
        let hanging = race.run(entrants, patience: patience)
        if hanging.isEmpty {
            try finish()
        } else {
            // Threads that never end keep using all this.
            store.abandon()
            _ = Unmanaged.passRetained(self)
        }
        return hanging
    }

    override func finish() throws(CoreDataError) {
        outcome = Outcome(values: try Observer(world: self).observe().map(given))
    }

    private func given(_ value: ObservedValue) -> ObservedValue {
        switch value {
        case .object(let name): .object(renamed[name] ?? name)
        case .list(let values): .list(values.map(given))
        default: value
        }
    }

    override func readMirror() throws(CoreDataError) {}

    // MARK: Saves and blocks

    /// A context has saved: observers merge on their contexts' queues, when those come to it.
    /// Automatic merges are the engine's own business.
    func deliver(_ posted: LabContext.Posted) {
        for mailbox in plan.mailboxes {
            guard case .observer(posted.saver, let target) = mailbox else { continue }
            let server = servers[target]
            contexts[target].queue.enqueue("merge") { server.merge(observed: posted, into: target) }
        }
        for context in contexts where context.index != posted.saver { context.hear(posted) }
        for block in contexts[posted.saver].plan.onSave where mayObserve(block) { enqueue(block) }
    }

    /// Saves that cause each other end somewhere.
    private func mayObserve(_ block: String) -> Bool {
        notes.withLock {
            observed[block, default: 0] += 1
            return observed[block, default: 0] <= Self.observationMax
        }
    }

    override func enqueue(_ block: String) {
        guard let spec = plan.scenario.blocks.first(where: { $0.name.value == block }) else {
            return
        }
        let target = plan.position(of: spec.context.value)
        let server = servers[target]
        contexts[target].queue.enqueue(block) {
            server.runStep(spec.step, in: server.contexts[target], named: block)
        }
    }

    // MARK: What all threads write

    override func name(_ key: ObjectKey) -> ObjectName { notes.withLock { super.name(key) } }

    override func name(_ key: ObjectKey, as wanted: String) -> ObjectName {
        notes.withLock { super.name(key, as: wanted) }
    }

    override func move(_ old: ObjectKey, to new: ObjectKey) {
        notes.withLock {
            if let (made, given) = names.unite(old, new) { renamed[made] = given }
        }
    }

    override func status(of step: String) -> ObservedValue? {
        notes.withLock { super.status(of: step) }
    }

    override func note(_ status: ObservedValue, of step: String) {
        notes.withLock { super.note(status, of: step) }
    }

    override func keep(_ value: ObservedValue, as name: String) {
        notes.withLock { super.keep(value, as: name) }
    }
}

// `@unchecked Sendable` because `notes` guards what threads write, and the rest is set before they
// start and after they have ended.
extension ThreadsWorld: @unchecked Sendable {}
