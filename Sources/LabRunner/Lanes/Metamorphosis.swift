/// A change to the run of a schedule that must not change its outcome.
package enum Metamorphosis: String, Sendable, CaseIterable {
    /// The row cache is emptied before each step.
    case withoutRowCache = "row cache off"
    /// Every delivery is merged twice.
    case deliveredTwice = "deliveries twice"
    /// A file store replaces the in-memory store.
    case inFile = "store in a file"
    /// Another policy is used, if the error policy found no conflict.
    case otherPolicy = "other policies without conflict"
}
