/// Whether a schedule comes to something: one that does nothing but go on never ends.
struct CodeProgress {
    /// A schedule ends within so many steps in which nothing is made, read anew or written.
    static let stepsMax = 10_000

    /// A schedule ends within this time, where there is such a bound.
    var limit: Duration?
    private var steps = 0
    private var began = ContinuousClock.now

    /// Begins a schedule.
    mutating func reset() {
        steps = 0
        began = .now
    }

    /// Something was made, read anew or written.
    mutating func note() { steps = 0 }

    /// A step has run.
    ///
    /// - Returns: why the schedule does not end; nil where it may.
    mutating func step(of turns: Int) -> String? {
        steps += 1
        if steps > Self.stepsMax {
            return "\(Self.stepsMax) steps, in which nothing was made, read anew or written"
        }
        // A look at the clock costs more than a step should.
        guard turns & 0xFF == 0, let limit, ContinuousClock.now - began > limit else { return nil }
        return "\(turns) steps, in all the time budget of \(limit)"
    }
}

extension CodeStage {
    /// - Throws: where the schedule seems never to end.
    func checkProgress(_ lane: Int) throws(CodeError) {
        guard switches == nil, let why = progress.step(of: turns) else { return }
        let last = history.lines.suffix(6).map { "\n    \($0)" }
        let lines = last.isEmpty ? "" : "; the last lines:" + last.joined()
        throw .endless(
            "the schedule has not ended after \(why); '\(lanes[lane].name)' goes on\(lines)")
    }
}
