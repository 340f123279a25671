extension ReducedWalk {
    private static var stateMax: Int { 50_000 }

    /// How many orders of this path's events keep the order of conflicting events.
    ///
    /// Counts the paths through all combinations of the lanes' positions.
    func weight() -> UInt64 { countOrders() ?? 0 }

    private func countOrders() -> UInt64? {
        let lanes = Array(Set(events.map(\.lane))).sorted()
        var steps: [[[Int]]] = Array(repeating: [], count: lanes.count)
        for event in events {
            guard let lane = lanes.firstIndex(of: event.lane) else { return nil }
            steps[lane].append(needs(of: event, lanes))
        }
        let lengths = steps.map(\.count)
        var states = 1
        for length in lengths {
            states *= length + 1
            if states > Self.stateMax { return nil }
        }
        return Self.countPaths(steps, lengths, states)
    }

    /// The number of events of each lane that must run before this event.
    private func needs(of event: Event, _ lanes: [Int]) -> [Int] {
        var needs = Array(repeating: 0, count: lanes.count)
        for index in events.indices where event.before.contains(index) {
            if let lane = lanes.firstIndex(of: events[index].lane) { needs[lane] += 1 }
        }
        return needs
    }

    private static func countPaths(
        _ steps: [[[Int]]], _ lengths: [Int], _ states: Int
    ) -> UInt64? {
        var counts = [UInt64](repeating: 0, count: states)
        counts[0] = 1
        var positions = Array(repeating: 0, count: lengths.count)
        for state in 0..<states {
            if counts[state] != 0 {
                var stride = 1
                for lane in lengths.indices {
                    if positions[lane] < lengths[lane],
                        zip(steps[lane][positions[lane]], positions).allSatisfy({ $0 <= $1 })
                    {
                        let next = state + stride
                        let (sum, overflow) = counts[next].addingReportingOverflow(counts[state])
                        if overflow { return nil }
                        counts[next] = sum
                    }
                    stride *= lengths[lane] + 1
                }
            }
            for lane in positions.indices {
                if positions[lane] < lengths[lane] {
                    positions[lane] += 1
                    break
                }
                positions[lane] = 0
            }
        }
        return counts[states - 1]
    }
}
