/// A method of drawing schedules.
enum Drawing: Sendable, Equatable {
    /// Draws every interleaving of free lanes equally often.
    case uniform
    /// Draws by random priorities of lanes. At `depth - 1` points, the running lane gets a low
    /// priority.
    case priorities(depth: Int)
    /// Draws by priorities of steps (see `drawPartialOrder`).
    case partialOrder
    /// Chooses a resource and draws schedules in which all orders of the steps that touch it are
    /// equally likely.
    case selective
    case mixed

    func kind(ofDraw number: Int) -> Drawing {
        guard self == .mixed else { return self }
        let kinds: [Drawing] = [.partialOrder, .selective, .uniform, .priorities(depth: 3)]
        return kinds[number % kinds.count]
    }

    var needsFootprints: Bool {
        switch self {
        case .partialOrder, .selective, .mixed: true
        case .uniform, .priorities: false
        }
    }

    func needsProfile(_ plan: SchedulePlan) -> Bool {
        switch self {
        case .partialOrder, .selective, .mixed: true
        case .priorities: plan.isOpen
        case .uniform: false
        }
    }
}

/// The footprints of each lane in one recorded schedule. In another schedule they are known only
/// after the steps have run, but they are usually the same.
struct Profile: Sendable {
    private(set) var lanes: [Int: [Footprint]] = [:]

    mutating func add(_ lane: Int, _ footprint: Footprint) {
        lanes[lane, default: []].append(footprint)
    }

    var count: Int { lanes.values.reduce(0) { $0 + $1.count } }

    /// The probable footprint of a step; nil if the recorded schedule did not have the step.
    func footprint(_ lane: Int, _ position: Int) -> Footprint? {
        guard let known = lanes[lane], position < known.count else { return nil }
        return known[position]
    }

    /// The resources that several lanes touch and at least one writes, in ascending order.
    var contended: [UInt64] {
        var readers: [UInt64: Set<Int>] = [:]
        var written: Set<UInt64> = []
        for (lane, footprints) in lanes {
            for touch in footprints.flatMap(\.touches) {
                readers[touch.resource, default: []].insert(lane)
                if touch.access != .read { written.insert(touch.resource) }
            }
        }
        return readers.filter { $0.value.count > 1 && written.contains($0.key) }.keys.sorted()
    }

    /// Whether a step touches the resource. If the resource is nil, true for every step.
    func isTelling(_ lane: Int, _ position: Int, _ resource: UInt64?) -> Bool {
        guard let resource else { return true }
        return footprint(lane, position)?.touches.contains { $0.resource == resource } ?? false
    }
}

extension Explorer {
    func generator(ofDraw number: Int) -> SeededGenerator {
        var seeds = SeededGenerator(seed: seed &+ UInt64(number) &* 0x9E37)
        return SeededGenerator(seed: seeds.next())
    }
}

extension ScheduleCursor {
    /// Runs a schedule from its start to its end.
    ///
    /// - Returns: for a uniform draw, an estimate of the number of all schedules: the reciprocal of
    ///   its probability (Knuth, 1975).
    mutating func draw(
        _ drawing: Drawing, _ profile: Profile, _ generator: inout SeededGenerator
    ) throws(World.Failure) -> Double? {
        switch drawing {
        case .priorities(let depth):
            let steps = plan.lanes.map(\.steps.count) + plan.mailboxes.map(\.causes.count)
            let total = plan.isOpen ? profile.count : steps.reduce(0, +)
            try drawByPriorities(depth, of: max(1, total), &generator)
        case .partialOrder: try drawPartialOrder(profile, &generator)
        case .selective: try drawSelectively(profile, &generator)
        case .uniform, .mixed:
            var estimate = 1.0
            try run(choosing: { cursor in
                guard let (lane, share) = cursor.uniform(&generator) else { return nil }
                estimate /= share
                return lane
            })
            return estimate
        }
        return nil
    }

    mutating func profile() throws(World.Failure) -> Profile {
        var profile = Profile()
        try run(
            choosing: { cursor in
                let runnable = cursor.runnableLanes
                return runnable == 0 ? nil : runnable.trailingZeroBitCount
            },
            then: { cursor, lane in profile.add(lane, cursor.world.footprint) })
        return profile
    }

    /// Chooses each lane with a probability in proportion to its remaining steps. Every
    /// interleaving of free lanes is then equally likely.
    private func uniform(
        _ generator: inout SeededGenerator
    ) -> (lane: Int, share: Double)? {
        let runnable = runnableLanes
        guard runnable != 0 else { return nil }
        var left: [(lane: Int, steps: Int)] = []
        var total = 0
        for lane in Self.lanes(runnable) {
            let steps = remaining(lane)
            left.append((lane, steps))
            total += steps
        }
        var ticket = generator.below(total)
        for (lane, steps) in left {
            ticket -= steps
            if ticket < 0 { return (lane, Double(steps) / Double(total)) }
        }
        return nil
    }

