import CoreData
import CoreDataEngine
import CoreDataStore
import CoreDataTrace
import LabResults

/// The operations of a schedule's threads, one per line, with their source positions.
///
/// Only a story collects call stacks, and only schedules that are shown to the user have a story.
final class CodeStory {
    private(set) var lines: [StoryLine] = []
    private unowned let stage: CodeStage
    let sink: StorySink
    private let timeline: CodeTimeline
    private(set) var slice = 0
    private var waits: [String: CallStack] = [:]
    private var policies: [String] = []
    private var found: [ObjectName] = []

    init(_ stage: CodeStage, _ coordinators: [NSPersistentStoreCoordinator]) {
        self.stage = stage
        sink = StorySink(stage)
        timeline = CodeTimeline(stage, coordinators)
    }

    func begin() { timeline.begin() }

    func beginSlice() { slice += 1 }

    /// Called when the running thread hands the baton back and the schedule chooses again.
    func endSlice(_ thread: String) { timeline.add(thread, sql: sink.taken()) }

    // MARK: Lines

    func note(
        _ lane: String, _ text: String, details: [String] = [],
        context: NSManagedObjectContext? = nil
    ) {
        let context = (context ?? current).map(Self.label) ?? ""
        lines.append(
            StoryLine(
                slice: slice, lane: lane, context: context, text: text, isDetail: false,
                stack: CallStack()))
        lines += details.map {
            StoryLine(
                slice: slice, lane: lane, context: context, text: $0, isDetail: true, stack: nil)
        }
    }

    func beginBlock(of queue: CodeQueue) {
        let owner = stage.contexts.lazy.compactMap(\.context).first { stage.owns($0, queue) }
        guard let lane = stage.running, let owner else { return }
        note(stage.lanes[lane].name, "begins a block", context: owner)
    }

    private func note(
        running text: String, details: [String] = [], context: NSManagedObjectContext? = nil
    ) {
        guard let lane = stage.running else { return }
        note(stage.lanes[lane].name, text, details: details, context: context)
    }

    func hear(_ event: Event) {
        switch event {
        case .rows(let rows): found = rows.objects
        case .fetch(let entity, let count, _):
            note(running: "fetches \(entity): \(Self.list(found, count))")
            found = []
        case .count(let entity, let count, _): note(running: "counts \(entity): \(count)")
        case .fault(let object, let source):
            let read = looking { values(of: object) }
            note(running: "reads \(Self.name(object)) from \(source.rawValue)\(read)")
        case .noRow(let object): note(running: "finds no row of \(Self.name(object))")
        case .relationshipFault(let object, let relationship, let rows, let source):
            note(
                running: "reads \(Self.name(object)).\(relationship):"
                    + " \(rows == 1 ? "1 row" : "\(rows) rows") from \(source.rawValue)")
        case .saveStep(_, "write"):
            notePolicy()
            note(running: "saves", details: looking(changes))
        case .saveStep(_, "push to parent"):
            note(running: "saves into its parent", details: looking(changes))
        case .saveStep(_, "didSave"): note(running: "has saved")
        case .merge(_, let inserted, let updated, let deleted):
            note(
                running: "merges \(inserted) inserted, \(updated) updated, \(deleted) deleted")
        case .stores(let change): note(running: change)
        case .statement, .prefetch, .enqueue, .wait, .attempt, .acquire, .release, .saveStep,
            .conflict,
            .annotation:
            break
        }
    }

    /// Records an operation that no event of the stores reports.
    func hear(_ event: WatchedEvent, in context: NSManagedObjectContext) {
        guard case .batched(let batch, let keys) = event else { return }
        let verb =
            switch batch {
            case .insert: "inserts into"
            case .update: "updates"
            case .delete: "deletes from"
            }
        let layout = context.persistentStoreCoordinator?.frozenModel.layout
        let rows = keys.compactMap { key in
            layout.map { ObjectName(entity: $0[Int(key.entity)].name, key: key.key) }
        }
        note(
            running: "\(verb) the store's \(batch.entity.name): \(Self.list(rows, rows.count))",
            context: context)
    }

    /// Records the conflicts of a save with newer rows or with unique values. The merge policy of
    /// the context resolves the conflicts next.
    func meet(_ context: NSManagedObjectContext, _ conflicts: [Any]) {
        guard let lane = stage.running else { return }
        let policy = StoryValues.policy(context.mergePolicy)
        for conflict in conflicts {
            let (text, details) = looking({ StoryValues.conflict(conflict) })
            note(
                stage.lanes[lane].name, text + "; \(policy) decides", details: details,
                context: context)
        }
    }

