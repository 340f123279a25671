import LabCommands
import LabRunner
import Testing

/// `faultline … --tests` runs this function. It registers a policy of this package.
@Test func faultlineCommandLine() {
    var policies = PolicyRegistry()
    policies.register("theirs") { _ in .mergeByPropertyStoreTrump }
    LabCommandLine.answer(policies)
}
