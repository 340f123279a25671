import CoreDataEngine
import CoreDataModel
import CoreDataStore
import CoreDataTrace
import LabSchedule

/// Collects the resources that a slice of a lane touches. A slice is the part of a lane between two
/// choices of the schedule. If two slices touch different resources, their order does not matter. A
/// reduced exploration then runs only one of the two orders.
///
/// If one coordinator uses one SQLite store, accesses are recorded by row. A fetch also reads the
/// set of an entity's rows. The accesses of a statement belong to the slice that executes it, even
/// if another slice has requested it.
///
/// A batch request does not update the row cache. Afterwards, the result of looking up a row
/// depends on whether the cache still contains the row. Reads of a table are then also recorded,
/// because a lane may later release rows of the table.
///
/// Records by row are not sufficient with several coordinators, stores without SQL statements,
/// pinned contexts or derived attributes. The contents of all stores are then one resource. A slice
/// then also includes the accesses of the earlier slices of its item, because a read depends on the
/// rows that are still held.
final class CodeFootprint {
    private(set) var collected = Footprint()
    /// Whether to omit reads of rows. Tests set this to check that the lab's checks find the error.
    var forgetsReads = false
    var isCollecting = false
    /// Whether the contents of all stores count as one resource.
    private(set) var isCoarse = false
    /// Whether a session reads the persistent history, which reveals the order of the saves.
    private(set) var readsHistory = false
    /// Whether a session writes to the store without updating the row cache.
    private(set) var writesPastCache = false
    /// The number of times that the lab has learnt something new about the program. Footprints from
    /// before the last time may be incomplete.
    private(set) var revision = 0
    /// The names of lanes that hold certain locks between two slices: locks of libraries, and locks
    /// whose code is inlined into the program. The lab detects such a lock only when a thread waits
    /// for it.
    private var unseenLockLanes: Set<String> = []
    private var open: [OpenOperations] = []
    /// The number of the running lane; -1 while the body declares a schedule.
    private var lane = -1
    private var shapes = StatementShapes()

    func reset(lanes: Int) {
        open = Array(repeating: OpenOperations(), count: lanes)
        lane = -1
    }

    /// Begins a slice.
    ///
    /// - Parameter carried: the resources that earlier slices of the item touched.
    func begin(_ lane: Int, named name: @autoclosure () -> String, carried: Footprint) {
        self.lane = lane
        collected = isCoarse ? carried : Footprint()
        if isCollecting, open.indices.contains(lane) {
            for touch in open[lane].sticky { collected.add(touch.resource, touch.access) }
            if !unseenLockLanes.isEmpty, unseenLockLanes.contains(name()) {
                touch(.lock("the locks that waits reveal"), .write)
            }
        }
    }

    /// Records that a lane holds, or waits for, a lock that the lab detects only by a wait.
    ///
    /// The lane is identified by its name, because its number may denote another lane in another
    /// schedule.
    func noteUnseenLock(of lane: String) {
        if unseenLockLanes.insert(lane).inserted { revision += 1 }
    }

    /// Records that the lab has learnt about an event that schedules do not control. Later
    /// schedules may therefore run differently.
    func noteLearnt() { revision += 1 }

    func touch(_ resource: Resource, _ access: Footprint.Access) {
        if isCollecting { collected.add(resource.number, access) }
    }

    func touch(_ resource: UInt64, _ access: Footprint.Access) {
        if isCollecting { collected.add(resource, access) }
    }

    func note(_ use: Baton.Use, of resource: Baton.Resource) {
        switch use {
        // If two slices both take a lock and release it again, their order does not matter.
        case .contends: touch(.lock(resource.name), resource.isLock ? .add : .write)
        case .handsOver(let time): touch(.handOver(resource.name, time), .provide)
        case .takesOver(let time): touch(.handOver(resource.name, time), .require)
        }
    }

