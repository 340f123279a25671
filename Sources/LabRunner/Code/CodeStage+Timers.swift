import LabSchedule

extension CodeStage {
    func sleep(
        in lane: @autoclosure () -> Int, _ delay: Duration, _ work: @escaping () -> Void
    ) {
        // This line precedes `lane()`, which may create a lane. The new lane then continues the
        // count.
        let number = countTimer()
        let isFree = number <= freeTimers
        if isFree { touched.touch(.clock, .write) }
        let delay = settled(delay, number)
        sleepers.add(lane(), after: delay, isFree ? .free : .last, work)
    }

    private func settled(_ delay: Duration, _ number: Int) -> Duration {
        guard switches == nil, let delays else { return delay }
        let settled = delays.settled(delay, of: "\(maker) \(number)")
        if settled.isNew { touched.noteLearnt() }
        return settled.delay
    }

    func delay(_ label: String, _ delay: Duration, _ work: @escaping () -> Void) {
        if isReleased { return OutsideExecutor.run(work) }
        guard isInside else { return hold(label, for: lanes[table.mainLane].name, work) }
        sleep(in: newLane(), delay, work)
    }

    /// Runs work in the running lane as soon as no lane can go on.
    func runLast(_ work: @escaping () -> Void) {
        if isReleased { return OutsideExecutor.run(work) }
        sleepers.add(running ?? table.mainLane, after: .milliseconds(1), .look, work)
    }

    /// Counts a timer of the running lane. The count of a new lane begins with that of its creator.
    ///
    /// - Returns: the number of timers so far.
    private func countTimer() -> Int {
        guard let running else { return 1 }
        lanes[running].timers += 1
        return lanes[running].timers
    }

    /// Ends the lane's sleep if the schedule has chosen the lane for this reason.
    ///
    /// - Returns: the sleep or time-out that has ended; nil if the lane has other work.
    func wakeSleeper(of lane: Int) -> CodeClock.Sleeper? {
        if sleepers.isEmpty || ready(lane) != nil { return nil }
        let hasTimeOut = systemWait(of: lane)?.due != nil
        // In tests, the system's clock decides when a time-out ends.
        if hasTimeOut, switches != nil { return nil }
        guard let sleeper = sleepers.wake(lane) else { return nil }
        if sleeper.isTimeOut {
            if let runner = lanes[lane].runner { baton.runners[runner].isForced = true }
        } else {
            append("wake", to: lane, sleeper.work)
        }
        return sleeper
    }

    // MARK: Time-outs

    /// If the running thread waits for a lock or another system object with a time-out, starts this
    /// time-out. If it is shorter than a second, it may end at any moment. A longer one ends only
    /// if no lane can continue.
    func beginTimeOut() {
        guard switches == nil, let running, let wait = baton.current?.systemWait,
            let due = wait.due, !sleepers.hasTimeOut(of: running)
        else { return }
        let isFree = sleepers.isNear(due) && countTimer() <= freeTimers
        if isFree { touched.touch(.clock, .write) }
        sleepers.addTimeOut(of: running, due: due, isFree ? .free : .last, isMoot: wait.isFree)
    }

    func endTimeOut() {
        if let running { sleepers.removeTimeOut(of: running) }
    }

    /// Records that the lab's clock has advanced. The record belongs to the slice (the code until
    /// the next choice) that now begins.
    func touchClock(_ sleeper: CodeClock.Sleeper, after turns: Int) {
        guard sleeper.kind == .free, touched.isCollecting else { return }
        touched.touch(.clock, .write)
        guard sleepers.turns > turns else { return }
        // Earlier sleeps must end before this one.
        touched.touch(.handOver("the clock", turns), .require)
        touched.touch(.handOver("the clock", sleepers.turns), .provide)
    }

    func isAwake(_ lane: Int) -> Bool { sleepers.mayWake(lane, isFree: true) }
}

extension Resource {
    /// The lab's clock as a resource. The order in which sleeps begin affects the order in which
    /// they end.
    static let clock = Resource.lock("the clock")
}
