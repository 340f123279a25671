import CoreDataEngine
import CoreDataModel
import CoreDataStore
import ScenarioWriting

/// Selects the store whose contexts are part of a run.
enum RunSubject: Sendable, Hashable {
    /// The store that most contexts have used.
    case busiest
    /// The store of a context.
    case context(Int)
    case coordinator(Int)
}

/// Builds a run from logs: the operations of all contexts of one store, with names instead of
/// numbers.
struct LogReader {
    private let snapshot: LogSnapshot
    /// The index in the run of each context, by the context's number in the logs.
    private let positions: [Int: Int]
    private let numbers: [Int]
    /// The permanent keys of new objects, by temporary key.
    private var keys: [Int64: ObjectKey] = [:]
    /// The entity of each object. If entries show different entities, the most specific one.
    private var entities: [Identity: Int] = [:]

    private struct Identity: Hashable {
        let root: Int
        let key: Int64
    }

    init(_ snapshot: LogSnapshot, about subject: RunSubject = .busiest) {
        self.snapshot = snapshot
        let place =
            switch subject {
            case .busiest: Self.busiest(snapshot)
            case .context(let number): snapshot.place(of: number) ?? Self.busiest(snapshot)
            case .coordinator(let number): Optional(snapshot.place(ofCoordinator: number))
            }
        let seen = Set(snapshot.pieces.map(\.context)).filter {
            snapshot.place(of: $0) == place
        }
        var wanted = seen
        for number in seen {
            var parent = snapshot.contexts[number]?.parent
            while let above = parent, wanted.insert(above).inserted {
                parent = snapshot.contexts[above]?.parent
            }
        }
        numbers = wanted.filter { snapshot.contexts[$0] != nil }.sorted()
        positions = Dictionary(
            uniqueKeysWithValues: numbers.enumerated().map { ($1, $0) })
    }

    /// The store that most contexts have used. Of several such stores, it is the one with the most
    /// recorded words.
    private static func busiest(_ snapshot: LogSnapshot) -> String? {
        var contexts: [String: Set<Int>] = [:]
        var words: [String: Int] = [:]
        for piece in snapshot.pieces where !piece.words.isEmpty {
            guard let place = snapshot.place(of: piece.context) else { continue }
            contexts[place, default: []].insert(piece.context)
            words[place, default: 0] += piece.words.count
        }
        return contexts.max {
            ($0.value.count, words[$0.key] ?? 0, $0.key)
                < ($1.value.count, words[$1.key] ?? 0, $1.key)
        }?.key
    }

    /// - Parameters:
    ///   - name: the name of the scenario.
    ///   - reason: a sentence for the reader of the file.
    mutating func run(name: String, reason: String) -> RecordedRun {
        let all = entries()
        for entry in all { learn(entry) }
        var operations: [RecordedOperation] = []
        var saves: [Int: SaveReading] = [:]
        let commits = all.filter { $0.head.kind == .commit }
        for entry in all {
            if entry.head.kind.isAboutRows {
                read(entry, into: &saves[entry.context, default: SaveReading()])
            }
            let rows = entry.head.kind == .commit ? saves[entry.context]?.finished : nil
            guard let action = action(entry, rows ?? []) else { continue }
            add(action, entry, &operations, isOverlapped: isOverlapped(entry, commits))
        }
        var run = RecordedRun(
            name: name, reason: reason, entities: models, contexts: contexts(all),
            operations: operations, forgotten: snapshot.forgotten)
        run.beside = beside
        if let first = numbers.first.flatMap({ snapshot.contexts[$0]?.coordinator }) {
            run.store = snapshot.stores[first] ?? .sqlite
        }
        return run
    }

    /// Notes about calls that the run omits, such as calls on contexts of other stores.
    private var beside: [String] {
        let own = Set(numbers.compactMap { snapshot.contexts[$0]?.coordinator })
        var lines = snapshot.beside.filter { own.contains($0.coordinator) }.map(\.what)
        let others = Set(snapshot.pieces.filter { !$0.words.isEmpty }.map(\.context))
            .subtracting(positions.keys)
        if !others.isEmpty {
            lines.append("contexts of other stores, which are left out: \(others.count)")
        }
        return lines
    }

