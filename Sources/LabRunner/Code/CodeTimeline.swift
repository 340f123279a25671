import ContextHistory
import CoreDataEngine
import CoreDataModel
import CoreDataStore
import LabResults

/// The contents of contexts and stores after each choice of a schedule, from which a diagram is
/// drawn.
///
/// The contents are read while no thread runs, and the reading fires no fault. While a thread holds
/// a store's lock, the store's rows are left out, because reading them would wait for the lock.
final class CodeTimeline {
    private struct Slice {
        let thread: String
        let name: String
        var sql: [String] = []
        /// The new contents of the lanes that the slice has changed.
        var changes: [(lane: Int, items: [Timeline.Item])] = []
    }

    private let stage: CodeStage
    private let coordinators: [NSPersistentStoreCoordinator]
    private var lanes: [Timeline.Lane] = []
    private var now: [[Timeline.Item]] = []
    private var start: [[Timeline.Item]] = []
    private var slices: [Slice] = []
    private var counts: [String: Int] = [:]
    private static let rowsMax = 12

    init(_ stage: CodeStage, _ coordinators: [NSPersistentStoreCoordinator]) {
        self.stage = stage
        self.coordinators = coordinators
    }

    func begin() {
        look { _, _ in }
        start = now
    }

    func add(_ thread: String, sql: [String]) {
        counts[thread, default: 0] += 1
        var slice = Slice(thread: thread, name: "\(thread) \(counts[thread] ?? 0)", sql: sql)
        look { slice.changes.append(($0, $1)) }
        slices.append(slice)
    }

    // MARK: Contents

    private func look(_ changed: (Int, [Timeline.Item]) -> Void) {
        stage.isLooking = true
        defer { stage.isLooking = false }
        for context in stage.contexts.compactMap(\.context)
        where context.persistentStoreCoordinator != nil {
            let lane = Timeline.Lane(
                .context, CodeStory.label(context), detail: Self.settings(of: context))
            note(lane, objects(of: context), changed)
        }
        let isLocked = stage.baton.runners.contains { $0.held.contains(where: \.isLock) }
        for (index, coordinator) in coordinators.enumerated() where !isLocked {
            let name = coordinators.count == 1 ? "store" : "store \(index + 1)"
            let lane = Timeline.Lane(.store, name, detail: "rows, read past every context")
            if let rows = try? rows(of: coordinator) { note(lane, rows, changed) }
        }
    }

    private func note(
        _ lane: Timeline.Lane, _ items: [Timeline.Item],
        _ changed: (Int, [Timeline.Item]) -> Void
    ) {
        let index = number(of: lane)
        lanes[index].detail = lane.detail
        guard now[index] != items else { return }
        now[index] = items
        changed(index, items)
    }

    private func number(of lane: Timeline.Lane) -> Int {
        if let known = lanes.firstIndex(where: { $0.name == lane.name && $0.kind == lane.kind }) {
            return known
        }
        lanes.append(lane)
        now.append([])
        return lanes.count - 1
    }

    private static func settings(of context: NSManagedObjectContext) -> String {
        let parent = context.parent.map { "child of \(CodeStory.label($0))" }
        let merges = context.automaticallyMergesChangesFromParent ? "merges by itself" : nil
        return ([parent, StoryValues.policy(context.mergePolicy), merges]).compactMap(\.self)
            .joined(separator: ", ")
    }

    private func objects(of context: NSManagedObjectContext) -> [Timeline.Item] {
        context.registeredObjects.map { object in
            (object.objectKey, Self.item(of: object))
        }.sorted { ($0.0.entity, $0.0.key) < ($1.0.entity, $1.0.key) }.map(\.1)
    }

    private static func item(of object: NSManagedObject) -> Timeline.Item {
        let name = StoryValues.name(object)
        if object.isFault { return Timeline.Item(name, mark: "fault") }
        let version = object.cells.map { Int(RowFormat.version($0)) } ?? 0
        var marks = version > 0 ? ["version \(version)"] : []
        if object.isInserted { marks.append("inserted") }
        if object.isUpdated { marks.append("changed") }
        if object.isDeleted { marks.append("deleted") }
        return Timeline.Item(
            name, mark: marks.joined(separator: ", "), values: StoryValues.all(object, " = "))
    }

