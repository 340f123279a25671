import LabCommands
import LabRunner
import Testing

/// `faultline … --tests` runs this function with a policy that this package defines.
@Test func faultlineCommandLine() {
    var policies = PolicyRegistry()
    policies.register("theirs") { _ in .mergeByPropertyStoreTrump }
    LabCommandLine.answer(policies)
}