    private func add(
        _ action: RecordedAction, _ entry: Entry, _ operations: inout [RecordedOperation],
        isOverlapped: Bool
    ) {
        guard let position = positions[entry.context] else { return }
        operations.append(RecordedOperation(position, action, isOverlapped: isOverlapped))
    }

    /// Whether another context has saved while the operation ran.
    private func isOverlapped(_ entry: Entry, _ commits: [Entry]) -> Bool {
        let began: UInt64
        switch entry.head.kind {
        case .fetch, .count, .mergeFrom, .mergeByItself, .mergeUnknown: began = entry.word(2)
        case .call:
            guard entry.extras.indices.contains(entry.head.small),
                case .call(.watch(_, _, _, _, let start)) = entry.extras[entry.head.small]
            else { return false }
            began = start
        default: return false
        }
        let first = commits.partitioningIndex { $0.stamp > began }
        return commits[first...].prefix { $0.stamp <= entry.stamp }
            .contains { $0.context != entry.context }
    }

    // MARK: Contexts and models

    private func contexts(_ entries: [Entry]) -> [RecordedContext] {
        let policies = Self.policies(entries)
        return numbers.compactMap { snapshot.contexts[$0] }.map { facts in
            let live = facts.reference.context
            let name = live?.name ?? facts.name
            return RecordedContext(
                name, isMain: facts.isMain, parent: facts.parent.flatMap { positions[$0] },
                coordinator: facts.coordinator, policy: policies[facts.number] ?? .error,
                mergesByItself: facts.mergesByItself, hasUndo: facts.hasUndo)
        }
    }

    private static func policies(_ entries: [Entry]) -> [Int: RecordedPolicy] {
        var found: [Int: RecordedPolicy] = [:]
        for entry in entries where entry.head.kind == .beginSave && found[entry.context] == nil {
            found[entry.context] = policy(entry.head.small)
        }
        return found
    }

    private static func policy(_ number: Int) -> RecordedPolicy {
        switch NSMergePolicyType(rawValue: UInt(number)) {
        case .mergeByPropertyStoreTrumpMergePolicyType: .storeTrump
        case .mergeByPropertyObjectTrumpMergePolicyType: .objectTrump
        case .overwriteMergePolicyType: .overwrite
        case .rollbackMergePolicyType: .rollback
        default: .error
        }
    }

    private var models: [RecordedEntity] {
        let stack = numbers.first.flatMap { snapshot.contexts[$0]?.coordinator }
        return stack.flatMap { snapshot.models[$0] }.map { ModelReading.entities($0.model) } ?? []
    }

    private func layout(_ context: Int) -> ModelLayout? {
        snapshot.contexts[context].flatMap { snapshot.models[$0.coordinator]?.model.layout }
    }

    // MARK: Entries

    private struct Entry {
        let context: Int
        let stamp: UInt64
        let head: LogHead
        let words: ArraySlice<UInt64>
        let extras: [LogExtra]

        func word(_ index: Int) -> UInt64 {
            let position = words.startIndex + index
            return words.indices.contains(position) ? words[position] : 0
        }
    }

    /// All entries in the order of their events. The entries of one context keep their order.
    private func entries() -> [Entry] {
        var all: [Entry] = []
        var stamps: [Int: UInt64] = [:]
        for piece in snapshot.pieces where positions[piece.context] != nil {
            var stamp = stamps[piece.context] ?? snapshot.contexts[piece.context]?.start ?? 0
            var place = 0
            while place < piece.words.count, let head = LogHead(piece.words[place]),
                head.count > 0, place + head.count <= piece.words.count
            {
                let words = piece.words[place..<place + head.count]
                if let given = Self.stamp(head, words) { stamp = Swift.max(stamp, given) }
                all.append(
                    Entry(
                        context: piece.context, stamp: stamp, head: head, words: words,
                        extras: piece.extras))
                place += head.count
            }
            stamps[piece.context] = stamp
        }
        return all.enumerated().sorted {
            ($0.element.stamp, $0.offset) < ($1.element.stamp, $1.offset)
        }.map(\.element)
    }

