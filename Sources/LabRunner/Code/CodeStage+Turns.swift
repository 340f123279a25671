import Synchronization

/// Finds the lanes that can run next.
extension CodeStage {
    func next(_ lane: Int) -> String? {
        admitArrivals()
        // A replayed schedule may choose a lane that does not exist in this run.
        guard lane < lanes.count else { return nil }
        if let ready = ready(lane) { return ready }
        if sleepers.isEmpty, !isWaiting { return nil }
        if isAwake(lane) { return "wake" }
        // This lane's time-out, or that of its run loop, ends only if no other lane can run.
        if lanes.indices.contains(where: { ready($0) != nil || isAwake($0) }) { return nil }
        return nextInTime(lane)
    }

    /// The operation with which a lane continues after a sleep or time-out; nil if another lane
    /// must continue first.
    private func nextInTime(_ lane: Int) -> String? {
        if switches == nil { return sleepers.mayWake(lane, isFree: false) ? "wake" : nil }
        if let first = sleepers.first, !isWaiting || first.isDue {
            return sleepers.mayWake(lane, isFree: false) ? "wake" : nil
        }
        // The system's clock ends these waits. So one of the waiting lanes checks its time-out
        // again.
        let looks = host.flatMap { $0.isWaiting ? $0.lane : nil } ?? firstTimeOut
        return looks == lane ? "wait" : nil
    }

    private var firstTimeOut: Int? {
        let waits = lanes.indices.compactMap { lane in
            systemWait(of: lane)?.due.map { (lane: lane, due: $0) }
        }
        return waits.min { $0.due < $1.due }?.lane
    }

    func systemWait(of lane: Int) -> SystemWait? {
        guard let runner = lanes[lane].runner, case .waiting = baton.runners[runner].state else {
            return nil
        }
        return baton.runners[runner].systemWait
    }

    /// The schedule has chosen a test's thread that waits. Ends its wait by a time-out.
    func endTimeOut(of runner: Int) {
        guard switches != nil, let due = baton.runners[runner].systemWait?.due,
            !baton.isReady(runner)
        else { return }
        sleepers.pass(to: due)
        baton.runners[runner].isForced = true
    }

    /// A bit mask of the lanes that can run.
    var nextLanes: UInt64 {
        admitArrivals()
        let able =
            sleepers.isEmpty
            ? lanes { ready($0) != nil } : lanes { ready($0) != nil || isAwake($0) }
        if able != 0 { return able }
        // If no lane can go on, the first sleep or time-out ends.
        if !sleepers.isEmpty || isWaiting { return lanes { next($0) != nil } }
        return awaitOutside() ? lanes { ready($0) != nil } : 0
    }

    /// Waits until a foreign thread resumes a task or releases a resource.
    ///
    /// - Returns: whether a lane can now continue.
    private func awaitOutside() -> Bool {
        guard let outsidePatience, openSessions > 0, switches == nil, baton.deadlocks.isEmpty else {
            return false
        }
        let end = ContinuousClock.now + outsidePatience.limit
        repeat {
            arrivals.wait()
            admitArrivals()
            if outside.first != nil { return false }
            if lanes.indices.contains(where: { ready($0) != nil }) {
                outsidePatience.note(hasCome: true)
                return true
            }
        } while ContinuousClock.now < end
        outsidePatience.note(hasCome: false)
        return false
    }

    private func lanes(where isAble: (Int) -> Bool) -> UInt64 {
        var able: UInt64 = 0
        for lane in lanes.indices where isAble(lane) { able |= 1 << UInt64(lane) }
        return able
    }

    /// Whether a thread waits in a run loop or with a time-out.
    private var isWaiting: Bool {
        // Uses indices because this check runs at each switch, and copying a lane retains many
        // references.
        host?.isWaiting == true
            || lanes.indices.contains { systemWait(of: $0)?.due != nil }
    }

    func waits(_ lane: Int) -> Bool { host?.isWaiting == true && host?.lane == lane }

    /// Records that the waiting thread of a test has run a block.
    func noteTurn() { turns += 1 }

    func ready(_ lane: Int) -> String? {
        if let host, host.isWaiting, lane == host.lane {
            // Another lane holds the main queue, which the test's thread may need to continue.
            if !baton.isReady(host.runner) { return nil }
            if let item = lanes[table.mainLane].waiting.first { return item.label }
            // The test's thread continues only after a sign that its event has occurred. If no lane
            // can go on, `nextInTime` lets the thread check its time-out.
            return CodeHost.hasNews.load(ordering: .relaxed) ? "wait" : nil
        }
        guard let runner = lanes[lane].runner, !isIdle(runner) else {
            return lanes[lane].waiting.first?.label
        }
        // While the thread of a test waits, it also serves the main queue.
        if let host, lane == table.mainLane, host.lane != lane { return nil }
        return baton.isReady(runner) ? baton.runners[runner].upcoming : nil
    }

    /// Whether a foreign thread could still resume a task of the schedule.
    var mayGetArrivals: Bool { switches != nil && arrivals.hasTasks && baton.deadlocks.isEmpty }

    /// Whether another lane can run now. Also true if the system's clock has reached the end of the
    /// first sleep.
    ///
    /// - Parameter servesMain: whether the lane could run the work that waits for the main queue.
    func canGoOn(without lane: Int, servesMain: Bool = false) -> Bool {
        admitArrivals()
        if let first = sleepers.first, first.isDue { return true }
        return lanes.indices.contains { $0 != lane && ready($0) != nil }
            || servesMain && !lanes[table.mainLane].waiting.isEmpty
    }

    func admitArrivals() {
        awaitForeignJobs()
        for arrival in arrivals.takeAll() {
            noteForeign(job(of: arrival.lane))
            append(lanes[arrival.lane].name, to: arrival.lane, arrival.work)
        }
    }
}
