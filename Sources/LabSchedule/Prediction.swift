/// The number of schedules, computed before the first schedule runs.
package struct Prediction: Sendable, Equatable {
    package let count: UInt64?
    /// Whether the number is certain. If deliveries depend on results, the number assumes that
    /// every save succeeds.
    package let isExact: Bool
    /// Whether the true number may be lower. This is so if a step requires one of several entries
    /// of a mailbox.
    package var isUpperBound = false

    package init(count: UInt64?, isExact: Bool) {
        self.count = count
        self.isExact = isExact
    }

    /// The number of interleavings of lanes without orders between them (the multinomial
    /// coefficient).
    package static func interleavings(of lengths: [Int]) -> UInt64? {
        var count: UInt64 = 1
        var total: UInt64 = 0
        for length in lengths {
            for step in 1...UInt64(max(1, length)) where length > 0 {
                total += 1
                // The quotient count * total / step is an integer in each iteration of this loop.
                let (product, overflow) = count.multipliedReportingOverflow(by: total)
                if overflow { return nil }
                count = product / step
            }
        }
        return count
    }
}

extension SchedulePlan {
    /// The maximum number of states to visit.
    private static let stateMax = 2_000_000

    /// Counts the schedules of this plan.
    ///
    /// Without orders and mailboxes, the number of interleavings is known. Otherwise counts the
    /// paths through all combinations of the lanes' positions.
    package func prediction() -> Prediction {
        if isOpen { return Prediction(count: nil, isExact: false) }
        let exact = mailboxes.allSatisfy { $0.causes.isEmpty } && deliveryOrders.isEmpty
        let lengths = lanes.map(\.steps.count) + mailboxes.map(\.causes.count)
        if orders.isEmpty && exact {
            return Prediction(count: Prediction.interleavings(of: lengths), isExact: true)
        }
        var states = 1
        for length in lengths {
            let (product, overflow) = states.multipliedReportingOverflow(by: length + 1)
            if overflow || product > Self.stateMax { return Prediction(count: nil, isExact: exact) }
            states = product
        }
        var prediction = Prediction(
            count: countPaths(lengths: lengths, states: states), isExact: exact)
        prediction.isUpperBound = deliveryOrders.contains { !isCounted($0) }
        return prediction
    }

    /// Whether every entry of the mailbox has the name that `order` waits for. If so, the number of
    /// delivered entries shows whether the step may run.
    private func isCounted(_ order: DeliveryOrder) -> Bool {
        guard let source = order.source else { return false }
        return mailboxes[source.mailbox].causes.count == source.causes.count
    }

    /// Computes the number for each state, beginning at the end of the schedules. The number of a
    /// state is the sum of the numbers of its successors.
    private func countPaths(lengths: [Int], states: Int) -> UInt64? {
        var strides: [Int] = []
        var stride = 1
        for length in lengths {
            strides.append(stride)
            stride *= length + 1
        }
        var counts = [UInt64](repeating: 0, count: states)
        var positions = lengths
        for state in (0..<states).reversed() {
            var sum: UInt64 = state == states - 1 ? 1 : 0
            var isEnd = true
            for lane in lengths.indices where mayAdvance(lane, positions, lengths) {
                isEnd = false
                let (next, overflow) = sum.addingReportingOverflow(counts[state + strides[lane]])
                if overflow { return nil }
                sum = next
            }
            // A state that cannot advance ends a schedule, which is complete or stuck.
            counts[state] = isEnd ? 1 : sum
            stepBack(&positions, lengths)
        }
        return counts[0]
    }

    private func mayAdvance(_ lane: Int, _ positions: [Int], _ lengths: [Int]) -> Bool {
        guard positions[lane] < lengths[lane] else { return false }
        if lane < lanes.count {
            return mayRun(lane, positions: positions) { order in
                // Before the n-th entry with this name, at least n entries of the mailbox must run.
                order.source.map { positions[lanes.count + $0.mailbox] >= order.number } ?? true
            }
        }
        let causes = mailboxes[lane - lanes.count].causes
        return causes.count { positions[$0.lane] > $0.position } > positions[lane]
    }

    private func stepBack(_ positions: inout [Int], _ lengths: [Int]) {
        for lane in positions.indices {
            if positions[lane] > 0 {
                positions[lane] -= 1
                return
            }
            positions[lane] = lengths[lane]
        }
    }
}
