import ArgumentParser
import CommandLineSupport
import LabRunner

package struct StepCommand: StatusCommand {
    package static let configuration = CommandConfiguration(
        commandName: "step",
        abstract: "Runs one interleaving by hand: choose each next step, see every context.",
        discussion: "Type a step's number or name, u to go back, q to leave.",
        examples: ["step two-raises.yaml"])

    @Argument(help: "A scenario file.")
    package var path: String

    @Option(help: "The matrix cell, such as policy=error; by default the first one.")
    package var cell: String?

    @OptionGroup var outside: OutsideGroup

    @OptionGroup var store: StoreGroup

    package init() {}

    package func status() throws -> ExitStatus {
        var isComplete = false
        var input = InputLines()
        var suite = outside.suite
        try store.apply(to: &suite.options)
        try suite.step(path, cell: cell) { stepping in
            while !stepping.isFinished {
                show(stepping)
                guard let line = input.next(), line != "q" else { return }
                if line == "u" {
                    if try !stepping.undo() { Console.write("nothing has run yet\n") }
                } else if let lines = try stepping.choose(line) {
                    for line in lines { Console.write("\(line)\n") }
                } else {
                    Console.write("'\(line)' is not one of the next steps\n")
                }
            }
            Console.write("\n" + (try stepping.finish()))
            isComplete = true
        }
        return isComplete ? .expected : .inconclusive
    }

    private func show(_ stepping: Stepping) {
        Console.write("\n")
        for line in stepping.state { Console.write("  \(line)\n") }
        let choices = stepping.choices.enumerated().map { "\($0 + 1) \($1)" }
        Console.write("next: \(choices.joined(separator: "   "))\n")
    }
}
