/// Follows one run: how far each session is, and which lanes could go on.
/// Explorers and replay share it, so that both mean the same by "runnable".
struct ScheduleCursor<World: ScheduleWorld> {
    let plan: SchedulePlan
    let world: World
    private(set) var positions: [Int]
    /// The lanes that ran, in order.
    private(set) var path: [UInt8] = []

    init(plan: SchedulePlan, world: World) {
        self.plan = plan
        self.world = world
        positions = Array(repeating: 0, count: plan.laneCount)
    }

    mutating func reset() throws(World.Failure) {
        for lane in positions.indices { positions[lane] = 0 }
        path.removeAll(keepingCapacity: true)
        try world.reset()
    }

    mutating func run(_ lane: Int) throws(World.Failure) {
        try world.run(lane: lane)
        positions[lane] += 1
        path.append(UInt8(lane))
    }

    func isRunnable(_ lane: Int) -> Bool {
        lane < plan.lanes.count
            ? plan.mayRun(lane, positions: positions)
            : world.waiting(inMailbox: lane - plan.lanes.count) > 0
    }

    /// One bit for each lane that could go on.
    var runnableLanes: UInt64 {
        var lanes: UInt64 = 0
        var lane = 0
        while lane < positions.count {
            if isRunnable(lane) { lanes |= 1 << UInt64(lane) }
            lane += 1
        }
        return lanes
    }

    /// How many steps a lane still has, as far as is known now.
    func remaining(_ lane: Int) -> Int {
        lane < plan.lanes.count
            ? plan.lanes[lane].steps.count - positions[lane]
            : world.waiting(inMailbox: lane - plan.lanes.count)
    }
}
