/// A change of the way in which a schedule runs that must not change its outcome.
package enum Metamorphosis: String, Sendable, CaseIterable {
    /// The row cache forgets everything before each step.
    case withoutRowCache = "row cache off"
    /// Every delivery is merged twice.
    case deliveredTwice = "deliveries twice"
    /// The store is a file in place of one in memory.
    case inFile = "store in a file"
    /// Under another policy, where the error policy had nothing to say.
    case otherPolicy = "other policies without conflict"
}
