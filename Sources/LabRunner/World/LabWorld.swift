import CoreDataEngine
import CoreDataModel
import CoreDataStore
import LabCheck
import LabScenario
import LabSchedule

/// Runs the schedules of one cell on the engine: contexts on stepped queues over a store that is
/// put back before each. The explorer drives it; everything runs inline on the calling thread.
class LabWorld: ScheduleWorld {
    let plan: CellPlan
    let store: StoreStage
    let template: StoreTemplate
    let layout: ModelLayout
    private let schema: History.Schema
    /// Predicates that have been parsed, by their text.
    var predicates = PredicateCache()

    /// The lab itself looks at contexts and store, which is no part of the schedule.
    var isLooking = false { didSet { log?.isPaused = isLooking } }
    /// Keeps the SQL of steps, while somebody wants it.
    weak var log: StatementLog?

    // What belongs to one schedule.
    private(set) var contexts: [LabContext] = []
    private(set) var positions: [Int] = []
    /// What waits in each mailbox, oldest first.
    private var waiting: [[Waiting]] = []
    private var deliveries: [String: Int] = [:]
    var recorder: Recorder
    var names: NameTable
    private(set) var mirror = StoreMirror()
    /// How each step ended, by its name.
    var statuses: [String: ObservedValue] = [:]
    /// What the last step that bound a name has read.
    var values: [String: ObservedValue] = [:]
    /// What each step cost, where that is observed.
    private(set) var costs: [String: CostMeter.Cost] = [:]
    private let meter: CostMeter?
    var outcome = Outcome(values: [])

    /// Whether schedules write transcripts.
    var wantsTranscript = false

    /// A change of how steps run, which must not matter.
    var metamorphosis: Metamorphosis?

    /// Collects what each step touches, while the reduced walk runs.
    private(set) var footprints: FootprintRecorder?
    private(set) var footprint = Footprint()
    private let isOpaque: Bool
    /// What the slices of each lane's step have touched so far, where steps have several.
    private var unfinished: [Int: Footprint] = [:]
    /// How much each mailbox has got and handed out in this schedule.
    private var posted: [Int] = []
    private var taken: [Int] = []

    private enum Waiting {
        case merge(LabContext.Posted, name: String)
        case block(Int, name: String)

        var name: String {
            switch self {
            case .merge(_, let name), .block(_, let name): name
            }
        }
    }

    init(
        plan: CellPlan, template: StoreTemplate, store: StoreStage, layout: ModelLayout
    ) {
        self.plan = plan
        isOpaque = plan.isOpaque
        self.template = template
        self.store = store
        self.layout = layout
        meter = plan.countsCosts ? CostMeter() : nil
        if let meter { store.listen(meter) }
        schema = History.Schema(layout, plan.contexts)
        recorder = Recorder(schema: schema, wantsLines: false)
        names = NameTable(layout: layout)
    }

    // MARK: Schedules

    func reset() throws(CoreDataError) {
        contexts.removeAll(keepingCapacity: true)
        // A schedule that was left before its end may have failures in wait.
        for coordinator in store.coordinators.values { coordinator.failNoMore() }
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
        positions = Array(repeating: 0, count: plan.pieces.count)
        waiting = Array(repeating: [], count: plan.mailboxes.count)
        posted = Array(repeating: 0, count: plan.mailboxes.count)
        taken = posted
        deliveries = [:]
        recorder = Recorder(schema: schema, wantsLines: wantsTranscript)
        names = NameTable(layout: layout)
        for (name, key) in template.names.sorted(by: { $0.key < $1.key }) {
            _ = names.name(key, name)
        }
        statuses = [:]
        values = [:]
        costs = [:]
        unfinished = [:]
        try readMirror()
        if wantsTranscript { describeSetup() }
    }

