import ArgumentParser
import CommandLineSupport

/// Refers to the tool that rewrites sources. This program is built without SwiftSyntax.
struct PortCommand: StatusCommand {
    static let configuration = CommandConfiguration(
        commandName: "port",
        abstract: "Rewrites an Xcode project's sources into a copy; `./faultline port` runs it.",
        discussion: """
            The separate program coredata-sources rewrites the sources, because rewriting \
            needs SwiftSyntax. The script ./faultline of a checkout builds and runs that \
            program: ./faultline port FOLDER --output NEW
            """,
        examples: ["port MyApp/Sources --output Ported"])

    @Argument(parsing: .allUnrecognized, help: "The folder of the sources, and --output NEW.")
    var arguments: [String] = []

    func status() throws -> ExitStatus {
        let words = arguments.isEmpty ? "FOLDER --output NEW" : arguments.joined(separator: " ")
        throw ValidationError(
            "port needs SwiftSyntax, which this program lacks. In a checkout, run"
                + " `./faultline port \(words)`; it builds and runs coredata-sources.")
    }
}
