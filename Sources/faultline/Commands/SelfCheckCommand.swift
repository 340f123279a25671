import ArgumentParser
import CommandLineSupport
import LabCommands

/// Explains `selfcheck`. `faultline-torture` runs it, because that program contains the random
/// scenarios and programs.
struct SelfCheckCommand: StatusCommand {
    static let configuration = SelfCheckOptionsGroup.command

    @OptionGroup var options: SelfCheckOptionsGroup

    func status() throws -> ExitStatus { try TortureProgram.become(for: "selfcheck") }
}