    /// Records that a lane tries to take a lock, waits for it, or holds it beyond the end of a
    /// slice.
    func noteHeld(_ resource: Baton.Resource) { touch(.lock(resource.name), .write) }

    /// Records that the lane enters the queue of a context with parents. The parents' saves pass
    /// rows to the context.
    func enter(parents: [String]) {
        guard isCollecting, open.indices.contains(lane) else { return }
        for name in parents {
            touch(.lock(name), .write)
            open[lane].parents.append(.init(Resource.lock(name).number, .write))
        }
    }

    func leave(parents: Int) {
        guard isCollecting, open.indices.contains(lane) else { return }
        open[lane].parents.removeLast(min(parents, open[lane].parents.count))
    }

    /// Makes all stores count as one resource. The caller has found an access that cannot be
    /// recorded by row, such as that of a pinned context.
    func coarsen() {
        if isCoarse { return }
        isCoarse = true
        revision += 1
    }

    func coarsen(as other: CodeFootprint) {
        isCoarse = isCoarse || other.isCoarse
        readsHistory = readsHistory || other.readsHistory
        writesPastCache = writesPastCache || other.writesPastCache
        unseenLockLanes.formUnion(other.unseenLockLanes)
    }

    /// Records that a save compares its rows with those in the row cache. No SQL statement shows
    /// this comparison, and a save with a conflict writes nothing.
    func compareRows() {
        guard isCollecting, !isCoarse, open.indices.contains(lane), open[lane].plan != nil else {
            return
        }
        touch(open[lane].compared)
    }

    /// Records that the lane looks up a row in the context, the row cache or the store.
    func look(for key: ObjectKey, in context: NSManagedObjectContext) {
        guard isCollecting, open.indices.contains(lane) else { return }
        if isCoarse {
            // No event reports the search for a row that does not exist.
            touch(.store, .read)
            touch(.knownRows, .read)
            return
        }
        let root = context.root(of: key)
        open[lane].firing = (root, key.key)
        if context.parent != nil { return }
        touchRow(root, key.key, .read)
        if writesPastCache { touch(.known(root: root), .read) }
        remember(root)
    }

    /// Records that the lane holds rows of an entity hierarchy. The row cache keeps a row while any
    /// context holds it. A later slice that releases its row may therefore affect other lanes.
    private func remember(_ root: Int) {
        guard writesPastCache, open.indices.contains(lane) else { return }
        let held = Footprint.Touch(Resource.known(root: root).number, .add)
        touch([held])
        if !open[lane].lasting.contains(held) { open[lane].lasting.append(held) }
    }

    // MARK: Events

    func record(_ event: Event, _ layout: ModelLayout) {
        if case .release("coordinator") = event, open.indices.contains(lane) {
            // The save has released the coordinator. Before it tries again, the merge policy reads
            // rows. These reads are not part of the save's writes.
            open[lane].plan = nil
        }
        // The contents of every context depend on the stores.
        if case .stores = event, isCollecting { collected.addEverything() }
        guard case .statement(let statement) = event else {
            if isCollecting { isCoarse ? recordCoarsely(event) : recordFault(event, layout) }
            return
        }
        let shape = shapes.shape(of: statement.sql, layout)
        if shape.isHistory, statement.kind == .select, !readsHistory, !isWriting {
            readsHistory = true
            revision += 1
        }
        if !isCollecting { return }
        isCoarse ? recordCoarsely(event) : record(statement.kind, shape, layout)
    }

    private var isWriting: Bool { open.indices.contains(lane) && open[lane].plan != nil }

    private func recordCoarsely(_ event: Event) {
        switch event {
        case .statement(let statement):
            let isRead = statement.kind == .select
            touch(.store, isRead ? .read : .write)
            // Later lookups find the row that is read here. The order of several readers does not
            // matter.
            touch(.knownRows, isRead ? .add : .write)
        case .fault, .noRow, .relationshipFault:
            touch(.store, .read)
            touch(.knownRows, .read)
        // A thread that waits for a lock has not found its row in the row cache.
        case .wait: touch(.knownRows, .read)
        case .fetch, .count, .prefetch, .merge, .rows: touch(.store, .read)
        case .enqueue, .attempt, .acquire, .release, .saveStep, .conflict, .stores, .annotation:
            break
        }
    }

