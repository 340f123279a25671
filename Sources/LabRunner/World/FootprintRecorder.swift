import CoreDataEngine
import CoreDataModel
import CoreDataStore
import CoreDataTrace
import LabSchedule
import Synchronization

/// The resources that steps can use. A footprint is the set of their numbers. Each resource has a
/// different number.
enum Resource {
    /// A context with its objects, its unsaved changes, and the names of objects that its steps
    /// have set.
    case context(Int)
    /// The set of rows of an entity. Fetches, counts and relationships read it.
    case rows(root: Int)
    case row(root: Int, key: Int64)
    /// All rows of an entity, for writes to unknown rows.
    case allRows(root: Int)
    /// Another table, or any state with a name, such as the generation of the rows.
    case table(String)
    /// The primary keys that the next inserted rows receive.
    case keys(root: Int)
    /// A coordinator's row cache, which matters only if there are several coordinators.
    case rowCache(Int)
    /// The set of cached rows. A thread that finds its row in the cache takes no lock.
    case knownRows
    /// The order in which items are put into a mailbox.
    case mailbox(Int)
    case mail(mailbox: Int, number: Int)
    /// The saves of other contexts that a `merge` step has not merged.
    case unmerged(target: Int, saver: Int)
    /// The name of an object in the transcript.
    case alias(String)
    case status(String)
    case value(String)
    /// A queue or a lock that threads take.
    case lock(String)
    /// The n-th release of a queue or lock.
    case handOver(String, Int)
    /// The end of a piece of a session's steps.
    case end(session: Int, piece: Int)
    /// The end of a merge or block that waited in a mailbox.
    case delivered(String)

    var number: UInt64 {
        switch self {
        case .context(let index): Self.pack(1, UInt64(index))
        case .rows(let root): Self.pack(2, UInt64(root))
        case .row(let root, let key):
            Self.pack(3, UInt64(root) << 44 | UInt64(bitPattern: key) & 0xFFF_FFFF_FFFF)
        case .keys(let root): Self.pack(4, UInt64(root))
        case .rowCache(let index): Self.pack(5, UInt64(index))
        case .mailbox(let index): Self.pack(6, UInt64(index))
        case .mail(let mailbox, let number): Self.pack(7, UInt64(mailbox) << 32 | UInt64(number))
        case .unmerged(let target, let saver):
            Self.pack(8, UInt64(target) << 32 | UInt64(saver))
        case .alias(let name): Self.pack(9, Self.hash(name))
        case .status(let name): Self.pack(10, Self.hash(name))
        case .value(let name): Self.pack(11, Self.hash(name))
        case .lock(let name): Self.pack(12, Self.hash(name))
        case .handOver(let name, let time): Self.pack(13, Self.hash("\(name) \(time)"))
        case .end(let session, let piece):
            Self.pack(14, UInt64(session) << 32 | UInt64(piece))
        case .delivered(let name): Self.pack(15, Self.hash(name))
        case .knownRows: Self.pack(0, 0)
        case .allRows(let root): Self.pack(0, UInt64(root) + 1)
        case .table(let name): Self.pack(0, Self.hash(name) | 1 << 59)
        }
    }

    /// The generation of the rows, which each save changes.
    static let generation = Resource.table("the generation of the rows")

    static func known(root: Int) -> Resource { .table("the rows of \(root) that are remembered") }

    static let store = Resource.rows(root: 0)

    /// Whether the resource is a part of a store's contents.
    fileprivate var isStored: Bool {
        switch self {
        case .rows, .row, .allRows, .table, .keys, .rowCache: true
        case .context, .knownRows, .mailbox, .mail, .unmerged, .alias, .status, .value, .lock,
            .handOver, .end, .delivered:
            false
        }
    }

    private static func pack(_ kind: UInt64, _ rest: UInt64) -> UInt64 {
        kind << 60 | rest & 0x0FFF_FFFF_FFFF_FFFF
    }

    /// The hash is FNV-1a, because its values are the same in every process. A collision of two
    /// names only adds a conflict.
    private static func hash(_ name: String) -> UInt64 {
        name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}

/// Collects the resources that the current step uses. The world adds the resources that it knows,
/// and the engine's events add the others.
///
/// If other threads can interrupt a step, its resources are recorded in slices. A slice is the part
/// between two choices of the schedule. An event may come one slice after its cause, so footprints
/// of slices are coarse. The whole store is one resource, and a slice includes the resources of the
/// earlier slices of its step.
final class FootprintRecorder: EventSink {
    private struct State {
        var footprint = Footprint()
        /// The number of SELECTs whose rows no other event of the step has reported yet.
        var unexplained = 0
        var isSaving = false
    }