    /// The time of an entry on the shared clock; nil for an entry that cannot affect other
    /// contexts.
    private static func stamp(_ head: LogHead, _ words: ArraySlice<UInt64>) -> UInt64? {
        let place: Int
        switch head.kind {
        case .read:
            guard words.count > 2 else { return nil }
            let stamp = ReadMoment(words[words.startIndex + 2]).stamp
            return stamp == 0 ? nil : stamp
        case .set, .insert, .link, .unlink, .delete, .rowBefore, .rowAfter, .rowGone, .becomes,
            .conflict, .wanted, .rowFound, .rowMissing, .decided:
            return nil
        default: place = 1
        }
        guard words.count > place else { return nil }
        let stamp = words[words.startIndex + place]
        return stamp == 0 ? nil : stamp
    }

    // MARK: Objects

    /// Collects the keys and entities of objects, so that an object has the same name in all
    /// entries.
    private mutating func learn(_ entry: Entry) {
        switch entry.head.kind {
        case .becomes:
            keys[Int64(bitPattern: entry.word(1))] = ObjectKey(packed: entry.word(2))
        case .read, .set, .insert, .lookUp, .rowBefore, .rowAfter, .rowFound, .wanted, .members,
            .fetch:
            let place = [.lookUp, .members].contains(entry.head.kind) ? 2 : 1
            let places = entry.head.kind == .fetch ? Array(4..<max(4, entry.words.count)) : [place]
            for place in places {
                let key = ObjectKey(packed: entry.word(place))
                guard let layout = layout(entry.context),
                    layout.entities.indices.contains(Int(key.entity))
                else { continue }
                let identity = identity(key, entry.context, layout)
                entities[identity] = Swift.max(entities[identity] ?? 0, Int(key.entity))
            }
        default: break
        }
    }

    private func identity(_ key: ObjectKey, _ context: Int, _ layout: ModelLayout) -> Identity {
        let now = keys[key.key] ?? key
        return Identity(
            root: layout[Int(key.entity)].rootIndex, key: now.key)
    }

    private func named(_ key: ObjectKey, _ context: Int) -> RecordedObject {
        guard let layout = layout(context), layout.entities.indices.contains(Int(key.entity)) else {
            return RecordedObject("", key.key)
        }
        let identity = identity(key, context, layout)
        return RecordedObject(
            layout[entities[identity] ?? Int(key.entity)].name, identity.key)
    }

    private func object(_ entry: Entry, at place: Int) -> RecordedObject? {
        guard entry.words.count > place else { return nil }
        return named(ObjectKey(packed: entry.word(place)), entry.context)
    }

    private func objects(_ entry: Entry, from place: Int) -> [RecordedObject] {
        entry.words.dropFirst(place).map { named(ObjectKey(packed: $0), entry.context) }
    }

    /// Replaces an object in a constant by the object's name in the run.
    private func named(_ value: RecordedValue, _ context: Int) -> RecordedValue {
        guard case .object(let object) = value, let layout = layout(context),
            let entity = layout.entities.first(where: { $0.name == object.entity })
        else { return value }
        return .object(named(ObjectKey(entity: entity.index, key: object.number), context))
    }

    // MARK: Values

    private func layout(of entry: Entry) -> EntityLayout? {
        let entity = Int(ObjectKey(packed: entry.word(1)).entity)
        guard let layout = layout(entry.context), layout.entities.indices.contains(entity) else {
            return nil
        }
        return layout[entity]
    }

