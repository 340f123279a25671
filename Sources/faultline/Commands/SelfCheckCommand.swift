import ArgumentParser
import CommandLineSupport
import LabCommands

/// The help of `selfcheck`. `faultline-torture` runs it, because it contains the random scenarios
/// and programs.
struct SelfCheckCommand: StatusCommand {
    static let configuration = SelfCheckOptionsGroup.command

    @OptionGroup var options: SelfCheckOptionsGroup

    func status() throws -> ExitStatus { try TortureProgram.become(for: "selfcheck") }
}
