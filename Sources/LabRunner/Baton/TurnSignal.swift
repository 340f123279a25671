import CRuntimeShims
import CWaitHooks
import Glibc
import Synchronization

/// A semaphore on which a thread of a schedule waits until it may run.
///
/// The threads of a schedule run on one core if possible. Waking another core takes as long as a
/// thread usually runs before the next switch. A waiting thread is pinned to its core, and a signal
/// moves the thread to the core of the signalling thread. New threads do not inherit the pinning.
/// Queries of the number of cores still return the real number (`KeptThreads.c`). If pinning is
/// impossible, no thread is pinned.
///
/// This is not a `DispatchSemaphore`, because the lab intercepts waits for Dispatch's semaphores.
final class TurnSignal: Sendable {
    private static let keepsThreads = faultline_hides_cores()

    // Unchecked because the system calls synchronize accesses to the semaphore, which is never
    // moved.
    private nonisolated(unsafe) let semaphore: UnsafeMutablePointer<sem_t>
    /// The pinned thread that waits, or has waited, for this signal; 0 if no thread is pinned. The
    /// upper half is the thread ID, and the lower half is the core.
    private let kept = Atomic<UInt64>(0)

    init() {
        semaphore = .allocate(capacity: 1)
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func signal() {
        let known = kept.load(ordering: .acquiring)
        if known != 0 { move(Int32(known >> 32), known) }
        sem_post(semaphore)
    }

    /// Waits for the signal, and continues to wait if a POSIX signal interrupts the wait.
    func wait() {
        keepingCore {
            faultline_begin_wait()
            while sem_wait(semaphore) != 0 {}
            faultline_end_wait()
        }
    }

    /// - Returns: whether the signal came in time.
    func wait(milliseconds: Int) -> Bool {
        keepingCore {
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

    /// Moves the calling thread to the core that is `steps` cores after `core`, and pins it there
    /// until the thread waits or starts another thread.
    ///
    /// Without this, the threads of two concurrent schedules could stay on the same core.
    static func moveThread(_ steps: Int, from core: Int32) {
        if keepsThreads { faultline_keep_behind(core, Int32(steps)) }
    }

    /// Unpins the calling thread, which has waited for this signal.
    func letGo() {
        if kept.exchange(0, ordering: .relaxed) != 0 { faultline_leave_core() }
    }

    /// Unpins the thread that waits, or has waited, for this signal.
    func letWaiterGo() {
        let known = kept.exchange(0, ordering: .relaxed)
        if known != 0 { faultline_free_thread(Int32(known >> 32)) }
    }

    private func keepingCore<Result>(_ wait: () -> Result) -> Result {
        guard Self.keepsThreads, faultline_may_change_core() else { return wait() }
        let core = faultline_keep_here()
        kept.store(Self.word(faultline_thread_number(), core), ordering: .releasing)
        defer { faultline_note_core() }
        return wait()
    }

    private func move(_ thread: Int32, _ known: UInt64) {
        let core = faultline_current_core()
        let wanted = Self.word(thread, core)
        if wanted == known { return }
        faultline_keep_thread(thread, core)
        let isKept = kept.compareExchange(
            expected: known, desired: wanted, ordering: .acquiringAndReleasing
        ).exchanged
        // The wait has timed out meanwhile, and the thread must not stay on this core.
        if !isKept { faultline_free_thread(thread) }
    }

    private static func word(_ thread: Int32, _ core: Int32) -> UInt64 {
        UInt64(thread) << 32 | UInt64(UInt32(bitPattern: core))
    }
}