    func wait(_ thread: String, for resource: String, heldBy holder: String) {
        note(thread, "waits for \(resource), which \(holder) holds")
        waits[thread] = lines.last?.stack
    }

    private func notePolicy() {
        guard let context = current else { return }
        let policy = StoryValues.policy(context.mergePolicy)
        if !policies.contains(policy) { policies.append(policy) }
    }

    // MARK: Objects

    private var current: NSManagedObjectContext? {
        guard stage.isInside else { return nil }
        if let known = NSManagedObjectContext.current { return known }
        guard stage.baton.current != nil else { return nil }
        let usable = stage.contexts.compactMap(\.context).filter(\.queue.isCurrent)
        return usable.count == 1 ? usable[0] : nil
    }

    /// The name of a context for lanes and lines: the name that the program has set, otherwise a
    /// name after its creator.
    static func label(_ context: NSManagedObjectContext) -> String {
        if let name = context.name, !name.isEmpty { return name }
        return context.queue.label
    }

    private func looking<T>(_ body: () -> T) -> T {
        stage.isLooking = true
        defer { stage.isLooking = false }
        return body()
    }

    private func changes() -> [String] {
        guard let context = current else { return [] }
        return
            (context.insertedObjects.map {
                "inserts \(StoryValues.changes(of: $0))"
            }
            + context.updatedObjects.map { "changes \(StoryValues.changes(of: $0))" }
            + context.deletedObjects.map { "deletes \(StoryValues.name($0))" }).sorted()
    }

    private func values(of name: ObjectName) -> String {
        let object = current?.registeredObjects.first {
            $0.objectKey.key == name.key && $0.entity.name == name.entity
        }
        let values = object.map { StoryValues.all($0) } ?? []
        return values.isEmpty ? "" : ": " + values.joined(separator: ", ")
    }

    private static func name(_ object: ObjectName) -> String {
        object.key < 0 ? "a new \(object.entity)" : "\(object.entity) \(object.key)"
    }

    private static func list(_ objects: [ObjectName], _ count: Int) -> String {
        let rows = count == 1 ? "1 row" : "\(count) rows"
        if objects.isEmpty || objects.count != count { return rows }
        let names = objects.prefix(5).map(name).joined(separator: ", ")
        return "\(rows) (\(names)\(count > 5 ? ", …" : ""))"
    }

    // MARK: Output

    /// - Parameter losses: the share of failing continuations before the first step and after each
    ///   step; empty if it was not requested.
    func told(_ losses: [Timeline.Loss?] = []) -> ToldStory {
        let places = CodePlaces(lines.compactMap(\.stack))
        let (lane, context) = (width(\.lane), width(\.context))
        let texts = lines.map { line in
            let place = line.stack.flatMap { places.own($0) }.map { "  (\($0))" } ?? ""
            let loss = losses.isEmpty ? "" : Self.text(line.slice, losses) + "  "
            return loss + Self.padded(line.lane, lane) + "  " + Self.padded(line.context, context)
                + (line.isDetail ? "      " : "  ") + line.text + place
        }
        return ToldStory(
            lines: texts, waits: callStacks(places), policies: policies,
            cycles: stage.history.cycles, losses: losses,
            timeline: timeline.made(
                losses,
                lines.map { line in
                    let place = line.stack.flatMap { places.own($0) }.map { " (\($0))" } ?? ""
                    return (
                        line.slice, line.context,
                        // The diagram shows the written values and the conflicts in the step of the
                        // save.
                        Timeline.Line((line.isDetail ? "· " : "") + line.text + place)
                    )
                }))
    }

    private static func text(_ slice: Int, _ losses: [Timeline.Loss?]) -> String {
        let loss = losses.indices.contains(slice) ? losses[slice] : nil
        return padded(loss?.text ?? "", 12)
    }

    /// The call stack of each thread in a deadlock, without frames outside of the program.
    private func callStacks(_ places: CodePlaces) -> [String] {
        stage.baton.deadlocks.flatMap(\.sides).flatMap { side -> [String] in
            let calls = waits[side.thread].map { places.calls($0) } ?? []
            if calls.isEmpty { return [] }
            return ["\(side.thread) waits for \(side.waitsFor), which \(side.holder) holds:"]
                + calls.map { "    \($0)" }
        }
    }

    private func width(_ part: (StoryLine) -> String) -> Int {
        lines.map { part($0).count }.max() ?? 0
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
