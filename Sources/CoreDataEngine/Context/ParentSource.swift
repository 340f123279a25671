import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace
import Foundation

/// A parent context, as the source of rows for its child contexts.
///
/// Every request waits for the parent's queue. Rows contain the parent's current values, including
/// unsaved values, and their keys may be temporary.
final class ParentSource: ObjectSource {
    private let parent: NSManagedObjectContext

    init(_ parent: NSManagedObjectContext) { self.parent = parent }

    /// The maximum depth of nested contexts. A request waits in a nested call for each level, and
    /// the stack of a thread is limited.
    static let nestingMax = 128

    private func onParentsQueue<Result>(
        _ body: () throws(CoreDataError) -> Result
    ) throws(CoreDataError) -> Result {
        guard parent.nesting < Self.nestingMax else {
            throw CoreDataError(
                .invalidArgument,
                "The context has more than \(Self.nestingMax) contexts above it; create a child of"
                    + " a context that is nearer to the store.")
        }
        return try parent.queue.runAndWait(body)
    }

    /// The generation of rows with unsaved values. Such a row is never treated as current.
    static let unsaved = UInt64.max

    /// The generation of the row cache that the parent reads. Waits for the parent's queue.
    var generation: UInt64 {
        parent.queue.runAndWait { () throws(Never) in parent.source.generation }
    }

    /// Waits for the parent's queue.
    func stillHolds(_ key: ObjectKey, since generation: UInt64) -> Bool {
        parent.queue.runAndWait { () throws(Never) in
            parent.notifyWatcher(.comparesGenerations)
            guard let object = parent.registry.registered(key), !object.state.contains(.fault)
            else {
                return parent.source.stillHolds(key, since: generation)
            }
            return parent.source.generation == generation && Self.shows(object, generation)
        }
    }

    func store(for entity: EntityLayout, key: Int64) -> NSPersistentStore? {
        parent.source.store(for: entity, key: key)
    }

    func stores(of entity: EntityLayout) -> [NSPersistentStore] {
        parent.source.stores(of: entity)
    }

    func row(
        _ key: ObjectKey, notBefore: Double?
    ) throws(CoreDataError) -> (row: RowReference, source: Event.FaultSource)? {
        try onParentsQueue { () throws(CoreDataError) in
            let object = parent.registry.object(for: key)
            return try Self.currentRow(of: object, in: parent).map { ($0, .parent) }
        }
    }

    /// The current values of an object of the parent, as a row; nil if the object no longer exists.
    /// Called on the parent's queue.
    static func currentRow(
        of object: NSManagedObject, in parent: NSManagedObjectContext
    ) throws(CoreDataError) -> RowReference? {
        assert(parent.queue.isCurrent, "the parent's rows are read off its queue")
        guard try isReadable(object, in: parent) else { return nil }
        return copy(of: object, generation: number(of: [object], in: parent))
    }

    static func copy(of object: NSManagedObject, generation: UInt64) -> RowReference? {
        var rows = ObjectRowPacker(generation: generation, includesTransient: false)
        rows.append(object, version: object.rowVersion)
        return rows.finish().first.map { RowReference(block: $0, index: 0) }
    }

    func rows(
        _ keys: ContiguousArray<ObjectKey>, entity: EntityLayout
    ) throws(CoreDataError) -> FetchedRows {
        try onParentsQueue { () throws(CoreDataError) in
            let objects = parent.registry.objects(for: keys)
            try BulkReading.attachRows(to: objects, entity, in: parent)
            return try write(objects)
        }
    }

    func destinations(
        of owner: ObjectKey, slot: Int
    ) throws(CoreDataError) -> ContiguousArray<ObjectKey> {
        try onParentsQueue { () throws(CoreDataError) in
            let object = parent.registry.object(for: owner)
            guard try Self.isReadable(object, in: parent) else { return [] }
            return ContiguousArray(try object.loadedMembers(slot).members.map(\.objectKey))
        }
    }

