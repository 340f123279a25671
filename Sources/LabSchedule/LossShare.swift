/// The share of losing schedules among those that begin with the same steps.
package struct LossShare: Codable, Sendable, Hashable {
    /// The share, from 0 to 1; an estimate if it is not exact.
    package var share: Double
    /// The bounds of the 99 % interval; both equal the share if it is exact.
    package var low: Double
    package var high: Double
    package var isExact: Bool

    package init(exactly share: Double) {
        (self.share, low, high, isExact) = (share, share, share, true)
    }

    /// An estimate from random continuations, with Wilson's interval.
    package init(losing: Int, of drawn: Int) {
        let (count, deviation) = (Double(max(drawn, 1)), 2.576)
        let (share, square) = (Double(losing) / count, deviation * deviation)
        let middle = (share + square / (2 * count)) / (1 + square / count)
        let reach =
            deviation / (1 + square / count)
            * (share * (1 - share) / count + square / (4 * count * count)).squareRoot()
        self.share = share
        (low, high, isExact) = (max(0, middle - reach), min(1, middle + reach), false)
    }

    /// Whether every schedule that begins with these steps loses.
    package var isCertain: Bool { isExact && share > 1 - 1e-9 }
}

/// Determines from which step of a losing schedule on the loss is certain.
///
/// A continuation is the rest of a schedule after its first steps. It chooses among the lanes that
/// can run with equal probability. After late steps there are few continuations, so all of them
/// run. After earlier steps, some are drawn at random.
package struct LossShares<World: ScheduleWorld> {
    private let plan: SchedulePlan
    private let world: World
    private let isLost: () -> Bool
    /// The maximum number of schedules to run for exact shares.
    package var exactMax = 2_000
    /// The number of continuations to draw after each step whose share is not exact.
    package var draws = 100
    package var seed: UInt64 = 1
    /// The time after which no continuation starts.
    package var deadline: ContinuousClock.Instant?

    /// - Parameter isLost: whether the schedule that the world has just run loses.
    package init(
        plan: SchedulePlan, world: World, isLost: @escaping () -> Bool
    ) {
        self.plan = plan
        self.world = world
        self.isLost = isLost
    }

    /// The shares before the first step and after each step of a schedule. A share is nil if the
    /// time was up. The result is empty if the schedule does not lose.
    package func along(_ path: [UInt8]) throws(World.Failure) -> [LossShare?] {
        let lanes = path.map(Int.init)
        let choices = try runnableLanes(lanes)
        guard isLost(), choices.count == lanes.count else { return [] }
        var shares: [LossShare?] = Array(repeating: nil, count: lanes.count + 1)
        shares[lanes.count] = LossShare(exactly: 1)
        var left = exactMax
        var generator = SeededGenerator(seed: seed)
        for index in lanes.indices.reversed() {
            let others = Self.lanes(in: choices[index]).filter { $0 != lanes[index] }
            let prefix = Array(lanes[..<index])
            if others.isEmpty {
                shares[index] = shares[index + 1]
            } else if let next = shares[index + 1], next.isExact,
                let sum = try exact(prefix, others, &left)
            {
                shares[index] = LossShare(
                    exactly: (next.share + sum) / Double(others.count + 1))
            } else {
                left = 0
                shares[index] = try drawn(prefix, &generator)
            }
        }
        return shares
    }

    /// Runs a schedule, and returns the lanes that can run before each of its steps.
    private func runnableLanes(_ lanes: [Int]) throws(World.Failure) -> [UInt64] {
        var choices: [UInt64] = []
        try run { cursor in
            let runnable = cursor.runnableLanes
            let index = choices.count
            guard index < lanes.count, runnable & (1 << UInt64(lanes[index])) != 0 else {
                return nil
            }
            choices.append(runnable)
            return lanes[index]
        }
        return choices
    }

    private static func lanes(in mask: UInt64) -> [Int] {
        (0..<64).filter { mask & (1 << UInt64($0)) != 0 }
    }

    private var isLate: Bool { deadline.map { ContinuousClock.now >= $0 } ?? false }

    // MARK: All continuations

    private struct Choice {
        let lane: Int
        let untried: [Int]
        /// The number of lanes that could run.
        let count: Int
    }

    /// The sum of the shares after each of several next steps. Nil if too many schedules would have
    /// to run, or if the time is up.
    private func exact(
        _ prefix: [Int], _ next: [Int], _ left: inout Int
    ) throws(World.Failure) -> Double? {
        var sum = 0.0
        for lane in next {
            guard let share = try share(after: prefix + [lane], &left) else { return nil }
            sum += share
        }
        return sum
    }

    private func share(
        after prefix: [Int], _ left: inout Int
    ) throws(World.Failure) -> Double? {
        var (choices, sum) = ([Choice](), 0.0)
        repeat {
            if left == 0 || isLate { return nil }
            left -= 1
            var step = 0
            try run { cursor in
                defer { step += 1 }
                if step < prefix.count { return prefix[step] }
                if step - prefix.count < choices.count { return choices[step - prefix.count].lane }
                let lanes = Self.lanes(in: cursor.runnableLanes)
                guard let first = lanes.first else { return nil }
                choices.append(
                    Choice(lane: first, untried: Array(lanes.dropFirst()), count: lanes.count))
                return first
            }
            if isLost() { sum += choices.reduce(1) { $0 / Double($1.count) } }
        } while Self.advance(&choices)
        return sum
    }

    private static func advance(_ choices: inout [Choice]) -> Bool {
        while let last = choices.popLast() {
            guard let lane = last.untried.first else { continue }
            choices.append(
                Choice(lane: lane, untried: Array(last.untried.dropFirst()), count: last.count))
            return true
        }
        return false
    }

    // MARK: Drawn continuations

    private func drawn(
        _ prefix: [Int], _ generator: inout SeededGenerator
    ) throws(World.Failure) -> LossShare? {
        var losing = 0
        for _ in 0..<draws {
            if isLate { return nil }
            var (step, dice) = (0, generator)
            try run { cursor in
                defer { step += 1 }
                if step < prefix.count { return prefix[step] }
                let lanes = Self.lanes(in: cursor.runnableLanes)
                return lanes.isEmpty ? nil : lanes[dice.below(lanes.count)]
            }
            generator = dice
            if isLost() { losing += 1 }
        }
        return LossShare(losing: losing, of: draws)
    }

    private func run(
        _ next: (inout ScheduleCursor<World>) throws(World.Failure) -> Int?
    ) throws(World.Failure) {
        var cursor = ScheduleCursor(plan: plan, world: world)
        try cursor.reset()
        try cursor.run(choosing: next)
        try world.finish()
    }
}
