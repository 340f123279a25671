/// Reads of one sort that follow one fetch.
///
/// The walk over what a thread read makes them.
struct Chain: Sendable {
    enum Kind: Hashable, Sendable {
        case toMany(entity: String, relationship: String)
        case object(entity: String)
        /// The fetched objects' own faults.
        case own(entity: String)
        /// A fetch in a loop.
        case fetch(shape: Int)
    }

    var kind: Kind
    /// The fetch that it started from.
    var origin: Access?
    /// The way from the fetched objects to these.
    var path: [String]?
    var count = 0
    var nanoseconds: UInt64 = 0
    var lines = FirstLines()
    var shape: Int?

    mutating func add(_ access: Access) {
        count += 1
        nanoseconds &+= access.nanoseconds
        lines.add(access.line)
        shape = shape ?? access.shape
    }
}

/// Long chains that began at fetches of one shape and went the same way are one group.
struct ChainGroups: Sendable {
    /// From how many reads on a chain is one.
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

    /// Takes a chain that is at its end.
    mutating func add(_ chain: Chain) {
        guard chain.count >= chainMin else { return }
        let key = Key(kind: chain.kind, origin: chain.origin?.shape, path: chain.path)
        guard var group = groups[key] else {
            groups[key] = Group(chain: chain)
            return
        }
        group.chain.count += chain.count
        group.chain.nanoseconds &+= chain.nanoseconds
        group.chain.lines.add(chain.lines)
        group.places += 1
        // Threads come one after another; the first place in the log is the one that is told.
        if let line = chain.origin?.line, line < group.chain.origin?.line ?? line {
            group.chain.origin = chain.origin
        }
        groups[key] = group
    }

    /// In the order of their first lines.
    var all: [Group] {
        groups.values.sorted {
            ($0.chain.lines.lines.first ?? 0, $1.chain.count)
                < ($1.chain.lines.lines.first ?? 0, $0.chain.count)
        }
    }
}
