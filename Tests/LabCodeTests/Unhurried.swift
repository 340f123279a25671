@testable import LabRunner

extension Lab.Options {
    /// Options with which no clock decides what a test sees, however busy its machine is: limits
    /// and counts do.
    static func unhurried(
        strategy: Lab.Strategy = .automatic, limit: Int = 5_000, grain: Lab.Grain = .operations
    ) -> Lab.Options {
        Lab.Options(
            strategy: strategy, limit: limit, timeBudget: .unhurried, grain: grain, cures: false)
    }
}

extension TestOptions {
    /// Options with which only counts decide; see ``Lab/Options/unhurried(strategy:limit:grain:)``.
    static func unhurried(_ schedules: Int, mode: Mode = .automatic) -> TestOptions {
        var options = TestOptions(schedules: schedules, seed: 1, mode: mode)
        options.timeBudget = .unhurried
        return options
    }
}

extension Duration {
    /// More than any exploration of these tests takes, and less than what stops a run of them all.
    static let unhurried = Duration.seconds(900)
}
