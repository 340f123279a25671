import CoreDataEngine
import CoreDataStore
import CoreDataTrace
import Synchronization

/// The queue of a context whose threads a ``Baton`` controls. The lab detects deadlocks in which
/// threads wait for this queue. All main-queue contexts share one resource, because they share one
/// queue.
final class BatonQueue: LabQueue {
    private let baton: Baton
    let resource: Baton.Resource
    private let name: Mutex<String>
    private let pending = Mutex<[(isMerge: Bool, work: @Sendable () -> Void)]>([])

    init(label: String, resource: Baton.Resource, baton: Baton) {
        name = Mutex(label)
        self.resource = resource
        self.baton = baton
    }

    var label: String {
        get { name.withLock { $0 } }
        set { name.withLock { $0 = newValue } }
    }

    /// Whether the running thread may use the context. The explorer's thread may use every context,
    /// because no other thread runs at the same time. After the end of a schedule (`isCollapsed`),
    /// threads may continue without the queues for which they waited.
    var isCurrent: Bool {
        guard let runner = baton.current, !baton.isQuiet, !baton.isCollapsed else { return true }
        return resource.holder === runner
    }

    func enqueue(_ label: String, _ work: @escaping @Sendable () -> Void) {
        pending.withLock { $0.append((PendingWork.isMerge(label), work)) }
    }

    func runAndWait<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T {
        if baton.isQuiet { return try body() }
        baton.acquire(resource, frame: "performAndWait on \(label)")
        defer { baton.release(resource) }
        guard let runner = baton.current, runner.isPushing, !baton.isCollapsed else {
            return try body()
        }
        runner.isPushing = false
        baton.onPush(false)
        defer { if !baton.isCollapsed { baton.onPush(true) } }
        return try body()
    }

    func runOldest(isMerge: Bool) {
        let found = pending.withLock { pending in
            pending.firstIndex { $0.isMerge == isMerge }.map { pending.remove(at: $0) }
        }
        if let found { runAndWait { () throws(Never) in found.work() } }
    }
}

/// Receives the lock events of one coordinator's stack, and lets the baton order the locks.
final class BatonListener: EventSink {
    private let baton: Baton
    private let locks: Mutex<[String: Baton.Resource]> = Mutex([:])
    private let prefix: String

    /// - Parameter prefix: begins the names of locks if there are several coordinators.
    init(baton: Baton, prefix: String) {
        self.baton = baton
        self.prefix = prefix
    }

    func record(_ event: Event) {
        if baton.isQuiet { return }
        switch event {
        case .wait(let name): baton.acquire(lock(name), frame: "locks \(prefix)\(name)")
        // A reader uses its connection exclusively, so threads never wait for the connection.
        case .release(let name): if let lock = known(name) { baton.release(lock) }
        case .saveStep(_, let step):
            baton.current?.note("save: \(step)")
            baton.current?.isPushing = step == "push to parent"
        default: break
        }
    }

    private func lock(_ name: String) -> Baton.Resource {
        locks.withLock { locks in
            if let known = locks[name] { return known }
            let made = Baton.Resource(prefix + name, isLock: true)
            locks[name] = made
            return made
        }
    }

    private func known(_ name: String) -> Baton.Resource? { locks.withLock { $0[name] } }
}

extension Baton.Runner {
    /// Updates the description of the innermost operation with the step that its save has reached.
    fileprivate func note(_ step: String) {
        guard let last = frames.last else { return }
        let head = last.split(separator: ",", maxSplits: 1).first.map(String.init) ?? last
        frames[frames.count - 1] = "\(head), \(step)"
    }
}
