import CoreDataEngine
import CoreDataStore
import Foundation
import ScenarioWriting
import Synchronization

/// The state that the logs of all contexts share: a clock that orders their entries, and the memory
/// for them.
///
/// The memory is a list of chunks. When the list has reached its maximum length, a context that
/// needs a chunk reuses the oldest closed chunk.
final class SharedLog: Sendable {
    /// The time stamp of the last event that may affect other contexts.
    private let clock = Atomic<UInt64>(0)
    private let state: Mutex<State>
    private let chunksMax: Int

    private struct State {
        /// The chunks in use, oldest first.
        var chunks: [LogChunk] = []
        var contexts: [Int: ContextFacts] = [:]
        var coordinators: [ObjectIdentifier: Coordinator] = [:]
        var stacks = 0
        /// The test that created each coordinator, by the coordinator's number.
        var tests: [Int: String] = [:]
        var models: [Int: FrozenModelReference] = [:]
        /// The path of each coordinator's store. In-memory stores have no path. The path of another
        /// store is unknown before its first use.
        var paths: [Int: String] = [:]
        var stores: [Int: RecordedStore] = [:]
        var last = -1
        var forgotten = 0
        /// The context that reads a query generation, by the generation's address.
        var readers: [ObjectIdentifier: Int] = [:]
        /// Calls that were made outside of a context's queue, in the order of their first
        /// occurrence.
        var beside: [(what: String, coordinator: Int, count: Int)] = []
        /// The waits for blocks that have not begun, by the number of the block.
        var waits: [Int: Wait] = [:]
    }

    /// A recorded coordinator. The weak reference shows whether a later coordinator has the same
    /// address.
    private struct Coordinator {
        let number: Int
        weak var reference: NSPersistentStoreCoordinator?
    }

    struct Wait {
        let from: Int
        let on: Int
        let since: ContinuousClock.Instant
    }

    /// - Parameter memory: the approximate number of bytes to keep.
    init(memory: Int) {
        state = Mutex(State())
        chunksMax = Swift.max(4, memory / (LogChunk.capacity * 8))
    }

    func tick() -> UInt64 { clock.wrappingAdd(1, ordering: .relaxed).newValue }

    var now: UInt64 { clock.load(ordering: .relaxed) }

    // MARK: Contexts

    /// Registers a coordinator.
    ///
    /// - Parameter test: the test that has created it.
    /// - Returns: whether the coordinator is new.
    func add(_ coordinator: NSPersistentStoreCoordinator, of test: String?) -> Bool {
        state.withLock { state in
            if Self.number(of: coordinator, state) != nil { return false }
            state.coordinators[ObjectIdentifier(coordinator)] = Coordinator(
                number: state.stacks, reference: coordinator)
            state.models[state.stacks] = FrozenModelReference(model: coordinator.frozenModel)
            state.tests[state.stacks] = test
            state.stacks += 1
            return true
        }
    }

    private static func number(
        of coordinator: NSPersistentStoreCoordinator, _ state: State
    ) -> Int? {
        let known = state.coordinators[ObjectIdentifier(coordinator)]
        return known?.reference === coordinator ? known?.number : nil
    }

    func coordinators(of test: String) -> [Int] {
        state.withLock { state in
            state.tests.filter { $0.value == test }.map(\.key).sorted()
        }
    }

    /// Whether the log still has entries of a coordinator's contexts.
    func hasEntries(_ coordinator: Int) -> Bool {
        state.withLock { state in
            state.chunks.contains { chunk in
                let owner = chunk.context.load(ordering: .relaxed)
                return chunk.entries.load(ordering: .relaxed) > 0
                    && state.contexts[owner]?.coordinator == coordinator
            }
        }
    }