    private let layout: ModelLayout
    private let isSliced: Bool
    private let state = Mutex(State())

    /// - Parameter isSliced: whether each footprint describes a slice of a step.
    init(layout: ModelLayout, isSliced: Bool = false) {
        self.layout = layout
        self.isSliced = isSliced
    }

    func listen(to coordinators: some Sequence<NSPersistentStoreCoordinator>) {
        for coordinator in coordinators {
            coordinator.trace.remove(self)
            coordinator.trace.add(self)
        }
    }

    func leave(_ coordinators: some Sequence<NSPersistentStoreCoordinator>) {
        for coordinator in coordinators { coordinator.trace.remove(self) }
    }

    /// Begins a step, or a later slice of a step whose earlier slices have this footprint.
    func begin(after footprint: Footprint = Footprint()) {
        state.withLock { $0 = State(footprint: footprint) }
    }

    func end() -> Footprint {
        state.withLock { state in
            // An unexplained SELECT may have read any row.
            if state.unexplained > 0 { readAll(&state.footprint) }
            return state.footprint
        }
    }

    func touch(_ resource: Resource, _ access: Footprint.Access) {
        state.withLock { state in
            if isSliced, resource.isStored {
                let isRead = access == .read
                state.footprint.add(Resource.store.number, isRead ? .read : .write)
            } else {
                state.footprint.add(resource.number, access)
            }
        }
    }

    func touchEverything() { state.withLock { $0.footprint.addEverything() } }

    func touchAllRows() { state.withLock { readAll(&$0.footprint) } }

    /// Records whether a context is saving. Statements during a save touch only the resources of
    /// the save.
    ///
    /// - Returns: whether a context was saving before.
    @discardableResult
    func saving(_ isSaving: Bool) -> Bool {
        state.withLock { state in
            defer { state.isSaving = isSaving }
            return state.isSaving
        }
    }

    private func readAll(_ footprint: inout Footprint) {
        if isSliced { return footprint.add(Resource.store.number, .read) }
        for entity in layout.entities where entity.superIndex == nil {
            footprint.add(Resource.rows(root: entity.index).number, .read)
        }
    }

    func record(_ event: Event) {
        if isSliced { return recordCoarsely(event) }
        state.withLock { state in
            switch event {
            case .statement(let statement):
                if statement.kind == .select, !state.isSaving { state.unexplained += 1 }
            case .fetch(let entity, _, _), .count(let entity, _, _):
                state.unexplained -= 1
                read(entity, &state.footprint)
            case .fault(let object, let source):
                if source == .store { state.unexplained -= 1 }
                if let root = root(of: object.entity) {
                    state.footprint.add(Resource.row(root: root, key: object.key).number, .read)
                }
            // In a store with SQL, the search is also an unexplained SELECT.
            case .noRow(let object):
                if let root = root(of: object.entity) {
                    state.footprint.add(Resource.row(root: root, key: object.key).number, .read)
                }
            case .relationshipFault(let object, let relationship, _, let source):
                if source == .store { state.unexplained -= 1 }
                read(object.entity, &state.footprint)
                read(destination(relationship, of: object.entity), &state.footprint)
            case .prefetch: readAll(&state.footprint)
            case .stores: state.footprint.addEverything()
            case .rows, .enqueue, .wait, .attempt, .acquire, .release, .saveStep, .merge, .conflict,
                .annotation:
                break
            }
        }
    }

    private func recordCoarsely(_ event: Event) {
        switch event {
        case .statement(let statement):
            let isRead = statement.kind == .select
            touch(.store, isRead ? .read : .write)
            // Later readers find the cached rows that this statement has read. The order of several
            // such statements does not matter.
            touch(.knownRows, isRead ? .add : .write)
        case .fault, .noRow, .relationshipFault:
            touch(.store, .read)
            touch(.knownRows, .read)
        // A thread that waits for a lock has not found its row in the row cache.
        case .wait: touch(.knownRows, .read)
        case .fetch, .count, .prefetch, .merge, .rows: touch(.store, .read)
        case .stores: touchEverything()
        case .enqueue, .attempt, .acquire, .release, .saveStep, .conflict, .annotation: break
        }
    }

    private func read(_ entity: String?, _ footprint: inout Footprint) {
        guard let entity, let root = root(of: entity) else { return readAll(&footprint) }
        footprint.add(Resource.rows(root: root).number, .read)
    }

    private func root(of entity: String) -> Int? { layout.entity(named: entity)?.rootIndex }

    private func destination(_ relationship: String, of entity: String) -> String? {
        guard let owner = layout.entity(named: entity),
            let slot = owner.toManySlot(named: relationship)
        else { return nil }
        return layout[owner.toMany[slot].destinationIndex].name
    }
}
