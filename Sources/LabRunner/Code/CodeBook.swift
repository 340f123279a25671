import ContextHistory
import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore

/// Records the history of a schedule for one model and its stores.
///
/// To know the contents of a store, the lab does not read the store. A row that the schedule has
/// written contains the values of its last save. Every other row contains the values that contexts
/// have read.
final class CodeBook {
    /// A save that other contexts may merge.
    private struct Post {
        let context: String
        let step: String
        let keys: Set<ObjectKey>
        var takers: Set<String> = []
    }

    private struct Property: Hashable {
        let context: String
        let object: ObjectName
        let slot: Int
    }

    let layout: ModelLayout
    let stores: [String]
    private let entities: History.Schema
    private var names: NameTable
    private var entries: [History.Entry] = []
    private var parents: [String: String] = [:]
    private var place = (step: "", context: "")
    /// The rows that the schedule has written, in their current state; nil for a deleted row.
    private var committed: [ObjectKey: Row?] = [:]
    /// Rows that a batch request has found, in their state before the first save of the schedule.
    private var initial: [ObjectKey: Row] = [:]
    private var posts: [Post] = []
    private var merged: [String: Set<String>] = [:]
    private var reads: [Property: WriteBasis.Reading] = [:]
    private var named: [String: NamedSlots] = [:]
    private var saves: [String: CodeSave] = [:]

    init(layout: ModelLayout, stores: [String]) {
        self.layout = layout
        self.stores = stores
        entities = History.Schema(layout, [])
        names = NameTable(layout: layout)
    }

    func reset() {
        names = NameTable(layout: layout)
        entries.removeAll(keepingCapacity: true)
        parents = [:]
        committed = [:]
        initial = [:]
        posts = []
        merged = [:]
        reads.removeAll(keepingCapacity: true)
        named = [:]
        saves = [:]
    }

    var isEmpty: Bool { entries.isEmpty }

    var history: History {
        var history = History(
            schema: History.Schema(
                entities: entities.entities, partners: entities.partners, parents: parents))
        history.entries = entries
        return history
    }

    var lines: [String] {
        entries.map { "\($0.step): \($0.context) \(Self.text($0.event))" }
    }

    private static func text(_ event: History.Event) -> String {
        switch event {
        case .read(let object, let key, let value, _):
            "reads \(object.alias).\(key) as \(value.quoted)"
        case .write(let object, let key, let value, _):
            "sets \(object.alias).\(key) to \(value.quoted)"
        case .looked(_, let query, let found, let count, _):
            "looks for \(query): \(count) \(found.map(\.alias).joined(separator: " "))"
        case .saved(let save):
            "saves " + save.changes.map(text).joined(separator: ", ")
        case .saveFailed(let failure): "fails to save with error \(failure.code)"
        case .merged(let merge): "merges \(merge.savedIn) of \(merge.source)"
        case .refreshed(let object, _): "refreshes \(object?.alias ?? "all")"
        case .dropped: "drops its changes"
        case .enqueued(let block, let queue): "puts \(block) on \(queue)"
        case .blockBegan(let block): "runs \(block)"
        case .held(let object, let row):
            "holds \(object.alias) \(row.values.map(\.quoted).joined(separator: " "))"
        case .wroteOutside, .looped, .misuse, .failed, .tookTemporary, .listens, .blockEnded:
            "\(event)"
        }
    }

    private static func text(_ change: Save.Change) -> String {
        let values = change.after?.values.map(\.quoted).joined(separator: " ")
        return "\(change.object.alias) \(values ?? "deleted")"
    }

    // MARK: Writing

    func begin(step: String, context: String) { place = (step, context) }

    func note(parent: String, of context: String) { parents[context] = parent }

    func record(_ event: History.Event) {
        entries.append(.init(step: place.step, context: place.context, event: event))
    }

    private func name(_ key: ObjectKey) -> ObjectName { names.name(key) }

    private func alias(_ key: ObjectKey) -> String { names.name(key).alias }