    func run(lane: Int) throws(CoreDataError) {
        if metamorphosis == .withoutRowCache {
            for coordinator in store.coordinators.values { coordinator.rowCache.removeAll() }
        }
        footprints?.begin(after: unfinished[lane] ?? Footprint())
        if isOpaque { footprints?.touchEverything() }
        try go(on: lane)
        guard let footprints else { return }
        footprint = footprints.end()
        unfinished[lane] = isInsideStep(lane) ? footprint.carried : nil
    }

    /// Runs what a lane runs until the schedule may choose again.
    func go(on lane: Int) throws(CoreDataError) {
        if lane < positions.count {
            runPiece(lane)
        } else {
            try runWaiting(lane - positions.count)
        }
    }

    /// Whether a lane has begun a step and not ended it.
    func isInsideStep(_ lane: Int) -> Bool { false }

    var recordsFootprints: Bool {
        get { footprints != nil }
        set {
            footprints?.leave(store.coordinators.values)
            footprints =
                newValue
                ? FootprintRecorder(layout: layout, isSliced: plan.schedulePlan.isOpen) : nil
        }
    }

    func waiting(inMailbox mailbox: Int) -> Int { waiting[mailbox].count }

    /// What waits in a mailbox, oldest first.
    func waitingNames(inMailbox mailbox: Int) -> [String] { waiting[mailbox].map(\.name) }

    func nextName(lane: Int) -> String? {
        guard lane < positions.count else { return waiting[lane - positions.count].first?.name }
        let pieces = plan.pieces[lane]
        return positions[lane] < pieces.count ? pieces[positions[lane]][0].name.value : nil
    }

    func finish() throws(CoreDataError) {
        recorder.begin(step: "end", context: "")
        for coordinator in store.coordinators.values { coordinator.failNoMore() }
        for context in contexts { recordHeld(by: context) }
        outcome = Outcome(values: try Observer(world: self).observe())
    }

    /// The queue of a context for one schedule.
    func makeQueue(_ context: CellPlan.Context) -> any LabQueue {
        SteppedQueue(label: context.name)
    }

    /// How many things wait for a context, whether they are merges or blocks.
    func waitingItems(inMailbox mailbox: Int) -> Int { waiting[mailbox].count }

    /// Runs the next piece of a session.
    func runPiece(_ session: Int) {
        let steps = plan.pieces[session][positions[session]]
        positions[session] += 1
        for step in steps {
            runStep(step, in: contexts[plan.sessionContexts[session]], named: step.name.value)
        }
    }

    // MARK: Notes

    /// How a step has ended, if it has.
    func status(of step: String) -> ObservedValue? { statuses[step] }

    func note(_ status: ObservedValue, of step: String) { statuses[step] = status }

    /// Keeps what a step has bound to a name.
    func keep(_ value: ObservedValue, as name: String) { values[name] = value }

    /// Whether each save is compared with the store before and after it.
    var keepsHistory: Bool { true }

    /// Begins a schedule on the contexts of another world.
    func begin(on contexts: [LabContext]) {
        self.contexts = contexts
        recorder = Recorder(schema: schema, wantsLines: false)
    }

    /// The findings of the schedule that has just finished.
    var findings: [Detection] { Detectors.findings(in: recorder.history) }

    // MARK: Steps

    func runStep(_ step: Step, in context: LabContext, named name: String) {
        recorder.begin(step: name, context: context.plan.name)
        touch(context: context.index)
        touch(step, in: context.index)
        var runner = StepRunner(world: self, context: context)
        let before = meter?.current
        note(runner.run(step), of: step.name.value)
        if let meter, let before { costs[step.name.value] = meter.cost(since: before) }
    }

    /// Runs a block of the file at once on its context's queue, as a wait does.
    func runBlock(_ name: String) {
        guard let block = plan.scenario.blocks.first(where: { $0.name.value == name }) else {
            return
        }
        let (step, context) = (recorder.step, recorder.context)
        recorder.record(.blockBegan(block: name))
        let target = contexts[plan.position(of: block.context.value)]
        touch(context: target.index)
        touch(block.step, in: target.index)
        recorder.begin(step: step, context: target.plan.name)
        var runner = StepRunner(world: self, context: target)
        note(runner.run(block.step), of: name)
        recorder.begin(step: step, context: context)
    }

