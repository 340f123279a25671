import Glibc
import Synchronization

final class RunLoopCount: Sendable {
    private let turns = Atomic(0)

    var value: Int { turns.load(ordering: .relaxed) }

    func note() { turns.add(1, ordering: .relaxed) }
}

/// A thread of the program that runs a session's items. While the session waits in a run loop, the
/// thread also runs the items of the main queue. Tests of XCTest need such a thread because they
/// run on the main thread.
struct CodeHost {
    let lane: Int
    /// The index of the thread in the baton's `runners`.
    let runner: Int
    /// How long the thread may wait in a run loop for an event that the lab does not know.
    let patience: Duration
    let turns = RunLoopCount()
    /// Whether the thread is paused in a run loop.
    var isWaiting = false
    /// Whether the event for which the test waits may have occurred.
    static let hasNews = Atomic(false)

    func serves(_ lane: Int, mainLane: Int) -> Bool { lane == self.lane || lane == mainLane }

    func dismiss(_ baton: Baton) { baton.dismiss(runner) }
}

extension CodeStage {
    /// Lets other lanes run while the calling thread waits in a run loop.
    ///
    /// The calling thread runs the host's session. If no other lane can run, the method returns,
    /// and the run loop calls it again.
    ///
    /// - Returns: work of the main queue for this thread.
    func waitInRunLoop() -> (() -> Void)? {
        guard let host, isInside, !isReleased, !baton.isCollapsed,
            baton.current === baton.runners[host.runner]
        else { return nil }
        host.turns.note()
        // The run loop must first check whether the event has occurred.
        if CodeHost.hasNews.exchange(false, ordering: .relaxed) { return nil }
        if !canGoOn(without: host.lane, servesMain: true) {
            // Without the pause, the run loop would spin.
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
