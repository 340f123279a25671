import LabFiles

/// The results of one fetch that ran with several strategies on a copy of a store.
package struct FetchReport: SavedResult, Sendable, Hashable {
    package static let kind = ResultKind.fetch

    package var header = ResultHeader(.fetch)
    /// The store file, as the user named it.
    package var store: String
    package var entity: String
    /// The number of the entity's rows, with those of subentities.
    package var rowsInStore: Int
    package var request: [String]
    /// The number of measurements of each strategy.
    package var rounds: Int
    /// The build configuration, `release` or `debug`. The times of a debug build are meaningless.
    package var build: String
    package var strategies: [FetchStrategy]
    package var verdict: FetchVerdict
    package var notes: [String]

    package init(
        store: String, entity: String, rowsInStore: Int, request: [String], rounds: Int,
        build: String, strategies: [FetchStrategy], verdict: FetchVerdict = FetchVerdict(),
        notes: [String] = []
    ) {
        self.store = store
        self.entity = entity
        self.rowsInStore = rowsInStore
        self.request = request
        self.rounds = rounds
        self.build = build
        self.strategies = strategies
        self.verdict = verdict
        self.notes = notes
    }
}

/// One strategy of the fetch.
package struct FetchStrategy: Codable, Sendable, Hashable {
    package var name: String
    package var sentence: String
    /// The number of objects, ids or dictionaries that the fetch returned.
    package var results: Int
    package var statementTotal: Int
    package var rows: Int
    package var vmSteps: Int
    /// The number of faults that the store fulfilled.
    package var faults: Int
    /// The time until the fetch returned.
    package var fetchNanoseconds: UInt64
    /// The time until every value was read: the median of the rounds.
    package var totalNanoseconds: UInt64
    package var worstNanoseconds: UInt64
    package var statements: [Statement]

    package struct Statement: Codable, Sendable, Hashable {
        package var text: String
        package var count: Int
        package var rows: Int
        package var nanoseconds: UInt64
        /// The bound values of the first run.
        package var bindings: [String]
        package var plan: [String]

        package init(
            text: String, count: Int, rows: Int, nanoseconds: UInt64, bindings: [String],
            plan: [String]
        ) {
            self.text = text
            self.count = count
            self.rows = rows
            self.nanoseconds = nanoseconds
            self.bindings = bindings
            self.plan = plan
        }
    }

    package init(name: String, sentence: String) {
        self.name = name
        self.sentence = sentence
        results = 0
        statementTotal = 0
        rows = 0
        vmSteps = 0
        faults = 0
        fetchNanoseconds = 0
        totalNanoseconds = 0
        worstNanoseconds = 0
        statements = []
    }
}
