import ArgumentParser
import CommandLineSupport

/// Says where the command is that rewrites sources: this program is built without SwiftSyntax.
struct PortCommand: StatusCommand {
    static let configuration = CommandConfiguration(
        commandName: "port",
        abstract: "Rewrites an Xcode project's sources into a copy; `./faultline port` runs it.",
        discussion: """
            It is a program of its own, coredata-sources, because it is built with SwiftSyntax. \
            The script ./faultline of a checkout builds and runs it: \
            ./faultline port FOLDER --output NEW
            """,
        examples: ["port MyApp/Sources --output Ported"])

    @Argument(parsing: .allUnrecognized, help: "A folder, and --output with a new one.")
    var arguments: [String] = []

    func status() throws -> ExitStatus {
        let words = arguments.isEmpty ? "FOLDER --output NEW" : arguments.joined(separator: " ")
        throw ValidationError(
            "this program has no SwiftSyntax, which port needs. In a checkout call"
                + " `./faultline port \(words)`; it builds and runs coredata-sources.")
    }
}
