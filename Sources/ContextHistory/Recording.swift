/// The history of a program that ran on real threads, in the form of a file.
///
/// The page of `FaultlineRecorder` describes the format.
package struct Recording: Sendable {
    /// The version of the format that this package writes and reads.
    package static let format = 1

    /// The name of the recording, which is also the prefix of its files.
    package var name: String
    /// The reason why the recording was written, in a sentence.
    package var reason: String
    /// The representation of the program's values: `full`, `hashed` or `none`.
    package var values: String
    /// The facts that the recording lacks, one phrase each.
    package var missing: [String]
    package var history: History

    package init(
        name: String, reason: String, values: String, missing: [String], history: History
    ) {
        self.name = name
        self.reason = reason
        self.values = values
        self.missing = missing
        self.history = history
    }
}

/// A recording that does not follow the format.
package struct RecordingError: Error, Sendable, CustomStringConvertible {
    /// The path of the element, such as `events[3].object`.
    package let path: String
    package let problem: String

    package var description: String { "\(path): \(problem)" }
}
