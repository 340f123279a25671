/// Reads of one sort that follow one fetch.
///
/// The report's maker asks for them once.
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
    var lines: [Int] = []
    var shape: Int?

    private static let linesMax = 8

    mutating func add(_ access: Access) {
        count += 1
        nanoseconds &+= access.nanoseconds
        if lines.count < Self.linesMax { lines.append(access.line) }
        shape = shape ?? access.shape
    }

    /// All chains of a log, threads apart, in the order of their first lines.
    static func all(_ accesses: [Access], _ content: LogContent, _ names: EntityNames) -> [Chain] {
        var walks: [String?: ChainWalk] = [:]
        for access in accesses {
            walks[access.thread, default: ChainWalk(content: content, names: names)].take(access)
        }
        return walks.values.flatMap(\.chains).sorted {
            ($0.lines.first ?? 0, $1.count) < ($1.lines.first ?? 0, $0.count)
        }
    }
}

/// Walks what one thread read.
private struct ChainWalk {
    let content: LogContent
    let names: EntityNames
    private(set) var chains: [Chain] = []
    private var numbers: [Key: Int] = [:]
    private var sources: [Source] = []
    private var nextSource = 0

    private struct Key: Hashable {
        var kind: Chain.Kind
        var source: Int?
    }

    /// Something that gave objects whose faults may fire next.
    private struct Source {
        var number: Int
        var root: Access
        var rootNumber: Int
        /// Empty where it is not known.
        var entity: String
        var path: [String]
        var columns: [String]
        /// The relationship whose faults gave them.
        var toMany: (entity: String, relationship: String)?
        /// The chain that these objects' own faults belong to.
        var chain: Int?
    }

    private static let sourcesMax = 24

    init(content: LogContent, names: EntityNames) {
        self.content = content
        self.names = names
    }

    mutating func take(_ access: Access) {
        switch access.kind {
        case .fetch: takeFetch(access)
        case .prefetch(let path): takePrefetch(path, access)
        case .toManyFault(let relationship): takeToMany(relationship, access)
        case .fault: takeFault(access)
        }
    }

    // MARK: Fetches

    private mutating func takeFetch(_ access: Access) {
        if let shape = access.shape, content.shapes[shape].isByValue || isOneOfMany(shape) {
            let origin = sources.last { $0.root.shape != shape && $0.rootNumber == $0.number }
            let large = origin.flatMap { ($0.root.rows ?? 0) >= 2 ? $0 : nil }
            let chain = chain(.fetch(shape: shape), from: large, path: nil)
            chains[chain].add(access)
        }
        let old = Set(
            sources.filter { $0.root.shape == access.shape && $0.number == $0.rootNumber }
                .map(\.number))
        sources.removeAll { old.contains($0.rootNumber) }
        add(
            Source(
                number: nextSource, root: access, rootNumber: nextSource, entity: access.entity,
                path: [], columns: columns(access)))
    }

    private func isOneOfMany(_ shape: Int) -> Bool {
        content.shapes[shape].hasLimit && content.shapes[shape].hasWhere
            && !content.shapes[shape].readsArray
    }

    private mutating func takePrefetch(_ path: String, _ access: Access) {
        guard let root = sources.last(where: { $0.number == $0.rootNumber }) else { return }
        add(
            Source(
                number: nextSource, root: root.root, rootNumber: root.number,
                entity: access.entity, path: path.split(separator: ".").map(String.init),
                columns: columns(access)))
    }

    // MARK: Faults

    private mutating func takeToMany(_ relationship: String, _ access: Access) {
        let source =
            sources.last { names.isSameFamily($0.entity, access.entity) }
            ?? sources.last { isCutOff($0) }
        let kind = Chain.Kind.toMany(entity: access.entity, relationship: relationship)
        let path = source.map { $0.path + [relationship] }
        let isNew = numbers[Key(kind: kind, source: source?.number)] == nil
        let number = chain(kind, from: source, path: path)
        chains[number].add(access)
        guard isNew, let source, let path else { return }
        let destination = names.destination(of: relationship, from: access.entity)
        add(
            Source(
                number: nextSource, root: source.root, rootNumber: source.rootNumber,
                entity: destination ?? "", path: path, columns: columns(access),
                toMany: (access.entity, relationship)))
    }

    private mutating func takeFault(_ access: Access) {
        guard let (source, path) = origin(ofFault: access) else {
            chains[chain(.object(entity: access.entity), from: nil, path: nil)].add(access)
            return
        }
        if let known = source.chain, path == source.path {
            chains[known].add(access)
            return
        }
        let isOwn = path == [] && source.toMany == nil
        let kind: Chain.Kind =
            isOwn ? .own(entity: access.entity) : .object(entity: access.entity)
        let isNew = numbers[Key(kind: kind, source: source.number)] == nil
        let number = chain(kind, from: source, path: path)
        chains[number].add(access)
        guard isNew, let path, !path.isEmpty else { return }
        add(
            Source(
                number: nextSource, root: source.root, rootNumber: source.rootNumber,
                entity: access.entity, path: path, columns: columns(access), chain: number))
    }

    /// Where a faulting object came from, and the way to it from what was fetched.
    private func origin(ofFault access: Access) -> (Source, [String]?)? {
        for source in sources.reversed() {
            if let (entity, relationship) = source.toMany {
                if names.mayLead(relationship, from: entity, to: access.entity) {
                    return (source, source.path)
                }
            } else if names.isSameFamily(source.entity, access.entity) {
                return (source, source.path)
            }
            let ways = names.toOne(
                from: source.entity, to: access.entity, columns: source.columns)
            if let way = ways.first { return (source, source.path + [way]) }
        }
        let unknown = sources.last { $0.toMany != nil && $0.entity.isEmpty }
        if let unknown { return (unknown, unknown.path) }
        return sources.last { $0.number == $0.rootNumber && ($0.root.rows ?? 2) >= 2 }
            .map { ($0, nil) }
    }

    // MARK: Parts

    /// Whether the fetch's entity was cut off, so that it may be any.
    private func isCutOff(_ source: Source) -> Bool {
        source.entity.isEmpty && source.number == source.rootNumber
            && source.root.rows ?? 2 >= 2
    }

    private mutating func chain(
        _ kind: Chain.Kind, from source: Source?, path: [String]?
    ) -> Int {
        let key = Key(kind: kind, source: source?.number)
        if let known = numbers[key] { return known }
        chains.append(Chain(kind: kind, origin: source?.root, path: path))
        numbers[key] = chains.count - 1
        return chains.count - 1
    }

    private mutating func add(_ source: Source) {
        nextSource += 1
        sources.append(source)
        if sources.count > Self.sourcesMax { sources.removeFirst() }
    }

    private func columns(_ access: Access) -> [String] {
        access.shape.map { content.shapes[$0].columns } ?? []
    }
}
