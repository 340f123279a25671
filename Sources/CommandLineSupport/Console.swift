import Foundation
import Glibc
import LabReport
import LabResults
import Synchronization

/// The tool's output: results to standard output, everything else to standard error.
package enum Console {
    private static let colours = Mutex(ColourChoice.auto)

    /// Whether standard output may be coloured.
    package static var terminal: Terminal {
        let isColoured =
            switch colours.withLock({ $0 }) {
            case .auto: isatty(STDOUT_FILENO) == 1 && allowsColour
            case .always: true
            case .never: false
            }
        return Terminal(isColoured: isColoured)
    }

    /// Sets when text is coloured from now on.
    static func choose(_ choice: ColourChoice) { colours.withLock { $0 = choice } }

    /// Whether standard error is a terminal, so that progress makes sense.
    package static let isWatched = isatty(STDERR_FILENO) == 1

    private static var allowsColour: Bool {
        let environment = ProcessInfo.processInfo.environment
        return environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }

    /// Writes a result.
    package static func write(_ text: String) {
        FileHandle.standardOutput.write(Data(text.utf8))
    }

    /// Writes a line for people, which is not a result.
    package static func note(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }

    /// Writes the error that ended a command; places in files stand at the line's start.
    package static func complain(_ error: any Error) {
        switch error {
        case is InputError, is InputErrors: note("\(error)")
        default:
            let complaint = (error as? any CommandError)?.complaint
            note(complaint ?? "faultline: \(error)")
        }
    }

    /// Writes to standard error without ending the line.
    package static func draw(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }
}
