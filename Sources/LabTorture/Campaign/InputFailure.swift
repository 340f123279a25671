import LabResults

/// Why an attack cannot run, in one line with what to do.
package struct InputFailure: UnusableInput, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