    private func typed(_ value: RecordedValue, _ slot: ValueSlot) -> RecordedValue {
        if slot.kind == .boolean, case .integer(let number) = value { return .flag(number != 0) }
        return value
    }

    private func value(
        _ words: ArraySlice<UInt64>, _ slot: ValueSlot, _ context: Int
    ) -> (RecordedValue, ArraySlice<UInt64>)? {
        LogValue.read(words) { named($0, context) }.map { (typed($0.value, slot), $0.rest) }
    }

    private func row(_ entry: Entry) -> RecordedSnapshot? {
        guard let layout = layout(of: entry) else { return nil }
        var values: [String: RecordedValue] = [:]
        var rest = entry.words.dropFirst(3)
        for slot in layout.values where !rest.isEmpty {
            guard let (value, behind) = value(rest, slot, entry.context) else { break }
            if !slot.isTransient { values[slot.name] = value }
            rest = behind
        }
        return RecordedSnapshot(version: Int(entry.word(2)), values)
    }

    /// The unsaved values of an object, and the names of the properties that the program has set.
    private func wanted(_ entry: Entry) -> (values: [String: RecordedValue], named: Set<String>) {
        var values: [String: RecordedValue] = [:]
        var named: Set<String> = []
        var rest = entry.words.dropFirst(2)
        while let head = rest.first, let layout = layout(of: entry) {
            let slot = Int(head & 0xffff_ffff)
            guard layout.values.indices.contains(slot),
                let (value, behind) = value(rest.dropFirst(), layout.values[slot], entry.context)
            else { break }
            let property = layout.values[slot]
            if !property.isTransient {
                values[property.name] = value
                if head >> 32 != 0 { named.insert(property.name) }
            }
            rest = behind
        }
        return (values, named)
    }

    /// Adds an entry about a row to the context's save.
    private func read(_ entry: Entry, into save: inout SaveReading) {
        if entry.head.kind == .beginSave { save = SaveReading() }
        guard let object = object(entry, at: 1) else { return }
        switch entry.head.kind {
        case .conflict: save.noteConflict()
        case .rowBefore:
            if let row = row(entry) {
                save.noteBefore(object, row, isDelete: entry.head.small == 1)
            }
        case .wanted:
            let (values, named) = wanted(entry)
            save.noteWanted(object, values, named: named, isNew: entry.head.small == 1)
        case .rowFound: save.noteFound(object, row(entry))
        case .rowMissing: save.noteFound(object, nil)
        case .decided:
            guard let layout = layout(of: entry),
                layout.values.indices.contains(entry.head.small)
            else { return }
            save.noteDecided(object, layout.values[entry.head.small].name)
        case .rowAfter: save.noteAfter(object, row(entry))
        case .rowGone: save.noteAfter(object, nil)
        default: break
        }
    }

    // MARK: Actions

    /// - Parameter rows: the rows of the save, if the entry reports that a save has written.
    private func action(_ entry: Entry, _ rows: [RecordedRow]) -> RecordedAction? {
        switch entry.head.kind {
        case .commit: return .commit(rows, missing: Int(entry.word(2)))
        case .read, .set, .members, .link, .unlink: return propertyAction(entry)
        case .insert: return object(entry, at: 1).map { .insert($0) }
        case .delete: return object(entry, at: 1).map { .delete($0) }
        case .lookUp: return object(entry, at: 2).map { .lookUp($0) }
        case .refreshKeeping: return object(entry, at: 2).map { .refresh($0, keepsChanges: true) }
        case .refreshDiscarding:
            return object(entry, at: 2).map { .refresh($0, keepsChanges: false) }
        case .conflict:
            let kind = entry.head.small == 0 ? "locking" : "constraint"
            return object(entry, at: 1).map { .conflict($0, kind: kind) }
        case .refreshAll: return .refreshAll
        case .reset: return .reset
        case .rollback: return .rollback
        case .undo: return .undo
        case .redo: return .redo
        case .beginSave: return .beginSave(Self.policy(entry.head.small))
        case .endSave: return endSave(entry)
        case .mergeFrom:
            return .merge(from: positions[entry.head.small], isAutomatic: false, keys(entry))
        case .mergeByItself: return .merge(from: nil, isAutomatic: true, keys(entry))
        case .mergeUnknown: return .merge(from: nil, isAutomatic: false, keys(entry))
        case .enqueue:
            return positions[entry.head.small].map { .enqueue(Int(entry.word(2)), on: $0) }
                ?? .other("a block for a context of another store")
        case .wait:
            return positions[entry.head.small].map { .wait(Int(entry.word(2)), on: $0) }
                ?? .other("a wait for a block of a context of another store")
        case .skipped: return .skipped(Int(entry.word(2)))
        case .beginBlock: return .beginBlock(Int(entry.word(2)))
        case .endBlock: return .endBlock(Int(entry.word(2)))
        case .fetch, .count, .batch, .other, .call: return extraAction(entry)
        case .rowBefore, .rowAfter, .rowGone, .becomes, .wanted, .rowFound, .rowMissing, .decided:
            return nil
        }
    }

