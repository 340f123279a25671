import ContextHistory
import CoreDataStore
import LabCheck
import LabFiles
import LabResults
import LabScenario
import LabSchedule

// Records the ranks and results of a shard, which is the part of a cell's schedules that one
// process runs. Joins the records of several shards.
extension CellRunner {
    /// The results of a shard in a form that can be joined with other shards.
    func record(_ summary: Explorer.Summary, _ tally: Tally) -> ShardRecord {
        var others = options
        others.shard = nil
        var record = ShardRecord(
            hash: plan.scenario.hash, asksForLess: asksForLess(others), isUndivided: isPinned,
            explored: summary.explored,
            represented: summary.represented.map { Int(clamping: $0) },
            end: summary.end.name)
        record.outcomes = tally.seen.map { seen in
            ShardRecord.Outcome(
                count: seen.count, findings: seen.findings.sorted(),
                first: .init(seen.first), telling: seen.telling.map { .init($0) })
        }
        record.findings = tally.witnesses.map { witness in
            ShardRecord.Finding(
                name: witness.detection.name, step: witness.detection.step,
                first: .init(witness.schedule))
        }
        record.locks = tally.lockOrder.records
        record.unrepeatable = tally.unrepeatable.map { .init($0) }
        return record
    }

    /// The joined results of all shards. Schedules that are the first to show an outcome or a
    /// finding run again.
    func tally(of records: [ShardRecord]) throws(CoreDataError) -> Tally {
        if let record = records.first(where: \.isUndivided) { return try tally(of: record) }
        var tallies: [Tally] = []
        for record in records { tallies.append(try tally(of: record)) }
        return Tally(ranked: tallies)
    }

    private func tally(of record: ShardRecord) throws(CoreDataError) -> Tally {
        var seen: [Tally.Seen] = []
        for outcome in record.outcomes {
            try run(outcome.first)
            var made = Tally.Seen(outcome: world.outcome, first: RankedSchedule(outcome.first))
            made.count = max(0, outcome.count)
            made.findings = Set(outcome.findings)
            made.telling = outcome.telling.map { RankedSchedule($0) }
            seen.append(made)
        }
        var witnesses: [Tally.Witness] = []
        for finding in record.findings {
            try run(finding.first)
            let found = world.findings.first { $0.name == finding.name && $0.step == finding.step }
            guard let found else {
                throw CoreDataError(
                    .invalidArgument,
                    "a schedule of the results no longer shows '\(finding.name)'")
            }
            witnesses.append(
                Tally.Witness(detection: found, schedule: RankedSchedule(finding.first)))
        }
        return Tally(
            seen: seen, witnesses: witnesses, lockOrder: LockOrder(record.locks),
            unrepeatable: record.unrepeatable.map { RankedSchedule($0) })
    }

    /// Runs a schedule from a shard's file, whose content is not trusted.
    private func run(_ schedule: ShardRecord.Schedule) throws(CoreDataError) {
        var cursor = ScheduleCursor(plan: plan.schedulePlan, world: world)
        try cursor.reset()
        for lane in schedule.lanes {
            guard (0..<plan.schedulePlan.laneCount).contains(lane), cursor.isRunnable(lane) else {
                throw CoreDataError(
                    .invalidArgument, "the results have a schedule that cannot be run")
            }
            try cursor.run(lane)
        }
        guard cursor.runnableLanes == 0 else {
            throw CoreDataError(
                .invalidArgument, "the results have a schedule that does not end")
        }
        try world.finish()
    }

    static func summary(
        of records: [ShardRecord], _ missing: [String], _ strategy: String, _ plan: SchedulePlan
    ) -> Explorer.Summary {
        var summary = Explorer.Summary(predicted: plan.prediction())
        summary.strategy = strategy
        let isUndivided = records.contains(where: \.isUndivided)
        let counted = isUndivided ? Array(records.prefix(1)) : records
        summary.explored = counted.map { max(0, $0.explored) }.total
        let represented = counted.compactMap(\.represented)
        if represented.count == counted.count, !isUndivided {
            summary.represented = UInt64(clamping: represented.total)
        }
        let ends = records.map { WalkEnd($0.end) ?? .limit }
        summary.end = ends.first { $0 == .time } ?? ends.first { $0 != .whole } ?? .whole
        summary.stoppedAt =
            missing.isEmpty || isUndivided
            ? summary.end.text(after: summary.explored)
            : "missing shards: \(missing.joined(separator: ", "))"
        summary.isComplete = summary.stoppedAt == nil
        return summary
    }
}

extension ShardRecord.Schedule {
    init(_ schedule: RankedSchedule) {
        let rank = schedule.rank
        self.init(rank: [rank.walk, rank.part, rank.index], lanes: schedule.path.map(Int.init))
    }
}

extension RankedSchedule {
    init(_ schedule: ShardRecord.Schedule) {
        func number(_ place: Int) -> Int {
            place < schedule.rank.count ? schedule.rank[place] : 0
        }
        self.init(
            rank: ScheduleRank(walk: number(0), part: number(1), index: number(2)),
            path: schedule.lanes.map { UInt8(clamping: $0) })
    }
}

extension LockOrder {
    var records: [ShardRecord.Lock] {
        witnessed.map { edge, witness, schedule in
            ShardRecord.Lock(
                held: edge.held, wanted: edge.wanted, thread: witness.thread,
                stack: witness.stack, guards: witness.guards.sorted(), first: .init(schedule))
        }
    }

    init(_ records: [ShardRecord.Lock]) {
        self.init()
        for record in records {
            add(
                Edge(held: record.held, wanted: record.wanted),
                Witness(
                    thread: record.thread, stack: record.stack, guards: Set(record.guards)),
                RankedSchedule(record.first))
        }
    }
}
