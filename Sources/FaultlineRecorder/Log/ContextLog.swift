import CRuntimeShims
import CoreDataEngine
import CoreDataModel
import CoreDataStore
import Foundation
import ScenarioWriting
import Synchronization

/// Records a program's operations on one context.
///
/// A read or a change of a value adds a few words to the context's chunk of memory, without a lock
/// or an allocation. After 512 successive uses of values, further uses are only counted. An event
/// of another kind, such as a fetch, starts the count again.
final class ContextLog: ContextListener {
    private let number: Int
    private let shared: SharedLog
    private let onEvent: @Sendable (RecorderEvent) -> Void
    // Unowned, because the context owns its log.
    private unowned(unsafe) let context: NSManagedObjectContext
    /// The value kinds of the slots of all entities, one entity after another.
    private let kinds: ContiguousArray<ValueKind>
    /// The index in `kinds` at which each entity's slots begin.
    private let kindStarts: ContiguousArray<Int>
    private var chunk: LogChunk?
    /// The thread that owned the context's queue at the last check.
    private var owner: UInt = 0
    /// The nesting depth of actions of the engine; see `ContextEvent.engineBegins`.
    private var depth = 0
    /// The number of further uses of values to record. An event of another kind resets it.
    private var allowance = ContextLog.allowanceMax
    /// Counts the uses of values that are not recorded: those after `allowance` is used up, and
    /// those by the engine itself.
    private let passing = UnsafeMutablePointer<ListenerGate>.allocate(capacity: 1)
    /// The count in `passing` at the beginning of the engine's action. It is restored at the end of
    /// the action.
    private var countedBefore = 0
    /// The time on the shared clock at which the engine's action began.
    private var beganAt: UInt64 = 0
    private var hadConflict = false
    /// Whether a save has recorded the changes of its objects.
    private var hasWanted = false
    /// Whether a custom merge policy is resolving conflicts.
    private var isDeciding = false
    /// The number of saves or blocks for which the context's store and name are still read.
    private var looks = 3
    private var settings: [ContextSetting] = [
        .staleness(-1), .automerge(false), .deletesInaccessible(true), .undo(false),
    ]
    /// Whether the settings have not been read yet. The first reading records automatic merging and
    /// an undo manager as properties of the context. Later changes are recorded as events.
    private var isNew = true
    /// The number of each results controller in the log.
    private var lists: [ObjectIdentifier: Int] = [:]

    private static let allowanceMax = 512
    private static let objectsMax = 64
    private static let rowsMax = 16

    init(
        _ context: NSManagedObjectContext, number: Int, _ shared: SharedLog,
        onEvent: @escaping @Sendable (RecorderEvent) -> Void
    ) {
        self.context = context
        self.number = number
        self.shared = shared
        self.onEvent = onEvent
        let entities = context.modelLayout?.entities ?? []
        kinds = ContiguousArray(entities.flatMap { $0.values.map(\.kind) })
        var starts: ContiguousArray<Int> = [0]
        for entity in entities { starts.append(starts[starts.count - 1] + entity.values.count) }
        kindStarts = starts
        passing.initialize(to: ListenerGate())
    }

    deinit {
        chunk?.isClosed.store(true, ordering: .relaxed)
        passing.deinitialize(count: 1).deallocate()
    }

    var gate: UnsafeMutablePointer<ListenerGate>? { passing }

    // MARK: Values

    func noteRead(_ object: NSManagedObject, _ slot: Int, firedFault: Bool) {
        guard mayKeep() else { return }
        let (words, start) = begin(3 + LogValue.wordsMax)
        words[1] = object.objectKey.packed
        words[2] = ReadMoment.word(
            stamp: firedFault ? shared.tick() : 0,
            version: object.cells.map { RowFormat.version($0) } ?? 0)
        let count = 3 + write(object, slot, to: words + 3)
        let isUnsaved = object.heardCells(with: slot) == nil
        words[0] =
            LogHead(
                .read, small: ReadSlot.small(slot, isUnsaved: isUnsaved), count: count
            ).word
        end(start + count)
    }

    func noteSet(_ object: NSManagedObject, _ slot: Int, to value: Value) {
        if isDeciding, depth > 0, isOwn {
            return put(.decided, small: slot, object.objectKey.packed)
        }
        guard mayKeep() else { return }
        let (words, start) = begin(2 + 2 * LogValue.wordsMax)
        words[1] = object.objectKey.packed
        var count = 2 + LogValue.write(value, to: words + 2)
        // Reading the property through the public API would itself be recorded as a read.
        if !object.state.contains(.inserted) { count += write(object, slot, to: words + count) }
        words[0] = LogHead(.set, small: slot, count: count).word
        end(start + count)
    }