    private func recordFault(_ event: Event, _ layout: ModelLayout) {
        guard case .fault(let object, let source) = event else { return }
        if open.indices.contains(lane) { open[lane].firing = nil }
        guard source != .parent, let root = layout.entity(named: object.entity)?.rootIndex else {
            return
        }
        touchRow(root, object.key, .read)
    }

    /// Records an access to a row. It also touches the resource for all rows of the entity, so it
    /// conflicts with statements that write unknown rows.
    private func touchRow(_ root: Int, _ key: Int64, _ access: Footprint.Access) {
        if forgetsReads, access == .read { return }
        touch(.row(root: root, key: key), access)
        touch(.allRows(root: root), .add)
    }

    private func record(
        _ kind: StatementEvent.Kind, _ shape: StatementShape, _ layout: ModelLayout
    ) {
        switch kind {
        case .begin, .commit, .rollback, .pragma: return
        case .schema, .other: if isCollecting { collected.addEverything() }
        case .select: read(shape)
        case .insert, .update, .delete: write(shape)
        }
    }

    private func read(_ shape: StatementShape) {
        if let plan = open.indices.contains(lane) ? open[lane].plan : nil {
            return touch(plan)
        }
        for root in shape.roots { remember(root) }
        if shape.isByKey, open.indices.contains(lane), let firing = open[lane].firing,
            shape.roots == [firing.root]
        {
            open[lane].firing = nil
            return touchRow(firing.root, firing.key, .read)
        }
        for root in shape.roots { touch(.rows(root: root), .read) }
        for table in shape.others { touch(.table(table), .read) }
    }

    private func write(_ shape: StatementShape) {
        let plan = open.indices.contains(lane) ? open[lane].plan : nil
        if let plan {
            touch(plan)
        } else {
            for root in shape.roots {
                touch(.rows(root: root), .write)
                touch(.allRows(root: root), .write)
            }
        }
        for table in shape.others {
            let isAdded = plan != nil && (table != StatementShapes.history || !readsHistory)
            touch(.table(table), isAdded ? .add : .write)
        }
    }

    private func touch(_ touches: [Footprint.Touch]) {
        for touch in touches { collected.add(touch.resource, touch.access) }
    }

    // MARK: Contexts

    func hear(_ event: WatchedEvent, in context: NSManagedObjectContext) {
        if !isCoarse { noteStores(event, context) }
        guard isCollecting, open.indices.contains(lane) else { return }
        switch event {
        case .writing:
            if isCoarse { touch(.store, .write) }
            if isCoarse { touch(.knownRows, .write) }
            open[lane].plan = Self.plan(of: context)
            open[lane].compared = Self.compared(by: context)
        case .saved, .saveFailed: open[lane].plan = nil
        case .merging(let keys):
            let all = keys.inserted + keys.updated + keys.deleted
            stick(all.map { (context.root(of: $0), $0.key) }, \.merging)
        case .merged: open[lane].merging = []
        case .refreshing(let object):
            stick([(object.layout.rootIndex, object.objectKey.key)], \.refreshing)
        case .refreshed:
            open[lane].refreshing = []
            open[lane].firing = nil
        // Every save changes the generation, whichever rows it writes.
        case .comparesGenerations: touch(.generation, .read)
        case .mergesChanged: touchFromNowOn(.table("the contexts that merge"))
        case .attached(let parent):
            guard let queue = parent.queue as? CodeQueue else { return }
            touchFromNowOn(.lock(queue.resource.name))
        case .read, .readMembers, .wrote, .fetched, .saving, .pushing, .pushed, .dropped,
            .batching, .batched, .pinned, .firing:
            break
        }
    }

