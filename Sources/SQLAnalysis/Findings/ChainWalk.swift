/// Follows the reads of one thread and builds chains: reads that one fetch caused.
///
/// Only a fixed number of recent fetches is kept, so the memory does not grow with the log.
struct ChainWalk: Sendable {
    /// The statements and names that the log has shown so far.
    struct Knowledge {
        let catalog: ShapeCatalog
        let names: EntityNames
    }

    /// The results of processing one thread's reads.
    struct Findings: Sendable {
        var chains: [Chain] = []
        /// Fetches that returned only keys, and whose objects were never read.
        var unread: [Access] = []
    }

    private(set) var findings = Findings()
    private var open: [Key: Chain] = [:]
    private var keys: [Int: [Key]] = [:]
    /// The keys of chains without an origin.
    private var loose: [Key] = []
    private var sources: [Source] = []
    private var nextSource = 0
    /// The number of reads of this thread so far.
    private var number = 0
    /// The position in the log at which this walk was last used.
    var lastUse = 0

    private struct Key: Hashable {
        var kind: Chain.Kind
        var source: Int?
    }

    /// A read whose objects may fire their faults later.
    private struct Source {
        var number: Int
        var root: Access
        var rootNumber: Int
        /// The name of the entity; empty if unknown.
        var entity: String
        var path: [String]
        var columns: [String]
        var isBatch = false
        var isPrefetch = false
        var isRead = false
        /// The to-many relationship whose fault returned the objects; nil for other reads.
        var toMany: (entity: String, relationship: String)?
        /// The chain to which later faults of these objects belong.
        var chain: Key?

        var isRoot: Bool { number == rootNumber }
        var isFetch: Bool { isRoot || isBatch }
    }

    private static let sourcesMax = 24

    mutating func take(_ access: Access, _ known: Knowledge) {
        number += 1
        switch access.kind {
        case .count: takeLookUp(access)
        case .fetch: takeFetch(access, known)
        case .batch: takeBatch(access, known)
        case .prefetch(let path): takePrefetch(path, access, known)
        case .toManyFault(let relationship): takeToMany(relationship, access, known)
        case .fault: takeFault(access, known)
        }
    }

    /// Processes a write, which may use the objects of a fetch that returned only keys.
    mutating func takeWrite(table: String) { markRead(table: table) }

    mutating func finish() {
        for source in sources { end(source) }
        sources = []
        for key in loose where open[key] != nil { end(key) }
    }

    mutating func drain() -> Findings? {
        guard !findings.chains.isEmpty || !findings.unread.isEmpty else { return nil }
        defer { findings = Findings() }
        return findings
    }

    // MARK: Fetches

    private mutating func takeFetch(_ access: Access, _ known: Knowledge) {
        takeLookUp(access)
        let old = Set(
            sources.filter { $0.root.shape == access.shape && $0.isRoot }.map(\.number))
        for source in sources where old.contains(source.rootNumber) { end(source) }
        sources.removeAll { old.contains($0.rootNumber) }
        add(
            Source(
                number: nextSource, root: access, rootNumber: nextSource, entity: access.entity,
                path: [], columns: columns(access, known)))
    }

    /// Processes a read that may be part of a loop over an earlier fetch.
    private mutating func takeLookUp(_ access: Access) {
        guard access.isLookUp, let shape = access.shape else { return }
        let origin = sources.last { $0.root.shape != shape && $0.isRoot }
        let large = origin.flatMap { ($0.root.rows ?? 0) >= 2 ? $0 : nil }
        let kind = Chain.Kind.fetch(shape: shape)
        let before = Key(kind: kind, source: large?.number)
        if open[before]?.isOver(before: access, number: number) == true { end(before) }
        open[key(kind, from: large, path: nil)]?.add(access, number: number)
    }

    /// Processes a read of a page of objects. It belongs to the fetch that returned the keys,
    /// because the program would request a prefetch there.
    private mutating func takeBatch(_ access: Access, _ known: Knowledge) {
        markRead(table: access.table)
        takeLookUp(access)
        let root = sources.last {
            $0.isRoot && $0.root.table == access.table
                && $0.root.shape.map { known.catalog[$0].isKeysOnly } ?? false
        }
        guard let root else { return }
        guard !sources.contains(where: { $0.isBatch && $0.rootNumber == root.number })
        else { return }
        add(
            Source(
                number: nextSource, root: root.root, rootNumber: root.number,
                entity: root.entity, path: [], columns: columns(access, known), isBatch: true))
    }

    private mutating func takePrefetch(_ path: String, _ access: Access, _ known: Knowledge) {
        guard let root = sources.last(where: \.isRoot) else { return }
        add(
            Source(
                number: nextSource, root: root.root, rootNumber: root.number,
                entity: access.entity, path: path.split(separator: ".").map(String.init),
                columns: columns(access, known), isPrefetch: true))
    }

    private mutating func markRead(table: String?) {
        for index in sources.indices where sources[index].root.table == table {
            sources[index].isRead = true
        }
    }

    // MARK: Faults

