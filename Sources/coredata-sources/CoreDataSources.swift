import CoreDataModel
import CoreDataTrace
import Foundation
import ModelGeneration
import SourceRewriting

/// The commands `coredata-sources rewrite`, which the plugin runs, and `coredata-sources port`.
@main
struct CoreDataSources {
    static func main() {
        do {
            let failed = try run(Array(CommandLine.arguments.dropFirst()))
            exit(failed ? 1 : 0)
        } catch {
            print(text(of: error), to: &standardError)
            exit(error is UsageError ? 64 : 1)
        }
    }

    /// The text of an error. Each problem of a model begins with its position in the model's file.
    static func text(of error: any Error) -> String {
        (error as? ModelError)?.asCompilersWrite ?? "\(error)"
    }

    /// Runs the command. Returns whether it failed for a file.
    private static func run(_ arguments: [String]) throws -> Bool {
        guard let command = arguments.first else { throw UsageError() }
        if arguments.contains("--help") || arguments.contains("-h") {
            print(command == "port" ? PortCommand.help : UsageError.usage)
            return false
        }
        switch command {
        case "rewrite": return try RewriteCommand(Array(arguments.dropFirst())).run()
        case "port": return try PortCommand(Array(arguments.dropFirst())).run()
        default: throw UsageError()
        }
    }
}

/// An error in the tool's arguments.
struct UsageError: Error, CustomStringConvertible {
    static let usage =
        "usage: coredata-sources rewrite --output DIR [--platform NAME] [--model MODEL]… FILE…\n"
        + "       coredata-sources port --output DIR FOLDER"

    /// The problem; nil if the tool only prints its usage.
    var message: String?

    init(_ message: String? = nil) { self.message = message }

    var description: String { message.map { "error: " + $0 } ?? Self.usage }
}

struct StandardError: TextOutputStream {
    mutating func write(_ text: String) { StandardStream.log(text) }
}

// `nonisolated(unsafe)` because the tool has one thread.
nonisolated(unsafe) var standardError = StandardError()
