import CWaitHooks
import Glibc

/// Waits of a test's threads for what the lab does not know: semaphores and groups of Dispatch's.
enum WaitHooks {
    /// Sets the hook once.
    static let areInstalled: Void = faultline_take_waits { state, tryOnce, isLate in
        guard let stage = CodeStage.current, stage.switches != nil, let tryOnce, let isLate
        else { return 0 }
        return stage.wait(until: { tryOnce(state) }, orUntil: { isLate(state) })
    }
}

extension CodeStage {
    /// Lets others go on until the calling thread has what it waits for.
    ///
    /// Time passes where nothing else can go on, so a time-out comes behind all that could happen.
    ///
    /// - Returns: 0 for a thread without a turn, 1 where it has come, 2 where the time-out has.
    func wait(until hasCome: () -> Bool, orUntil isLate: () -> Bool) -> Int32 {
        guard let lane = running, baton.isCurrentThread, !baton.isCollapsed, !isReleased
        else { return 0 }
        while true {
            if hasCome() { return 1 }
            if isReleased || baton.isCollapsed { return 0 }
            if canGoOn(without: lane) {
                let hasCome = withoutActuallyEscaping(hasCome) { pauseInVain(lane, $0) }
                if hasCome { return 1 }
            } else if isLate() {
                return 2
            } else {
                host?.turns.note()
                usleep(500)
            }
        }
    }
}
