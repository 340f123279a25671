import ContextHistory

/// Collects the units of a history, with their reads and writes, in one pass.
///
/// The version of a row usually shows which writes a read has seen. If a write keeps the version,
/// the time and the value of the read decide.
struct DependencyBuilder {
    /// A property of an object.
    struct Item: Hashable {
        let object: ObjectName
        let slot: Int
    }

    struct Read {
        let version: Int
        let value: ObservedValue
        let position: Int
    }

    /// A write that reached the store, or that a save dropped in favour of the next write.
    struct Install {
        let unit: Int
        /// The version of the row after the write.
        let version: Int
        let value: ObservedValue
        let position: Int
        let movesVersion: Bool
        var isDropped = false
        var isDelete = false
        /// Whether another unit replaced the value in a parent context before the parent saved it.
        var isReplacedUnsaved = false

        func isSeen(by read: Read) -> Bool {
            if version > read.version { return false }
            return movesVersion || position < read.position && value == read.value
        }
    }

    /// An unsaved value of a context.
    private struct Pending {
        /// The units that have set the value, the last one at the end. There are several if
        /// children have saved their values into this context.
        var authors: [Int]
        var value: ObservedValue
        /// The rows from which the last author has computed the value.
        var basis: [Item: Read] = [:]
        /// The units that have read the value in a child context.
        var readers: [Int] = []
    }

    struct Look {
        let unit: Int
        let position: Int
        let entity: Int
        let query: String
        let isWhole: Bool
        let found: Set<ObjectName>
        let equals: [Int: ObservedValue]
    }

    let schema: History.Schema
    private(set) var units: [WorkUnit] = []
    private(set) var installs: [Item: [Install]] = [:]
    private(set) var reads: [Int: [Item: [Read]]] = [:]
    private(set) var looks: [Look] = []
    /// The changes of rows that can change the result of a search.
    private(set) var rowChanges: [Int: [(unit: Int, position: Int, change: Save.Change)]] = [:]
    private(set) var unsaved: [Dependency] = []
    private var endings: [(reader: Int, author: Int, item: Item, isDropped: Bool)] = []
    private var open: [String: Int] = [:]
    private var pending: [String: [Item: Pending]] = [:]
    private var current: [String: [Item: Read]] = [:]
    private var position = 0

    init(_ schema: History.Schema) { self.schema = schema }

    func name(_ item: Item) -> String {
        "\(item.object.alias).\(schema.key(item.slot, of: item.object.entity))"
    }

    /// The values in a fixed order, so that equal histories have equal cycles.
    private func sorted<Value>(_ values: [Item: Value]) -> [(key: Item, value: Value)] {
        values.sorted { name($0.key) < name($1.key) }
    }

    // MARK: Units

    private mutating func unit(_ entry: History.Entry) -> Int {
        let unit = open[entry.context] ?? add(entry.context)
        open[entry.context] = unit
        if units[unit].steps.last != entry.step { units[unit].steps.append(entry.step) }
        return unit
    }

    private mutating func add(_ context: String) -> Int {
        units.append(WorkUnit(context: context))
        return units.count - 1
    }

    private mutating func close(_ context: String) {
        if let unit = open.removeValue(forKey: context) {
            for (item, read) in current[context] ?? [:] {
                reads[unit, default: [:]][item, default: []].append(read)
            }
        }
        current[context] = nil
    }

    // MARK: Events

    mutating func visit(_ entry: History.Entry) {
        position += 1
        switch entry.event {
        case .read(let object, let key, let value, let version):
            guard let slot = schema.slot(key, of: object.entity) else { return }
            read(Item(object: object, slot: slot), value, version, entry)
        case .write(let object, let key, let value, let basis):
            guard let slot = schema.slot(key, of: object.entity) else { return }
            write(Item(object: object, slot: slot), value, basis, entry)
        case .looked(let entity, let query, let found, let count, let equals):
            looks.append(
                Look(
                    unit: unit(entry), position: position, entity: entity, query: query,
                    isWhole: found.count == count, found: Set(found), equals: equals))
        case .saved(let save): saved(save, entry)
        case .wroteOutside(let changes): outside(changes, entry)
        case .dropped: drop(entry)
        case .refreshed(let object, let keepsChanges):
            forget(entry.context) { object == nil || $0.object == object }
            if !keepsChanges, let object {
                pending[entry.context] = pending[entry.context]?.filter { $0.key.object != object }
            }
        case .merged(let merge):
            let objects = Set(merge.inserted + merge.updated + merge.deleted)
            forget(entry.context) { objects.contains($0.object) }
        default: break
        }
    }

