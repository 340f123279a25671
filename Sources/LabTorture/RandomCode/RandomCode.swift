import CoreData
import LabRunner

/// A small random program over two accounts. Its sessions read, write, fetch, save and merge in the
/// forms that apps use.
struct RandomCode {
    enum Operation {
        case add(account: Int, amount: Int)
        case copy(from: Int, to: Int)
        case look(account: Int)
        case set(account: Int, amount: Int)
        /// Reads the account and releases the object. Then looks the account up again by its ID,
        /// and sets its value.
        case lookTwice(account: Int, amount: Int)
        case read(account: Int)
        case count
        case fetch(atLeast: Int)
        case list
        case insert(name: String)
        case refresh(account: Int)
        case refreshAll
        case delete(account: Int)
        case addNote(account: Int)
        case countNotes(account: Int)
        case batchUpdate(amount: Int)
        case batchDelete(account: Int)
        case history
        case detect(account: Int)
        case sum
        case reset
        case batchInsert
        case prefetch
        /// Fetches realised objects, with a batch size, prefetching or without property values.
        case whole(FetchForm)
        /// Removes the store with the accounts.
        case removeStore
        /// Adds an empty store in memory.
        case addStore
        case pin
        case rollback
        case save
    }

    /// The variants of a fetch whose results are not faults.
    enum FetchForm: CaseIterable {
        case plain, prefetched, batched, withoutValues
    }

    /// The mechanism that runs the blocks of a session.
    enum Form: CaseIterable {
        // The blocks run in one context.
        case oneBlock, blockEach, mainQueue, asynchronous, child, childOfOwn, group, shared, queue
        // Each block runs in a new context, which the block's task or queue creates.
        case taskGroup, unstructured, asyncLet, backgroundTasks, queueOfContexts, concurrentQueue
        // Something other than the store decides the order of the blocks.
        case actor, sleeps, later, lock, cancelled

        var makesContexts: Bool {
            switch self {
            case .taskGroup, .unstructured, .asyncLet, .backgroundTasks, .queueOfContexts,
                .concurrentQueue:
                true
            default: false
            }
        }
    }

    enum Store: Equatable {
        case image
        /// An in-memory store, in a stack that the explored code creates itself.
        case memory
    }

    /// The mechanism by which a context receives the saves of other contexts.
    enum Merging {
        case none, automatic
        /// An observer of the notification that merges on the context's queue.
        case observer
    }

    struct Session {
        let form: Form
        let policy: NSMergePolicyType
        let merging: Merging
        let blocks: [[Operation]]
    }

    let model: RandomModel
    let sessions: [Session]
    let store: Store
    let grain: Lab.Grain

    init(seed: UInt64, forms: [Form]) {
        var maker = CodeDice(seed: seed)
        model = maker.model
        store = maker.store
        sessions = maker.sessions(of: forms)
        grain = maker.one(in: 8) ? .blocks : .operations
    }
}

extension RandomCode: CustomStringConvertible {
    var description: String {
        let about = "\(store) store, \(grain), \(model)"
        return ([about] + sessions.enumerated().map { "s\($0) \($1)" }).joined(separator: "\n    ")
    }
}

extension RandomCode.Session: CustomStringConvertible {
    var description: String {
        let blocks = blocks.map { $0.map { "\($0)" }.joined(separator: ", ") }
        return "\(form), policy \(policy.rawValue), merging \(merging): "
            + blocks.joined(separator: " / ")
    }
}

/// Creates the parts of a random program.
private struct CodeDice {
    typealias Operation = RandomCode.Operation

    private static let policies: [NSMergePolicyType] = [
        .errorMergePolicyType, .overwriteMergePolicyType,
        .mergeByPropertyObjectTrumpMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType,
        .rollbackMergePolicyType,
    ]

    private var numbers: RandomNumbers
    let model: RandomModel
    let store: RandomCode.Store
    /// Whether the program has operations that read more than single rows, or that write to the
    /// store without a context.
    private let isOdd: Bool
    /// Whether the program changes the stores of its coordinator. Such a program fires no faults,
    /// because a getter whose store was removed ends the process.
    private let changesStores: Bool

