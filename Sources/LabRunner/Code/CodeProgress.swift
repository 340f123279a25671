/// Detects schedules that never end.
struct CodeProgress {
    /// The number of steps without progress after which the lab stops a schedule. A step makes
    /// progress if it creates an object, fires a fault or writes.
    static let stepsMax = 10_000

    /// The time within which a schedule must end; nil for no limit.
    var limit: Duration?
    /// The most steps of a schedule; nil without such a bound.
    var turnsMax: Int?
    private var steps = 0
    private var began = ContinuousClock.now

    mutating func reset() {
        steps = 0
        began = .now
    }

    mutating func note() { steps = 0 }

    /// Records that a step has run.
    ///
    /// - Returns: the reason why the schedule does not end; nil if it may end.
    mutating func step(of turns: Int) -> String? {
        steps += 1
        if steps > Self.stepsMax {
            return "\(Self.stepsMax) steps in which nothing was created, read by a fault or written"
        }
        if let turnsMax, turns > turnsMax { return "\(turnsMax) steps" }
        // Reading the clock is slow compared with a step, so it is read only every 256 steps.
        guard turns & 0xFF == 0, let limit, ContinuousClock.now - began > limit else { return nil }
        return "\(turns) steps, which took the whole time budget of \(limit)"
    }
}

extension CodeStage {
    /// - Throws: an error if the schedule seems never to end.
    func checkProgress(_ lane: Int) throws(CodeError) {
        guard switches == nil, let why = progress.step(of: turns) else { return }
        let last = history.lines.suffix(6).map { "\n    \($0)" }
        let lines = last.isEmpty ? "" : "; the last lines:" + last.joined()
        throw .endless(
            "the schedule has not ended after \(why); '\(lanes[lane].name)' still runs\(lines)")
    }
}
