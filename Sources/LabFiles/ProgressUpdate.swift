/// The progress of a long task. The tool shows it on a terminal.
package struct ProgressUpdate: Sendable, Hashable {
    /// The name of the current task, such as `explore mb-09`.
    package var label: String
    package var completed: Int
    /// The final value of `completed`; nil if unknown.
    package var total: Int?

    package init(_ label: String, completed: Int, total: Int?) {
        self.label = label
        self.completed = completed
        self.total = total
    }
}

/// A function that receives progress updates on any thread.
package typealias ProgressSink = @Sendable (ProgressUpdate) -> Void
