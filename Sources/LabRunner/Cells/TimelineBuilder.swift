import ContextHistory
import CoreDataEngine
import CoreDataModel
import CoreDataStore
import LabResults
import LabScenario

/// Runs a schedule and records the state of every lane (column of the timeline) after each step.
/// Reading the state fires no faults. If a baton controls the threads, a context cannot be read
/// while a thread holds its queue. The lanes then show the threads and their locks.
struct TimelineBuilder {
    private let world: CellWorld
    private let threads: BatonTurns?

    init(world: CellWorld) {
        self.world = world
        threads = world.turns as? BatonTurns
    }

    /// Runs a schedule, which is given by the lane of each step.
    ///
    /// - Returns: the lines of the events, and the timeline.
    func run(_ path: [UInt8]) throws(CoreDataError) -> (text: String, timeline: Timeline) {
        let log = StatementLog()
        world.lab.wantsTranscript = true
        world.lab.store.listen(log)
        world.lab.watch.log = log
        defer {
            world.lab.wantsTranscript = false
            world.lab.watch.log = nil
            world.lab.store.leave(log)
        }
        try world.reset()
        var state = lanes.indices.map { items(inLane: $0) }
        var timeline = Timeline(lanes: lanes, start: state, steps: [])
        for lane in path {
            timeline.steps.append(try step(Int(lane), log, &state))
        }
        try world.finish()
        if let chart = threads?.deadlocked { timeline.steps += ends(chart) }
        return (TranscriptText.lines(of: world).joined(separator: "\n"), timeline)
    }

    private func ends(_ chart: WaitChart) -> [Timeline.Step] {
        chart.last.enumerated().compactMap { index, side in
            guard let wait = side.wait else { return nil }
            return Timeline.Step(
                name: "deadlock", lane: index,
                lines: [Timeline.Line(wait)]
                    + side.inside.map { Timeline.Line($0, isDetail: true) }, sql: [], changes: [])
        }
    }

    private func step(
        _ lane: Int, _ log: StatementLog, _ state: inout [[Timeline.Item]]
    ) throws(CoreDataError) -> Timeline.Step {
        let name = world.nextName(lane: lane) ?? "?"
        let lineCount = world.lab.recorder.texts.count
        log.begin()
        try world.run(lane: lane)
        let sql = log.end()
        var changes: [Timeline.Change] = []
        for (index, before) in state.enumerated() {
            let after = items(inLane: index)
            guard after != before else { continue }
            state[index] = after
            changes.append(Timeline.Change(lane: index, items: after))
        }
        return Timeline.Step(
            name: name, lane: threads == nil ? context(ofLane: lane) : lane,
            session: plan.sessionContexts.indices.contains(lane)
                ? plan.scenario.sessions[lane].name.value : nil,
            lines: world.lab.recorder.texts.dropFirst(lineCount).map {
                Timeline.Line($0.text, isDetail: $0.isDetail)
            }, sql: sql, changes: changes)
    }

    // MARK: Lanes

    private var plan: CellPlan { world.lab.plan }

    private var lanes: [Timeline.Lane] {
        if let threads {
            return threads.threadNames.enumerated().map { index, name in
                Timeline.Lane(.thread, name, detail: "works in \(contextName(ofLane: index))")
            }
        }
        return plan.contexts.map {
            Timeline.Lane(.context, $0.name, detail: TranscriptText.describe($0, plan))
        }
            + plan.mailboxes.map { mailbox in
                switch mailbox {
                case .queue(let target):
                    Timeline.Lane(
                        .mailbox, "queue of \(plan.contexts[target].name)",
                        detail: "merges and blocks, first in, first out")
                case .observer(let source, let target):
                    Timeline.Lane(
                        .mailbox, "\(plan.contexts[source].name)→\(plan.contexts[target].name)",
                        detail: "did-saves that an observer merges")
                }
            } + [Timeline.Lane(.store, "store", detail: "rows, read directly from the store")]
    }

    private func contextName(ofLane lane: Int) -> String {
        plan.contexts[context(ofLane: lane)].name
    }

    private func context(ofLane lane: Int) -> Int {
        let sessions = plan.sessionContexts
        if lane < sessions.count { return sessions[lane] }
        switch plan.mailboxes[lane - sessions.count] {
        case .queue(let target), .observer(_, let target): return target
        }
    }

    // MARK: State

    private func items(inLane lane: Int) -> [Timeline.Item] {
        if let threads { return items(of: threads.sides[lane]) }
        let contexts = world.lab.contexts.count
        if lane < contexts { return objects(of: world.lab.contexts[lane]) }
        let mailbox = lane - contexts
        if mailbox < plan.mailboxes.count {
            return world.lanes.mailboxes.names(in: mailbox).map { Timeline.Item($0, mark: "waits") }
        }
        return rows
    }

    private func items(of side: WaitChart.Side) -> [Timeline.Item] {
        side.held.map { Timeline.Item($0, mark: "held") }
            + (side.wanted.map { [Timeline.Item($0, mark: side.wait ?? "")] } ?? [])
    }

    private func objects(of context: LabContext) -> [Timeline.Item] {
        var items: [Timeline.Item] = []
        context.queue.runAndWait { () throws(Never) in
            for object in context.changed(context.context.registeredObjects) {
                items.append(item(of: object))
            }
        }
        return items
    }

    private func item(of object: NSManagedObject) -> Timeline.Item {
        let name = world.lab.alias(object.objectKey)
        if object.isFault { return Timeline.Item(name, mark: "fault") }
        guard let row = try? Row(current: object, name: world.lab.alias) else {
            return Timeline.Item(name, mark: "cannot be read")
        }
        var marks = row.version > 0 ? ["version \(row.version)"] : []
        if object.isInserted { marks.append("inserted") }
        if object.isUpdated { marks.append("changed") }
        if object.isDeleted { marks.append("deleted") }
        return Timeline.Item(
            name, mark: marks.joined(separator: ", "), values: values(row, object.layout))
    }

    private func values(_ row: Row, _ entity: EntityLayout) -> [String] {
        zip(entity.values.map(\.name), row.values).map { "\($0) = \($1.quoted)" }
    }

    /// The rows of the store; empty while another process locks the file.
    private var rows: [Timeline.Item] {
        let wasLooking = world.lab.watch.isLooking
        world.lab.watch.isLooking = true
        defer { world.lab.watch.isLooking = wasLooking }
        guard
            let mirror = try? StoreMirror.read(
                world.lab.store, layout: world.lab.layout, name: world.lab.alias)
        else { return [Timeline.Item("the store", mark: "is locked")] }
        let keys = mirror.rows.keys.sorted {
            ($0.entity, $0.key) < ($1.entity, $1.key)
        }
        return keys.compactMap { key in
            guard let row = mirror[key] else { return nil }
            return Timeline.Item(
                world.lab.alias(key), mark: "version \(row.version)",
                values: values(row, world.lab.layout[Int(key.entity)]))
        }
    }
}
