import LabSchedule

/// A simulated program that records its steps. Some steps post deliveries.
final class NumberWorld: ScheduleWorld {
    struct Broken: Error, Equatable {}

    let plan: SchedulePlan
    /// The names of the steps that post to mailbox 0.
    var posting: Set<String> = []
    private(set) var log: [String] = []
    private(set) var resets = 0
    private(set) var finished = 0
    private var positions: [Int] = []
    private var posted: [Int] = []

    init(_ plan: SchedulePlan, posting: Set<String> = []) {
        self.plan = plan
        self.posting = posting
    }

    func reset() throws(Broken) {
        resets += 1
        log = []
        positions = Array(repeating: 0, count: plan.laneCount)
        posted = Array(repeating: 0, count: plan.mailboxes.count)
    }

    func run(lane: Int) throws(Broken) {
        guard let name = nextName(lane: lane) else { throw Broken() }
        log.append(name)
        positions[lane] += 1
        if posting.contains(name) { posted[0] += 1 }
    }

    func waiting(inMailbox mailbox: Int) -> Int {
        posted[mailbox] - positions[plan.lanes.count + mailbox]
    }

    func nextName(lane: Int) -> String? {
        if lane < plan.lanes.count {
            let steps = plan.lanes[lane].steps
            return positions[lane] < steps.count ? steps[positions[lane]] : nil
        }
        let mailbox = lane - plan.lanes.count
        guard waiting(inMailbox: mailbox) > 0 else { return nil }
        return "~\(plan.mailboxes[mailbox].name)#\(positions[lane] + 1)"
    }

    func finish() throws(Broken) { finished += 1 }

    var recordsFootprints = false
    /// All steps write to the log, so no two steps are independent.
    var footprint: Footprint {
        var footprint = Footprint()
        footprint.addEverything()
        return footprint
    }
}

extension SchedulePlan {
    /// A plan with lanes `a`, `b` and so on. The steps of a lane are `a1`, `a2` and so on.
    static func lanes(_ counts: Int..., orders: [Order] = [], mailboxes: [Mailbox] = []) -> Self {
        let lanes = counts.enumerated().map { index, count in
            let letter = String(UnicodeScalar(UInt8(97 + index)))
            return Lane(name: letter, steps: (0..<count).map { "\(letter)\($0 + 1)" })
        }
        return SchedulePlan(lanes: lanes, orders: orders, mailboxes: mailboxes)
    }
}

func logs(
    _ world: NumberWorld, limit: Int = 100_000, seed: UInt64 = 1,
    _ strategy: Strategy = .automatic
) throws -> (logs: [[String]], summary: Explorer.Summary) {
    var logs: [[String]] = []
    var explorer = Explorer(plan: world.plan, limit: limit, seed: seed)
    explorer.strategy = strategy
    let summary = try explorer.explore(world) { (_: VisitedSchedule) throws(NumberWorld.Broken) in
        logs.append(world.log)
        return true
    }
    return (logs, summary)
}
