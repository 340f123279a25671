import Foundation
import Glibc
import LabBench
import LabReport
import LabResults

/// What the tool writes: results to standard output, everything else to standard error.
enum Console {
    /// Whether standard output is a terminal that may be coloured.
    static let terminal = Terminal(isColoured: isatty(STDOUT_FILENO) == 1 && allowsColour)

    /// Whether somebody watches standard error, so that progress makes sense.
    static let isWatched = isatty(STDERR_FILENO) == 1

    private static var allowsColour: Bool {
        let environment = ProcessInfo.processInfo.environment
        return environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }

    /// Writes a result.
    static func write(_ text: String) {
        FileHandle.standardOutput.write(Data(text.utf8))
    }

    /// Writes a line for people, which is no result.
    static func note(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }

    /// Writes the error that ended a command; places in files stand at the line's start.
    static func complain(_ error: any Error) {
        switch error {
        case is InputError, is InputErrors: note("\(error)")
        case BenchError.input(let errors): note("\(errors)")
        default: note("faultline: \(error)")
        }
    }

    /// Writes to standard error without ending the line.
    static func draw(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }
}
