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
    var suite: ScenarioSuite {
        var options = SuiteOptions()
        options.allowsOutside = allowOutside
        return ScenarioSuite(options)
    }
}
