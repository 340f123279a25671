import ArgumentParser
import LabRunner

/// The option of every command that reads scenarios or workloads: which files they may name.
struct OutsideGroup: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Let scenarios and workloads name files outside of their folders: only for files that "
                + "you trust."))
    var allowOutside = false

    /// The lab, without further options.
    var suite: ScenarioSuite { suite(jobs: 1) }

    /// The lab on so many threads.
    func suite(jobs: Int) -> ScenarioSuite {
        var options = SuiteOptions()
        options.allowsOutside = allowOutside
        options.jobs = jobs
        return ScenarioSuite(options)
    }
}
