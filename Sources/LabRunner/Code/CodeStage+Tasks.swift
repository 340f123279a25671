import Synchronization

/// Jobs of tasks, and other work that a session's code starts.
extension CodeStage: JobOwner {
    func forgetTasks() {
        TaskHooks.forget(taskLanes.keys)
        taskLanes = [:]
        tasks = []
        actors = CodeActors()
        arrivals.reset()
    }

    /// Takes a job that the runtime would run on the global pool.
    func take(_ job: UnownedJob, _ id: UInt64, _ call: JobCall) -> Bool {
        if isReleased { return false }
        let isNew = isInside && taskLanes[id] == nil
        enqueue(job, id)
        if isNew, let host, let lane = taskLanes[id], call.isOfXCTest {
            lanes[lane].waitingLane = host.lane
        }
        return true
    }

    func enqueue(_ job: UnownedJob, _ id: UInt64) {
        if isReleased { return OutsideExecutor.shared.enqueue(job) }
        let work = { [unowned self] in run(job) }
        guard isInside else {
            // A foreign thread may resume a task of the schedule.
            guard let lane = arrivals.lane(ofTask: id) else {
                return OutsideExecutor.shared.enqueue(job)
            }
            return arrivals.add(lane, work)
        }
        if id == 0 { return enqueue(actorJob: job) }
        let lane = lane(of: job, id)
        append(
            lanes[lane].name, to: lane, isSessionBlock: lanes[lane].servesBlock, work)
    }

    func sleep(_ job: UnownedJob, _ id: UInt64, _ delay: Duration) {
        if isReleased || !isInside { return enqueue(job, id) }
        sleep(in: wakingLane(of: job, id), delay) { [unowned self] in run(job) }
    }

    /// The lane in which the running task continues after its sleep. This lane remembers the task,
    /// because its sleep ends differently if the task is cancelled.
    private func wakingLane(of job: UnownedJob, _ id: UInt64) -> Int {
        let sleeping = running.map(tasks(of:)) ?? []
        let lane = lane(of: job, id)
        lanes[lane].wakes = sleeping
        return lane
    }

    private func lane(of job: UnownedJob, _ id: UInt64) -> Int {
        // A job without a task only resumes a sleeping task, so it runs in the lane that enqueued
        // it.
        if id == 0 { return running ?? beginning ?? table.mainLane }
        if let known = taskLanes[id] { return known }
        let lane = beginning ?? addLane(of: job)
        beginning = nil
        taskLanes[id] = lane
        arrivals.know(id, lane)
        TaskHooks.know(id, self)
        return lane
    }

    // MARK: Giving up

    var isReleased: Bool { baton.isReleased.load(ordering: .relaxed) }

    /// Gives up the schedule: its threads continue without the lab and become foreign threads. The
    /// work that waits in lanes runs on the global pool.
    func release() {
        baton.release()
        let waiting =
            lanes.indices.flatMap { lane in lanes[lane].waiting.map(\.work) }
            + arrivals.takeAll().map(\.work) + sleepers.all.map(\.work)
        for work in waiting { OutsideExecutor.run(work) }
        forgetTasks()
    }
}
