import CoreDataEngine
import ScenarioWriting
import Synchronization

/// A piece of what one context did: plain words, and the few things that are no words.
///
/// One thread at a time writes; anybody may read what is below ``used``, which never changes again
/// until the chunk is given to another context.
final class LogChunk {
    static let capacity = 1024

    let words: UnsafeMutablePointer<UInt64>
    /// How many words are complete.
    let used = Atomic<Int>(0)
    /// The context that writes; -1 for none.
    let context = Atomic<Int>(-1)
    /// Whether nobody writes it any more.
    let isClosed = Atomic<Bool>(false)
    /// How many entries it has.
    let entries = Atomic<Int>(0)
    /// What entries refer to by position.
    let extras = Mutex<[LogExtra]>([])

    init() {
        words = .allocate(capacity: Self.capacity)
        words.initialize(repeating: 0, count: Self.capacity)
    }

    deinit { words.deallocate() }

    /// Makes it empty, for another context.
    func begin(_ number: Int) {
        used.store(0, ordering: .relaxed)
        entries.store(0, ordering: .relaxed)
        isClosed.store(false, ordering: .relaxed)
        context.store(number, ordering: .relaxed)
        extras.withLock { $0.removeAll() }
    }

    func add(_ extra: LogExtra) -> Int {
        extras.withLock {
            $0.append(extra)
            return $0.count - 1
        }
    }
}

// `@unchecked Sendable` because words are written by the thread that has the context's queue, and
// read by others below `used` alone, which is stored behind them; the rest guards itself.
extension LogChunk: @unchecked Sendable {}

/// What does not fit into words.
enum LogExtra: Sendable {
    case query(RecordedQuery)
    case batch(RecordedBatch)
    case text(String)
    case call(LogCall)
}

/// Something that contexts do seldom; its objects stand in the entry's words.
enum LogCall: Sendable {
    /// The number of the context whose state is shared; nil for the one of the next read.
    case pin(to: Int?)
    case unpin, obtainIDs, detectConflicts, fire, takeFault, history, processPending, removeStore
    case setting(RecordedSetting)
    case order(slot: Int)
    case watch(list: Int, RecordedQuery, sections: String?, count: Int)
    case shown(list: Int, isBySection: Bool)
    case look(ContextLook)
    case lookAt(ObjectLook)
    /// Numbers of contexts; nil for those that are not recorded.
    case mergeByIDs([Int?])
    /// Rows that a batch deletes one by one.
    case batchDelete(entity: String, count: Int)
}
