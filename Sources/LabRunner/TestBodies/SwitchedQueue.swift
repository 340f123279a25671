import CoreDataStore
import Synchronization

/// The queue of a context or coordinator of a test. In a schedule it forwards to a queue of the
/// schedule. Otherwise it forwards to a real queue.
final class SwitchedQueue: ConfinementQueue {
    private let kind: ConfinementScope.Kind
    private let live: any ConfinementQueue
    private let bound = Mutex<CodeQueue?>(nil)
    private let stacks: TestStacks

    init(_ kind: ConfinementScope.Kind, stacks: TestStacks) {
        self.kind = kind
        self.stacks = stacks
        live =
            switch kind {
            case .main: MainConfinementQueue()
            case .privateQueue: DispatchConfinementQueue(label: "context")
            case .coordinator: DispatchConfinementQueue(label: "coordinator")
            }
    }

    func bind(_ queue: CodeQueue) {
        bound.withLock { $0 = queue }
        stacks.note(self)
    }

    func unbind() { bound.withLock { $0 = nil } }

    /// The schedule's queue; nil while no schedule runs.
    var scheduled: CodeQueue? {
        if let stage = CodeStage.current, stage.switches != nil, !stage.isReleased {
            if let bound = bound.withLock({ $0 }), bound.belongs(to: stage) { return bound }
            // The stack is older than the current schedule.
            let own = stage.makeOwnQueue(kind)
            own.label = live.label
            bind(own)
            return own
        }
        return bound.withLock { $0 }
    }

    private var target: any ConfinementQueue { scheduled ?? live }

    var label: String {
        get { target.label }
        set {
            live.label = newValue
            scheduled?.label = newValue
        }
    }

    var isCurrent: Bool { target.isCurrent }

    func enqueue(_ label: String, _ work: @escaping @Sendable () -> Void) {
        if let scheduled { return scheduled.enqueue(label, work) }
        guard let run = LiveRun.active else { return live.enqueue(label, work) }
        run.noteBlock(from: self.label)
        run.enter()
        live.enqueue(label) {
            defer { run.leave() }
            run.scope.run {
                run.delay(at: .queue(ObjectIdentifier(self)))
                work()
            }
        }
    }

    func runAndWait<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T {
        if let scheduled { return try scheduled.runAndWait(body) }
        if let run = LiveRun.active, !live.isCurrent {
            run.noteUse("used the context '\(label)'")
            run.delay(at: .queue(ObjectIdentifier(self)))
        }
        return try live.runAndWait(body)
    }

    /// While no schedule runs, an object may be read off its queue, as in a program without the
    /// lab. The lab would otherwise check every access, and only a program may request this.
    func letsPass(_ misuse: String) -> Bool {
        if let scheduled { return scheduled.letsPass(misuse) }
        return misuse.hasPrefix("a managed object of the context ") || live.letsPass(misuse)
    }
}
