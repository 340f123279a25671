import Foundation
import Glibc
import LabBench
import LabFiles

/// The program `faultline-torture`, which contains the attacks. It must be in the folder of this
/// program.
enum TortureProgram {
    private static let name = "faultline-torture"

    /// Replaces this program by `faultline-torture` in the same process, with the same arguments
    /// and terminal.
    ///
    /// - Parameter command: the command to run, for error messages.
    /// - Throws: an `InputError` if that program does not exist or cannot be started.
    static func become(for command: String) throws(InputError) -> Never {
        let program = URL(fileURLWithPath: ProcessLauncher.own).deletingLastPathComponent()
            .appendingPathComponent(name).path
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw InputError(
                file: program, problem: "\(command) needs this program, which does not exist",
                remedy: "run `./faultline \(command)` in a checkout, or build it with"
                    + " `swift build --product \(name)` into the folder of this program")
        }
        let words = [program] + CommandLine.arguments.dropFirst()
        let arguments = words.map { strdup($0) } + [nil]
        execv(program, arguments)
        // `execv` returns only if it fails.
        let reason = String(cString: strerror(errno))
        for word in arguments { free(word) }
        throw InputError(
            file: program, problem: "this program cannot be started (\(reason))",
            remedy: "build it again with `swift build --product \(name)`")
    }
}