    func noteInserted(_ object: NSManagedObject) {
        guard mayKeep() else { return }
        put(.insert, object.objectKey.packed)
        for slot in object.slotsSetBefore where mayKeep() {
            let (words, start) = begin(2 + LogValue.wordsMax)
            words[1] = object.objectKey.packed
            let count = 2 + LogValue.write(object.heardValue(at: slot), to: words + 2)
            words[0] = LogHead(.set, small: slot, count: count).word
            end(start + count)
        }
    }

    /// Whether to record the use of a value. Uses by the engine are not recorded, and uses by the
    /// program only until the allowance is used up.
    @inline(__always)
    private func mayKeep() -> Bool {
        guard isOwn else {
            shared.noteOffQueue(number)
            return false
        }
        guard depth == 0 else { return false }
        guard allowance > 0 else {
            passing.pointee.counted &+= 1
            shutGate()
            return false
        }
        allowance -= 1
        return true
    }

    private func shutGate() { passing.pointee.thread.store(owner, ordering: .relaxed) }

    private func openGate() { passing.pointee.thread.store(0, ordering: .relaxed) }

    private func engineBegins() {
        if depth == 0 {
            countedBefore = passing.pointee.counted
            beganAt = shared.now
            shutGate()
        }
        depth += 1
    }

    private func engineEnds() {
        depth -= 1
        guard depth == 0 else { return }
        isDeciding = false
        passing.pointee.counted = countedBefore
        if allowance > 0 { openGate() }
    }

    /// Whether the calling thread owns the context's queue. Other threads must not write here.
    private var isOwn: Bool {
        let thread = UInt(faultline_thread_id())
        if thread == owner { return true }
        guard context.queue.isCurrent else { return false }
        owner = thread
        return true
    }

    @inline(__always)
    private func write(
        _ object: NSManagedObject, _ slot: Int, to words: UnsafeMutablePointer<UInt64>
    ) -> Int {
        guard let cells = object.heardCells(with: slot) else {
            return LogValue.write(object.heardValue(at: slot), to: words)
        }
        let kind = kinds[kindStarts[Int(object.objectKey.entity)] + slot]
        return LogValue.write(cells, slot, kind, to: words)
    }

    // MARK: Chunks

    /// Reserves `count` words. Returns their address and their position.
    @inline(__always)
    private func begin(_ count: Int) -> (UnsafeMutablePointer<UInt64>, Int) {
        if let chunk {
            let used = chunk.used.load(ordering: .relaxed)
            if used + count <= LogChunk.capacity { return (chunk.words + used, used) }
        }
        let made = shared.chunk(for: number, closing: chunk)
        chunk = made
        return (made.words, 0)
    }

