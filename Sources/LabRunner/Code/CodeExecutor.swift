/// Runs the jobs of a session as items of its lane.
final class CodeExecutor: TaskExecutor {
    private let stage: CodeStage
    private let lane: Int

    init(_ stage: CodeStage, lane: Int) {
        self.stage = stage
        self.lane = lane
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        stage.post("\(stage.lanes[lane].name)", to: lane) { [self] in
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
