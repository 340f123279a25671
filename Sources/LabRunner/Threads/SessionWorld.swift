import CoreDataStore
import LabCheck
import LabScenario

/// What one thread of threads mode writes to: a recorder and parsed predicates of its own, and the
/// notes of the threads world behind its lock. Threads worlds have one for each session and queue.
final class SessionWorld: LabWorld {
    private unowned let whole: ThreadsWorld

    init(of whole: ThreadsWorld) {
        self.whole = whole
        super.init(
            plan: whole.plan, template: whole.template, store: whole.store, layout: whole.layout)
    }

    override var keepsHistory: Bool { false }

    /// Runs a session's steps one after another.
    func run(session: Int, _ jitter: Jitter) {
        var jitter = jitter
        let context = contexts[plan.sessionContexts[session]]
        for step in plan.pieces[session].joined() {
            jitter.pause()
            runStep(step, in: context, named: step.name.value)
        }
    }

    /// Merges what an observer has heard of, on the context's queue.
    func merge(observed posted: LabContext.Posted, into target: Int) {
        recorder.begin(step: "merge", context: plan.contexts[target].name)
        do {
            try merge(posted, into: contexts[target])
        } catch {
            recorder.record(.failed(code: error.cocoaCode, message: error.message))
        }
    }

    override func readMirror() throws(CoreDataError) {}

    override func name(_ key: ObjectKey) -> ObjectName { whole.name(key) }

    override func name(_ key: ObjectKey, as wanted: String) -> ObjectName {
        whole.name(key, as: wanted)
    }

    override func move(_ old: ObjectKey, to new: ObjectKey) { whole.move(old, to: new) }

    override func status(of step: String) -> ObservedValue? { whole.status(of: step) }

    override func note(_ status: ObservedValue, of step: String) { whole.note(status, of: step) }

    override func keep(_ value: ObservedValue, as name: String) { whole.keep(value, as: name) }

    override func post(_ keys: SavedKeys, by saver: LabContext) {
        if keys.isEmpty { return }
        whole.deliver(LabContext.Posted(saver: saver.index, step: recorder.step, keys: keys))
    }

    override func enqueue(_ block: String) { whole.enqueue(block) }
}

// `@unchecked Sendable` because one thread at a time uses it: its session's, or the one that runs
// its context's serial queue; what others see is in the threads world, behind its lock.
extension SessionWorld: @unchecked Sendable {}
