import CoreDataEngine
import CoreDataStore
import Synchronization

/// The queue of a context that ordinary code has made under the lab.
///
/// Waiting for it is waiting in the wait graph; what is enqueued waits in a lane, until the
/// schedule chooses that. Main-queue contexts share one resource and one lane.
final class CodeQueue: ConfinementQueue {
    let resource: Baton.Resource
    let lane: Int
    private let stage: CodeStage
    private let name: Mutex<String>
    /// What it is where its schedule was given up.
    private let released = DispatchConfinementQueue(label: "context")

    init(_ label: String, resource: Baton.Resource, lane: Int, stage: CodeStage) {
        name = Mutex(label)
        self.resource = resource
        self.lane = lane
        self.stage = stage
    }

    var label: String {
        get { name.withLock { $0 } }
        set { name.withLock { $0 = newValue } }
    }

    /// Whoever sets up a schedule, or looks at its end, may use every context: no thread of the
    /// schedule runs then.
    var isCurrent: Bool {
        if stage.isReleased { return released.isCurrent || stage.isInside }
        guard stage.isInside else { return false }
        guard !stage.isLooking, let runner = stage.baton.current, !stage.baton.isCollapsed else {
            return true
        }
        return resource.holder === runner
    }

    func belongs(to stage: CodeStage) -> Bool { self.stage === stage }

    func enqueue(_ label: String, _ work: @escaping @Sendable () -> Void) {
        if stage.isReleased { return released.enqueue(label, work) }
        let label = "\(label) on \(self.label)"
        stage.post(label, to: lane, isBlock: true) { [self] in
            runAndWait { () throws(Never) in work() }
        }
    }

    func runAndWait<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T {
        if stage.isReleased { return try released.runAndWait(body) }
        guard stage.isInside else {
            stage.noteOutside("used the context '\(label)'")
            stage.waitForEnd()
            return try stage.isReleased ? released.runAndWait(body) : body()
        }
        // Asking for the queue that all share is asking for this one.
        let pauses = stage.pausesAtQueue()
        if let shared = stage.sharedQueue {
            stage.baton.acquire(shared, frame: shared.name, pausesFirst: pauses)
        }
        defer { if let shared = stage.sharedQueue { stage.baton.release(shared) } }
        let isOutermost = resource.holder !== stage.baton.current
        stage.baton.acquire(
            resource, frame: label, pausesFirst: pauses && stage.sharedQueue == nil)
        let parents = stage.enter(self)
        defer {
            stage.leave(parents)
            stage.baton.release(resource)
        }
        if isOutermost { stage.beginBlock(of: self) }
        return try body()
    }

    func letsPass(_ misuse: String) -> Bool {
        if stage.isInside {
            stage.note(misuse: misuse)
        } else {
            stage.noteOutside("used an object of the context '\(label)'")
        }
        return true
    }
}
