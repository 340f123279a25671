import CoreDataModel
import CoreDataStore
import Foundation
import Synchronization

/// Connects the engine to an incremental store of the program. The engine uses rows and plans; the
/// store uses objects and requests.
///
/// The store owns its backend. The coordinator calls it on the threads of contexts, and
/// `RequestingContext` holds the context that made the request.
final class IncrementalBackend: ObjectStore {
    private unowned let store: NSIncrementalStore
    private let model: FrozenModel
    let identifier: String
    private let kept: Mutex<[String: any Sendable]>
    private let versions = RowVersions()

    init(
        _ store: NSIncrementalStore, model: FrozenModel, identifier: String,
        metadata: [String: any Sendable]
    ) {
        self.store = store
        self.model = model
        self.identifier = identifier
        kept = Mutex(metadata)
        StoreClasses.noteOpened()
    }

    func close() { StoreClasses.noteClosed() }

    var metadata: [String: any Sendable] { kept.withLock { $0 } }

    var traits: StoreTraits { [] }

    func setMetadata(_ metadata: [String: any Sendable]) throws(CoreDataError) {
        kept.withLock { kept in
            let (type, uuid) = (kept[NSStoreTypeKey], kept[NSStoreUUIDKey])
            kept = metadata
            kept[NSStoreTypeKey] = type
            kept[NSStoreUUIDKey] = uuid
        }
    }

    func id(_ key: ObjectKey) -> NSManagedObjectID {
        let key = store.references.exact(key)
        let entity = model.description(at: Int(key.entity))
        return NSManagedObjectID(key: key, entity: entity, layout: entity.layout, store: store)
    }

    private func context() throws(CoreDataError) -> NSManagedObjectContext {
        if let found = RequestingContext.current { return found }
        throw CoreDataError(
            .unsupported,
            "An incremental store answers only a context; fetch and save its objects in a context.")
    }

    // MARK: Fetching

    func fetchRows(_ plan: FetchPlan, generation: UInt64) throws(CoreDataError) -> FetchedRows {
        try rows(try fetchKeys(plan), generation)
    }

    func fetchKeys(_ plan: FetchPlan) throws(CoreDataError) -> ContiguousArray<ObjectKey> {
        var options = FetchRequestOptions(entityName: plan.entity.name)
        options.predicate = plan.predicate
        options.sortDescriptors = plan.sortDescriptors
        options.fetchLimit = plan.limit
        options.fetchOffset = plan.offset
        options.includesSubentities = plan.includesSubentities
        let found = try store.answer(options, in: try context())
        return ContiguousArray(found.compactMap { ($0 as? NSManagedObject)?.objectKey })
    }

    func count(_ plan: FetchPlan) throws(CoreDataError) -> Int { try fetchKeys(plan).count }

    func row(_ key: ObjectKey, generation: UInt64) throws(CoreDataError) -> RowReference? {
        try rows([key], generation).blocks.first.map { RowReference(block: $0, index: 0) }
    }

    func rows(
        _ keys: ContiguousArray<Int64>, entity: EntityLayout, generation: UInt64
    ) throws(CoreDataError) -> FetchedRows {
        try rows(
            ContiguousArray(keys.map { ObjectKey(entity: entity.index, key: $0) }), generation)
    }

    func destinations(
        of owner: ObjectKey, slot: Int
    ) throws(CoreDataError) -> ContiguousArray<ObjectKey> {
        let owner = store.references.exact(owner)
        let name = model.layout[Int(owner.entity)].toMany[slot].name
        let value = try destination(named: name, of: owner)
        let members: [Any]? =
            switch value {
            case let list as [Any]: list
            case let set as NSSet: set.allObjects
            case let set as NSOrderedSet: set.array
            default: nil
            }
        guard let ids = members as? [NSManagedObjectID] else {
            throw CoreDataError(
                .storeOperation,
                "newValue(forRelationship:forObjectWith:with:) of \(type(of: store)) returned a"
                    + " \(type(of: value)) for the to-many relationship '\(name)'; return an array"
                    + " of ids.")
        }
        return ContiguousArray(ids.map(\.key))
    }

    func destinations(
        ofAll owners: ContiguousArray<Int64>, entity: EntityLayout, slot: Int, generation: UInt64
    ) throws(CoreDataError) -> FetchedDestinations {
        var members: [[ObjectKey]] = []
        for owner in owners {
            let owner = ObjectKey(entity: entity.index, key: owner)
            members.append(Array(try destinations(of: owner, slot: slot)))
        }
        return FetchedDestinations(members: .keys(members), rows: FetchedRows())
    }

    // MARK: Saving

    func reserveKeys(_ count: Int, for entity: EntityLayout) throws(CoreDataError) -> Int64 {
        throw CoreDataError(
            .unsupported, "An incremental store assigns ids in obtainPermanentIDs(for:).")
    }

    func save(_ plan: SavePlan) throws(CoreDataError) -> SaveOutcome {
        let context = try context()
        guard !store.isReadOnly else {
            throw CoreDataError(
                .fileWriteNoPermission,
                "The store was opened read-only; open it without that option to save into it",
                info: ["reason": "The store was opened read-only"])
        }
        let conflicts = try conflicts(with: plan)
        if !conflicts.isEmpty { return .conflicts(conflicts) }
        func objects(_ groups: [(EntityLayout, ContiguousArray<Int64>)]) -> Set<NSManagedObject>? {
            let found = groups.flatMap { entity, keys in
                keys.compactMap {
                    context.registry.registered(ObjectKey(entity: entity.index, key: $0))
                }
            }
            return found.isEmpty ? nil : Set(found)
        }
        let request = NSSaveChangesRequest(
            inserted: objects(plan.inserts.map { ($0.entity, $0.keys) }),
            updated: objects(plan.updates.map { ($0.entity, $0.keys) }),
            deleted: objects(plan.deletes.map { ($0.entity, $0.keys) }),
            locked: objects(plan.locks.map { ($0.entity, [$0.key]) }))
        do { _ = try store.execute(request, with: context) } catch { throw CoreDataError(error) }
        versions.note(plan)
        learnNumbers(of: plan)
        return .committed()
    }

