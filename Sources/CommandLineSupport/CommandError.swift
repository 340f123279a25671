/// An error that determines the exit status of its command.
///
/// Errors of modules with their own exit codes conform to it.
package protocol CommandError: Error {
    var status: ExitStatus { get }
    /// The complete message, if it contains file positions. If nil, the message is the tool's name
    /// and the error's description.
    var complaint: String? { get }
}
