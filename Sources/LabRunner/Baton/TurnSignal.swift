import CRuntimeShims
import Glibc
import Synchronization

/// What a thread of a schedule waits for until it is its turn.
///
/// Who signals soon waits itself, so the other thread goes on where that one was: to wake another
/// core takes as long as a whole turn. A thread is kept on its core only while it waits, for what
/// it starts in its turn would be kept there, too.
///
/// No semaphore of Dispatch's: those are what the code of a schedule waits for, and are looked at.
final class TurnSignal: Sendable {
    // Unchecked because the system's calls guard it; it is never moved.
    private nonisolated(unsafe) let semaphore: UnsafeMutablePointer<sem_t>
    /// The thread that is kept, in the upper half, and its core; 0 where none is.
    private let kept = Atomic<UInt64>(0)
    private let keepsOn: Bool

    /// - Parameter keepsOn: whether who has waited stays on the core until ``letGo()``: it
    ///   calls that before it starts a thread.
    init(keepsOn: Bool = false) {
        self.keepsOn = keepsOn
        semaphore = .allocate(capacity: 1)
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func signal() {
        let (known, core) = (kept.load(ordering: .acquiring), faultline_current_core())
        if known != 0 { keep(Int32(known >> 32), on: core, known) }
        sem_post(semaphore)
    }

    /// Signals of the system's may end the wait early.
    func wait() {
        keepingCore { while sem_wait(semaphore) != 0 {} }
    }

    /// - Returns: whether it was signalled in time.
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

    /// Lets the calling thread, which has waited, go on wherever it may.
    func letGo() {
        if kept.exchange(0, ordering: .relaxed) != 0 { faultline_leave_core() }
    }

    /// Waits on the core where the thread is.
    private func keepingCore<Result>(_ wait: () -> Result) -> Result {
        guard faultline_may_change_core() else { return wait() }
        keep(
            faultline_thread_number(), on: faultline_current_core(), kept.load(ordering: .relaxed))
        defer { if !keepsOn { letGo() } }
        return wait()
    }

    private func keep(_ thread: Int32, on core: Int32, _ known: UInt64) {
        let wanted = UInt64(thread) << 32 | UInt64(UInt32(bitPattern: core))
        if wanted == known { return }
        faultline_keep_on_core(thread, core)
        kept.store(wanted, ordering: .releasing)
    }
}
