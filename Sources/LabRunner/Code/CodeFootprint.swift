import CoreDataEngine
import CoreDataModel
import CoreDataStore
import CoreDataTrace
import LabSchedule

/// Collects what a slice of a lane touches.
///
/// With one coordinator over SQLite, what is in the store is told row by row: a read of a row, a
/// look at which rows an entity has, and writes of both. Each is noted in the slice that does it,
/// by the statement, whatever slice has asked for it.
///
/// Several coordinators, stores without statements, pinned contexts and derived attributes see more
/// than that: then all that stores hold is one thing, and a slice has what the slices before it in
/// its item have touched, because what is read depends on which rows somebody still holds.
final class CodeFootprint {
    private(set) var collected = Footprint()
    /// Whether anybody wants it.
    var isCollecting = false
    /// Whether stores are one thing.
    private(set) var isCoarse = false
    /// Whether somebody reads the history, which has saves in their order.
    private(set) var readsHistory = false
    /// How often footprints have become coarser: those before it say too little.
    private(set) var revision = 0
    private var open: [OpenOperations] = []
    /// The lane that runs; -1 while the body declares a schedule.
    private var lane = -1
    private var shapes = StatementShapes()

    /// Begins a schedule.
    func reset(lanes: Int) {
        open = Array(repeating: OpenOperations(), count: lanes)
        lane = -1
    }

    /// Begins a slice.
    ///
    /// - Parameter carried: what earlier slices of the item have touched.
    func begin(_ lane: Int, carried: Footprint) {
        self.lane = lane
        collected = isCoarse ? carried : Footprint()
        if isCollecting, open.indices.contains(lane) {
            for touch in open[lane].sticky { collected.add(touch.resource, touch.access) }
        }
    }

    func touch(_ resource: Resource, _ access: Footprint.Access) {
        if isCollecting { collected.add(resource.number, access) }
    }

    func note(_ use: Baton.Use, of resource: Baton.Resource) {
        switch use {
        // Who takes a lock and gives it back at once can be exchanged with others who do so.
        case .contends: touch(.lock(resource.name), resource.isLock ? .add : .write)
        case .handsOver(let time): touch(.handOver(resource.name, time), .provide)
        case .takesOver(let time): touch(.handOver(resource.name, time), .require)
        }
    }

    /// A lock is held beyond a slice, or waited for.
    func noteHeld(_ resource: Baton.Resource) { touch(.lock(resource.name), .write) }

    /// A lane enters, or leaves, queues whose contexts work on others: the parents' saves send them
    /// rows.
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

    /// What is seen of stores is more than footprints could tell.
    func coarsen() {
        if isCoarse { return }
        isCoarse = true
        revision += 1
    }

    /// Takes over what the footprints of another world have come to.
    func coarsen(as other: CodeFootprint) {
        isCoarse = isCoarse || other.isCoarse
        readsHistory = readsHistory || other.readsHistory
    }

    /// A save has its coordinator, and compares its rows with those that the row cache has: no
    /// statement tells of it, and where they differ nothing is written.
    func compareRows() {
        guard isCollecting, !isCoarse, open.indices.contains(lane), open[lane].plan != nil else {
            return
        }
        touch(open[lane].compared)
    }

    // MARK: Events

