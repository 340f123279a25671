import CWaitHooks
import LabSchedule

/// The serial executors on which the tasks of one schedule run. Each actor is one.
struct CodeActors {
    /// The resource number of each executor, in the order of first use. Addresses differ from
    /// schedule to schedule.
    private var resources: [UInt: UInt64] = [:]
    var lanes: [UInt: [Int]] = [:]
    /// The executor to which the running task is about to switch; 0 if the task keeps its executor.
    var target: UInt = 0

    mutating func resource(_ identity: UInt) -> UInt64 {
        if let known = resources[identity] { return known }
        let made = Resource.lock("executor \(resources.count + 1)").number
        resources[identity] = made
        return made
    }
}

/// A task that the schedule's code has created.
struct CodeTask {
    weak var task: AnyObject?
    let lane: Int
    var isCancelled = false

    mutating func hasJustBeenCancelled() -> Bool {
        guard !isCancelled, let task else { return false }
        isCancelled = faultline_is_cancelled(Unmanaged.passUnretained(task).toOpaque())
        return isCancelled
    }
}

/// Installs the hook that reports when tasks change executors; see `swift_task_switch` in `Hops.c`.
enum HopHooks {
    static let areInstalled: Void = faultline_take_hops { old, new in
        if old == 0 && new == 0 { return }
        CodeStage.current?.noteHop(from: UInt(old), to: UInt(new))
    }
}

/// Footprints (recorded accesses) treat an executor as a resource, because tasks that run on it may
/// use the state that it guards. A task touches an executor when it enters the executor, leaves it
/// or runs on it.
extension CodeStage {
    /// Records that the running task switches executors.
    func noteHop(from old: UInt, to new: UInt) {
        guard running != nil, !isReleased, !baton.isCollapsed else { return }
        touchExecutor(old)
        touchExecutor(new)
        actors.target = new
    }

    func touchCurrentExecutor() { touchExecutor(UInt(faultline_current_executor())) }

    private func touchExecutor(_ identity: UInt) {
        guard identity != 0, touched.isCollecting else { return }
        touched.touch(actors.resource(identity), .write)
    }

    /// Puts the job of an actor into a lane.
    ///
    /// If the running task awaits the actor, the task's lane has nothing else to do, so it runs the
    /// job. Otherwise a lane of the actor runs the job, concurrently with other lanes.
    func enqueue(actorJob job: UnownedJob) {
        let actor = UInt(
            faultline_actor_of(unsafeBitCast(job, to: UnsafeMutableRawPointer.self)))
        let isAwaited = actors.target == actor
        if isAwaited { actors.target = 0 }
        touchExecutor(actor)
        let lane = isAwaited ? running ?? table.mainLane : lane(ofActor: actor)
        append(lanes[lane].name, to: lane) { [unowned self] in
            touchExecutor(actor)
            run(job)
        }
    }

    private func lane(ofActor actor: UInt) -> Int {
        for lane in actors.lanes[actor, default: []]
        where lanes[lane].waiting.isEmpty && lanes[lane].runner.map(isIdle) ?? true {
            return lane
        }
        let lane = newLane()
        lanes[lane].servesActor = true
        actors.lanes[actor, default: []].append(lane)
        return lane
    }

    func run(_ job: UnownedJob) {
        actors.target = 0
        job.runSynchronously(on: executor.asUnownedTaskExecutor())
    }

    // MARK: Tasks

    func addLane(of job: UnownedJob) -> Int {
        let lane = newLane()
        let job = unsafeBitCast(job, to: UnsafeMutableRawPointer.self)
        guard faultline_is_counted_task(job) else {
            // The task is cancelled together with its creator.
            lanes[lane].task = running.flatMap { lanes[$0].task }
            return lane
        }
        let task = Unmanaged<AnyObject>.fromOpaque(job).takeUnretainedValue()
        tasks.append(CodeTask(task: task, lane: lane))
        let resource = Resource.lock("task \(lane)").number
        lanes[lane].task = resource
        // No other lane can cancel the task before this point.
        touched.touch(resource, .write)
        return lane
    }

    /// Records that the running code depends on whether its tasks are cancelled, because code may
    /// check this.
    func touchTask(of lane: Int) {
        guard touched.isCollecting else { return }
        for task in tasks(of: lane) { touched.touch(task, .read) }
        // The lane of an actor is reused only when it has no work.
        if lanes[lane].servesActor { touched.touch(.mailbox(lane), .read) }
    }

    /// The resource numbers of the tasks whose code a lane may run.
    func tasks(of lane: Int) -> [UInt64] {
        let own = lanes[lane].wakes + (lanes[lane].task.map { [$0] } ?? [])
        // A lane of an actor may continue any task.
        return lanes[lane].servesActor ? own + [Self.allTasks] : own
    }

    func noteCancelled() {
        for index in tasks.indices where tasks[index].hasJustBeenCancelled() {
            guard touched.isCollecting, let task = lanes[tasks[index].lane].task else { continue }
            touched.touch(task, .write)
            touched.touch(Self.allTasks, .write)
        }
    }

    private static let allTasks = Resource.lock("all tasks").number
}
