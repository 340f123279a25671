import Synchronization

/// Which lane could go on.
extension CodeStage {
    /// What a lane would run next; nil where it cannot go on.
    func next(_ lane: Int) -> String? {
        admitArrivals()
        if let ready = ready(lane) { return ready }
        if sleepers.isEmpty, !isWaiting { return nil }
        // Time passes, and a run loop waits for it, where nothing else can go on.
        if lanes.indices.contains(where: { ready($0) != nil }) { return nil }
        let waits = isWaiting
        if let first = sleepers.first, !waits || first.isDue {
            return first.lane == lane ? "wake" : nil
        }
        // One of those that wait looks again, by the system's clock.
        let looks =
            host.flatMap { $0.isWaiting ? $0.lane : nil }
            ?? lanes.indices.first { lanes[$0].seen != nil }
        return looks == lane ? "wait" : nil
    }

    /// One bit for each lane that could go on.
    var nextLanes: UInt64 {
        admitArrivals()
        let able = lanes { ready($0) != nil }
        // Where none can go on, time may pass for one.
        if able != 0 || sleepers.isEmpty && !isWaiting { return able }
        return lanes { next($0) != nil }
    }

    private func lanes(where isAble: (Int) -> Bool) -> UInt64 {
        var able: UInt64 = 0
        for lane in lanes.indices where isAble(lane) { able |= 1 << UInt64(lane) }
        return able
    }

    /// Whether a thread waits for what the lab does not know.
    private var isWaiting: Bool {
        // By index, since every turn asks, and a lane as a value is a dozen references.
        host?.isWaiting == true || lanes.indices.contains { lanes[$0].seen != nil }
    }

    /// Lets others go on; the lane is chosen again when one of them has, or when none can.
    ///
    /// - Returns: whether what it waits for has come meanwhile.
    func pauseInVain(_ lane: Int, _ poll: @escaping () -> Bool) -> Bool {
        lanes[lane].seen = turns
        lanes[lane].poll = poll
        baton.pause(next: "wait")
        defer { lanes[lane].endWait() }
        return lanes[lane].hasCome
    }

    func waits(_ lane: Int) -> Bool {
        lanes[lane].seen != nil || host?.isWaiting == true && host?.lane == lane
    }

    /// The waiting thread of a test has run something.
    func noteTurn() { turns += 1 }

    /// What a lane could run at once.
    func ready(_ lane: Int) -> String? {
        if let seen = lanes[lane].seen {
            return seen == turns && !lanes[lane].hasCome ? nil : "wait"
        }
        if let host, host.isWaiting, lane == host.lane {
            // It may ask for the main queue again, which another lane has meanwhile.
            if !baton.isReady(host.runner) { return nil }
            if let item = lanes[table.mainLane].waiting.first { return item.label }
            // It looks when something may have come, or where nothing else can go on: a wait's
            // time-out, which the system's clock counts, is to come behind all else.
            return CodeHost.hasNews.load(ordering: .relaxed) ? "wait" : nil
        }
        guard let runner = lanes[lane].runner, !isIdle(runner) else {
            return lanes[lane].waiting.first?.label
        }
        // The thread of a test serves the main queue too, where it waits.
        if let host, lane == table.mainLane, host.lane != lane { return nil }
        return baton.isReady(runner) ? baton.runners[runner].upcoming : nil
    }

    /// Whether something could still come from threads that the lab did not make.
    var mayGetArrivals: Bool { switches != nil && arrivals.hasTasks && baton.deadlocks.isEmpty }

    /// Whether a lane other than one could go on at once, or a sleep is over.
    ///
    /// - Parameter servesMain: whether the lane could run what waits for the main queue.
    func canGoOn(without lane: Int, servesMain: Bool = false) -> Bool {
        admitArrivals()
        for index in lanes.indices where index != lane && !lanes[index].hasCome {
            if let poll = lanes[index].poll, poll() { lanes[index].hasCome = true }
        }
        if let first = sleepers.first, first.isDue { return true }
        return lanes.indices.contains { $0 != lane && ready($0) != nil }
            || servesMain && !lanes[table.mainLane].waiting.isEmpty
    }

    func admitArrivals() {
        for arrival in arrivals.takeAll() {
            append(lanes[arrival.lane].name, to: arrival.lane, arrival.work)
        }
    }
}
