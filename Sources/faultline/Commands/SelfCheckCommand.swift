import ArgumentParser
import CommandLineSupport
import LabCommands

/// Explains `selfcheck`. The program next to this one runs it, because it contains the random
/// scenarios and programs of the attacks.
struct SelfCheckCommand: StatusCommand {
    static let configuration = SelfCheckOptionsGroup.command

    @OptionGroup var options: SelfCheckOptionsGroup

    func status() throws -> ExitStatus { try TortureProgram.become(for: "selfcheck") }
}