    init(seed: UInt64) {
        var numbers = RandomNumbers(seed: seed)
        model = RandomModel(&numbers)
        // Only SQLite stores enforce uniqueness constraints.
        store = !model.isUnique && numbers.below(8) == 0 ? .memory : .image
        isOdd = numbers.below(4) == 0
        // The lab cannot restore its own stack after a change of the stores.
        changesStores = store == .memory && !model.hasNotes && numbers.below(2) == 0
        self.numbers = numbers
    }

    mutating func one(in count: Int) -> Bool { numbers.below(count) == 0 }

    private mutating func pick<T>(_ list: [T]) -> T { list[numbers.below(list.count)] }

    mutating func sessions(of forms: [RandomCode.Form]) -> [RandomCode.Session] {
        let count = one(in: 4) ? 3 : 2
        var hasObserver = false
        return (0..<count).map { _ in
            let form = pick(forms)
            var merging: RandomCode.Merging =
                one(in: 4) ? .automatic : one(in: 6) ? .observer : .none
            // Foundation does not define the order in which the observers of a notification are
            // called.
            if case .observer = merging, hasObserver { merging = .none }
            if case .observer = merging { hasObserver = true }
            return RandomCode.Session(
                form: form, policy: pick(Self.policies), merging: merging,
                blocks: blocks(amongSessions: count))
        }
    }

    /// Programs with three sessions are short, so that brute force is complete for many of them.
    private mutating func blocks(amongSessions count: Int) -> [[Operation]] {
        let isLong = count == 2 && one(in: 3)
        var blocks = (0...numbers.below(isLong ? 2 : 1)).map { _ in
            (0...numbers.below(isLong ? 3 : 2)).map { _ in operation() }
        }
        if one(in: 4) { return blocks }
        if isLong, one(in: 3) { return blocks + [[.save]] }
        blocks[blocks.count - 1].append(.save)
        return blocks
    }

    private mutating func operation() -> Operation {
        if changesStores { return operationWithoutFaults() }
        return isOdd && one(in: 2) ? oddOperation() : plainOperation()
    }

    private mutating func operationWithoutFaults() -> Operation {
        let account = one(in: 3) ? 1 : 0
        switch numbers.below(13) {
        case 0: return .add(account: account, amount: numbers.below(5) + 1)
        case 1: return .look(account: account)
        case 2: return .set(account: account, amount: numbers.below(5) + 30)
        case 3: return .lookTwice(account: account, amount: numbers.below(5) + 40)
        case 4: return .count
        case 5: return .insert(name: one(in: 2) ? "same" : "a")
        case 6: return .delete(account: account)
        case 7: return .sum
        case 8: return .whole(.plain)
        case 9, 10: return .removeStore
        case 11: return .addStore
        default: return .save
        }
    }

    private mutating func plainOperation() -> Operation {
        let account = one(in: 3) ? 1 : 0
        switch numbers.below(model.hasNotes ? 18 : 15) {
        case 0, 1: return .add(account: account, amount: numbers.below(5) + 1)
        case 2: return .copy(from: account, to: 1 - account)
        case 3: return .look(account: account)
        case 4: return .set(account: account, amount: numbers.below(5) + 30)
        case 5, 6: return .lookTwice(account: account, amount: numbers.below(5) + 40)
        case 7: return .read(account: account)
        case 8: return .count
        case 9: return .fetch(atLeast: pick([0, 10, 20]))
        case 10: return .insert(name: one(in: 2) ? "same" : "a")
        case 11: return .refresh(account: account)
        case 12, 13: return .delete(account: account)
        case 14: return one(in: 3) ? .list : .save
        case 15: return .addNote(account: account)
        default: return .countNotes(account: account)
        }
    }

    private mutating func oddOperation() -> Operation {
        let account = numbers.below(2)
        switch numbers.below(model.hasNotes ? 16 : 15) {
        case 0: return .batchUpdate(amount: numbers.below(5) + 1)
        case 1: return .batchDelete(account: account)
        case 2: return .history
        case 3: return .detect(account: account)
        case 4: return .sum
        case 5: return .reset
        case 6: return .batchInsert
        case 7: return .pin
        case 8: return .rollback
        case 9: return .refreshAll
        case 10: return .read(account: account)
        case 11: return .list
        case 12, 13, 14: return .whole(pick(RandomCode.FetchForm.allCases))
        default: return .prefetch
        }
    }
}
