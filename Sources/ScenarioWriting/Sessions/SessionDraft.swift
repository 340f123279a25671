/// The steps of one context, as they come about.
struct SessionDraft {
    struct Step {
        let name: String
        var statements: [String]
        /// Whether everything in it is the context's own business, so that more may join it.
        var isLocal: Bool
    }

    /// The context's name, which the session has too.
    let name: String
    private(set) var steps: [Step] = []

    /// More than these make a line that nobody reads.
    private static let statementsMax = 8

    init(name: String) { self.name = name }

    /// Adds a statement: to the step before where both are the context's own business.
    ///
    /// - Returns: the step's position.
    @discardableResult
    mutating func add(_ statement: String, isLocal: Bool, joins: Bool = true) -> Int {
        if isLocal, joins, let last = steps.last, last.isLocal,
            last.statements.count < Self.statementsMax
        {
            steps[steps.count - 1].statements.append(statement)
            return steps.count - 1
        }
        steps.append(
            Step(name: "\(name)_\(steps.count + 1)", statements: [statement], isLocal: isLocal))
        return steps.count - 1
    }

    mutating func change(_ make: (String) -> String) {
        for index in steps.indices {
            steps[index].statements = steps[index].statements.map(make)
        }
    }

    mutating func glue(_ statement: String, to step: Int) {
        steps[step].statements.append(statement)
    }
}

/// A block that one context's code had run on another context's queue.
struct BlockDraft {
    let name: String
    let context: Int
    var statements: [String] = []
    var hasBegun = false
}

/// What one context knows while its steps are made.
struct ContextMemory {
    /// Names of objects that others have made.
    var aliases: [RecordedObject: String] = [:]
    /// Objects whose rows it has read.
    var realised: Set<RecordedObject> = []
    var read: Set<Property> = []
    /// Counts of members that it has read last, by owner, with the names of what was read.
    var counts: [RecordedObject: (name: String, count: Int)] = [:]
    /// What it has looked for and not found.
    var misses: [Miss] = []
    /// The object that is being made: its statement is written when all its values are known.
    var draft: InsertDraft?
    /// The save that failed last; what follows is what the program does about it.
    var failedSave: String?
    /// Between a save's commit and its end.
    var isTelling = false
    /// It has read the store's history, and merged nothing of it yet.
    var hasHistory = false
    /// The names of its results controllers.
    var lists: [Int: String] = [:]
    var isSaving = false
    var hasSaved = false
    /// The numbers of the blocks that run, the innermost last.
    var blocks: [Int] = []
    var policy: RecordedPolicy?

    struct Property: Hashable {
        let object: RecordedObject
        let key: String
    }

    struct Miss {
        let name: String
        let entity: String
        let equalities: [String: RecordedValue]
        /// The key and the constants of an `IN`, for which each object is looked for by itself.
        let list: (key: String, values: [RecordedValue])?
        let query: RecordedQuery
        let step: Int?
    }

    struct InsertDraft {
        let object: RecordedObject
        let name: String
        var values: [(key: String, value: RecordedValue, text: String)] = []
    }

    mutating func forget(_ object: RecordedObject) {
        realised.remove(object)
        counts[object] = nil
        read = read.filter { $0.object != object }
    }

    mutating func forgetAll() {
        realised = []
        counts = [:]
        read = []
    }
}
