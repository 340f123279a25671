/// A chain of reads that one fetch caused, such as a fault for each fetched object.
struct Chain: Sendable {
    enum Kind: Hashable, Sendable {
        case toMany(entity: String, relationship: String)
        case object(entity: String)
        /// Faults of the fetched objects themselves.
        case own(entity: String)
        /// Fetches or counts in a loop.
        case fetch(shape: Int)

        var isOfLoop: Bool { if case .fetch = self { true } else { false } }
    }

    var kind: Kind
    /// The fetch that caused the chain.
    var origin: Access?
    /// The key path from the fetched objects to the objects that the chain reads.
    var path: [String]?
    var count = 0
    var nanoseconds: UInt64 = 0
    var lines = FirstLines()
    var shape: Int?
    /// Whether the fetch or a prefetch had already read the objects of the chain.
    var wasRead = false
    /// Hashes of the different reads in a loop, if the log contains their values; at most
    /// `identitiesMax`.
    private var identities: Set<UInt64> = []
    /// Whether the log lacks the values of a read in the loop.
    private(set) var hasUnknown = false
    /// The time of the last read, and its position among the reads of the thread.
    private var lastSeconds: Double?
    private var lastNumber = 0

    /// A loop without a known fetch needs this many times `chainMin` reads to be reported.
    private static let looseFactor = 4
    /// The maximum time between two reads of a loop.
    private static let secondsMax = 10.0
    private static let gapMax = 50
    private static let identitiesMax = 100

    init(kind: Kind, origin: Access?, path: [String]?) {
        self.kind = kind
        self.origin = origin
        self.path = path
    }

    /// - Parameter number: the position of the read among the reads of the thread.
    mutating func add(_ access: Access, number: Int) {
        count += 1
        nanoseconds &+= access.nanoseconds
        lines.add(access.line)
        shape = shape ?? access.shape
        lastSeconds = access.seconds
        lastNumber = number
        guard kind.isOfLoop else { return }
        guard let identity = access.identity else { return hasUnknown = true }
        if identities.count < Self.identitiesMax { identities.insert(identity) }
    }

    /// Whether the read is too far from the chain's last read to belong to the same loop.
    func isOver(before access: Access, number: Int) -> Bool {
        if origin == nil, number - lastNumber > Self.gapMax { return true }
        guard let last = lastSeconds, let seconds = access.seconds else { return false }
        return abs(seconds - last) > Self.secondsMax
    }

    /// Removes the origin if it returned too few rows to cause a loop of this length.
    mutating func checkOrigin() {
        guard kind.isOfLoop, let rows = origin?.rows, rows * Self.looseFactor < count
        else { return }
        origin = nil
    }

    /// Whether the chain is long enough to be reported. A loop of equal reads is reported as a
    /// repeated read instead.
    func isChain(from min: Int) -> Bool {
        guard kind.isOfLoop else { return count >= min }
        if origin == nil, count < min * Self.looseFactor { return false }
        return count >= min && (hasUnknown || identities.count >= (origin == nil ? min : 2))
    }
}

/// Groups chains with the same key path whose fetches differ only in their values.
struct ChainGroups: Sendable {
    let chainMin: Int

    struct Group: Sendable {
        var chain: Chain
        var places = 1
    }

    private struct Key: Hashable {
        var kind: Chain.Kind
        var origin: Int?
        var path: [String]?
    }

    private var groups: [Key: Group] = [:]

    init(chainMin: Int) { self.chainMin = chainMin }

    mutating func add(_ chain: Chain) {
        guard chain.isChain(from: chainMin) else { return }
        let key = Key(kind: chain.kind, origin: chain.origin?.shape, path: chain.path)
        guard var group = groups[key] else {
            groups[key] = Group(chain: chain)
            return
        }
        group.chain.count += chain.count
        group.chain.nanoseconds &+= chain.nanoseconds
        group.chain.lines.add(chain.lines)
        group.places += 1
        group.chain.wasRead = group.chain.wasRead && chain.wasRead
        // Chains end in any order. The fetch with the lowest line number is reported.
        if let line = chain.origin?.line, line < group.chain.origin?.line ?? line {
            group.chain.origin = chain.origin
        }
        groups[key] = group
    }

    /// The groups, sorted by their first lines.
    var all: [Group] {
        groups.values.sorted {
            ($0.chain.lines.lines.first ?? 0, $1.chain.count, $0.chain.shape ?? 0)
                < ($1.chain.lines.lines.first ?? 0, $0.chain.count, $1.chain.shape ?? 0)
        }
    }
}