    private static func lanes(_ runnable: UInt64) -> [Int] {
        var (lanes, left): ([Int], UInt64) = ([], runnable)
        while left != 0 {
            lanes.append(left.trailingZeroBitCount)
            left &= left - 1
        }
        return lanes
    }

    /// Draws by priorities (Burckhardt et al., 2010). A bug of `depth` ordered events is found with
    /// a probability that has a known lower bound.
    ///
    /// - Parameters:
    ///   - depth: one more than the number of points at which the running lane drops below all
    ///     others.
    ///   - total: the number of steps.
    private mutating func drawByPriorities(
        _ depth: Int, of total: Int, _ generator: inout SeededGenerator
    ) throws(World.Failure) {
        var priorities = Array(depth..<(depth + plan.laneCount))
        priorities.shuffle(using: &generator)
        var falls = (1..<max(1, depth)).map { ($0, generator.below(total)) }
        falls.sort { $0.1 < $1.1 }
        var step = 0
        try run(
            choosing: { cursor in Self.highest(cursor.runnableLanes, priorities) },
            then: { _, lane in
                for fall in falls where fall.1 == step { priorities[lane] = fall.0 - depth }
                step += 1
            })
    }

    private static func highest(_ runnable: UInt64, _ priorities: [Int]) -> Int? {
        priorities.indices.filter { runnable & (1 << UInt64($0)) != 0 }
            .max { priorities[$0] < priorities[$1] }
    }

    /// Draws partial orders (Yuan, Yang and Gu, 2018). The next step of each lane has a priority,
    /// and the step with the highest priority runs. Steps that conflict with this step get new
    /// priorities. So both orders of two conflicting steps are about equally likely.
    private mutating func drawPartialOrder(
        _ profile: Profile, _ generator: inout SeededGenerator
    ) throws(World.Failure) {
        var priorities: [Int: UInt64] = [:]
        var lanes: [Int] = []
        try run(
            choosing: { cursor in
                lanes = Self.lanes(cursor.runnableLanes)
                for lane in lanes where priorities[lane] == nil {
                    priorities[lane] = generator.next()
                }
                return lanes.max { (priorities[$0] ?? 0) < (priorities[$1] ?? 0) }
            },
            then: { cursor, lane in
                let touched = cursor.world.footprint
                priorities[lane] = nil
                for other in lanes where other != lane {
                    let next = profile.footprint(other, cursor.positions[other])
                    if next?.conflicts(with: touched) ?? true { priorities[other] = nil }
                }
            })
    }

    /// Draws schedules in which all orders of the chosen steps are equally likely (Zhao, Wolff,
    /// Mathur and Roychoudhury, 2025). The chosen steps are those that use one contended resource.
    /// The more of these steps a lane has left, the more likely it runs the next one. All other
    /// steps run in any order.
    private mutating func drawSelectively(
        _ profile: Profile, _ generator: inout SeededGenerator
    ) throws(World.Failure) {
        let things = profile.contended
        let thing = things.isEmpty ? nil : things[generator.below(things.count)]
        var left: [Int: Int] = [:]
        for (lane, footprints) in profile.lanes {
            left[lane] = footprints.indices.count { profile.isTelling(lane, $0, thing) }
        }
        var chosen = Self.weighted(left, &generator)
        try run(
            choosing: { cursor in
                let lanes = Self.lanes(cursor.runnableLanes)
                if lanes.isEmpty { return nil }
                let positions = cursor.positions
                let free = lanes.filter {
                    $0 == chosen || !profile.isTelling($0, positions[$0], thing)
                }
                // The drawn lane is not free: it waits for another lane.
                let able = free.isEmpty ? lanes : free
                return able[generator.below(able.count)]
            },
            then: { cursor, lane in
                guard profile.isTelling(lane, cursor.positions[lane] - 1, thing) else { return }
                left[lane, default: 0] -= 1
                chosen = Self.weighted(left, &generator)
            })
    }

    private static func weighted(
        _ left: [Int: Int], _ generator: inout SeededGenerator
    ) -> Int? {
        let some = left.filter { $0.value > 0 }.sorted { $0.key < $1.key }
        let total = some.reduce(0) { $0 + $1.value }
        guard total > 0 else { return nil }
        var ticket = generator.below(total)
        for (lane, count) in some {
            ticket -= count
            if ticket < 0 { return lane }
        }
        return nil
    }
}
