import ArgumentParser
import CommandLineSupport

struct ManualCommand: StatusCommand {
    static let configuration = CommandConfiguration(
        commandName: "manual",
        abstract: "Prints the manual page, as `man` reads it.", examples: ["manual"])

    func status() throws -> ExitStatus {
        Console.write(try ManualPage.text(of: Faultline.self))
        return .expected
    }
}