    /// Reads the version numbers that the store has assigned to the saved objects.
    ///
    /// The save has already succeeded, so an error is ignored here: the next read of the object
    /// reads the number.
    private func learnNumbers(of plan: SavePlan) {
        let groups =
            plan.inserts.map { ($0.entity, $0.keys) } + plan.updates.map { ($0.entity, $0.keys) }
        for (entity, keys) in groups {
            for key in keys {
                let node = try? node(ObjectKey(entity: entity.index, key: key))
                if let node { _ = versions.version(of: key, number: node.version) }
            }
        }
    }

    /// The rows that have changed in the store since their objects were read, by their version
    /// numbers.
    private func conflicts(with plan: SavePlan) throws(CoreDataError) -> [RowConflict] {
        var expected: [(key: ObjectKey, version: Int32, mayBeGone: Bool)] = []
        for group in plan.updates {
            for (key, version) in zip(group.keys, group.versions) {
                expected.append((ObjectKey(entity: group.entity.index, key: key), version, false))
            }
        }
        for group in plan.deletes {
            for (key, version) in zip(group.keys, group.versions) {
                expected.append((ObjectKey(entity: group.entity.index, key: key), version, true))
            }
        }
        for lock in plan.locks {
            let key = ObjectKey(entity: lock.entity.index, key: lock.key)
            expected.append((key, lock.version, false))
        }
        var found: [RowConflict] = []
        for (key, version, mayBeGone) in expected {
            let persisted = try row(key, generation: 0)
            if persisted == nil && mayBeGone { continue }
            if let persisted, RowFormat.version(persisted.cells) == version { continue }
            found.append(RowConflict(key: key, expectedVersion: version, persisted: persisted))
        }
        return found
    }
}

/// Conversion of the store's nodes to rows.
extension IncrementalBackend {
    private func rows(
        _ keys: ContiguousArray<ObjectKey>, _ generation: UInt64
    ) throws(CoreDataError) -> FetchedRows {
        var builder = RowBlockBuilder(capacity: keys.count == 1 ? 256 : 4096)
        var rows = FetchedRows()
        let now = Date().timeIntervalSinceReferenceDate
        for key in keys {
            let key = store.references.exact(key)
            guard let node = try node(key) else { continue }
            let values = try values(of: node, key)
            let version = versions.version(of: key.key, number: node.version)
            builder.beginRow(
                key: key.key, version: version, entity: Int(key.entity), slotCount: values.count)
            let slots = model.description(at: Int(key.entity)).layout.values
            for (slot, value) in values.enumerated() {
                builder.set(slot, value: value, of: slots[slot].kind)
            }
            if builder.isFull {
                rows.blocks.append(builder.finish(generation: generation, timestamp: now))
            }
        }
        if !builder.isEmpty {
            rows.blocks.append(builder.finish(generation: generation, timestamp: now))
        }
        return rows
    }

    private func node(_ key: ObjectKey) throws(CoreDataError) -> NSIncrementalStoreNode? {
        let context = try context()
        do { return try store.newValuesForObject(with: id(key), with: context) } catch {
            let failure = CoreDataError(error)
            if failure.code == .referentialIntegrity { return nil }
            throw failure
        }
    }

    private func values(
        of node: NSIncrementalStoreNode, _ key: ObjectKey
    ) throws(CoreDataError) -> [Value] {
        let entity = model.description(at: Int(key.entity))
        var values: [Value] = []
        for (slot, property) in zip(entity.layout.values, entity.valueProperties) {
            if slot.isTransient {
                values.append(.null)
                continue
            }
            let given = node.value(for: property)
            if slot.kind == .toOne {
                var found = given
                if found == nil { found = try destination(named: slot.name, of: key) }
                values.append(try reference(found, slot.name))
            } else if let value = AttributeCoding.value(from: given, kind: slot.kind) {
                values.append(value)
            } else if case .transformed(let name) = slot.coding, let given {
                values.append(
                    .data(
                        try TransformedValues.bytes(
                            of: given, by: name, slot, of: entity.layout)))
            } else {
                throw unfit(given, slot.name)
            }
        }
        return values
    }

    private func reference(_ value: Any?, _ name: String) throws(CoreDataError) -> Value {
        guard let value = AttributeCoding.flattened(value) else { return .null }
        if let id = value as? NSManagedObjectID { return .reference(id.key) }
        throw unfit(value, name)
    }

    private func unfit(_ value: Any?, _ name: String) -> CoreDataError {
        CoreDataError(
            .storeOperation,
            "\(type(of: store)) returned a \(value.map { "\(type(of: $0))" } ?? "nil") for"
                + " '\(name)'; use values of the attribute's type, and ids for destinations.")
    }

    private func destination(named name: String, of key: ObjectKey) throws(CoreDataError) -> Any {
        guard
            let relationship = model.description(at: Int(key.entity)).relationshipsByName[name]
        else { return NSNull() }
        let context = try context()
        do {
            return try store.newValue(
                forRelationship: relationship, forObjectWith: id(key), with: context)
        } catch {
            throw CoreDataError(error)
        }
    }
}

// `@unchecked Sendable` because `store` is set once and owns this object; everything else is
// immutable or guarded by a mutex.
extension IncrementalBackend: @unchecked Sendable {}
