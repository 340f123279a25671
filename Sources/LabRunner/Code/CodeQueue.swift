import CoreDataEngine
import CoreDataStore
import Synchronization

/// The queue of a context that explored code has created.
///
/// An enqueued block waits in a lane until the schedule chooses the lane. The lab detects deadlocks
/// in which threads wait for this queue. All main-queue contexts share one resource and one lane.
final class CodeQueue: ConfinementQueue {
    let resource: Baton.Resource
    private let stage: CodeStage
    private let name: Mutex<String>
    private let origin: String
    /// The lane of the queue's blocks, if it is the same in every schedule. Nil if each schedule
    /// creates the lane when the queue is first used.
    private let fixedLane: Int?
    // Unchecked because only the thread with the stage's baton uses the value.
    private nonisolated(unsafe) var given: (schedule: Int, lane: Int)?
    /// Runs blocks of threads outside of the schedule. If the schedule was given up, it runs all
    /// blocks.
    private let released = DispatchConfinementQueue(label: "context")

    init(
        _ label: String, resource: Baton.Resource, fixedLane: Int? = nil, stage: CodeStage
    ) {
        name = Mutex(label)
        origin = label
        self.resource = resource
        self.fixedLane = fixedLane
        self.stage = stage
    }

    private var lane: Int {
        if let fixedLane { return fixedLane }
        if let given, given.schedule == stage.schedule { return given.lane }
        let lane = stage.addLane(origin)
        given = (stage.schedule, lane)
        return lane
    }

    var label: String {
        get { name.withLock { $0 } }
        set { name.withLock { $0 = newValue } }
    }

    /// Whether the calling thread may use the context. While the lab sets up a schedule or checks
    /// its end, its thread may use every context, because no thread of the schedule runs.
    var isCurrent: Bool {
        if stage.isReleased { return released.isCurrent || stage.isInside }
        guard stage.isInside else { return released.isCurrent }
        guard !stage.isLooking, let runner = stage.baton.current, !stage.baton.isCollapsed else {
            return true
        }
        return resource.holder === runner
    }

    func belongs(to stage: CodeStage) -> Bool { self.stage === stage }

    /// Reports that a thread of another stage uses the queue. The context has outlived the schedule
    /// that created it.
    private func noteOtherStage() {
        guard let other = CodeStage.current, other !== stage else { return }
        other.outside.note(
            "the code used the context '\(label)', which another run of the body has created."
                + " Create the stack in the body. A test whose stack is in a static property can"
                + " be explored with @Test(.explored)")
    }

    func enqueue(_ label: String, _ work: @escaping @Sendable () -> Void) {
        if stage.isReleased { return released.enqueue(label, work) }
        let run = { [self] in runAndWait { () throws(Never) in work() } }
        guard stage.isInside else {
            noteOtherStage()
            return stage.hold(label, for: self.label, run)
        }
        stage.append("\(label) on \(self.label)", to: lane, isBlock: true, run)
    }

    func runAndWait<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T {
        if stage.isReleased { return try released.runAndWait(body) }
        guard stage.isInside else {
            noteOtherStage()
            stage.noteOutside("used the context '\(label)'")
            stage.waitForEnd()
            return try released.runAndWait(body)
        }
        // If all contexts share one queue, the thread has already paused at that queue. It does not
        // pause again here.
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