    func runWaiting(_ mailbox: Int) throws(CoreDataError) {
        let item = waiting[mailbox].removeFirst()
        taken[mailbox] += 1
        footprints?.touch(.mail(mailbox: mailbox, number: taken[mailbox]), .require)
        switch (plan.mailboxes[mailbox], item) {
        case (.queue(let target), .merge(let posted, let name)):
            beginMerge(posted, name: name, in: contexts[target])
            contexts[target].queue.runOldest()
            if metamorphosis == .deliveredTwice { try mergeNow(posted, into: contexts[target]) }
        case (.observer(_, let target), .merge(let posted, let name)):
            let context = contexts[target]
            beginMerge(posted, name: name, in: context)
            do {
                try mergeNow(posted, into: context)
                if metamorphosis == .deliveredTwice { try mergeNow(posted, into: context) }
            } catch {
                recorder.record(
                    .failed(code: error.cocoaCode, message: Scrubbed.text(error.message)))
            }
        case (.queue(let target), .block(let index, let name)):
            let block = plan.scenario.blocks[index]
            recorder.begin(step: name, context: contexts[target].plan.name)
            recorder.record(.blockBegan(block: block.name.value))
            contexts[target].queue.runOldest()
            runStep(block.step, in: contexts[target], named: name)
        case (.observer, .block): break
        }
    }

    /// What waits in a mailbox is about to be run: it could not have been before it was posted.
    func touchOldest(_ mailbox: Int) {
        footprints?.touch(.mail(mailbox: mailbox, number: taken[mailbox] + 1), .require)
    }

    private func mergeNow(
        _ posted: LabContext.Posted, into context: LabContext
    ) throws(CoreDataError) {
        try context.queue.runAndWait { () throws(CoreDataError) in
            try merge(posted, into: context)
        }
    }

    private func beginMerge(_ posted: LabContext.Posted, name: String, in context: LabContext) {
        recorder.begin(step: name, context: context.plan.name)
        touch(context: context.index)
        for key in posted.keys.inserted + posted.keys.updated + posted.keys.deleted {
            let root = layout[Int(key.entity)].rootIndex
            footprints?.touch(.row(root: root, key: key.key), .read)
        }
        recordMerge(posted)
        recorder.line("merge \(posted.step) of \(plan.contexts[posted.saver].name)", "")
    }

    func recordMerge(_ posted: LabContext.Posted) {
        recorder.record(
            .merged(
                Merge(
                    source: plan.contexts[posted.saver].name, savedIn: posted.step,
                    inserted: posted.keys.inserted.map { name($0) },
                    updated: posted.keys.updated.map { name($0) },
                    deleted: posted.keys.deleted.map { name($0) })))
    }

    // MARK: Deliveries

    /// A context has saved: those who listen get a delivery.
    func post(_ keys: SavedKeys, by saver: LabContext) {
        if keys.isEmpty { return }
        let posted = LabContext.Posted(saver: saver.index, step: recorder.step, keys: keys)
        for (index, mailbox) in plan.mailboxes.enumerated() {
            switch mailbox {
            case .queue(let target) where hears(target, saver.index):
                put(.merge(posted, name: deliveryName(saver.index, target)), into: index)
            case .observer(saver.index, let target):
                put(.merge(posted, name: deliveryName(saver.index, target)), into: index)
            default: break
            }
        }
        for context in contexts where context !== saver {
            context.hear(posted)
            footprints?.touch(.unmerged(target: context.index, saver: saver.index), .write)
        }
        for block in saver.plan.onSave { observe(block) }
    }

    /// An observer of a save enqueues its block, unless it has done so too often.
    private func observe(_ block: String) {
        if deliveries[block] ?? 0 < Self.observationMax { return enqueue(block) }
        recorder.record(.looped(block: block, times: Self.observationMax))
    }

