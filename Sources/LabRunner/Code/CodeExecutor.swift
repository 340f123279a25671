/// Runs the jobs of a session as items of its lane.
final class CodeExecutor: TaskExecutor {
    private let stage: CodeStage
    private let lane: Int
    /// The session is one block of a context.
    private let isBlock: Bool

    init(_ stage: CodeStage, lane: Int, isBlock: Bool) {
        self.stage = stage
        self.lane = lane
        self.isBlock = isBlock
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        stage.post(stage.lanes[lane].name, to: lane, isSessionBlock: isBlock) { [self] in
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
