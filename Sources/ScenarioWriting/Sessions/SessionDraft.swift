/// The steps of one context's session while they are being written.
struct SessionDraft {
    struct Step {
        let name: String
        var statements: [String]
        /// Whether the step affects only its context. If so, the next statement that affects only
        /// this context may become a part of the same step.
        var isLocal: Bool
    }

    /// The name of the session, which is also the name of its context.
    let name: String
    private(set) var steps: [Step] = []

    /// The maximum number of statements in a step, so that its line remains readable.
    private static let statementsMax = 8

    init(name: String) { self.name = name }

    /// Adds a statement. If it and the previous step affect only their context, it becomes a part
    /// of that step. Otherwise it becomes a new step.
    ///
    /// - Returns: the index of the step.
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

/// A block that the code of one context put on the queue of another context.
struct BlockDraft {
    let name: String
    let context: Int
    var statements: [String] = []
    var hasBegun = false
}

/// The state of one context that is needed while its steps are being written.
struct ContextMemory {
    /// The names in this context of objects that other contexts created.
    var aliases: [RecordedObject: String] = [:]
    var realised: Set<RecordedObject> = []
    var read: Set<Property> = []
    /// Properties in `read` whose next read becomes a step again: since then, a fetch has found
    /// their objects, or the context has saved. Such a read can show an old value.
    var readAgain: Set<Property> = []
    /// For each owner, the last number of members that was read, and the name that is bound to this
    /// number.
    var counts: [RecordedObject: (name: String, count: Int)] = [:]
    /// The fetches that found no object.
    var misses: [Miss] = []
    /// The object that is being inserted. Its statement is written when all its values are known.
    var draft: InsertDraft?
    /// The step of the last failed save. The statements that follow are the program's reaction to
    /// the error.
    var failedSave: String?
    /// Whether a save has committed but not ended.
    var isTelling = false
    /// Whether the session has read the store's history but has not merged it.
    var hasHistory = false
    /// The names of the context's results controllers, by number.
    var lists: [Int: String] = [:]
    var isSaving = false
    var hasSaved = false
    /// The numbers of the running blocks, with the innermost block last.
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
        /// The key and the values of an `IN` condition; nil for a fetch without `IN`.
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
