import CoreDataEngine
import CoreDataStore
import Synchronization

/// What the logs of all contexts share: the order of what they did, and the memory for it.
///
/// Memory is a ring of chunks: the oldest one that nobody writes any more is given to whoever needs
/// one.
final class SharedLog: Sendable {
    /// Counts what may matter to other contexts.
    private let clock = Atomic<UInt64>(0)
    private let state: Mutex<State>
    private let chunksMax: Int

    private struct State {
        /// The oldest first.
        var chunks: [LogChunk] = []
        var contexts: [Int: ContextFacts] = [:]
        var coordinators: [ObjectIdentifier: Int] = [:]
        var models: [Int: FrozenModelReference] = [:]
        /// The paths of coordinators' stores; none for one in memory, and before it was used.
        var paths: [Int: String] = [:]
        var last = -1
        var forgotten = 0
        /// Blocks that somebody waits for and that have not begun, with the waiting context.
        var waits: [Int: Wait] = [:]
    }

    /// Somebody waits for a block to begin.
    struct Wait {
        let from: Int
        let on: Int
        let since: ContinuousClock.Instant
    }

    /// - Parameter memory: about so many bytes are kept.
    init(memory: Int) {
        state = Mutex(State())
        chunksMax = Swift.max(4, memory / (LogChunk.capacity * 8))
    }

    func tick() -> UInt64 { clock.wrappingAdd(1, ordering: .relaxed).newValue }

    var now: UInt64 { clock.load(ordering: .relaxed) }

    // MARK: Contexts

    /// Takes a context; nil for one that is known.
    func add(
        _ context: NSManagedObjectContext, of coordinator: NSPersistentStoreCoordinator
    ) -> Int? {
        let address = ObjectIdentifier(context)
        return state.withLock { state -> Int? in
            let isKnown = state.contexts.values.contains {
                $0.address == address && $0.reference.context != nil
            }
            if isKnown { return nil }
            let stack =
                state.coordinators[ObjectIdentifier(coordinator)]
                ?? state.coordinators.count
            state.coordinators[ObjectIdentifier(coordinator)] = stack
            state.models[stack] = FrozenModelReference(model: coordinator.frozenModel)
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

    /// Contexts that have gone and of which nothing is kept.
    private static func forgetGone(_ state: inout State) {
        let kept = Set(state.chunks.map { $0.context.load(ordering: .relaxed) })
        state.contexts = state.contexts.filter {
            $0.value.reference.context != nil || kept.contains($0.key)
        }
    }

    /// The number of a context; nil for one that is not recorded.
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

    /// Says where the rows are that a context works on.
    func note(path: String, of number: Int) {
        state.withLock { state in
            if let facts = state.contexts[number] { state.paths[facts.coordinator] = path }
        }
    }

    // MARK: Memory

    /// The next chunk of a context; the one before is closed.
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

    /// A wait that has lasted so long; the oldest.
    func oldWait(_ patience: Duration) -> (block: Int, wait: Wait)? {
        state.withLock { state in
            state.waits.filter { $0.value.since.advanced(by: patience) <= .now }
                .min { $0.key < $1.key }
                .map { ($0.key, $0.value) }
        }
    }

    // MARK: Reading

    /// Everything that is kept, copied: chunks keep being written meanwhile.
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
                paths: state.paths,
                forgotten: state.forgotten)
        }
    }
}

/// What is known of a context beside what it did.
struct ContextFacts: Sendable {
    let number: Int
    let address: ObjectIdentifier
    let reference: WeakContext
    let isMain: Bool
    let parent: Int?
    let coordinator: Int
    /// What the context knew of others when it was made.
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

/// A context that is not kept alive.
struct WeakContext: Sendable {
    weak var context: NSManagedObjectContext?
}

/// A model that is kept alive.
///
/// `@unchecked Sendable` because a frozen model does not change.
struct FrozenModelReference: @unchecked Sendable {
    let model: FrozenModel
}

/// A copy of what logs have.
struct LogSnapshot: Sendable {
    struct Piece: Sendable {
        let context: Int
        let words: [UInt64]
        let extras: [LogExtra]
    }

    /// The oldest first.
    let pieces: [Piece]
    let contexts: [Int: ContextFacts]
    let models: [Int: FrozenModelReference]
    let paths: [Int: String]
    let forgotten: Int

    /// What has the rows of a context: contexts of two coordinators may share a file.
    func place(of context: Int) -> String? {
        contexts[context].map { paths[$0.coordinator] ?? "\($0.coordinator)" }
    }
}
