/// Tracks one run: the position of each session, and the lanes that can continue. Explorers and
/// replay both use it, so they agree on the runnable lanes.
package struct ScheduleCursor<World: ScheduleWorld> {
    package let plan: SchedulePlan
    package let world: World
    package private(set) var positions: [Int]
    /// The names of the delivered mailbox entries, if steps require some of them.
    private var delivered: Set<String> = []
    package private(set) var path: [UInt8] = []

    /// Creates a cursor for a run that has not begun. Call `reset()` first.
    package init(plan: SchedulePlan, world: World) {
        self.plan = plan
        self.world = world
        positions = Array(repeating: 0, count: plan.laneCount)
    }

    package mutating func reset() throws(World.Failure) {
        for lane in positions.indices { positions[lane] = 0 }
        path.removeAll(keepingCapacity: true)
        delivered.removeAll(keepingCapacity: true)
        try world.reset()
    }

    package mutating func run(_ lane: Int) throws(World.Failure) {
        let delivery = delivery(of: lane)
        try world.run(lane: lane)
        note(lane, delivery)
    }

    /// Runs steps of lanes one after another.
    ///
    /// - Parameters:
    ///   - next: chooses the lane; nil ends the run.
    ///   - end: called after each step, with its lane.
    package mutating func run(
        choosing next: (inout Self) throws(World.Failure) -> Int?,
        then end: (inout Self, Int) -> Void = { _, _ in }
    ) throws(World.Failure) {
        var last: (lane: Int, delivery: String?)?
        try world.run { () throws(World.Failure) in
            if let (lane, delivery) = last {
                note(lane, delivery)
                end(&self, lane)
            }
            let lane = try next(&self)
            last = lane.map { ($0, delivery(of: $0)) }
            return lane
        }
    }

    private func delivery(of lane: Int) -> String? {
        if lane < plan.lanes.count || plan.deliveryOrders.isEmpty { return nil }
        return world.nextName(lane: lane)
    }

    private mutating func note(_ lane: Int, _ delivery: String?) {
        if let delivery { delivered.insert(delivery) }
        positions[lane] += 1
        path.append(UInt8(lane))
    }

    package func isRunnable(_ lane: Int) -> Bool {
        lane < plan.lanes.count
            ? plan.mayRun(lane, positions: positions) { delivered.contains($0.delivery) }
            : world.waiting(inMailbox: lane - plan.lanes.count) > 0
    }

    /// A bit mask of the lanes that can continue.
    package var runnableLanes: UInt64 {
        let sessions = plan.lanes.count
        var lanes: UInt64 = 0
        for lane in 0..<sessions where isRunnable(lane) { lanes |= 1 << UInt64(lane) }
        let mailboxes = positions.count - sessions
        return mailboxes == 0
            ? lanes : lanes | world.filledMailboxes(of: mailboxes) << UInt64(sessions)
    }

    /// The number of remaining steps of a lane, as far as it is known.
    package func remaining(_ lane: Int) -> Int {
        lane < plan.lanes.count
            ? plan.lanes[lane].steps.count - positions[lane]
            : world.waiting(inMailbox: lane - plan.lanes.count)
    }
}
