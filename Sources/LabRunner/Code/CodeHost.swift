import Glibc
import Synchronization

/// Counts the turns of a run loop.
final class RunLoopCount: Sendable {
    private let turns = Atomic(0)

    var value: Int { turns.load(ordering: .relaxed) }

    func note() { turns.add(1, ordering: .relaxed) }
}

/// A thread of the program that runs a session's items, and those of the main queue while the
/// session waits in a run loop: XCTest's tests belong to the process's main thread.
struct CodeHost {
    /// The session.
    let lane: Int
    /// The number of the thread among the baton's runners.
    let runner: Int
    /// How long the thread may wait in a run loop for an event that the lab does not know.
    let patience: Duration
    let turns = RunLoopCount()
    /// Whether the thread is paused in a run loop.
    var isWaiting = false
    /// Whether the event for which the test's thread waits may have come.
    static let hasNews = Atomic(false)

    func serves(_ lane: Int, mainLane: Int) -> Bool { lane == self.lane || lane == mainLane }

    func dismiss(_ baton: Baton) { baton.dismiss(runner) }
}

extension CodeStage {
    /// Lets other lanes go on while the calling thread, which runs the host's session, turns its
    /// run loop.
    ///
    /// If no other lane can go on, the run loop keeps the thread until one of them can.
    ///
    /// - Returns: work of the main queue for this thread.
    func waitInRunLoop() -> (() -> Void)? {
        guard let host, isInside, !isReleased, !baton.isCollapsed,
            baton.current === baton.runners[host.runner]
        else { return nil }
        host.turns.note()
        // The run loop checks first whether the event ends its wait.
        if CodeHost.hasNews.exchange(false, ordering: .relaxed) { return nil }
        if !canGoOn(without: host.lane, servesMain: true) {
            // Otherwise the run loop would spin.
            usleep(500)
            return nil
        }
        self.host?.isWaiting = true
        baton.lend(mainQueue.resource, next: "wait")
        if isReleased { return nil }
        self.host?.isWaiting = false
        if CodeHost.hasNews.exchange(false, ordering: .relaxed) { return nil }
        guard let item = takeMainItem() else { return nil }
        noteTurn()
        return item.work
    }
}
