import ContextHistory
import LabCheck
import LabScenario
import LabSchedule

/// Counts the outcomes and findings of schedules, for one part of an exploration or for several
/// joined parts.
struct Tally: WalkRecord {
    /// An observed outcome.
    struct Seen: Sendable {
        let outcome: Outcome
        var count = 0
        var findings: Set<String> = []
        let first: RankedSchedule
        /// The first schedule that also has a finding, which illustrates the outcome best.
        var telling: RankedSchedule?

        var shown: RankedSchedule { telling ?? first }
    }

    struct Witness: Sendable {
        let detection: Detection
        let schedule: RankedSchedule
    }

    /// The result of one schedule. Each result is kept separately, so that a part can end after any
    /// of its schedules.
    private struct Entry: Sendable {
        let outcome: Int32
        /// The index in the lists of finding names; negative if the schedule has no findings.
        let findings: Int32
        let weight: UInt64
    }

    private let walk: Int
    private let part: Int
    private(set) var seen: [Seen] = []
    private(set) var witnesses: [Witness] = []
    private(set) var lockOrder = LockOrder()
    /// A schedule whose two runs had different histories.
    private(set) var unrepeatable: RankedSchedule?
    private var known: [Outcome: Int] = [:]
    private var kinds: Set<String> = []
    private var log: [Entry] = []
    private var lists: [[String]: Int32] = [:]

    init(walk: Int = 0, part: Int = 0) {
        self.walk = walk
        self.part = part
    }

    init(
        seen: [Seen], witnesses: [Witness], lockOrder: LockOrder, unrepeatable: RankedSchedule?
    ) {
        self.init()
        self.seen = seen
        self.witnesses = witnesses
        self.lockOrder = lockOrder
        self.unrepeatable = unrepeatable
    }

    /// Creates a tally from the results of all shards, as if one process had counted the schedules
    /// in their order.
    init(ranked shards: [Tally]) {
        self.init()
        let outcomes = shards.flatMap(\.seen).sorted { $0.first.rank < $1.first.rank }
        for other in outcomes { add(other) }
        let found = shards.flatMap(\.witnesses)
        // Findings of the same schedule keep their order.
        let order = found.indices.sorted {
            (found[$0].schedule.rank, $0) < (found[$1].schedule.rank, $1)
        }
        for index in order { add(found[index]) }
        for shard in shards { lockOrder.formRankedUnion(shard.lockOrder) }
        unrepeatable = shards.compactMap(\.unrepeatable).min { $0.rank < $1.rank }
    }

    func has(_ finding: Detection) -> Bool { kinds.contains(Self.kind(of: finding)) }

    private static func kind(of finding: Detection) -> String { "\(finding.name) \(finding.step)" }

    func has(_ outcome: Outcome) -> Bool { known[outcome] != nil }

    // MARK: One schedule after another

    mutating func add(
        _ outcome: Outcome, _ findings: [Detection], _ schedule: VisitedSchedule
    ) {
        let ranked = RankedSchedule(rank: rank(log.count), path: schedule.path)
        let index = index(of: outcome, first: ranked)
        count(schedule.weight, at: index)
        if !findings.isEmpty { note(findings, at: index, of: ranked) }
        let list = list(of: findings)
        log.append(Entry(outcome: Int32(index), findings: list, weight: schedule.weight))
    }

    /// Adds the lock orders of the most recently counted schedule.
    mutating func add(_ order: LockOrder, of path: [UInt8]) {
        lockOrder.formUnion(order, of: RankedSchedule(rank: rank(log.count - 1), path: path))
    }

    /// Records that two runs of the most recently counted schedule had different histories.
    mutating func addUnrepeatable(_ path: [UInt8]) {
        let ranked = RankedSchedule(rank: rank(log.count - 1), path: path)
        unrepeatable = unrepeatable ?? ranked
    }

    private func rank(_ index: Int) -> ScheduleRank {
        ScheduleRank(walk: walk, part: part, index: index)
    }

    private mutating func index(of outcome: Outcome, first: RankedSchedule) -> Int {
        if let index = known[outcome] { return index }
        known[outcome] = seen.count
        seen.append(Seen(outcome: outcome, first: first))
        return seen.count - 1
    }

    private mutating func count(_ weight: UInt64, at index: Int) {
        let (sum, isBeyond) = seen[index].count.addingReportingOverflow(Int(clamping: weight))
        seen[index].count = isBeyond ? .max : sum
    }

    private mutating func note(
        _ findings: [Detection], at index: Int, of schedule: RankedSchedule
    ) {
        seen[index].telling = seen[index].telling ?? schedule
        for finding in findings {
            seen[index].findings.insert(finding.name)
            if kinds.insert(Self.kind(of: finding)).inserted {
                witnesses.append(Witness(detection: finding, schedule: schedule))
            }
        }
    }

    private mutating func list(of findings: [Detection]) -> Int32 {
        if findings.isEmpty { return -1 }
        let names = findings.map(\.name)
        if let known = lists[names] { return known }
        lists[names] = Int32(lists.count)
        return Int32(lists.count - 1)
    }

    // MARK: One part after another

    mutating func join(_ next: Tally, first count: Int) {
        join(count < next.log.count ? next.first(count) : next)
    }

    mutating func join(_ next: Tally) {
        for other in next.seen { add(other) }
        for witness in next.witnesses { add(witness) }
        lockOrder.formUnion(next.lockOrder)
        unrepeatable = unrepeatable ?? next.unrepeatable
    }

    private mutating func add(_ other: Seen) {
        let index = index(of: other.outcome, first: other.first)
        count(UInt64(other.count), at: index)
        seen[index].findings.formUnion(other.findings)
        let telling = [seen[index].telling, other.telling].compactMap(\.self)
        seen[index].telling = telling.min { $0.rank < $1.rank }
    }

    private mutating func add(_ witness: Witness) {
        if kinds.insert(Self.kind(of: witness.detection)).inserted { witnesses.append(witness) }
    }

    private func first(_ count: Int) -> Tally {
        let end = rank(count)
        var cut = Tally(walk: walk, part: part)
        let names = Dictionary(uniqueKeysWithValues: lists.map { ($1, $0) })
        for entry in log.prefix(count) {
            let whole = seen[Int(entry.outcome)]
            let index = cut.index(of: whole.outcome, first: whole.first)
            cut.count(entry.weight, at: index)
            cut.seen[index].findings.formUnion(names[entry.findings] ?? [])
            if let telling = whole.telling, telling.rank < end {
                cut.seen[index].telling = telling
            }
        }
        cut.witnesses = witnesses.filter { $0.schedule.rank < end }
        cut.lockOrder = lockOrder.before(end)
        cut.unrepeatable = unrepeatable.flatMap { $0.rank < end ? $0 : nil }
        return cut
    }
}
