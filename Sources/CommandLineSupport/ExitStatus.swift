import ArgumentParser
import LabFiles

/// The exit status of every command.
package enum ExitStatus: Int32 {
    /// Everything was as expected.
    case expected = 0
    /// An expectation or a gate failed.
    case failed = 1
    /// An input could not be used. The message states the position and the remedy.
    case unusableInput = 2
    /// The command stopped at a limit, or did not check or compare anything.
    case inconclusive = 3
    /// Runs with the same input had different results.
    case nondeterministic = 4
    /// The scenario file has changed since the replayed token was created. The schedule may have
    /// another result.
    case edited = 5
    /// The arguments are not a command. ArgumentParser uses the same exit code.
    case usage = 64
    case internalError = 70
    /// The standard output cannot be written, for example because a disk is full.
    case unwritableOutput = 74
}

extension ExitStatus {
    package static func worst(_ statuses: [ExitStatus]) -> ExitStatus {
        let order: [ExitStatus] = [
            .internalError, .unwritableOutput, .usage, .unusableInput, .nondeterministic, .failed,
            .edited,
            .inconclusive,
        ]
        return order.first(where: statuses.contains) ?? .expected
    }

    package init(_ error: any Error) {
        self =
            switch error {
            case is any UnusableInput: .unusableInput
            case let error as any CommandError: error.status
            default: .internalError
            }
    }
}

/// A command that ends with an exit status.
package protocol StatusCommand: ParsableCommand {
    func status() throws -> ExitStatus
}

extension StatusCommand {
    /// Runs the command. If it fails, prints its error. Ends with its exit status.
    package func run() throws {
        let status: ExitStatus
        do {
            status = try self.status()
        } catch let error as ValidationError {
            throw error
        } catch {
            Console.complain(error)
            status = ExitStatus(error)
        }
        if status != .expected { throw ExitCode(status.rawValue) }
    }
}
