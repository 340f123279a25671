import ContextHistory
import CoreDataEngine
import CoreDataStore
import LabScenario

/// The work of one thread if a scenario has `mode: threads`, with its own recorder and parsed
/// predicates. A ``ThreadsWorld`` has one for each session and one for each queue.
final class SessionThread {
    let world: LabWorld

    init(_ world: LabWorld) { self.world = world }

    func run(session: Int, _ jitter: Jitter) {
        var jitter = jitter
        let context = world.contexts[world.plan.sessionContexts[session]]
        for step in world.plan.pieces[session].joined() {
            jitter.pause()
            world.runStep(step, in: context, named: step.name.value)
        }
    }

    func run(_ block: Step, in target: Int, as name: String) {
        world.runStep(block, in: world.contexts[target], named: name)
    }

    /// Merges the saves that an observer received, on the context's queue.
    func merge(observed posted: LabContext.Posted, into target: Int) {
        world.recorder.begin(step: "merge", context: world.plan.contexts[target].name)
        do {
            try world.merge(posted, into: world.contexts[target])
        } catch {
            world.recorder.record(.failed(code: error.cocoaCode, message: error.message))
        }
    }
}

// `@unchecked Sendable` because one thread at a time uses it: the thread of its session, or the
// thread that runs its context's serial queue. Shared results are in the notes, which a lock
// guards.
extension SessionThread: @unchecked Sendable {}
