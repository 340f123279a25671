import LabFiles

/// The reason why an attack cannot run, and the remedy, in one line.
package struct InputFailure: UnusableInput, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
