import CRuntimeShims
import CoreDataTrace
import Synchronization

/// A queue that runs blocks only on request. The lab reads the pending blocks and decides which one
/// runs next.
///
/// `runAndWait` runs its body immediately, even if blocks are pending, because the lab determines
/// the order. Only one thread at a time runs blocks of a queue.
package final class SteppedQueue: ConfinementQueue {
    /// A block that was enqueued and has not run.
    package struct Pending: Sendable, Equatable {
        /// The block's number, counted from 1 in the order of enqueuing.
        package let number: Int
        package let label: String
    }

    private struct State {
        var label: String
        var pending: [(item: Pending, work: @Sendable () -> Void)] = []
        var count = 0
    }

    private let state: Mutex<State>
    private let trace: Trace?
    private let owner = Atomic<UInt>(0)

    package init(label: String, trace: Trace? = nil) {
        state = Mutex(State(label: label))
        self.trace = trace
    }

    package var label: String {
        get { state.withLock { $0.label } }
        set { state.withLock { $0.label = newValue } }
    }

    package var isCurrent: Bool { owner.load(ordering: .relaxed) == faultline_thread_id() }

    /// The pending blocks, oldest first.
    package var pending: [Pending] { state.withLock { $0.pending.map(\.item) } }

    package func enqueue(_ label: String, _ work: @escaping @Sendable () -> Void) {
        if let trace, trace.isOn { trace.record(.enqueue(queue: self.label, label: label)) }
        state.withLock {
            $0.count += 1
            $0.pending.append((Pending(number: $0.count, label: label), work))
        }
    }

    package func runAndWait<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T {
        let outer = owner.exchange(faultline_thread_id(), ordering: .relaxed)
        defer { owner.store(outer, ordering: .relaxed) }
        return try body()
    }

    /// Runs and returns the oldest pending block; nil if none is pending.
    @discardableResult
    package func runNext() -> Pending? {
        take { $0.pending.indices.first }
    }

    /// Runs one pending block out of order; nil if no pending block has the number.
    @discardableResult
    package func run(_ number: Int) -> Pending? {
        take { $0.pending.firstIndex { $0.item.number == number } }
    }

    /// Removes the pending blocks and counts from 1 again. The lab calls this method between
    /// schedules.
    package func removeAll() {
        state.withLock {
            $0.pending.removeAll(keepingCapacity: true)
            $0.count = 0
        }
    }

    private func take(_ index: (State) -> Int?) -> Pending? {
        let taken = state.withLock { state in index(state).map { state.pending.remove(at: $0) } }
        guard let taken else { return nil }
        runAndWait { taken.work() }
        return taken.item
    }
}