    @inline(__always)
    private func end(_ used: Int) {
        guard let chunk else { return }
        chunk.entries.store(
            chunk.entries.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        chunk.used.store(used, ordering: .releasing)
    }

    @inline(__always)
    private func put(_ kind: LogKind, small: Int = 0, _ word: UInt64) {
        let (words, start) = begin(2)
        words[1] = word
        words[0] = LogHead(kind, small: small, count: 2).word
        end(start + 2)
    }

    private func put(_ kind: LogKind, small: Int = 0, _ first: UInt64, _ second: UInt64) {
        let (words, start) = begin(3)
        words[1] = first
        words[2] = second
        words[0] = LogHead(kind, small: small, count: 3).word
        end(start + 3)
    }

    private func put(_ kind: LogKind, small: Int = 0, _ rest: [UInt64]) {
        let kept = Swift.min(rest.count, LogChunk.capacity - 1)
        let (words, start) = begin(1 + kept)
        for index in 0..<kept { words[index + 1] = rest[index] }
        words[0] = LogHead(kind, small: small, count: 1 + kept).word
        end(start + 1 + kept)
    }

    private func put(_ kind: LogKind, _ extra: LogExtra, _ rest: [UInt64]) {
        // An entry and its extra value must be in the same chunk. Therefore the chunk is chosen
        // first.
        _ = begin(2 + rest.count)
        guard let chunk else { return }
        put(kind, small: chunk.add(extra), [shared.tick()] + rest)
    }

    // MARK: Events

    func note(_ event: ContextEvent) {
        switch event {
        case .engineBegins:
            if isOwn { engineBegins() }
            return
        case .engineEnds:
            if isOwn { engineEnds() }
            return
        case .looked(let look):
            if mayKeep() { put(.call, .call(.look(look)), []) }
            return
        case .lookedAt(let object, let look):
            if mayKeep() { put(.call, .call(.lookAt(look)), [object.objectKey.packed]) }
            return
        default: break
        }
        guard isOwn else {
            // The context's next block records the new setting when it begins.
            if case .setting = event { return }
            return shared.noteOffQueue(number)
        }
        guard depth == 0 || event.isRecordedInside else { return }
        noteSkipped()
        take(event)
    }

    private func noteSkipped() {
        let count = depth == 0 ? passing.pointee.counted : countedBefore
        if count > 0 {
            passing.pointee.counted = 0
            countedBefore = 0
            put(.skipped, shared.tick(), UInt64(count))
        }
        allowance = Self.allowanceMax
        if depth == 0 { openGate() }
    }

    private func take(_ event: ContextEvent) {
        switch event {
        case .fetched(let options, let objects):
            guard let query = QueryReading.query(options) else { return putText("a fetch") }
            let keys = objects.prefix(Self.objectsMax).map { $0.objectKey.packed }
            put(.fetch, .query(query), [beganAt, UInt64(objects.count)] + keys)
        case .counted(let options, let count):
            guard let query = QueryReading.query(options) else { return putText("a count") }
            put(.count, .query(query), [beganAt, UInt64(count)])
        case .lookedUp(let object): put(.lookUp, shared.tick(), object.objectKey.packed)
        case .readMembers(let object, let slot, let members):
            let keys = members.prefix(Self.objectsMax).map { $0.objectKey.packed }
            put(
                .members, small: slot,
                [shared.tick(), object.objectKey.packed, UInt64(members.count)] + keys)
        case .linked(let object, let slot, let other):
            put(.link, small: slot, object.objectKey.packed, other.objectKey.packed)
        case .unlinked(let object, let slot, let other):
            put(.unlink, small: slot, object.objectKey.packed, other.objectKey.packed)
        case .deleted(let object): put(.delete, object.objectKey.packed)
        case .refreshed(let object, let keeps):
            put(
                keeps ? .refreshKeeping : .refreshDiscarding, shared.tick(),
                object.objectKey.packed)
        case .refreshedAll: put(.refreshAll, shared.tick())
        case .wasReset: put(.reset, shared.tick())
        case .rolledBack: put(.rollback, shared.tick())
        case .undone: put(.undo, shared.tick())
        case .redone: put(.redo, shared.tick())
        case .saveBegins, .writes, .wrote, .saveEnded, .keysChanged, .conflict: takeSave(event)
        case .merged(let saver, let isAutomatic, let keys): noteMerge(saver, isAutomatic, keys)
        case .batch(.delete(let plan)) where plan.keys != nil:
            let keys = plan.keys ?? []
            let entity = plan.plan.entity
            put(
                .call, .call(.batchDelete(entity: entity.name, count: keys.count)),
                keys.prefix(Self.objectsMax).map {
                    ObjectKey(entity: entity.index, key: $0).packed
                })
        case .batch(let plan): put(.batch, .batch(QueryReading.batch(plan)), [])
        case .enqueued, .waits, .blockBegins, .blockEnds: takeBlock(event)
        case .engineBegins, .engineEnds, .looked, .lookedAt: break
        case .failed(let what, let error): putText("\(what), which failed with \(error.code)")
        case .called(let member): putText("\(member)")
        case .readsHistory, .mergesByIDs, .setting, .pinned, .movedOn, .unpinned, .obtainedIDs,
            .detectsConflicts, .fired, .tookFault, .ordered, .watched, .shown, .processesPending,
            .removedStore:
            takeCall(event)
        }
    }

    private func putText(_ text: String) { put(.other, .text(text), []) }

    private func takeCall(_ event: ContextEvent) {
        switch event {
        case .readsHistory: call(.history)
        case .mergesByIDs(let contexts):
            call(.mergeByIDs(contexts.map { shared.number(of: $0) }))
        case .setting: noteSettings()
        case .pinned(let generation, let isShared):
            call(.pin(to: isShared ? shared.reader(of: generation) : nil))
            shared.note(number, reads: generation)
        case .movedOn(let generation):
            if let generation { shared.note(number, reads: generation) }
        case .unpinned: call(.unpin)
        case .obtainedIDs(let objects): call(.obtainIDs, objects)
        case .detectsConflicts(let object): call(.detectConflicts, [object])
        case .fired(let object): call(.fire, [object])
        case .tookFault(let object): call(.takeFault, [object])
        case .ordered(let object, let slot, let members):
            call(.order(slot: slot), [object] + members)
        case .watched(let list, let options, let sections, let objects):
            guard let query = QueryReading.query(options) else { return putText("a controller") }
            let number = lists[list] ?? lists.count + 1
            lists[list] = number
            call(
                .watch(
                    list: number, query, sections: sections, count: objects.count, began: beganAt),
                objects)
        case .shown(let list, let isBySection):
            call(.shown(list: lists[list] ?? 0, isBySection: isBySection))
        case .processesPending: call(.processPending)
        case .removedStore: call(.removeStore)
        default: break
        }
    }

    private func call(_ call: LogCall, _ objects: [NSManagedObject] = []) {
        put(.call, .call(call), objects.prefix(Self.objectsMax).map { $0.objectKey.packed })
    }

    /// Records the settings that have changed since the last reading.
    private func noteSettings() {
        let now = context.heardSettings
        if now == settings { return isNew = false }
        for (new, old) in zip(now, settings) where new != old {
            switch new {
            case .automerge(let isOn):
                if isNew {
                    shared.update(number) { $0.mergesByItself = isOn }
                } else {
                    call(.setting(.automerge(isOn)))
                }
            case .undo(let hasUndo):
                if isNew {
                    shared.update(number) { $0.hasUndo = hasUndo }
                } else {
                    putText("an undo manager that is \(hasUndo ? "set later" : "removed")")
                }
            case .staleness(let seconds): call(.setting(.staleness(seconds)))
            case .deletesInaccessible(let isOn): call(.setting(.deletesInaccessible(isOn)))
            }
        }
        settings = now
        isNew = false
    }

    private func noteMerge(
        _ saver: NSManagedObjectContext?, _ isAutomatic: Bool, _ keys: SavedKeys
    ) {
        let all = [keys.inserted, keys.updated, keys.deleted]
        let isKept = all.map(\.count).reduce(0, +) <= Self.objectsMax
        let counts = all.map { isKept ? UInt64($0.count) : .max }
        let rest =
            [shared.tick(), beganAt] + counts
            + (isKept ? all.flatMap { $0.map(\.packed) } : [])
        if isAutomatic { return put(.mergeByItself, rest) }
        guard let saver, let other = shared.number(of: saver) else {
            return put(.mergeUnknown, rest)
        }
        put(.mergeFrom, small: other, rest)
    }

    // MARK: Saves

    private func takeSave(_ event: ContextEvent) {
        switch event {
        case .saveBegins:
            describe()
            hadConflict = false
            hasWanted = false
            let policy = context.mergePolicy as? NSMergePolicy
            put(.beginSave, small: Int(policy?.mergeType.rawValue ?? 0), shared.tick())
            if let policy, type(of: policy) != NSMergePolicy.self {
                put(.other, .text("a custom merge policy (\(type(of: policy)))"), [])
            }
        case .writes(let inserted, let updated, let deleted):
            let left = Swift.max(0, Self.rowsMax - inserted.count)
            for object in updated.prefix(left) { putRow(.rowBefore, object) }
            for object in deleted.prefix(Self.rowsMax) { putRow(.rowBefore, small: 1, object) }
            if hasWanted { return }
            hasWanted = true
            for object in inserted.prefix(Self.rowsMax) { putWanted(object, isNew: true) }
            for object in updated.prefix(left) { putWanted(object, isNew: false) }
        case .wrote(let inserted, let updated, let deleted):
            let changed = inserted.count + updated.count
            let left = Swift.max(0, Self.rowsMax - inserted.count)
            for object in inserted.prefix(Self.rowsMax) { putRow(.rowAfter, object) }
            for object in updated.prefix(left) { putRow(.rowAfter, object) }
            for object in deleted.prefix(Self.objectsMax) {
                put(.rowGone, object.objectKey.packed)
            }
            put(
                .commit, shared.tick(),
                UInt64(
                    Swift.max(0, changed - Self.rowsMax)
                        + Swift.max(0, deleted.count - Self.objectsMax)))
        case .saveEnded(let error): endSave(error)
        case .keysChanged(let objects, let former):
            for (object, key) in zip(objects, former).prefix(Self.allowanceMax)
            where key < 0 && object.objectKey.key != key {
                put(.becomes, UInt64(bitPattern: key), object.objectKey.packed)
            }
        case .conflict(let object, let kind, let row):
            hadConflict = true
            let isLocking = kind == "locking"
            put(.conflict, small: isLocking ? 0 : 1, object.objectKey.packed)
            if let row {
                let key = ObjectKey(
                    entity: RowFormat.entity(row.cells), key: RowFormat.key(row.cells))
                putRow(.rowFound, key, row.cells)
            } else if isLocking {
                put(.rowMissing, object.objectKey.packed)
            }
            if let policy = context.mergePolicy as? NSMergePolicy,
                type(of: policy) != NSMergePolicy.self
            {
                isDeciding = true
                openGate()
            }
        default: break
        }
    }

    private func endSave(_ error: CoreDataError?) {
        guard let error else {
            put(.endSave, shared.tick())
            if hadConflict { onEvent(.conflict(context: number, error: nil)) }
            return
        }
        let code = Int(error.code.rawValue)
        let culprits = error.culprits.prefix(Self.objectsMax).map(\.packed)
        let pending = context.heardChanges.prefix(Self.objectsMax).map { $0.objectKey.packed }
        put(.endSave, small: code, [shared.tick(), UInt64(culprits.count)] + culprits + pending)
        if hadConflict || [133_020, 133_021].contains(code) {
            onEvent(.conflict(context: number, error: code))
        }
    }

    /// Records a row with the values in the store.
    private func putRow(_ kind: LogKind, small: Int = 0, _ object: NSManagedObject) {
        if let cells = object.cells { putRow(kind, small: small, object.objectKey, cells) }
    }

    private func putRow(
        _ kind: LogKind, small: Int = 0, _ key: ObjectKey, _ cells: UnsafeRawPointer
    ) {
        let kinds = kinds(of: key)
        let (words, start) = begin(
            Swift.min(3 + kinds.count * LogValue.wordsMax, LogChunk.capacity))
        words[1] = key.packed
        words[2] = UInt64(UInt32(bitPattern: RowFormat.version(cells)))
        var count = 3
        for (slot, kind) in kinds.enumerated()
        where count + LogValue.wordsMax < LogChunk.capacity {
            count += LogValue.write(cells, slot, kind, to: words + count)
        }
        words[0] = LogHead(kind, small: small, count: count).word
        end(start + count)
    }

    private func kinds(of key: ObjectKey) -> ArraySlice<ValueKind> {
        kinds[kindStarts[Int(key.entity)]..<kindStarts[Int(key.entity) + 1]]
    }

    /// Records the unsaved values of an object; all values of a new object. The word before each
    /// value has the slot, and whether the program has set the slot.
    private func putWanted(_ object: NSManagedObject, isNew: Bool) {
        let set = Set(object.heardSlots)
        let slots = isNew ? Array(0..<kinds(of: object.objectKey).count) : set.sorted()
        let (words, start) = begin(
            Swift.min(2 + slots.count * (1 + LogValue.wordsMax), LogChunk.capacity))
        words[1] = object.objectKey.packed
        var count = 2
        for slot in slots where count + 1 + LogValue.wordsMax < LogChunk.capacity {
            words[count] = UInt64(slot) | (set.contains(slot) ? 1 << 32 : 0)
            count += 1 + write(object, slot, to: words + count + 1)
        }
        words[0] = LogHead(.wanted, small: isNew ? 1 : 0, count: count).word
        end(start + count)
    }

    // MARK: Blocks

    private func takeBlock(_ event: ContextEvent) {
        switch event {
        case .enqueued(let block, let target):
            guard let other = shared.number(of: target) else { return putText("a block") }
            put(.enqueue, small: other, shared.tick(), UInt64(block))
        case .waits(let block, let target):
            guard let other = shared.number(of: target) else { return putText("a block") }
            put(.wait, small: other, shared.tick(), UInt64(block))
            shared.noteWait(block, from: number, on: other)
        case .blockBegins(let block):
            describe()
            put(.beginBlock, shared.tick(), UInt64(block))
            shared.noteBegun(block)
        case .blockEnds(let block):
            put(.endBlock, shared.tick(), UInt64(block))
            owner = 0
            openGate()
        default: break
        }
    }

    /// Records the current settings, store and name of the context. A program can change them after
    /// it has created the context.
    private func describe() {
        noteSettings()
        guard looks > 0, let store = context.persistentStoreCoordinator?.persistentStores.first
        else { return }
        looks -= 1
        shared.note(store, of: number)
        let name = context.name ?? ""
        shared.update(number) { $0.name = name }
    }
}

// `@unchecked Sendable` because only the thread that owns the context's queue uses the mutable
// fields, which `isOwn` ensures.
extension ContextLog: @unchecked Sendable {}

/// An event after which a recorder may write its files.
enum RecorderEvent: Sendable {
    case conflict(context: Int, error: Int?)
}

extension ContextEvent {
    /// Whether the event is also recorded while the engine performs an action, such as a save.
    fileprivate var isRecordedInside: Bool {
        switch self {
        case .conflict, .movedOn: true
        default: false
        }
    }
}