    private func endSave(_ entry: Entry) -> RecordedAction {
        guard entry.head.small > 0 else { return .endSave(error: nil) }
        let objects = objects(entry, from: 3)
        let count = Swift.min(Int(entry.word(2)), objects.count)
        return .endSave(
            error: entry.head.small,
            RecordedFailure(
                culprits: Array(objects.prefix(count)), pending: Array(objects.dropFirst(count))))
    }

    /// The objects of a merge; nil if they were too many for the log.
    private func keys(_ entry: Entry) -> RecordedKeys? {
        let objects = objects(entry, from: 6)
        let counts = (3...5).map { Int(clamping: entry.word($0)) }
        guard counts.allSatisfy({ $0 <= objects.count }),
            counts.reduce(0, +) == objects.count
        else { return nil }
        return RecordedKeys(
            inserted: Array(objects.prefix(counts[0])),
            updated: Array(objects.dropFirst(counts[0]).prefix(counts[1])),
            deleted: Array(objects.suffix(counts[2])))
    }

    private func propertyAction(_ entry: Entry) -> RecordedAction? {
        let place = entry.head.kind == .members ? 2 : 1
        guard let object = object(entry, at: place) else { return nil }
        let isRead = entry.head.kind == .read
        let slot = isRead ? ReadSlot(entry.head.small).slot : entry.head.small
        if entry.head.kind == .read || entry.head.kind == .set {
            guard let layout = layout(of: entry), layout.values.indices.contains(slot) else {
                return nil
            }
            let property = layout.values[slot]
            guard
                let (first, rest) = value(
                    entry.words.dropFirst(isRead ? 3 : 2), property, entry.context)
            else { return nil }
            if isRead {
                return .read(
                    object, key: property.name, first,
                    from: RecordedSource(
                        version: ReadMoment(entry.word(2)).version,
                        isUnsaved: ReadSlot(entry.head.small).isUnsaved))
            }
            return .set(
                object, key: property.name, first, old: value(rest, property, entry.context)?.0)
        }
        guard let key = toManyName(entry, at: place, slot) else { return nil }
        switch entry.head.kind {
        case .members:
            return .readMembers(
                object, key: key, objects(entry, from: 4), count: Int(entry.word(3)))
        case .link: return self.object(entry, at: 2).map { .link(object, key: key, $0) }
        default: return self.object(entry, at: 2).map { .unlink(object, key: key, $0) }
        }
    }

    private func extraAction(_ entry: Entry) -> RecordedAction? {
        guard entry.extras.indices.contains(entry.head.small) else { return nil }
        switch entry.extras[entry.head.small] {
        case .query(var query):
            query.predicate = query.predicate.map { named($0, entry.context) }
            let count = Int(entry.word(3))
            return entry.head.kind == .count
                ? .count(query, count: count)
                : .fetch(query, found: objects(entry, from: 4), count: count)
        case .batch(let batch): return .batch(named(batch, entry.context))
        case .text(let text): return .other(text)
        case .call(let call): return action(call, entry)
        }
    }

