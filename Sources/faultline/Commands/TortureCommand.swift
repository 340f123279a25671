import ArgumentParser
import CommandLineSupport
import LabCommands

/// The help of `torture`. `faultline-torture` runs it, so that this program is built without the
/// attacks.
struct TortureCommand: StatusCommand {
    static let configuration = TortureOptionsGroup.command

    @OptionGroup var options: TortureOptionsGroup

    func status() throws -> ExitStatus { try TortureProgram.become(for: "torture") }
}