    func hear(_ event: WatchedEvent, in context: NSManagedObjectContext) {
        switch event {
        case .read(let object, let slot): read(object, slot)
        case .readMembers(let object, let slot, let count):
            record(
                .read(
                    name(object.objectKey), key: object.layout.toMany[slot].name,
                    value: .integer(Int64(count)), version: version(object)))
        case .wrote(let object, let slot, let equalsNull):
            wrote(object, slot, equalsNull: equalsNull)
        case .fetched(let options, let found, let count): looked(options, found, count)
        case .saving: saves[place.context] = makeSave(context)
        case .writing: saves[place.context]?.noteLate(context) { row($0) }
        case .pushing(let parent):
            let rows = rows(of: parent)
            saves[place.context]?.parentBefore = rows
        case .pushed(let parent):
            let rows = rows(of: parent)
            saves[place.context]?.parentAfter = rows
        case .saved(let keys): saved(keys, in: context)
        case .saveFailed(let error): failed(error)
        case .merging(let keys): merging(keys)
        case .refreshed(let object, let keepsChanges): refreshed(object, keepsChanges)
        case .dropped(let forgetsObjects):
            forget()
            record(.dropped)
            if forgetsObjects { record(.refreshed(nil, keepsChanges: false)) }
        case .batching(let plan):
            // A row that no save of the schedule has written is still in its initial state.
            for (key, row) in CodeRows.read(
                plan.entity, of: context.persistentStoreCoordinator, layout, { alias($0) })
            where committed[key] == nil { initial[key] = row }
        case .batched(let plan, let keys): batched(plan, keys, in: context)
        case .merged, .refreshing, .pinned, .firing, .comparesGenerations, .attached,
            .mergesChanged:
            break
        }
    }

    // MARK: Values

    private func version(_ object: NSManagedObject) -> Int {
        object.cells.map { Int(RowFormat.version($0)) } ?? 0
    }

    private func value(_ object: NSManagedObject, _ slot: Int) -> ObservedValue? {
        guard let value = try? object.value(at: slot) else { return nil }
        return LiteralCoding.observed(value, kind: object.layout.values[slot].kind) {
            alias($0)
        }
    }

    private func row(_ object: NSManagedObject) -> Row? {
        object.cells.map { Row(cells: $0, entity: object.layout) { alias($0) } }
    }

    private func read(_ object: NSManagedObject, _ slot: Int) {
        guard !object.isFault, let value = value(object, slot) else { return }
        let (name, key) = (name(object.objectKey), object.layout.values[slot].name)
        let version = version(object)
        record(.read(name, key: key, value: value, version: version))
        reads[Property(context: place.context, object: name, slot: slot)] =
            WriteBasis.Reading(name, key, value, version: version)
    }

    private func wrote(_ object: NSManagedObject, _ slot: Int, equalsNull: Bool) {
        // An object without a context has no object key yet.
        guard object.managedObjectContext != nil, let value = value(object, slot) else { return }
        let name = name(object.objectKey)
        let reading = reads[Property(context: place.context, object: name, slot: slot)]
        named[place.context, default: NamedSlots()].note(slot, of: object, equalsNull: equalsNull)
        // Hooks run before the recorded save begins, so a value that is set during the save was set
        // by the merge policy.
        saves[place.context]?.noteDecided(slot, of: object)
        record(
            .write(
                name, key: object.layout.values[slot].name, value: value,
                basis: WriteBasis(of: value, after: reading)))
    }

    private func looked(_ options: FetchRequestOptions, _ found: [ObjectKey], _ count: Int) {
        guard let entity = layout.entity(named: options.entityName ?? options.entity?.name ?? "")
        else { return }
        let query = options.predicate.map {
            "\(entity.name) where \(Scrubbed.text($0.predicateFormat))"
        }
        record(
            .looked(
                entity: entity.index, query: query ?? entity.name, found: found.map { name($0) },
                count: count))
    }

    private func refreshed(_ object: NSManagedObject, _ keepsChanges: Bool) {
        if !keepsChanges, !object.isInserted { named[place.context]?.forget(object) }
        record(.refreshed(name(object.objectKey), keepsChanges: keepsChanges))
    }

    /// Removes the reads and the changed properties of a context whose changes were saved or
    /// dropped.
    private func forget() {
        named[place.context] = nil
        reads = reads.filter { $0.key.context != place.context }
    }

    // MARK: Saves

    private func makeSave(_ context: NSManagedObjectContext) -> CodeSave {
        CodeSave(
            context, named: named[place.context] ?? NamedSlots(), name: { name($0) },
            alias: { alias($0) })
    }