    /// Removes the reads that a context replaced by newer rows.
    private mutating func forget(_ context: String, _ isReplaced: (Item) -> Bool) {
        current[context] = current[context]?.filter { !isReplaced($0.key) }
    }

    private mutating func read(
        _ item: Item, _ value: ObservedValue, _ version: Int, _ entry: History.Entry
    ) {
        let reader = unit(entry)
        var holder: String? = entry.context
        while let context = holder {
            if let held = pending[context]?[item], context == entry.context || held.value == value {
                for author in held.authors.suffix(1) where author != reader {
                    unsaved.append(
                        Dependency(
                            kind: .writeRead, from: author, to: reader, .unsaved(name(item))))
                }
                if context != entry.context {
                    pending[context]?[item]?.readers.append(reader)
                }
                return
            }
            holder = schema.parents[context]
        }
        if version > 0 {
            current[entry.context, default: [:]][item] = Read(
                version: version, value: value, position: position)
        }
    }

    private mutating func write(
        _ item: Item, _ value: ObservedValue, _ basis: WriteBasis, _ entry: History.Entry
    ) {
        let author = unit(entry)
        let rows = rows(of: basis, entry.context)
        guard var held = pending[entry.context]?[item] else {
            pending[entry.context, default: [:]][item] = Pending(
                authors: [author], value: value, basis: rows)
            return
        }
        if held.value != value {
            for reader in held.readers where reader != author {
                endings.append((reader, held.authors.last ?? author, item, false))
            }
            held.readers = []
        }
        note(author, in: &held, item)
        held.value = value
        held.basis = rows
        pending[entry.context]?[item] = held
    }

    /// The rows from which a value was computed, directly or through unsaved values of the context.
    private func rows(of basis: WriteBasis, _ context: String) -> [Item: Read] {
        guard case .computed(let readings) = basis else { return [:] }
        var rows: [Item: Read] = [:]
        for reading in readings {
            guard let slot = schema.slot(reading.key, of: reading.object.entity) else { continue }
            let item = Item(object: reading.object, slot: slot)
            let held = pending[context]?[item]
            if let held, held.value == reading.value {
                rows.merge(held.basis) { old, _ in old }
            } else if reading.version > 0, !isUnsaved(reading.value, item, above: context) {
                rows[item] = Read(
                    version: reading.version, value: reading.value, position: position)
            }
        }
        return rows
    }

    private func isUnsaved(_ value: ObservedValue, _ item: Item, above context: String) -> Bool {
        var holder = schema.parents[context]
        while let parent = holder {
            if pending[parent]?[item]?.value == value { return true }
            holder = schema.parents[parent]
        }
        return false
    }

    private mutating func note(_ author: Int, in held: inout Pending, _ item: Item) {
        guard let last = held.authors.last, last != author else { return }
        unsaved.append(Dependency(kind: .writeWrite, from: last, to: author, .unsaved(name(item))))
        held.authors.append(author)
    }

    private mutating func drop(_ entry: History.Entry) {
        let held = pending.removeValue(forKey: entry.context) ?? [:]
        for (item, value) in sorted(held) {
            for author in value.authors { units[author].isAborted = true }
            for reader in value.readers {
                endings.append((reader, value.authors.last ?? reader, item, true))
            }
        }
        close(entry.context)
    }

    // MARK: Saves

