/// A step of a random sequence. Its numbers select among the objects that exist when the step runs.
/// A sequence therefore still runs after some of its steps were removed.
struct Operation: Hashable, Sendable, CustomStringConvertible {
    enum Kind: String, CaseIterable, Sendable {
        case insert, number, text, author, addWork, removeWork, link, unlink, replace, reorder
        case delete, fetch, query, verify, existing, refresh, refreshAll, forget, obtain, process
        case rework, reworkAndSave
        case save, fail, rollback, reset, undo, redo

        /// The relative probability of drawing this kind.
        var weight: Int {
            switch self {
            case .insert: 10
            case .number, .text, .author: 6
            case .addWork, .removeWork, .link, .unlink: 4
            case .delete, .query: 4
            case .save: 9
            case .rework: 6
            case .undo, .redo, .replace, .reworkAndSave: 3
            case .reorder, .existing, .fail, .fetch, .verify, .refresh, .process: 2
            case .refreshAll, .forget, .obtain, .rollback, .reset: 1
            }
        }

        static let drawn = allCases.flatMap { Array(repeating: $0, count: $0.weight) }
    }

    let kind: Kind
    /// The numbers select a context, an object, and a value or a second object.
    let context: Int
    let subject: Int
    let value: Int

    var description: String { "\(kind.rawValue)(\(context), \(subject), \(value))" }

    init(kind: Kind, context: Int, subject: Int, value: Int) {
        self.kind = kind
        self.context = context
        self.subject = subject
        self.value = value
    }

    init(using random: inout SeededRandom) {
        kind = Kind.drawn[random.next(below: Kind.drawn.count)]
        context = random.next(below: 4)
        subject = random.next(below: 1 << 16)
        value = random.next(below: 1 << 16)
    }
}

/// The configuration of a sequence. It defines the parents of contexts, and how saves reach other
/// contexts.
struct Arrangement: Hashable, Sendable, CustomStringConvertible {
    enum Delivery: String, CaseIterable, Sendable {
        /// Each other context merges the did-save notification by an explicit call.
        case notification
        /// The ids of the save are merged into all other contexts.
        case remote
        /// Contexts of the coordinator merge automatically.
        case automatic
    }

    /// The parent of each context; nil for a context that saves to the store.
    let parents: [Int?]
    let delivery: Delivery
    var isOrdered = false
    var retainsObjects = false
    /// Whether children merge the saves of their parents automatically.
    var mergesInChildren = false
    /// Whether the store is an in-memory store without SQLite.
    var isInMemory = false

    var description: String {
        let names = parents.enumerated().map { number, parent in
            parent.map { "\(number) in \($0)" } ?? "\(number)"
        }
        return "contexts \(names.joined(separator: ", ")), \(delivery.rawValue) delivery"
            + (isOrdered ? ", ordered" : "") + (retainsObjects ? ", retaining" : "")
            + (mergesInChildren ? ", merging children" : "") + (isInMemory ? ", in memory" : "")
    }

    static let shapes: [[Int?]] = [
        [nil], [nil, nil], [nil, 0], [nil, nil, 0], [nil, 0, 0], [nil, 0, 1],
        [nil, nil, nil, nil], [nil, nil, 0, 1], [nil, nil, 0, 2], [nil, 0, 0, 1], [nil, 0, 1, 2],
    ]

    init(parents: [Int?], delivery: Delivery) {
        self.parents = parents
        self.delivery = delivery
    }

    init(using random: inout SeededRandom) {
        parents = Self.shapes[random.next(below: Self.shapes.count)]
        delivery = Delivery.allCases[random.next(below: Delivery.allCases.count)]
        isOrdered = random.next(below: 3) == 0
        retainsObjects = random.next(below: 6) == 0
        mergesInChildren = random.next(below: 3) == 0
        isInMemory = random.next(below: 3) == 0
    }

    func descendants(of context: Int) -> [Int] {
        parents.indices.filter { ancestors(of: $0).contains(context) }
    }

    /// The ancestors, beginning with the parent.
    func ancestors(of context: Int) -> [Int] {
        var result: [Int] = []
        var next = parents[context]
        while let parent = next {
            result.append(parent)
            next = parents[parent]
        }
        return result
    }

    func root(of context: Int) -> Int { ancestors(of: context).last ?? context }
}

/// SplitMix64. Equal seeds result in equal numbers on every machine.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func next(below bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