    private func rows(of parent: NSManagedObjectContext) -> [ObjectKey: Row] {
        saves[place.context]?.rows(of: parent) { alias($0) } ?? [:]
    }

    private func saved(_ keys: SavedKeys, in context: NSManagedObjectContext) {
        guard let save = saves.removeValue(forKey: place.context) else { return }
        for (old, new) in save.renamed { names.move(old, to: new) }
        let target: Save.Target = parents[place.context].map { .parent($0) } ?? .store
        let changes = save.changes(
            keys, committed: committed, row: { row($0) }, name: { name($0) })
        if target == .store { commit(keys, save) }
        record(
            .saved(Save(target: target, policy: save.policy, changes: changes)))
        forget()
        post(keys.inserted + keys.updated + keys.deleted)
    }

    private func commit(_ keys: SavedKeys, _ save: CodeSave) {
        let objects = save.objects
        for key in keys.inserted + keys.updated {
            guard let object = objects[key], let row = row(object) else { continue }
            committed[key] = .some(row)
        }
        for key in keys.deleted { committed[key] = .some(nil) }
    }

    private func failed(_ error: CoreDataError) {
        let save = saves.removeValue(forKey: place.context)
        for (old, new) in save?.renamed ?? [] { names.move(old, to: new) }
        record(
            .saveFailed(
                SaveFailure(
                    code: error.cocoaCode, culprits: error.culprits.map { name($0) },
                    pending: save?.items.map(\.name) ?? [])))
        let known = [133_020, 133_021].contains(error.cocoaCode)
        if !known, !(1550...1680).contains(error.cocoaCode), error.code != .wrongQueue {
            record(.failed(code: error.cocoaCode, message: Scrubbed.text(error.message)))
        }
    }

    // MARK: Batches

    private func batched(
        _ plan: BatchPlan, _ keys: [ObjectKey], in context: NSManagedObjectContext
    ) {
        let slots = plan.namedSlots
        let after = CodeRows.read(
            plan.entity, of: context.persistentStoreCoordinator, layout
        ) { alias($0) }
        let changes = keys.map { key in
            let before: Row? = if let known = committed[key] { known } else { initial[key] }
            let now = after[key]
            let start: Row? = if case .insert = plan { nil } else { before }
            return Save.Change(
                object: name(key), base: start, before: before,
                wanted: slots.compactMap { slot in now.map { (slot, $0.values[slot]) } },
                named: slots, after: now, isDelete: now == nil)
        }
        for key in keys { committed[key] = .some(after[key]) }
        let bases = Dictionary(
            slots.map { (plan.entity.values[$0].name, WriteBasis.given) }
        ) { first, _ in first }
        record(
            .saved(
                Save(target: .store, policy: "batch", changes: changes, batch: bases)))
        post(keys)
    }

    // MARK: Merges

    private func post(_ keys: [ObjectKey]) {
        if keys.isEmpty { return }
        posts.append(Post(context: place.context, step: place.step, keys: Set(keys)))
    }

    private func merging(_ keys: SavedKeys) {
        let all = Set(keys.inserted + keys.updated + keys.deleted)
        let (reader, writers) = (place.context, posts.indices.filter { posts[$0].keys == all })
        let post =
            writers.first { !posts[$0].takers.contains(reader) && posts[$0].context != reader }
            ?? writers.last
        if let post {
            posts[post].takers.insert(reader)
            merged[reader, default: []].insert(posts[post].context)
        }
        record(
            .merged(
                Merge(
                    source: post.map { posts[$0].context } ?? "another context",
                    savedIn: post.map { posts[$0].step } ?? "?",
                    inserted: keys.inserted.map { name($0) },
                    updated: keys.updated.map { name($0) },
                    deleted: keys.deleted.map { name($0) })))
    }

    func noteHeld(_ context: NSManagedObjectContext, siblings: [String]) {
        let heard = siblings + (merged[place.context] ?? []).sorted()
        if heard.isEmpty { return }
        record(.listens(to: heard))
        context.queue.runAndWait { () throws(Never) in
            for object in CodeSave.sorted(context.registeredObjects)
            where !object.isFault && !object.hasChanges {
                guard let row = row(object) else { continue }
                record(.held(name(object.objectKey), row))
            }
        }
    }
}
