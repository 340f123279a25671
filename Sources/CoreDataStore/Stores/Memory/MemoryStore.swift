import CoreDataModel
import Synchronization

/// A store whose rows are all in memory: a store without a file, or one whose file is read and
/// written as a whole.
///
/// Fetches evaluate predicates for every row of the entity. Uniqueness constraints are enforced
/// only if the store's options ask for it. May be used from any thread: each reader uses the
/// content at the time when its read began.
package final class MemoryStore: ObjectStore {
    package let layout: ModelLayout
    private let state: Mutex<State>
    private let keeper: (any MemoryKeeper)?
    package let isReadOnly: Bool
    private let enforcesUniqueness: Bool

    private struct State {
        var content: MemoryContent
        var metadata: MemoryMetadata
        var isClosed = false
    }

    init(
        _ document: MemoryDocument, keeper: (any MemoryKeeper)? = nil, isReadOnly: Bool = false,
        enforcesUniqueness: Bool = false
    ) {
        layout = document.content.layout
        state = Mutex(State(content: document.content, metadata: document.metadata))
        self.keeper = keeper
        self.isReadOnly = isReadOnly
        self.enforcesUniqueness = enforcesUniqueness
    }

    package var identifier: String { state.withLock { $0.metadata.identifier } }

    package var metadata: [String: any Sendable] { state.withLock { $0.metadata.shown } }

    package var traits: StoreTraits {
        var traits: StoreTraits = [.readCommitted, .repeatableRead, .serializable]
        if enforcesUniqueness { traits.insert(.uniqueness) }
        return traits
    }

    package func setMetadata(_ metadata: [String: any Sendable]) throws(CoreDataError) {
        state.withLock { $0.metadata.replace(with: metadata) }
    }

    package func close() {
        state.withLock {
            $0.isClosed = true
            $0.content = MemoryContent(layout: layout)
        }
    }

    func content() throws(CoreDataError) -> MemoryContent {
        try state.withLock { state throws(CoreDataError) in
            if state.isClosed { throw Self.closed }
            return state.content
        }
    }

    private static var closed: CoreDataError {
        CoreDataError(.storeOperation, "The store is closed. Add it to a coordinator again.")
    }

    // MARK: Saving

    package func reserveKeys(_ count: Int, for entity: EntityLayout) throws(CoreDataError) -> Int64
    {
        try checkWritable()
        return try state.withLock { state throws(CoreDataError) in
            let first = state.content.lastKey + 1
            guard Int64(count) <= StoredValue.keys.upperBound - state.content.lastKey else {
                throw CoreDataError(
                    .storeSave,
                    "The store has no ids left for \(count) objects after \(first - 1);"
                        + " copy its objects into a new store.")
            }
            state.content.lastKey += Int64(count)
            assert(first > 0, "the first permanent key is not positive")
            return first
        }
    }

    package func save(_ plan: SavePlan) throws(CoreDataError) -> SaveOutcome {
        try checkWritable()
        return try state.withLock { state throws(CoreDataError) in
            if state.isClosed { throw Self.closed }
            let misses = state.content.misses(of: plan)
            if !misses.isEmpty { return .conflicts(conflicts(misses, state.content)) }
            if enforcesUniqueness {
                let violations = MemoryUniqueness(state.content).violations(of: plan)
                if !violations.isEmpty { return .constraintViolations(violations) }
            }
            guard let keeper else {
                state.content.apply(plan)
                return .committed()
            }
            if plan.isEmpty && !state.metadata.isChanged { return .committed() }
            var next = state.content
            next.apply(plan)
            try keeper.keep(MemoryDocument(content: next, metadata: state.metadata))
            state.content = next
            state.metadata.isChanged = false
            return .committed()
        }
    }

    package func conflicts(with plan: SavePlan) throws(CoreDataError) -> [RowConflict] {
        let content = try content()
        return conflicts(content.misses(of: plan), content)
    }

    package var hasNewMetadata: Bool { state.withLock { $0.metadata.isChanged } }

    /// Applies a save of a custom store: the plan, and then the values that its rows have in the
    /// custom store.
    package func take(_ plan: SavePlan, _ attributes: [(key: ObjectKey, values: [Value])]) {
        state.withLock { state in
            state.content.apply(plan)
            for row in attributes {
                state.content.replaceAttributes(of: row.key, by: row.values)
            }
            state.metadata.isChanged = false
        }
    }

    private func conflicts(
        _ misses: [(key: ObjectKey, version: Int32)], _ content: MemoryContent
    ) -> [RowConflict] {
        misses.map { miss in
            RowConflict(
                key: miss.key, expectedVersion: miss.version,
                persisted: MemoryRowPacker(content, generation: 0).row(miss.key))
        }
    }

    private func checkWritable() throws(CoreDataError) {
        if isReadOnly { throw .readOnlyStore() }
    }
}

/// Writes the content of a store elsewhere, such as to a file, before a save takes effect.
protocol MemoryKeeper: Sendable {
    func keep(_ document: MemoryDocument) throws(CoreDataError)
}
