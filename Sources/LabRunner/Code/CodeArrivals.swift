import Glibc
import Synchronization

/// Jobs of tasks that foreign threads have resumed. They wait here until the thread that drives the
/// schedule collects them.
final class CodeArrivals: Sendable {
    // Unchecked because an arrival is passed to only one thread of the lab, under the lock.
    struct Arrival: @unchecked Sendable {
        let lane: Int
        let work: () -> Void
    }

    private struct State {
        var lanes: [UInt64: Int] = [:]
        var waiting: [Arrival] = []
    }

    private let state = Mutex(State())
    private let count = Atomic(0)

    func know(_ task: UInt64, _ lane: Int) { state.withLock { $0.lanes[task] = lane } }

    func lane(ofTask id: UInt64) -> Int? { state.withLock { $0.lanes[id] } }

    func add(_ lane: Int, _ work: @escaping () -> Void) {
        let arrival = Arrival(lane: lane, work: work)
        state.withLock { $0.waiting.append(arrival) }
        count.add(1, ordering: .releasing)
    }

    func wait() { usleep(500) }

    /// Whether the schedule has tasks that could be resumed.
    var hasTasks: Bool { state.withLock { !$0.lanes.isEmpty } }

    func has(_ lane: Int) -> Bool {
        state.withLock { $0.waiting.contains { $0.lane == lane } }
    }

    func takeAll() -> [Arrival] {
        if count.load(ordering: .acquiring) == 0 { return [] }
        return state.withLock { state in
            count.store(0, ordering: .relaxed)
            defer { state.waiting = [] }
            return state.waiting
        }
    }

    func reset() {
        state.withLock { $0 = State() }
        count.store(0, ordering: .relaxed)
    }
}
