import ArgumentParser
import CommandLineSupport
import Foundation
import LabFiles
import LabRunner

struct NewCommand: StatusCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Writes a commented scenario to begin with, as NAME.yaml.",
        examples: ["new two-tills", "new two-tills --in Scenarios"])

    @Argument(help: "The scenario's name; letters, digits, '-' and '_'.")
    var name: String

    @Option(name: .customLong("in"), help: "The folder to write into.")
    var folder = "."

    func status() throws -> ExitStatus {
        let text = try ScenarioSuite.starter(named: name)
        let path = folder == "." ? "\(name).yaml" : "\(folder)/\(name).yaml"
        if FileManager.default.fileExists(atPath: path) {
            throw InputError(
                file: path, problem: "this file exists already",
                remedy: "choose another name, or remove it first")
        }
        try Places.write(text, to: path)
        Console.write("\(path)\n")
        return .expected
    }
}
