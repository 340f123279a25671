/// How far long work has come.
///
/// The tool shows it on a terminal.
package struct ProgressUpdate: Sendable, Hashable {
    /// What is being done, such as `explore mb-09`.
    package var label: String
    package var completed: Int
    /// The number that `completed` will reach, or nil if it is not known.
    package var total: Int?

    package init(_ label: String, completed: Int, total: Int?) {
        self.label = label
        self.completed = completed
        self.total = total
    }
}

/// Takes progress updates, from any thread; does nothing where nobody watches.
package typealias ProgressSink = @Sendable (ProgressUpdate) -> Void