    /// Registers a context, and returns nil if the context is already registered.
    func add(
        _ context: NSManagedObjectContext, of coordinator: NSPersistentStoreCoordinator
    ) -> Int? {
        let address = ObjectIdentifier(context)
        return state.withLock { state -> Int? in
            guard let stack = Self.number(of: coordinator, state) else { return nil }
            let known = state.contexts.first {
                $0.value.address == address && $0.value.reference.context != nil
            }
            if let known {
                if known.value.coordinator == stack, context.listener != nil { return nil }
                // If a context changes its coordinator, it gets a new number for its further
                // entries.
                state.contexts[known.key]?.address = nil
            }
            if state.contexts.count > 2 * chunksMax { Self.forgetGone(&state) }
            state.last += 1
            let parent = context.parent.flatMap { parent in
                state.contexts.first {
                    $0.value.address == ObjectIdentifier(parent)
                        && $0.value.reference.context != nil
                }?.key
            }
            state.contexts[state.last] = ContextFacts(
                context, number: state.last, coordinator: stack, parent: parent, start: now)
            return state.last
        }
    }

    private static func forgetGone(_ state: inout State) {
        let kept = Set(state.chunks.map { $0.context.load(ordering: .relaxed) })
        state.contexts = state.contexts.filter {
            $0.value.reference.context != nil || kept.contains($0.key)
        }
    }

    /// The number of a context; nil if the context is not recorded.
    func number(of context: NSManagedObjectContext) -> Int? {
        let address = ObjectIdentifier(context)
        return state.withLock { state in
            state.contexts.first {
                $0.value.address == address && $0.value.reference.context != nil
            }?.key
        }
    }

    func update(_ number: Int, _ change: (inout ContextFacts) -> Void) {
        state.withLock { state in
            if var facts = state.contexts[number] {
                change(&facts)
                state.contexts[number] = facts
            }
        }
    }

    func note(_ store: NSPersistentStore, of number: Int) {
        let path = store.url?.path
        let kind = Self.kind(of: store)
        state.withLock { state in
            guard let facts = state.contexts[number] else { return }
            state.stores[facts.coordinator] = kind
            if let path, path != "/dev/null", kind != .memory {
                state.paths[facts.coordinator] = path
            }
        }
    }

    private static func kind(of store: NSPersistentStore) -> RecordedStore {
        switch store.type {
        case NSInMemoryStoreType: .memory
        case NSXMLStoreType: .xml
        case NSBinaryStoreType: .binary
        default: .sqlite
        }
    }

    // MARK: Generations

    /// Records the generation of the stores that a context reads.
    func note(_ number: Int, reads generation: QueryGeneration) {
        state.withLock { state in
            if state.readers.count > 4 * chunksMax { state.readers = [:] }
            state.readers[ObjectIdentifier(generation)] = number
        }
    }

    func reader(of generation: QueryGeneration) -> Int? {
        state.withLock { $0.readers[ObjectIdentifier(generation)] }
    }

    // MARK: Outside contexts

    /// Records a call on a coordinator from outside of the queues of recorded contexts.
    func noteCall(_ member: StaticString, on coordinator: NSPersistentStoreCoordinator) {
        state.withLock { state in
            let known = Self.number(of: coordinator, state)
            Self.add("\(member) of a coordinator", known ?? 0, &state)
        }
    }

    /// Records a use of a context by a thread that does not own its queue.
    func noteOffQueue(_ number: Int) {
        state.withLock { state in
            let facts = state.contexts[number]
            let known = facts?.name.isEmpty == false ? facts?.name : nil
            let name = known ?? "\(number + 1)"
            Self.add(
                "uses of the context '\(name)' off its queue, which are not recorded",
                facts?.coordinator ?? 0, &state)
        }
    }

    private static func add(_ what: String, _ coordinator: Int, _ state: inout State) {
        let known = state.beside.firstIndex { $0.what == what && $0.coordinator == coordinator }
        if let known { return state.beside[known].count += 1 }
        // The limit bounds the memory if a program creates contexts with many different names.
        if state.beside.count < 500 { state.beside.append((what, coordinator, 1)) }
    }

    // MARK: Memory

    /// Closes the context's previous chunk, and returns the next one.
    func chunk(for number: Int, closing old: LogChunk?) -> LogChunk {
        old?.isClosed.store(true, ordering: .relaxed)
        return state.withLock { state in
            let chunk = Self.free(&state, chunksMax) ?? LogChunk()
            chunk.begin(number)
            state.chunks.append(chunk)
            return chunk
        }
    }

