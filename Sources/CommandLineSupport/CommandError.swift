/// An error that ends a command and determines its exit status.
///
/// A module whose errors have their own exit codes makes them conform to this protocol.
package protocol CommandError: Error {
    /// The exit status of the command.
    var status: ExitStatus { get }
    /// The complete message, for an error that contains file positions. If nil, the message
    /// consists of the tool's name and the error's description.
    var complaint: String? { get }
}
