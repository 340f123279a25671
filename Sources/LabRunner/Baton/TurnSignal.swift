import Glibc

/// What a thread of a schedule waits for until it is its turn.
///
/// No semaphore of Dispatch's: those are what the code of a schedule waits for, and are looked at.
final class TurnSignal: Sendable {
    // Unchecked because the system's calls guard it; it is never moved.
    private nonisolated(unsafe) let semaphore: UnsafeMutablePointer<sem_t>

    init() {
        semaphore = .allocate(capacity: 1)
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func signal() { sem_post(semaphore) }

    /// Signals of the system's may end the wait early.
    func wait() { while sem_wait(semaphore) != 0 {} }

    /// - Returns: whether it was signalled in time.
    func wait(milliseconds: Int) -> Bool {
        var end = timespec()
        clock_gettime(CLOCK_REALTIME, &end)
        let nanoseconds = end.tv_nsec + milliseconds * 1_000_000
        end.tv_sec += nanoseconds / 1_000_000_000
        end.tv_nsec = nanoseconds % 1_000_000_000
        while sem_timedwait(semaphore, &end) != 0 {
            if errno != EINTR { return false }
        }
        return true
    }
}