    /// More saves than this are not observed in one schedule: they cause each other.
    static let observationMax = 6

    private func hears(_ listener: Int, _ saver: Int) -> Bool {
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

    /// A batch has written past every context: nobody is told, and `merge-remote` finds the ids.
    func note(_ keys: SavedKeys, by writer: LabContext) {
        if keys.isEmpty { return }
        let posted = LabContext.Posted(saver: writer.index, step: recorder.step, keys: keys)
        for context in contexts { context.hear(posted) }
    }

    private func put(_ item: Waiting, into mailbox: Int) {
        waiting[mailbox].append(item)
        posted[mailbox] += 1
        footprints?.touch(.mailbox(mailbox), .write)
        footprints?.touch(.mail(mailbox: mailbox, number: posted[mailbox]), .provide)
    }

    private func deliveryName(_ source: Int, _ target: Int) -> String {
        let name = "~m(\(plan.contexts[source].name)→\(plan.contexts[target].name))"
        let number = (deliveries[name] ?? 0) + 1
        deliveries[name] = number
        return number == 1 ? name : "\(name)#\(number)"
    }

    /// Puts a block of the file on its context's queue.
    func enqueue(_ block: String) {
        guard let index = plan.scenario.blocks.firstIndex(where: { $0.name.value == block })
        else { return }
        let target = plan.position(of: plan.scenario.blocks[index].context.value)
        guard let mailbox = plan.mailboxes.firstIndex(of: .queue(target)) else { return }
        // The queue keeps the block's turn; its statements run when the lane is chosen.
        contexts[target].queue.enqueue(block) {}
        let number = (deliveries[block] ?? 0) + 1
        deliveries[block] = number
        put(.block(index, name: number == 1 ? "~\(block)" : "~\(block)#\(number)"), into: mailbox)
        recorder.record(.enqueued(block: block, on: contexts[target].plan.name))
    }

    // MARK: Names and rows

    func name(_ key: ObjectKey) -> ObjectName { names.name(key) }

    /// Gives an object the name that the file has for it.
    func name(_ key: ObjectKey, as wanted: String) -> ObjectName { names.name(key, wanted) }

    /// The object has got another key.
    func move(_ old: ObjectKey, to new: ObjectKey) { names.move(old, to: new) }

    func alias(_ key: ObjectKey) -> String { name(key).alias }

    func row(_ cells: UnsafeRawPointer, _ entity: EntityLayout) -> Row {
        Row(cells: cells, entity: entity, name: alias)
    }

    func readMirror() throws(CoreDataError) {
        meter?.isPaused = true
        defer { meter?.isPaused = false }
        isLooking = true
        defer { isLooking = false }
        mirror = try StoreMirror.read(store, layout: layout, name: alias)
    }

    /// The named rows of the setup, as they are before anything runs.
    private(set) var setupLines: [String] = []

    private func describeSetup() {
        setupLines = template.names.sorted { $0.key < $1.key }.compactMap { name, key in
            guard let row = mirror[key] else { return nil }
            let keys = layout[Int(key.entity)].values.map(\.name)
            let values = zip(keys, row.values).map { "\($0) = \($1.quoted)" }
            return "\(name) is version \(row.version): \(values.joined(separator: ", "))"
        }
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
            store: coordinator.storeIfAny(for: description.layout))
    }

    private func recordHeld(by context: LabContext) {
        let heard = plan.contexts.indices.filter {
            hears(context.index, $0) || context.plan.mergesFrom.contains($0)
        }
        guard !heard.isEmpty, context.plan.parent == nil else { return }
        recorder.begin(step: "end", context: context.plan.name)
        recorder.record(.listens(to: heard.map { plan.contexts[$0].name }))
        context.queue.runAndWait { () throws(Never) in
            for object in context.changed(context.context.registeredObjects)
            where !object.isFault && !object.hasChanges {
                guard let cells = object.cells else { continue }
                recorder.record(.held(name(object.objectKey), row(cells, object.layout)))
            }
        }
    }
}
