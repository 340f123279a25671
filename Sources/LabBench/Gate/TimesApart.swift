import BenchResults

/// Compares the times of two separate runs. Each time is divided by the time of the C baseline in
/// the same round. If an operation has no C baseline, a fixed task in C (the yardstick) replaces
/// it.
///
/// Strategies that cannot be compared are reported, because the gate must not pass without a
/// comparison.
struct TimesApart {
    private let now: BenchReport
    private let before: BenchReport
    private let name: String

    init(_ now: BenchReport, _ before: BenchReport, name: String) {
        self.now = now
        self.before = before
        self.name = name
    }

    func compare(
        _ current: Gate.Entry, with baseline: Gate.Entry, in comparison: inout Comparison
    ) {
        let metric: Thresholds.Metric =
            current.strategy.twin?.time == nil ? .ratioToYardstick : .ratioToC
        guard metric == .ratioToC || yardstickGap == nil else { return }
        let seen = ratios(current.strategy, metric, now)
        let expected = ratios(baseline.strategy, metric, before)
        guard min(seen.count, expected.count) > 1 else { return }
        let judgement = comparison.judgement(metric, current)
        comparison.note(
            current, metric, judgement.judgeApart(before: expected, now: seen),
            judgement.threshold,
            what: metric == .ratioToC
                ? "time relative to C" : "time relative to the yardstick")
    }

    func gaps(_ comparison: Comparison) -> [String] {
        guard now.hasTimes || before.hasTimes else { return [] }
        func gap(_ why: String, of strategies: Int = 0) -> [String] {
            let what =
                comparison.times.isEmpty || strategies == 0 ? "" : " of \(strategies) strategies"
            return ["times\(what) were not compared: \(why)"]
        }
        guard now.hasTimes else { return gap("this result has no times") }
        guard before.hasTimes else { return gap("\(name) has no times") }
        let done = Set(comparison.times.map { "\($0.workload)\n\($0.strategy)" })
        let left = now.results.flatMap { result in
            result.strategies.filter { strategy in
                strategy.time != nil && !done.contains("\(result.workload)\n\(strategy.name)")
                    && isInBaseline(result.workload, strategy.name)
            }
        }
        guard let first = left.first else { return [] }
        if left.contains(where: { $0.twin?.time == nil }), let why = yardstickGap {
            return gap(why, of: left.count)
        }
        if (first.time?.samplesNanoseconds.count ?? 0) < 2 {
            return gap(
                "one round is not enough to compare times; measure with --rounds 5", of: left.count)
        }
        return gap("the two results have no rounds in common", of: left.count)
    }

    private func isInBaseline(_ workload: String, _ strategy: String) -> Bool {
        before.results.contains { result in
            result.workload == workload
                && result.strategies.contains { $0.name == strategy }
        }
    }

    private var yardstickGap: String? {
        guard before.yardstick != nil else {
            return "\(name) has no yardstick; measure it again, or both builds in one run with "
                + "`gate --base`"
        }
        guard now.yardstick != nil else {
            return "this result has no yardstick; measure it again"
        }
        guard machine(now) == machine(before) else {
            return "\(name) was measured on another machine (\(machine(before)), now "
                + "\(machine(now))); measure both builds in one run with `gate --base`, or save "
                + "only counts with `bench --counts-only`"
        }
        return nil
    }

    private func machine(_ report: BenchReport) -> String {
        let facts = report.environment
        return "\(facts.machine), \(facts.cpu), \(facts.cores) cores, a \(facts.build) build"
    }

    private func ratios(
        _ strategy: StrategyResult, _ metric: Thresholds.Metric, _ report: BenchReport
    ) -> [Double] {
        let engine = Comparison.times(strategy.time)
        let other = Comparison.times(
            metric == .ratioToC ? strategy.twin?.time : report.yardstick)
        // A time limit or a failure may have ended the strategy early. The yardstick then has more
        // rounds.
        guard engine.count <= other.count else { return [] }
        return zip(engine, other).map { $0 / $1 }
    }
}