    private func rows(of coordinator: NSPersistentStoreCoordinator) throws(CoreDataError)
        -> [Timeline.Item]
    {
        let layout = coordinator.frozenModel.layout
        var items: [Timeline.Item] = []
        for store in coordinator.persistentStores {
            for entity in layout.entities where entity.superIndex == nil {
                let fetched = try store.backend.fetchRows(FetchPlan(entity: entity), generation: 0)
                for block in fetched.blocks {
                    for index in 0..<block.count {
                        items.append(Self.item(of: block.cells(at: index), layout))
                    }
                }
            }
        }
        return items
    }

    private static func item(of cells: UnsafeRawPointer, _ layout: ModelLayout) -> Timeline.Item {
        let entity = layout[RowFormat.entity(cells)]
        let row = Row(
            cells: cells, entity: entity, name: { "\(layout[Int($0.entity)].name) \($0.key)" })
        return Timeline.Item(
            "\(entity.name) \(RowFormat.key(cells))", mark: "version \(row.version)",
            values: StoryValues.texts(row, entity, " = "))
    }

    // MARK: The picture

    /// Creates the diagram; called once.
    ///
    /// - Parameter lines: the operations of each choice, in order, with their context.
    func made(
        _ losses: [Timeline.Loss?] = [],
        _ lines: [(slice: Int, context: String, line: Timeline.Line)]
    ) -> Timeline {
        let steps = steps(losses, lines)
        let begin = start + Array(repeating: [], count: lanes.count - start.count)
        let order = shownLanes(begin, steps)
        let places = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
        return Timeline(
            lanes: order.map { lanes[$0] }, start: order.map { begin[$0] },
            steps: steps.compactMap { step in
                var moved = step
                moved.lane = places[step.lane] ?? 0
                moved.changes = step.changes.compactMap { change in
                    places[change.lane].map { Timeline.Change(lane: $0, items: change.items) }
                }
                return order.isEmpty ? nil : moved
            })
    }

    private func steps(
        _ losses: [Timeline.Loss?],
        _ lines: [(slice: Int, context: String, line: Timeline.Line)]
    ) -> [Timeline.Step] {
        let shown = shownRows()
        if let store = lanes.firstIndex(where: { $0.kind == .store }), store < start.count {
            start[store].removeAll { !shown.contains($0.name) }
        }
        return slices.enumerated().compactMap { index, slice in
            let said = lines.filter { $0.slice == index + 1 }
            if said.isEmpty, slice.changes.isEmpty { return nil }
            let lane = said.lazy.compactMap { self.lane(named: $0.context) }.first
            var step = Timeline.Step(
                name: slice.name, lane: lane ?? slice.changes.first?.lane ?? 0,
                session: slice.thread, lines: said.map(\.line), sql: slice.sql,
                changes: slice.changes.map { lane, items in
                    Timeline.Change(
                        lane: lane,
                        items: lanes[lane].kind == .store
                            ? items.filter { shown.contains($0.name) } : items)
                })
            step.loss = losses.indices.contains(index + 1) ? losses[index + 1] : nil
            return step
        }
    }

    /// The contexts that performed operations or held objects, followed by the stores.
    private func shownLanes(
        _ begin: [[Timeline.Item]], _ steps: [Timeline.Step]
    ) -> [Int] {
        let used = Set(steps.map(\.lane)).union(steps.flatMap(\.changes).map(\.lane))
        let shown = lanes.indices.filter { used.contains($0) || !begin[$0].isEmpty }
        return shown.filter { lanes[$0].kind == .context }
            + shown.filter { lanes[$0].kind != .context }
    }

    private func lane(named name: String) -> Int? {
        lanes.firstIndex { $0.kind == .context && $0.name == name }
    }

    /// The rows to show: all if there are few, otherwise those that contexts held or that changed.
    private func shownRows() -> Set<String> {
        let stores = lanes.indices.filter { lanes[$0].kind == .store }
        let all = stores.flatMap { now[$0] + ($0 < start.count ? start[$0] : []) }
        if Set(all.map(\.name)).count <= Self.rowsMax { return Set(all.map(\.name)) }
        var names: Set<String> = []
        var before = start
        for change in slices.flatMap(\.changes) {
            let old = change.lane < before.count ? Set(before[change.lane]) : []
            names.formUnion(Set(change.items).symmetricDifference(old).map(\.name))
            if change.lane < before.count { before[change.lane] = change.items }
        }
        return names
    }
}