    func destinations(
        ofAll owners: ContiguousArray<ObjectKey>, entity: EntityLayout, slot: Int
    ) throws(CoreDataError) -> FetchedDestinations {
        try onParentsQueue { () throws(CoreDataError) in
            let objects = parent.registry.objects(for: owners)
            try BulkReading.realise(objects, entity, in: parent)
            try BulkReading.loadMembers(of: objects, entity, slot, in: parent)
            var members: [[ObjectKey]] = []
            var all: [NSManagedObject] = []
            for object in objects {
                let found =
                    try Self.isReadable(object, in: parent)
                    ? try object.loadedMembers(slot).members.array : []
                members.append(found.map(\.objectKey))
                all.append(contentsOf: found)
            }
            return FetchedDestinations(members: .keys(members), rows: try write(all))
        }
    }

    func fetchRows(_ plan: FetchPlan) throws(CoreDataError) -> FetchedRows {
        try onParentsQueue { () throws(CoreDataError) in try write(try fetch(plan)) }
    }

    func fetchKeys(_ plan: FetchPlan) throws(CoreDataError) -> KeyPages {
        try onParentsQueue { () throws(CoreDataError) in
            [.ofFamily(ContiguousArray(try fetch(plan).map(\.objectKey)))]
        }
    }

    func count(_ plan: FetchPlan) throws(CoreDataError) -> Int {
        try onParentsQueue { () throws(CoreDataError) in
            try FetchExecution(options(for: plan), in: parent).count()
        }
    }

    func fetchTable(
        _ plan: FetchPlan, _ table: TablePlan
    ) throws(CoreDataError) -> FetchedTable {
        try onParentsQueue { () throws(CoreDataError) in
            try parent.source.fetchTable(plan, table)
        }
    }

    // MARK: Parts, on the parent's queue

    private func fetch(_ plan: FetchPlan) throws(CoreDataError) -> [NSManagedObject] {
        try FetchExecution(options(for: plan), in: parent).objects()
    }

    private func options(for plan: FetchPlan) -> FetchRequestOptions {
        var options = FetchRequestOptions(entityName: plan.entity.name)
        options.includesSubentities = plan.includesSubentities
        options.predicate = plan.predicate?.mappingConstants { [parent] constant in
            Self.objectForID(constant, parent)
        }
        options.sortDescriptors = plan.sortDescriptors
        options.fetchLimit = plan.limit
        options.fetchOffset = plan.offset
        return options
    }

    /// The parent's object for an id in a predicate. So the predicate reads the unsaved values of
    /// this object. The child may use the id that the object had before the parent was saved.
    private static func objectForID(_ constant: Any, _ parent: NSManagedObjectContext) -> Any {
        switch constant {
        case let id as NSManagedObjectID: return parent.registry.object(for: id.key)
        case let list as [Any]: return list.map { objectForID($0, parent) }
        default: return constant
        }
    }

    private func write(_ objects: [NSManagedObject]) throws(CoreDataError) -> FetchedRows {
        var readable: [NSManagedObject] = []
        readable.reserveCapacity(objects.count)
        for object in objects where try Self.isReadable(object, in: parent) {
            readable.append(object)
        }
        var rows = ObjectRowPacker(
            generation: Self.number(of: readable, in: parent), includesTransient: false)
        for object in readable { rows.append(object, version: object.rowVersion) }
        return FetchedRows(blocks: rows.finish())
    }

    /// The newest generation, if all objects have values of that generation; otherwise `unsaved`,
    /// which is never current.
    private static func number(
        of objects: [NSManagedObject], in parent: NSManagedObjectContext
    ) -> UInt64 {
        parent.notifyWatcher(.comparesGenerations)
        let newest = parent.source.generation
        return objects.allSatisfy { shows($0, newest) } ? newest : unsaved
    }

    private static func shows(_ object: NSManagedObject, _ generation: UInt64) -> Bool {
        object.state.isDisjoint(with: [.pending, .inserted, .updated, .deleted])
            && object.block?.generation == generation
    }

    /// Fires the object's fault. Returns false if the row does not exist, or if the parent has
    /// deleted the object.
    private static func isReadable(
        _ object: NSManagedObject, in parent: NSManagedObjectContext
    ) throws(CoreDataError) -> Bool {
        if object.state.contains(.deleted) { return false }
        if object.state.contains(.fault), object.cells == nil {
            // Firing the fault could mark the object as deleted in the parent. A request of a child
            // must not do this.
            if object.key < 0, parent.parent == nil { return false }
            guard let found = try parent.newestRow(of: object.objectKey, notBefore: nil) else {
                return false
            }
            object.realise(with: found.row, in: parent, source: found.source)
            return true
        }
        return try object.isReadable()
    }
}
