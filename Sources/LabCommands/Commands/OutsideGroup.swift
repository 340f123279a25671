import ArgumentParser
import LabRunner

/// The options of every command that reads scenarios. They permit files outside the scenario's
/// folders, and merge policies from a test product.
package struct OutsideGroup: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Let scenarios name files outside their folders: only for files that you trust."))
    package var allowOutside = false

    @Option(
        help: ArgumentHelp(
            "Run inside this test product, with the merge policies that it registers for"
                + " LabCommandLine.answer.",
            valueName: "product"))
    package var tests: String?

    package var suite: ScenarioSuite { suite(jobs: 1) }

    package init() {}

    package func suite(jobs: Int) -> ScenarioSuite {
        var options = SuiteOptions()
        options.policies = LabCommandLine.policies
        options.allowsOutside = allowOutside
        options.jobs = jobs
        return ScenarioSuite(options)
    }
}
