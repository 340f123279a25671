import CoreDataTrace
import Foundation
import Glibc
import LabFiles
import ReportParts
import Synchronization

/// The tool's output. Results go to standard output, and everything else to standard error.
package enum Console {
    private static let colours = Mutex(ColourChoice.auto)
    /// A placeholder for the escape character of colour codes, which is replaced when the text is
    /// written. It is random in each process, so text from a file cannot contain it.
    private static let introducer = "\u{E000}\(UInt64.random(in: .min ... .max))\u{E001}"

    /// Makes control characters visible, so that text from a file cannot control the terminal.
    private static func shown(_ text: String) -> String {
        text.printable.replacing(introducer, with: Terminal.escape)
    }

    package static var terminal: Terminal {
        let isColoured =
            switch colours.withLock({ $0 }) {
            case .auto: isatty(STDOUT_FILENO) == 1 && allowsColour
            case .always: true
            case .never: false
            }
        return Terminal(isColoured: isColoured, introducer: introducer)
    }

    static func choose(_ choice: ColourChoice) { colours.withLock { $0 = choice } }

    /// Whether standard error is a terminal. Progress is shown only on a terminal.
    package static let isWatched = isatty(STDERR_FILENO) == 1

    private static var allowsColour: Bool {
        let environment = ProcessInfo.processInfo.environment
        return environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }

    /// Writes a result to standard output. If this fails, the process prints an error and exits,
    /// because a partial result must not look complete.
    package static func write(_ text: String) {
        do throws(StandardStreamError) { try StandardStream.output.write(shown(text)) } catch {
            note(
                "The output cannot be written: \(error). Free space, or write the output to another"
                    + " location.")
            exit(ExitStatus.unwritableOutput.rawValue)
        }
    }

    /// Writes a line that is not part of a result to standard error.
    package static func note(_ text: String) {
        StandardStream.log(shown(text + "\n"))
    }

    /// Prints the error that ended a command. The tool's name is before the message unless the
    /// message begins with a file position.
    package static func complain(_ error: any Error) {
        switch error {
        case is InputError, is InputErrors: note("\(error)")
        default:
            let complaint = (error as? any CommandError)?.complaint
            note(complaint ?? "faultline: \(error)")
        }
    }

    /// Replaces the current line of standard error.
    package static func redraw(_ text: String) {
        StandardStream.log("\r\(Terminal.escape)K" + shown(text))
    }
}
