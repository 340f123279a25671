import CoreDataEngine
import CoreDataModel
import CoreDataStore
import LabCheck
import LabScenario
import LabSchedule

/// The world of a run: its stack, its contexts with their queues, and what its steps write down.
/// Steps run in it one after another; whoever drives them puts it back before each schedule.
///
/// Each part has its owner: ``StoreStage`` the store and its images, ``StoreWatch`` what the lab
/// sees of them, ``Notes`` names and results, ``Recorder`` the history, and ``Deliveries`` what
/// waits for contexts.
final class LabWorld {
    let plan: CellPlan
    let template: StoreTemplate
    let store: StoreStage
    let layout: ModelLayout
    let notes: Notes
    let watch: StoreWatch
    private let schema: History.Schema
    private let meter: CostMeter?
    /// Whoever drives the steps takes deliveries for them.
    weak var deliveries: (any Deliveries)?
    /// Predicates that have been parsed, by their text.
    var predicates = PredicateCache()
    /// Collects what each step touches, while the reduced walk runs.
    private(set) var footprints: FootprintRecorder?
    /// Whether schedules write transcripts.
    var wantsTranscript = false

    // What belongs to one schedule.
    private(set) var contexts: [LabContext] = []
    var recorder: Recorder
    /// What children that save see of their parents, by the names of the children.
    private var parentLooks: [String: ParentLook] = [:]
    /// The last save in the store's history before the sessions start.
    private(set) var historyStart: Int64 = 0
    /// What each step cost, where that is observed.
    private(set) var costs: [String: CostMeter.Cost] = [:]
    /// The named rows of the setup before anything runs, for a transcript.
    private(set) var setupLines: [String] = []

    /// - Parameters:
    ///   - notes: those of another world, where several threads run the steps of one schedule.
    ///   - keepsHistory: whether each save is compared with the store before and after it.
    init(
        plan: CellPlan, template: StoreTemplate, store: StoreStage, layout: ModelLayout,
        notes: Notes? = nil, keepsHistory: Bool = true
    ) {
        self.plan = plan
        self.template = template
        self.store = store
        self.layout = layout
        let notes = notes ?? Notes(layout: layout)
        self.notes = notes
        meter = plan.countsCosts ? CostMeter() : nil
        if let meter { store.listen(meter) }
        watch = StoreWatch(
            store, layout: layout, notes: notes, meter: meter, keepsHistory: keepsHistory)
        schema = History.Schema(layout, plan.contexts)
        recorder = Recorder(schema: schema, wantsLines: false)
    }

    // MARK: Schedules

    /// Puts everything back to the start of a schedule.
    ///
    /// - Parameter makeQueue: makes the queue of a context for one schedule.
    func reset(_ makeQueue: (CellPlan.Context) -> any LabQueue) throws(CoreDataError) {
        contexts.removeAll(keepingCapacity: true)
        // A schedule that was left before its end may have failures in wait.
        failNoMore()
        try store.reset()
        // A coordinator of a file is a new one in each schedule; one in memory stays.
        footprints?.listen(to: store.coordinators.values)
        for (index, context) in plan.contexts.enumerated() {
            // Safe: the stage has made a coordinator for every name in the plan.
            let coordinator = store.coordinators[context.coordinator]!
            let queue = makeQueue(context)
            contexts.append(
                try queue.runAndWait { () throws(CoreDataError) in
                    try LabContext(
                        index: index, plan: context, coordinator: coordinator,
                        parent: context.parent.map { contexts[$0] }, queue: queue)
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

    /// Forgets failures that steps have asked for and that have not happened.
    func failNoMore() {
        for coordinator in store.coordinators.values { coordinator.failNoMore() }
    }

    /// Begins or ends collecting what steps touch.
    func recordFootprints(_ isWanted: Bool) {
        footprints?.leave(store.coordinators.values)
        footprints =
            isWanted ? FootprintRecorder(layout: layout, isSliced: plan.schedulePlan.isOpen) : nil
    }

    /// Does the work of a step and notes what it costs, where that is observed.
    func measure(_ step: String, _ work: () -> Void) {
        guard let meter else { return work() }
        let before = meter.current
        work()
        costs[step] = meter.cost(since: before)
    }

    // MARK: Saves

    /// A child begins to save.
    func beginLook(_ look: ParentLook, of child: String) { parentLooks[child] = look }

    /// The child whose save runs has its parent's queue.
    ///
    /// - Parameter isDone: whether its values are there.
    func lookAtParent(isDone: Bool) {
        guard let look = parentLooks[recorder.context], watch.keepsHistory else { return }
        watch.isLooking = true
        defer { watch.isLooking = false }
        look.look(isDone: isDone)
    }

    /// More saves than this are not observed in one schedule: they cause each other.
    static let observationMax = 6

    /// A context has saved: those who listen get a delivery.
    func post(_ keys: SavedKeys, by saver: LabContext) {
        if keys.isEmpty { return }
        let posted = LabContext.Posted(saver: saver.index, step: recorder.step, keys: keys)
        deliveries?.post(posted, by: saver, in: self)
    }

    /// Puts a block of the file on its context's queue.
    func enqueue(_ block: String) { deliveries?.enqueue(block, in: self) }

    /// A batch has written past every context: nobody is told, and `merge-remote` finds the ids.
    func note(_ keys: SavedKeys, by writer: LabContext) {
        if keys.isEmpty { return }
        let posted = LabContext.Posted(saver: writer.index, step: recorder.step, keys: keys)
        for context in contexts { context.hear(posted) }
    }

    /// Whether a context merges by itself what another one saves.
    func hears(_ listener: Int, _ saver: Int) -> Bool {
        guard listener != saver, contexts[listener].automerge else { return false }
        if let parent = plan.contexts[listener].parent { return parent == saver }
        return plan.contexts[saver].parent == nil
            && plan.contexts[saver].coordinator == plan.contexts[listener].coordinator
    }

    /// Merges a did-save on the receiver's queue. What another stack wrote is not in this one's
    /// row cache.
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

    /// The row of a setup object.
    func setupKey(_ name: String) -> ObjectKey? { template.names[name] }

    /// The id of a setup object, for a context of the given coordinator.
    func setupID(
        _ name: String, on coordinator: NSPersistentStoreCoordinator
    ) -> NSManagedObjectID? {
        template.names[name].map { Self.id(of: $0, on: coordinator) }
    }

    /// The id of a row as a coordinator knows it.
    static func id(
        of key: ObjectKey, on coordinator: NSPersistentStoreCoordinator
    ) -> NSManagedObjectID {
        let description = coordinator.frozenModel.description(at: Int(key.entity))
        return NSManagedObjectID(
            key: key, entity: description, layout: description.layout,
            store: coordinator.storeIfAny(for: description.layout, key: key.key))
    }
}
