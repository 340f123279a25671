import CoreDataEngine
import ScenarioWriting
import Synchronization

/// A block of memory that contains a part of one context's log. It consists of words, and of the
/// few values that do not fit into words.
///
/// One thread at a time writes. Any thread may read the words below ``used``. These words do not
/// change until another context reuses the chunk.
final class LogChunk {
    static let capacity = 1024

    let words: UnsafeMutablePointer<UInt64>
    /// The number of words in complete entries.
    let used = Atomic<Int>(0)
    /// The number of the context that writes to the chunk; -1 for none.
    let context = Atomic<Int>(-1)
    /// Whether the context no longer writes to the chunk.
    let isClosed = Atomic<Bool>(false)
    let entries = Atomic<Int>(0)
    /// Values that entries refer to by index.
    let extras = Mutex<[LogExtra]>([])

    init() {
        words = .allocate(capacity: Self.capacity)
        words.initialize(repeating: 0, count: Self.capacity)
    }

    deinit { words.deallocate() }

    /// Empties the chunk for another context.
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

// `@unchecked Sendable` because only the thread that owns the context's queue writes words, and
// others read only the words below `used`, which is stored after them. The other fields are
// synchronized.
extension LogChunk: @unchecked Sendable {}

/// A value that does not fit into words.
enum LogExtra: Sendable {
    case query(RecordedQuery)
    case batch(RecordedBatch)
    case text(String)
    case call(LogCall)
}

/// A rare call on a context. The entry's words contain the keys of the objects that the call uses.
enum LogCall: Sendable {
    /// Pins the context to the state that another context reads. The value is the number of that
    /// context; nil pins the context to the state at its own next read.
    case pin(to: Int?)
    case unpin, obtainIDs, detectConflicts, fire, takeFault, history, processPending, removeStore
    case setting(RecordedSetting)
    case order(slot: Int)
    case watch(list: Int, RecordedQuery, sections: String?, count: Int, began: UInt64)
    case shown(list: Int, isBySection: Bool)
    case look(ContextLook)
    case lookAt(ObjectLook)
    /// The numbers of the contexts to merge into; nil for contexts that are not recorded.
    case mergeByIDs([Int?])
    /// Rows that a batch deletes one by one.
    case batchDelete(entity: String, count: Int)
}