    private mutating func saved(_ save: Save, _ entry: History.Entry) {
        if let batch = save.batch { return batched(save, batch, entry) }
        let unit = unit(entry)
        units[unit].savedIn = entry.step
        let held = pending.removeValue(forKey: entry.context) ?? [:]
        for (_, value) in sorted(held) where value.authors.last == unit {
            for (row, read) in value.basis { note(read, of: row, unit) }
        }
        if case .parent(let parent) = save.target {
            handOver(held, unit, to: parent)
        } else {
            for change in save.changes { install(change.known, held, unit) }
            installVanished(held, written: Set(save.changes.map(\.object)))
        }
        close(entry.context)
    }

    private mutating func note(_ read: Read, of item: Item, _ unit: Int) {
        reads[unit, default: [:]][item, default: []].append(read)
    }

    private mutating func handOver(_ held: [Item: Pending], _ unit: Int, to parent: String) {
        for (item, value) in sorted(held) {
            guard var old = pending[parent]?[item] else {
                pending[parent, default: [:]][item] = value
                continue
            }
            for author in value.authors { note(author, in: &old, item) }
            old.value = value.value
            old.basis = [:]
            pending[parent]?[item] = old
        }
    }

    private mutating func install(_ change: Save.Change, _ held: [Item: Pending], _ unit: Int) {
        if change.before != change.after {
            rowChanges[change.object.entity, default: []].append((unit, position, change))
        }
        let wanted = Dictionary(change.wanted.map { ($0.slot, $0.value) }) { first, _ in first }
        for slot in schema.entities[change.object.entity].keys.indices {
            let item = Item(object: change.object, slot: slot)
            let authors = held[item]?.authors ?? [unit]
            guard let after = change.after, change.before != nil || change.base == nil else {
                remove(item, change, wanted[slot] == nil ? nil : authors, unit)
                continue
            }
            let (old, new) = (change.before?.values[slot], after.values[slot])
            if let value = wanted[slot] {
                if value == new || change.decided.contains(slot) {
                    if change.decided.contains(slot), let before = change.before {
                        forgetReads(of: item, unit)
                        note(
                            Read(version: before.version, value: old ?? .none, position: position),
                            of: item, unit)
                    }
                    write(item, authors, after.version, new, moves: change.movesVersion)
                } else {
                    drop(item, authors, change)
                }
            } else if old != new || change.before == nil {
                // The policy has written the context's copy of a value that the context did not
                // change.
                if let base = change.base {
                    note(
                        Read(
                            version: base.version, value: base.values[slot], position: position),
                        of: item, unit)
                }
                write(item, authors, after.version, new, moves: change.movesVersion)
            }
        }
    }

    private mutating func forgetReads(of item: Item, _ unit: Int) {
        reads[unit]?[item] = nil
        for context in current.keys where open[context] == unit { current[context]?[item] = nil }
    }

    private mutating func write(
        _ item: Item, _ authors: [Int], _ version: Int, _ value: ObservedValue, moves: Bool
    ) {
        for author in authors {
            installs[item, default: []].append(
                Install(
                    unit: author, version: version, value: value, position: position,
                    movesVersion: moves, isReplacedUnsaved: author != authors.last))
        }
    }

    /// - Parameter authors: the units that have changed this property; nil if none has.
    private mutating func remove(
        _ item: Item, _ change: Save.Change, _ authors: [Int]?, _ unit: Int
    ) {
        if let authors, !change.isDelete { return drop(item, authors, change) }
        guard let before = change.before, change.after == nil else { return }
        installs[item, default: []].append(
            Install(
                unit: unit, version: before.version + 1, value: .none, position: position,
                movesVersion: true, isDelete: true))
    }

    /// A dropped change counts as written immediately before the value that the row already had.
    private mutating func drop(_ item: Item, _ authors: [Int], _ change: Save.Change) {
        var all = installs[item] ?? []
        guard let last = all.last, last.version > change.base?.version ?? 0 else { return }
        for author in authors where author != last.unit {
            all.insert(
                Install(
                    unit: author, version: last.version, value: last.value, position: position,
                    movesVersion: last.movesVersion, isDropped: true), at: all.count - 1)
        }
        installs[item] = all
    }

