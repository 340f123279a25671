import CoreDataModel
import CoreDataTrace

/// Receives the events of one coordinator's stack. At events where a schedule may switch threads,
/// it passes on the baton.
final class CodeListener: EventSink {
    private let stage: CodeStage
    private let prefix: String
    private let layout: ModelLayout
    // Unchecked because only the thread with the baton uses the locks.
    private nonisolated(unsafe) var locks: [String: Baton.Resource] = [:]

    init(_ stage: CodeStage, prefix: String, layout: ModelLayout) {
        self.stage = stage
        self.prefix = prefix
        self.layout = layout
    }

    /// - Parameter index: the number of earlier coordinators.
    static func prefix(_ index: Int) -> String {
        index == 0 ? "" : "coordinator \(index + 1)'s "
    }

    func record(_ event: Event) {
        if stage.isReleased { return }
        guard stage.isInside else { return stage.noteOutside("read or wrote a store") }
        // Threads that end after a schedule still release the resources that they took during the
        // schedule.
        guard stage.baton.current != nil, !stage.isLooking else { return }
        if case .stores = event, stage.pausesAtLock { stage.baton.pause(next: "change stores") }
        stage.touched.record(event, layout)
        stage.story?.hear(event)
        switch event {
        case .wait(let name):
            stage.baton.acquire(
                lock(name), frame: "locks \(prefix)\(name)", pausesFirst: stage.pausesAtLock)
            if name == "coordinator" { stage.touched.compareRows() }
        case .attempt(let name):
            if stage.pausesAtLock { stage.baton.pause(next: "try \(prefix)\(name)") }
            stage.touched.noteHeld(lock(name))
        case .acquire("coordinator"): stage.baton.hold(lock("coordinator"))
        // A reader uses its connection exclusively, so no thread waits for the connection.
        case .release(let name): if let lock = locks[name] { stage.baton.release(lock) }
        case .saveStep(_, "didSave") where stage.grain == .operations:
            stage.baton.pause(next: "did save")
        case .acquire("store reader") where stage.pausesAtLock: stage.baton.pause(next: "read")
        case .fault: stage.isFresh = false
        // A fetch from an in-memory store does not take a reader connection, where a thread would
        // pause. So the thread pauses here.
        case .fetch where stage.switches != nil, .count where stage.switches != nil:
            stage.baton.pause(next: "go on")
        default: break
        }
    }

    private func lock(_ name: String) -> Baton.Resource {
        if let known = locks[name] { return known }
        let made = Baton.Resource(prefix + name, isLock: true)
        locks[name] = made
        return made
    }
}