    func record(_ event: Event, _ layout: ModelLayout) {
        if case .release("coordinator") = event, open.indices.contains(lane) {
            // What a policy reads before the save writes again is no part of the writing.
            open[lane].plan = nil
        }
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
            // What it read is known to those who look after it. Who is first does not matter.
            touch(.knownRows, isRead ? .add : .write)
        case .fault, .relationshipFault:
            touch(.store, .read)
            touch(.knownRows, .read)
        // Whoever asks for a lock has looked for a row and not found it.
        case .wait: touch(.knownRows, .read)
        case .fetch, .count, .prefetch, .merge, .rows: touch(.store, .read)
        case .enqueue, .acquire, .release, .saveStep, .conflict, .annotation: break
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

    /// Rows and their table are told apart: whoever writes past rows touches all of them.
    private func touchRow(_ root: Int, _ key: Int64, _ access: Footprint.Access) {
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
        case .firing(let object):
            open[lane].firing = (object.layout.rootIndex, object.objectKey.key)
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
        case .refreshed: open[lane].refreshing = []
        case .mergesChanged: touchFromNowOn(.table("the contexts that merge"))
        case .attached(let parent):
            guard let queue = parent.queue as? CodeQueue else { return }
            touchFromNowOn(.lock(queue.resource.name))
        case .read, .readMembers, .wrote, .fetched, .saving, .pushing, .pushed, .dropped,
            .batching, .batched, .pinned:
            break
        }
    }

    /// Rows that an operation reads in whatever slice it is in.
    private func stick(
        _ rows: [(root: Int, key: Int64)],
        _ place: WritableKeyPath<OpenOperations, [Footprint.Touch]>
    ) {
        for (root, key) in rows {
            touchRow(root, key, .read)
            open[lane][keyPath: place] += Self.reading(root, key)
        }
    }

    /// What the lane has made may go at any time, and is missed by others then.
    private func touchFromNowOn(_ resource: Resource) {
        touch(resource, .write)
        open[lane].lasting.append(.init(resource.number, .write))
    }

    private func noteStores(_ event: WatchedEvent, _ context: NSManagedObjectContext) {
        switch event {
        case .pinned: coarsen()
        case .saving, .fetched:
            guard let coordinator = context.persistentStoreCoordinator else { return }
            let isPlain = coordinator.persistentStores.count == 1
            let traits = coordinator.persistentStores.first?.backend.traits ?? []
            let layout = coordinator.frozenModel.layout
            if !isPlain || !traits.contains(.statements) || shapes.hasDerived(layout) { coarsen() }
        default: break
        }
    }

    /// What a save writes.
    private static func plan(of context: NSManagedObjectContext) -> [Footprint.Touch] {
        var plan = Footprint()
        plan.add(Resource.table("the contexts that merge").number, .read)
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

    /// What a save reads before it writes: the versions of the rows that it is about.
    private static func compared(by context: NSManagedObjectContext) -> [Footprint.Touch] {
        versions(of: context.updatedObjects) + versions(of: context.deletedObjects)
            + versions(of: context.objectsToCompare)
    }

    private static func versions(of objects: some Sequence<NSManagedObject>) -> [Footprint.Touch] {
        objects.flatMap { reading($0.layout.rootIndex, $0.objectKey.key) }
    }

    /// What reading a row touches; see `touchRow`.
    private static func reading(_ root: Int, _ key: Int64) -> [Footprint.Touch] {
        [
            .init(Resource.row(root: root, key: key).number, .read),
            .init(Resource.allRows(root: root).number, .add),
        ]
    }
}

/// What a lane is in the middle of.
private struct OpenOperations {
    /// The row that a fault looks for.
    var firing: (root: Int, key: Int64)?
    /// What the save under way writes.
    var plan: [Footprint.Touch]?
    /// The rows whose versions it compares.
    var compared: [Footprint.Touch] = []
    var merging: [Footprint.Touch] = []
    var refreshing: [Footprint.Touch] = []
    /// The queues of contexts above those whose queues it has.
    var parents: [Footprint.Touch] = []
    var lasting: [Footprint.Touch] = []

    var sticky: [Footprint.Touch] { merging + refreshing + parents + lasting }
}

extension NSManagedObjectContext {
    fileprivate var layout: ModelLayout {
        // Safe: only a context that has objects tells of them.
        persistentStoreCoordinator!.frozenModel.layout
    }

    fileprivate func root(of key: ObjectKey) -> Int { layout[Int(key.entity)].rootIndex }
}