    private func stick(
        _ rows: [(root: Int, key: Int64)],
        _ place: WritableKeyPath<OpenOperations, [Footprint.Touch]>
    ) {
        for (root, key) in rows {
            touchRow(root, key, .read)
            open[lane][keyPath: place] += Self.reading(root, key)
            if writesPastCache { touch(.known(root: root), .read) }
            remember(root)
        }
    }

    /// Records a resource for this and all later slices of the lane. An object that the lane has
    /// created may be released at any time. Other lanes then no longer find it.
    private func touchFromNowOn(_ resource: Resource) {
        touch(resource, .write)
        open[lane].lasting.append(.init(resource.number, .write))
    }

    private func noteStores(_ event: WatchedEvent, _ context: NSManagedObjectContext) {
        switch event {
        case .pinned: coarsen()
        case .batching where !writesPastCache:
            writesPastCache = true
            revision += 1
        case .saving, .fetched:
            guard let coordinator = context.persistentStoreCoordinator else { return }
            let isPlain = coordinator.persistentStores.count == 1
            let traits = coordinator.persistentStores.first?.backend.traits ?? []
            let layout = coordinator.frozenModel.layout
            if !isPlain || !traits.contains(.statements) || shapes.hasDerived(layout) { coarsen() }
        default: break
        }
    }

    private static func plan(of context: NSManagedObjectContext) -> [Footprint.Touch] {
        var plan = Footprint()
        plan.add(Resource.table("the contexts that merge").number, .read)
        plan.add(Resource.generation.number, .add)
        let changed = context.insertedObjects.union(context.updatedObjects)
            .union(context.deletedObjects)
        for object in changed {
            let entity = object.layout
            let root = entity.rootIndex
            let isConstrained = !entity.uniquenessConstraints.isEmpty
            plan.add(Resource.rows(root: root).number, isConstrained ? .write : .add)
            plan.add(Resource.row(root: root, key: object.objectKey.key).number, .write)
            plan.add(Resource.allRows(root: root).number, .add)
            if object.isInserted { plan.add(Resource.keys(root: root).number, .write) }
            for relationship in entity.toMany {
                let other = context.layout.entities[relationship.destinationIndex]
                plan.add(Resource.rows(root: other.rootIndex).number, .add)
            }
        }
        return plan.touches + versions(of: context.objectsToCompare)
    }

    /// The accesses of a save before it writes, which read the versions of its rows.
    private static func compared(by context: NSManagedObjectContext) -> [Footprint.Touch] {
        versions(of: context.updatedObjects) + versions(of: context.deletedObjects)
            + versions(of: context.objectsToCompare)
    }

    private static func versions(of objects: some Sequence<NSManagedObject>) -> [Footprint.Touch] {
        objects.flatMap { reading($0.layout.rootIndex, $0.objectKey.key) }
    }

    private static func reading(_ root: Int, _ key: Int64) -> [Footprint.Touch] {
        [
            .init(Resource.row(root: root, key: key).number, .read),
            .init(Resource.allRows(root: root).number, .add),
        ]
    }
}

private struct OpenOperations {
    /// The row that a fault is looking up.
    var firing: (root: Int, key: Int64)?
    var plan: [Footprint.Touch]?
    var compared: [Footprint.Touch] = []
    var merging: [Footprint.Touch] = []
    var refreshing: [Footprint.Touch] = []
    /// The queues of the parents of contexts whose queues the lane holds, and of these parents'
    /// parents.
    var parents: [Footprint.Touch] = []
    var lasting: [Footprint.Touch] = []

    var sticky: [Footprint.Touch] { merging + refreshing + parents + lasting }
}

extension NSManagedObjectContext {
    fileprivate var layout: ModelLayout {
        // Safe: only a context that has objects reports them.
        persistentStoreCoordinator!.frozenModel.layout
    }

    fileprivate func root(of key: ObjectKey) -> Int { layout[Int(key.entity)].rootIndex }
}
