/// An error in an input. Commands report it with a separate exit code.
package protocol UnusableInput: Error {}

/// A file that cannot be used, or an error at a position in a file. The tool prints it and exits
/// with 2.
package struct InputError: UnusableInput, Sendable, Hashable, CustomStringConvertible {
    /// The path of the file, as the user wrote it.
    package var file: String
    /// The line, from 1; nil if the file could not be read at all.
    package var line: Int?
    package var column: Int?
    package var problem: String
    /// The text to write instead, or the action to take.
    package var remedy: String

    package init(
        file: String, line: Int? = nil, column: Int? = nil, problem: String, remedy: String
    ) {
        self.file = file
        self.line = line
        self.column = column
        self.problem = problem
        self.remedy = remedy
    }

    /// `file:line:column: problem; remedy`.
    package var description: String {
        let place = [file, line.map(String.init), column.map(String.init)].compactMap(\.self)
        return "\(place.joined(separator: ":")): \(problem); \(remedy)"
    }
}

/// All errors in the inputs. They are found before anything runs.
package struct InputErrors: UnusableInput, Sendable, Hashable, CustomStringConvertible {
    package var errors: [InputError]

    package init(_ errors: [InputError]) { self.errors = errors }

    package var description: String {
        errors.map(\.description).joined(separator: "\n")
    }
}