    /// Adds a write for each computed value that a save skips, because the row already has an equal
    /// value.
    private mutating func installVanished(_ held: [Item: Pending], written: Set<ObjectName>) {
        for (item, value) in held where !written.contains(item.object) && !value.basis.isEmpty {
            guard let last = installs[item]?.last, last.value == value.value else { continue }
            write(item, value.authors, last.version, last.value, moves: false)
        }
    }

    private mutating func batched(
        _ save: Save, _ batch: [String: WriteBasis], _ entry: History.Entry
    ) {
        let unit = add(entry.context)
        units[unit].steps = [entry.step]
        units[unit].savedIn = entry.step
        for (_, basis) in batch.sorted(by: { $0.key < $1.key }) {
            for (item, read) in rows(of: basis, entry.context) { note(read, of: item, unit) }
        }
        for change in save.changes { install(change.known, [:], unit) }
    }

    private mutating func outside(_ changes: [Save.Change], _ entry: History.Entry) {
        let unit = add(History.outsider)
        units[unit].steps = [entry.step]
        units[unit].savedIn = entry.step
        for change in changes { install(change.known, [:], unit) }
    }

    // MARK: The result

    /// The units and their dependencies. Units whose changes were dropped have no dependencies.
    mutating func graph() -> ([WorkUnit], [Dependency]) {
        for context in open.keys.sorted() { close(context) }
        let all = unsaved + itemDependencies() + SearchDependencies(self).all()
        var known: Set<Dependency> = []
        let kept = all.filter {
            $0.from != $0.to && !units[$0.from].isAborted && !units[$0.to].isAborted
                && known.insert($0).inserted
        }
        return (units, kept)
    }

    private func itemDependencies() -> [Dependency] {
        var found: [Dependency] = []
        let items = installs.keys.sorted { name($0) < name($1) }
        for item in items {
            let all = installs[item] ?? []
            for (old, new) in zip(all, all.dropFirst()) {
                found.append(
                    Dependency(
                        kind: .writeWrite, from: old.unit, to: new.unit, ground(item, old, new)))
            }
        }
        for (reader, own) in reads.sorted(by: { $0.key < $1.key }) {
            for (item, all) in sorted(own) {
                for read in all { found += dependencies(of: read, item, reader) }
            }
        }
        return found
    }

    private func ground(_ item: Item, _ old: Install, _ new: Install) -> Dependency.Ground {
        if old.isReplacedUnsaved { return .unsaved(name(item)) }
        if old.isDropped { return .dropped(name(item), new.version) }
        return .item(
            name(item), first: old.version, second: new.isDelete ? nil : new.version)
    }

    private func dependencies(of read: Read, _ item: Item, _ reader: Int) -> [Dependency] {
        let all = installs[item] ?? []
        let seen = all.lastIndex { $0.isSeen(by: read) }
        var found: [Dependency] = []
        if let seen {
            found.append(
                Dependency(
                    kind: .writeRead, from: all[seen].unit, to: reader,
                    .item(name(item), first: all[seen].version, second: all[seen].version)))
        }
        let next = seen.map { $0 + 1 } ?? 0
        if next < all.count {
            let new = all[next]
            found.append(
                Dependency(
                    kind: .readWrite, from: reader, to: new.unit,
                    new.isReplacedUnsaved
                        ? .unsaved(name(item))
                        : .item(
                            name(item), first: read.version,
                            second: new.isDelete ? nil : new.version)))
        }
        return found
    }

    func unsavedReads() -> [Cycle] {
        var known: Set<Cycle> = []
        return endings.compactMap { ending in
            let (name, adya) =
                ending.isDropped ? ("dirty read", "G1a") : ("intermediate read", "G1b")
            let link = Dependency(
                kind: .writeRead, from: ending.author, to: ending.reader,
                .unsaved(self.name(ending.item)))
            let cycle = Cycle([link], in: units, name: name, adya: adya)
            return known.insert(cycle).inserted ? cycle : nil
        }
    }
}

extension Save.Change {
    fileprivate var movesVersion: Bool { after?.version != before?.version }
}
