import Synchronization

/// Jobs of tasks, and what else code puts beside its session.
extension CodeStage: JobOwner {
    func forgetTasks() {
        TaskHooks.forget(taskLanes.keys)
        taskLanes = [:]
        arrivals.reset()
    }

    /// Takes a job that was meant for the global pool.
    func take(_ job: UnownedJob, _ id: UInt64) -> Bool {
        if isReleased { return false }
        enqueue(job, id)
        return true
    }

    /// Puts a job into the lane of its task.
    func enqueue(_ job: UnownedJob, _ id: UInt64) {
        if isReleased { return OutsideExecutor.shared.enqueue(job) }
        let work = { [unowned self] in
            job.runSynchronously(on: executor.asUnownedTaskExecutor())
        }
        guard isInside else {
            // Whoever resumes a task of the schedule need not be one of its threads.
            if switches != nil {
                guard let lane = arrivals.lane(ofTask: id) else {
                    return OutsideExecutor.shared.enqueue(job)
                }
                return arrivals.add(lane, work)
            }
            return post("a job of a task", to: table.mainLane, work)
        }
        let lane = lane(ofTask: id)
        append(
            lanes[lane].name, to: lane, isSessionBlock: lanes[lane].servesBlock, work)
    }

    /// Puts a job into the lane of its task when its time has come.
    func sleep(_ job: UnownedJob, _ id: UInt64, _ delay: Duration) {
        if isReleased || !isInside { return enqueue(job, id) }
        sleepers.add(lane(ofTask: id), after: delay) { [unowned self] in
            job.runSynchronously(on: executor.asUnownedTaskExecutor())
        }
    }

    /// Runs work in a lane of its own when a time has come.
    func delay(_ label: String, _ delay: Duration, _ work: @escaping () -> Void) {
        if isReleased { return OutsideExecutor.run(work) }
        guard isInside else { return post(label, to: table.mainLane, work) }
        sleepers.add(newLane(), after: delay, work)
    }

    private func lane(ofTask id: UInt64) -> Int {
        // What is no task's job, an actor's say, goes on where it comes from.
        if id == 0 { return running ?? beginning ?? table.mainLane }
        if let known = taskLanes[id] { return known }
        let lane = beginning ?? newLane()
        beginning = nil
        taskLanes[id] = lane
        arrivals.know(id, lane)
        TaskHooks.know(id, self)
        return lane
    }

    /// A lane for something that the running lane makes.
    func newLane() -> Int {
        let creator = creator
        made[creator] += 1
        return table.lane(madeBy: running, number: made[creator])
    }

    /// Who counts what is made: a session, or the body for all others.
    ///
    /// Tasks and blocks of a test that make something share the body's lanes.
    var creator: Int {
        guard let running else { return lanes.count }
        return switches != nil && running >= table.sessions.count ? lanes.count : running
    }

    // MARK: Giving up

    var isReleased: Bool { baton.isReleased.load(ordering: .relaxed) }

    /// Gives the schedule up: its threads go on by themselves, then those of others, and what
    /// waits in lanes goes to the pool.
    func release() {
        baton.release()
        let waiting =
            lanes.indices.flatMap { lane in lanes[lane].waiting.map(\.work) }
            + arrivals.takeAll().map(\.work) + sleepers.all.map(\.work)
        for work in waiting { OutsideExecutor.run(work) }
        forgetTasks()
    }
}
