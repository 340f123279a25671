import LabCommands
import LabRunner
import Testing

/// What `faultline … --tests` starts, with a policy of this package.
@Test func faultlineCommandLine() {
    var policies = PolicyRegistry()
    policies.register("theirs") { _ in .mergeByPropertyStoreTrump }
    LabCommandLine.answer(policies)
}
