/// An error that knows how it ends a command.
///
/// Modules whose errors have exit codes of their own conform them; this module knows none of them.
package protocol CommandError: Error {
    /// How the command ends.
    var status: ExitStatus { get }
    /// The whole message where it begins with places in files; nil for one behind the tool's name.
    var complaint: String? { get }
}