    private func action(_ call: LogCall, _ entry: Entry) -> RecordedAction? {
        let first = object(entry, at: 2)
        switch call {
        case .pin(let other):
            guard let other else { return .pin(to: nil) }
            return positions[other].map { .pin(to: $0) }
                ?? .other("a pin to the state of a context of another store")
        case .unpin: return .unpin
        case .obtainIDs: return .obtainIDs(objects(entry, from: 2))
        case .detectConflicts: return first.map { .detectConflicts($0) }
        case .fire: return first.map { .fire($0) }
        case .takeFault: return first.map { .takeFault($0) }
        case .history: return .history
        case .processPending: return .processPending
        case .removeStore: return .removeStore
        case .setting(let setting): return .setting(setting)
        case .order(let slot):
            guard let first, let key = toManyName(entry, at: 2, slot) else { return nil }
            return .order(first, key: key, objects(entry, from: 3))
        case .watch(let list, var query, let sections, let count, _):
            query.predicate = query.predicate.map { named($0, entry.context) }
            return .watch(
                list, query, sections: sections, found: objects(entry, from: 2), count: count)
        case .shown(let list, let isBySection): return .shown(list, isBySection: isBySection)
        case .look(let look): return .look(look.word)
        case .lookAt(let look): return first.flatMap { self.look(look, at: $0, entry) }
        case .mergeByIDs(let contexts):
            return .mergeByIDs(into: contexts.map { $0.flatMap { positions[$0] } })
        case .batchDelete(let entity, let count):
            return .batch(.deleteObjects(entity, objects(entry, from: 2), count: count))
        }
    }

    private func look(
        _ look: ObjectLook, at object: RecordedObject, _ entry: Entry
    ) -> RecordedAction? {
        switch look {
        case .isInserted: return .lookAt(object, "is-inserted")
        case .isUpdated: return .lookAt(object, "is-updated")
        case .isDeleted: return .lookAt(object, "is-deleted")
        case .isFault: return .lookAt(object, "is-fault")
        case .hasChanges: return .lookAt(object, "has-changes")
        case .changed: return .changedKeys(object)
        case .committed(let slots):
            let entity = Int(ObjectKey(packed: entry.word(2)).entity)
            guard let layout = layout(entry.context), layout.entities.indices.contains(entity)
            else { return nil }
            let values = layout[entity].values
            return .committed(
                object, keys: slots.filter { values.indices.contains($0) }.map { values[$0].name })
        }
    }

    /// The name of a to-many relationship of the object to which the entry belongs.
    private func toManyName(_ entry: Entry, at place: Int, _ slot: Int) -> String? {
        let entity = Int(ObjectKey(packed: entry.word(place)).entity)
        guard let layout = layout(entry.context), layout.entities.indices.contains(entity),
            layout[entity].toMany.indices.contains(slot)
        else { return nil }
        return layout[entity].toMany[slot].name
    }

    private func named(_ batch: RecordedBatch, _ context: Int) -> RecordedBatch {
        func named(_ query: RecordedQuery) -> RecordedQuery {
            var query = query
            query.predicate = query.predicate.map { self.named($0, context) }
            return query
        }
        switch batch {
        case .insert, .deleteObjects: return batch
        case .update(let query, let values): return .update(named(query), values)
        case .delete(let query): return .delete(named(query))
        }
    }

    private func named(_ predicate: RecordedPredicate, _ context: Int) -> RecordedPredicate {
        switch predicate {
        case .all(let parts): .all(parts.map { named($0, context) })
        case .any(let parts): .any(parts.map { named($0, context) })
        case .not(let part): .not(named(part, context))
        case .compare(let path, let word, let values):
            .compare(path, word, values.map { named($0, context) })
        case .text: predicate
        }
    }
}
