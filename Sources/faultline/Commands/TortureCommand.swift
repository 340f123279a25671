import ArgumentParser
import CommandLineSupport
import LabCommands

/// Explains `torture`. The program next to this one runs it, so that this one is built without the
/// attacks.
struct TortureCommand: StatusCommand {
    static let configuration = TortureOptionsGroup.command

    @OptionGroup var options: TortureOptionsGroup

    func status() throws -> ExitStatus { try TortureProgram.become(for: "torture") }
}
