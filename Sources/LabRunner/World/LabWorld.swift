import ContextHistory
import CoreDataEngine
import CoreDataModel
import CoreDataStore
import LabScenario
import LabSchedule

/// The environment in which schedules run: the stack, the contexts with their queues, and the
/// records of the steps. Steps run one after another. The caller resets the world before each
/// schedule.
///
/// ``StoreStage`` owns the store and its images, and ``StoreWatch`` reads the store for the lab.
/// ``ScheduleNotes`` has names and results, and ``Recorder`` has the history. ``Deliveries`` hold
/// the work that waits for contexts.
final class LabWorld {
    let plan: CellPlan
    let template: StoreTemplate
    let store: StoreStage
    let layout: ModelLayout
    let notes: ScheduleNotes
    let watch: StoreWatch
    private let schema: History.Schema
    private let meter: CostMeter?
    weak var deliveries: (any Deliveries)?
    var predicates = PredicateCache()
    private(set) var footprints: FootprintRecorder?
    var wantsTranscript = false

    private(set) var contexts: [LabContext] = []
    var recorder: Recorder
    /// The rows that parents held before and after their children's saves, by the names of the
    /// children.
    private var parentLooks: [String: ParentLook] = [:]
    /// The last transaction in the store's history before the sessions start.
    private(set) var historyStart: Int64 = 0
    /// The cost of each step, if it is observed.
    private(set) var costs: [String: CostMeter.Cost] = [:]
    /// The named rows of the setup before any step, for a transcript.
    private(set) var setupLines: [String] = []

    /// - Parameters:
    ///   - notes: the notes of another world, if several threads run the steps of one schedule.
    ///   - keepsHistory: whether the store is compared before and after each save.
    init(
        plan: CellPlan, template: StoreTemplate, store: StoreStage, layout: ModelLayout,
        notes: ScheduleNotes? = nil, keepsHistory: Bool = true
    ) {
        self.plan = plan
        self.template = template
        self.store = store
        self.layout = layout
        let notes = notes ?? ScheduleNotes(layout: layout)
        self.notes = notes
        meter = plan.countsCosts ? CostMeter() : nil
        if let meter { store.listen(meter) }
        watch = StoreWatch(
            store, layout: layout, notes: notes, meter: meter, keepsHistory: keepsHistory)
        schema = History.Schema(layout, plan.contexts)
        recorder = Recorder(schema: schema, wantsLines: false)
    }

    // MARK: Schedules

    /// - Parameter makeQueue: creates the queue of a context for one schedule.
    func reset(_ makeQueue: (CellPlan.Context) -> any LabQueue) throws(CoreDataError) {
        contexts.removeAll(keepingCapacity: true)
        // An abandoned schedule may have left failures that have not happened.
        failNoMore()
        try store.reset()
        // The coordinators of a file, or of Core Data's in-memory store, are new in each schedule.
        footprints?.listen(to: store.coordinators.values)
        for (index, context) in plan.contexts.enumerated() {
            // Safe: the stage has created a coordinator for every name in the plan.
            let coordinator = store.coordinators[context.coordinator]!
            let queue = makeQueue(context)
            contexts.append(
                try queue.runAndWait { () throws(CoreDataError) in
                    let made = try LabContext(
                        index: index, plan: context, coordinator: coordinator,
                        parent: context.parent.map { contexts[$0] }, queue: queue)
                    if template.pinsContexts, context.parent == nil {
                        try made.context.pin(to: .current)
                    }
                    return made
                })
        }
        recorder = Recorder(schema: schema, wantsLines: wantsTranscript)
        notes.begin(template.names)
        costs = [:]
        parentLooks = [:]
        historyStart = try lastTransaction()
        try watch.readMirror()
        if wantsTranscript { setupLines = watch.describe(template.names) }
    }

    /// Begins a schedule on the contexts of another world.
    func begin(on contexts: [LabContext]) {
        self.contexts = contexts
        recorder = Recorder(schema: schema, wantsLines: false)
    }

    func failNoMore() {
        for coordinator in store.coordinators.values { coordinator.failNoMore() }
    }

    func recordFootprints(_ isWanted: Bool) {
        footprints?.leave(store.coordinators.values)
        footprints =
            isWanted ? FootprintRecorder(layout: layout, isSliced: plan.schedulePlan.isOpen) : nil
    }

    func measure(_ step: String, _ work: () -> Void) {
        guard let meter else { return work() }
        let before = meter.current
        work()
        costs[step] = meter.cost(since: before)
    }

    // MARK: Saves

    func beginLook(_ look: ParentLook, of child: String) { parentLooks[child] = look }

    /// Called when a child's save runs on the parent's queue.
    ///
    /// - Parameter isDone: whether the parent has the child's values.
    func lookAtParent(isDone: Bool) {
        guard let look = parentLooks[recorder.context], watch.keepsHistory else { return }
        watch.isLooking = true
        defer { watch.isLooking = false }
        look.look(isDone: isDone)
    }

    /// The maximum number of saves that are observed in one schedule. Saves can cause further saves
    /// without end.
    static let observationMax = 6

    func post(_ keys: SavedKeys, by saver: LabContext) {
        if keys.isEmpty { return }
        let posted = LabContext.Posted(saver: saver.index, step: recorder.step, keys: keys)
        deliveries?.post(posted, by: saver, in: self)
    }

    func enqueue(_ block: String) { deliveries?.enqueue(block, in: self) }

    /// Records a batch request that bypassed every context. No context receives a notification, but
    /// `merge-remote` can find the IDs.
    func note(_ keys: SavedKeys, by writer: LabContext) {
        if keys.isEmpty { return }
        let posted = LabContext.Posted(saver: writer.index, step: recorder.step, keys: keys)
        for context in contexts { context.hear(posted) }
    }

    func hears(_ listener: Int, _ saver: Int) -> Bool {
        guard listener != saver, contexts[listener].automerge else { return false }
        if let parent = plan.contexts[listener].parent { return parent == saver }
        return plan.contexts[saver].parent == nil
            && plan.contexts[saver].coordinator == plan.contexts[listener].coordinator
    }

    /// Merges a save on the receiver's queue. If another coordinator saved, the changed rows are
    /// first removed from the receiver's row cache.
    func merge(
        _ posted: LabContext.Posted, into context: LabContext
    ) throws(CoreDataError) {
        if plan.contexts[posted.saver].coordinator != context.plan.coordinator {
            store.coordinators[context.plan.coordinator]?.rowCache
                .invalidate(posted.keys.updated + posted.keys.deleted)
        }
        try context.context.merge(posted.keys)
    }

    // MARK: Objects

    func name(_ key: ObjectKey) -> ObjectName { notes.name(key) }

    func alias(_ key: ObjectKey) -> String { notes.alias(key) }

    func row(_ cells: UnsafeRawPointer, _ entity: EntityLayout) -> Row {
        Row(cells: cells, entity: entity, name: alias)
    }

    func setupKey(_ name: String) -> ObjectKey? { template.names[name] }

    func setupID(
        _ name: String, on coordinator: NSPersistentStoreCoordinator
    ) -> NSManagedObjectID? {
        template.names[name].map { Self.id(of: $0, on: coordinator) }
    }

    static func id(
        of key: ObjectKey, on coordinator: NSPersistentStoreCoordinator
    ) -> NSManagedObjectID {
        let description = coordinator.frozenModel.description(at: Int(key.entity))
        return NSManagedObjectID(
            key: key, entity: description, layout: description.layout,
            store: coordinator.storeIfAny(for: description.layout, key: key.key))
    }
}
