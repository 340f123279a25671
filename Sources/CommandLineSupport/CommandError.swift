/// An error that decides the exit status of the command that it ends.
///
/// A module whose errors have their own exit codes makes them conform to this protocol.
package protocol CommandError: Error {
    /// The exit status of the command.
    var status: ExitStatus { get }
    /// The complete message, for an error that prints file positions. If nil, the message is the
    /// error's description after the tool's name.
    var complaint: String? { get }
}
