@testable import LabRunner

extension Lab.Options {
    /// Options with practically no time limit, so that a busy machine cannot change a result.
    static func unhurried(
        strategy: Lab.Strategy = .automatic, limit: Int = 5_000, grain: Lab.Grain = .operations
    ) -> Lab.Options {
        Lab.Options(
            strategy: strategy, limit: limit, timeBudget: .unhurried, grain: grain, cures: false)
    }
}

extension TestOptions {
    /// Options with practically no time limit; see
    /// ``Lab/Options/unhurried(strategy:limit:grain:)``.
    static func unhurried(_ schedules: Int, mode: Mode = .automatic) -> TestOptions {
        var options = TestOptions(schedules: schedules, seed: 1, mode: mode)
        options.timeBudget = .unhurried
        return options
    }
}

extension TestOptions {
    /// Options with which the lab waits only briefly for a thread that does not return the baton.
    static func hasty(_ schedules: Int) -> TestOptions {
        var options = unhurried(schedules)
        options.patience = .seconds(1)
        return options
    }
}

extension Duration {
    /// Longer than any exploration of these tests, and shorter than the limit of a whole test run.
    static let unhurried = Duration.seconds(900)
}
