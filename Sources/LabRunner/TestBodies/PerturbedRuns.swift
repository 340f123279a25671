import LabSchedule

/// Creates the tokens and the verdicts of runs on real threads with seeded delays.
struct PerturbedRuns {
    static let cell = "perturbed"

    let name: String
    let options: TestOptions
    let notes: [String]

    /// The seeds of the runs; only the token's seed if a token is requested.
    func seeds(_ token: ScheduleToken?) -> [UInt64] {
        if let token { return token.steps.first.flatMap { UInt64($0) }.map { [$0] } ?? [] }
        return (0..<options.schedules).map { options.seed &+ UInt64($0) }
    }

    func token(_ seed: UInt64) -> String {
        ScheduleToken(
            scenario: name.replacing(":", with: "-"), hash: "00000000", cell: Self.cell,
            steps: ["\(seed)"]
        ).description
    }

    func verdict(_ schedules: Int, failed: (seed: UInt64, failures: [String])? = nil)
        -> TestVerdict
    {
        var verdict = TestVerdict(name: name, control: .perturbed, schedules: schedules)
        verdict.notes = notes
        if let failed {
            var end = CodeWorld.End()
            end.failures = failed.failures
            let token = token(failed.seed)
            let story = ["real threads with the delays of seed \(failed.seed)"] + notes
            verdict.failure = CodeFailure(
                name: name, end: end, schedules: schedules, switches: 0, token: token,
                story: ToldStory(lines: story), command: TestExplorer.command(token, name))
        }
        return verdict
    }
}
