/// An error that decides the exit status of the command that it ends.
///
/// This module knows no concrete error: a module with its own exit codes conforms its errors.
package protocol CommandError: Error {
    /// The exit status of the command.
    var status: ExitStatus { get }
    /// The whole message if it begins with file positions; nil if the tool's name is to precede it.
    var complaint: String? { get }
}
