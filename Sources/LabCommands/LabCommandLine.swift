import ArgumentParser
import CommandLineSupport
import Foundation
import Glibc
import LabFiles
import LabRunner
import Synchronization

/// The lab's command line inside a test product. Scenarios can then name merge policies that a
/// package has written in Swift.
///
/// A test target that depends on this product has one test of this name:
/// ```swift
/// @Test func faultlineCommandLine() {
///     var policies = PolicyRegistry()
///     policies.register("mine") { _ in MyPolicy() }
///     LabCommandLine.answer(policies)
/// }
/// ```
/// Then `faultline explore FILE --tests .build/debug/MyPackageTests.xctest` runs the scenario in
/// the test product. The output and the exit code are the same as without `--tests`. In an ordinary
/// run of the tests, this test does nothing.
public enum LabCommandLine {
    private static let registered = Mutex(PolicyRegistry())

    static var policies: PolicyRegistry { registered.withLock { $0 } }

    /// If `faultline … --tests` has started this process, runs the command and exits with its exit
    /// code. In any other process, returns immediately.
    ///
    /// - Parameter policies: the policies that scenarios may name in addition to those of their
    ///   files.
    public static func answer(_ policies: PolicyRegistry = PolicyRegistry()) {
        guard let request = TestProduct.Request.ofThisProcess() else { return }
        registered.withLock { $0 = policies }
        request.takeOver()
        CleanUpOnSignals.start()
        do {
            var command = try LabCommand.parseAsRoot(
                ColourGroup.first(request.arguments))
            try command.run()
        } catch {
            LabCommand.exit(withError: error)
        }
        exit(ExitStatus.expected.rawValue)
    }
}

/// The commands that run scenarios.
package struct LabCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "faultline", abstract: "Runs scenarios inside of a test product.",
        subcommands: [
            RunCommand.self, ExploreCommand.self, ReplayCommand.self, ShrinkCommand.self,
            StepCommand.self, DiffCommand.self, MatrixCommand.self, LintCommand.self,
            BlessCommand.self,
        ])

    @OptionGroup package var colour: ColourGroup

    package init() {}

    static func hasCommand(named name: String) -> Bool {
        configuration.subcommands.contains { $0.configuration.commandName == name }
    }
}