    private mutating func takeToMany(
        _ relationship: String, _ access: Access, _ known: Knowledge
    ) {
        markRead(table: access.table)
        let source =
            sources.last { known.names.isSameFamily($0.entity, access.entity) }
            ?? sources.last { isCutOff($0) }
        let kind = Chain.Kind.toMany(entity: access.entity, relationship: relationship)
        let path = source.map { $0.path + [relationship] }
        let isNew = open[Key(kind: kind, source: source?.number)] == nil
        let key = key(kind, from: source, path: path)
        open[key]?.add(access, number: number)
        guard isNew, let source, let path else { return }
        let destination = known.names.destination(of: relationship, from: access.entity)
        add(
            Source(
                number: nextSource, root: source.root, rootNumber: source.rootNumber,
                entity: destination ?? "", path: path, columns: columns(access, known),
                toMany: (access.entity, relationship)))
    }

    private mutating func takeFault(_ access: Access, _ known: Knowledge) {
        markRead(table: access.table)
        guard let (source, path) = origin(ofFault: access, known) else {
            let key = key(.object(entity: access.entity), from: nil, path: nil)
            open[key]?.add(access, number: number)
            return
        }
        if let chain = source.chain, path == source.path, open[chain] != nil {
            open[chain]?.add(access, number: number)
            return
        }
        let isOwn = path == [] && source.toMany == nil
        let wasRead =
            path == source.path
            && (source.isPrefetch || isOwn && hasRead(source, access, known))
        let kind: Chain.Kind =
            isOwn ? .own(entity: access.entity) : .object(entity: access.entity)
        let isNew = open[Key(kind: kind, source: source.number)] == nil
        let key = key(kind, from: source, path: path)
        open[key]?.add(access, number: number)
        if isNew { open[key]?.wasRead = wasRead }
        guard isNew, let path, !path.isEmpty else { return }
        add(
            Source(
                number: nextSource, root: source.root, rootNumber: source.rootNumber,
                entity: access.entity, path: path, columns: columns(access, known), chain: key))
    }

    /// The read that returned the object of a fault, and the key path from the fetched objects to
    /// this object.
    private func origin(
        ofFault access: Access, _ known: Knowledge
    ) -> (Source, [String]?)? {
        let names = known.names
        for source in sources.reversed() {
            if let (entity, relationship) = source.toMany {
                if names.mayLead(relationship, from: entity, to: access.entity) {
                    return (source, source.path)
                }
            } else if names.isSameFamily(source.entity, access.entity) {
                // A fetch of all values returns no faults. If its entity has a to-one relationship
                // to the fault's entity, the fault is at the end of that relationship.
                let isWhole = source.isFetch && hasRead(source, access, known)
                let way = isWhole ? toOne(source, access, names) : nil
                return (source, source.path + (way.map { [$0] } ?? []))
            }
            if let way = toOne(source, access, names) { return (source, source.path + [way]) }
        }
        for source in sources.reversed() {
            let way = names.toMany(from: source.entity, to: access.entity)
            if let way { return (source, source.path + [way]) }
        }
        let unknown = sources.last { $0.toMany != nil && $0.entity.isEmpty }
        if let unknown { return (unknown, unknown.path) }
        return sources.last { $0.isRoot && ($0.root.rows ?? 2) >= 2 }.map { ($0, nil) }
    }

    private func toOne(_ source: Source, _ access: Access, _ names: EntityNames) -> String? {
        names.toOne(from: source.entity, to: access.entity, columns: source.columns)
    }

    /// Whether the source had already read every column that the fault reads.
    private func hasRead(_ source: Source, _ access: Access, _ known: Knowledge) -> Bool {
        let shapes = [source.root.shape, access.shape].compactMap { $0 }
        let isWhole = shapes.count == 2 && shapes.allSatisfy { !known.catalog[$0].hasGap }
        let needed = columns(access, known)
        return isWhole && !needed.isEmpty && Set(needed).isSubset(of: source.columns)
    }

    // MARK: Parts

    /// Whether this is a fetch whose entity is unknown because its line was cut off.
    private func isCutOff(_ source: Source) -> Bool {
        source.entity.isEmpty && source.isRoot && source.root.rows ?? 2 >= 2
    }

    /// The key of the open chain of this kind. If no such chain exists, creates it.
    private mutating func key(
        _ kind: Chain.Kind, from source: Source?, path: [String]?
    ) -> Key {
        let key = Key(kind: kind, source: source?.number)
        guard open[key] == nil else { return key }
        open[key] = Chain(kind: kind, origin: source?.root, path: path)
        if let number = source?.number {
            keys[number, default: []].append(key)
        } else if !loose.contains(key) {
            loose.append(key)
        }
        return key
    }

    private mutating func add(_ source: Source) {
        nextSource += 1
        sources.append(source)
        // The oldest source is discarded to limit memory. It counts as read, because its objects
        // may be read later.
        if sources.count > Self.sourcesMax {
            sources[0].isRead = true
            end(sources.removeFirst())
        }
    }

    private mutating func end(_ source: Source) {
        for key in keys.removeValue(forKey: source.number) ?? [] { end(key) }
        if source.isRoot, !source.isRead { findings.unread.append(source.root) }
    }

    private mutating func end(_ key: Key) {
        guard var chain = open.removeValue(forKey: key) else { return }
        chain.checkOrigin()
        findings.chains.append(chain)
    }

    private func columns(_ access: Access, _ known: Knowledge) -> [String] {
        access.shape.map { known.catalog[$0].columns } ?? []
    }
}