    private static func free(_ state: inout State, _ limit: Int) -> LogChunk? {
        guard state.chunks.count >= limit,
            let oldest = state.chunks.firstIndex(where: {
                $0.isClosed.load(ordering: .relaxed)
            })
        else { return nil }
        let chunk = state.chunks.remove(at: oldest)
        state.forgotten += chunk.entries.load(ordering: .relaxed)
        let owner = chunk.context.load(ordering: .relaxed)
        let isLast = !state.chunks.contains { $0.context.load(ordering: .relaxed) == owner }
        if isLast, state.contexts[owner]?.reference.context == nil {
            state.contexts[owner] = nil
        }
        return chunk
    }

    // MARK: Waits

    func noteWait(_ block: Int, from: Int, on: Int) {
        state.withLock { $0.waits[block] = Wait(from: from, on: on, since: .now) }
    }

    func noteBegun(_ block: Int) {
        state.withLock { state in
            if !state.waits.isEmpty { state.waits[block] = nil }
        }
    }

    /// The waits that have lasted at least this long, by the number of the awaited block.
    func oldWaits(_ patience: Duration) -> [Int: Wait] {
        state.withLock { state in
            state.waits.filter { $0.value.since.advanced(by: patience) <= .now }
        }
    }

    // MARK: Reading

    /// A copy of all entries. Contexts may continue to write during the copy.
    func snapshot() -> LogSnapshot {
        state.withLock { state in
            let pieces = state.chunks.map { chunk in
                let used = chunk.used.load(ordering: .acquiring)
                return LogSnapshot.Piece(
                    context: chunk.context.load(ordering: .relaxed),
                    words: Array(UnsafeBufferPointer(start: chunk.words, count: used)),
                    extras: chunk.extras.withLock { $0 })
            }
            return LogSnapshot(
                pieces: pieces, contexts: state.contexts, models: state.models,
                paths: state.paths, stores: state.stores,
                beside: state.beside.map { ($0.coordinator, "\($0.what): \($0.count)") },
                forgotten: state.forgotten)
        }
    }
}

/// The properties of a recorded context.
struct ContextFacts: Sendable {
    let number: Int
    /// The address of the context; nil once the context has another number.
    var address: ObjectIdentifier?
    let reference: WeakContext
    let isMain: Bool
    let parent: Int?
    let coordinator: Int
    /// The time on the shared clock when the context was registered.
    let start: UInt64
    var name: String
    var mergesByItself = false
    var hasUndo = false

    init(
        _ context: NSManagedObjectContext, number: Int, coordinator: Int, parent: Int?,
        start: UInt64
    ) {
        self.number = number
        address = ObjectIdentifier(context)
        reference = WeakContext(context: context)
        isMain = context.concurrencyType == .mainQueueConcurrencyType
        self.parent = parent
        self.coordinator = coordinator
        self.start = start
        name = context.name ?? ""
    }
}

struct WeakContext: Sendable {
    weak var context: NSManagedObjectContext?
}

/// A strong reference to a model.
///
/// `@unchecked Sendable` because a frozen model does not change.
struct FrozenModelReference: @unchecked Sendable {
    let model: FrozenModel
}

/// A copy of the logs.
struct LogSnapshot: Sendable {
    struct Piece: Sendable {
        let context: Int
        let words: [UInt64]
        let extras: [LogExtra]
    }

    /// The copied chunks, oldest first.
    let pieces: [Piece]
    let contexts: [Int: ContextFacts]
    let models: [Int: FrozenModelReference]
    let paths: [Int: String]
    let stores: [Int: RecordedStore]
    let beside: [(coordinator: Int, what: String)]
    let forgotten: Int

    /// The path of the store file of a context, or the coordinator's number if the file is unknown.
    /// Contexts of several coordinators can share a file.
    func place(of context: Int) -> String? {
        contexts[context].map { place(ofCoordinator: $0.coordinator) }
    }

    func place(ofCoordinator number: Int) -> String { paths[number] ?? "\(number)" }
}
