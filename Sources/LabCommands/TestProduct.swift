import CommandLineSupport
import Foundation
import Glibc

/// A test product that runs a command instead of the tool.
package struct TestProduct {
    static let test = "faultlineCommandLine"

    private let path: String
    private let arguments: [String]

    /// Returns nil if the arguments do not contain `--tests`, or if their command cannot run in a
    /// test product.
    ///
    /// - Parameter all: the tool's arguments, which begin with its path.
    package init?(_ all: [String]) {
        var rest = Array(all.dropFirst())
        guard let name = rest.first, LabCommand.hasCommand(named: name) else { return nil }
        let options = rest.prefix { $0 != "--" }
        if let index = options.firstIndex(of: "--tests"), index + 1 < rest.count {
            path = rest[index + 1]
            rest.removeSubrange(index...index + 1)
        } else if let index = options.firstIndex(where: { $0.hasPrefix("--tests=") }) {
            path = String(rest[index].dropFirst("--tests=".count))
            rest.remove(at: index)
        } else {
            return nil
        }
        arguments = rest
    }

    /// Runs the command in the test product, and returns its exit code.
    package func run() -> ExitStatus.RawValue {
        let answered = NSTemporaryDirectory() + "faultline-answered-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: answered) }
        let request = Request(arguments: arguments, answered: answered)
        var child = pid_t()
        let code = start(request, &child)
        if code != 0 {
            return refuse("this test product cannot be started: \(String(cString: strerror(code)))")
        }
        var status: Int32 = 0
        while waitpid(child, &status, 0) == -1, errno == EINTR {}
        guard FileManager.default.fileExists(atPath: answered) else {
            return refuse("no test of this product runs the tool's commands")
        }
        // The low seven bits of a wait status are the signal that ended the process. The second
        // byte is the exit code.
        let signal = status & 0x7F
        if signal != 0 {
            Console.note("\(path): the test product ended by signal \(signal)")
            return ExitStatus.internalError.rawValue
        }
        return (status >> 8) & 0xFF
    }

    /// Starts the product in this process group, so that signals of the terminal reach both
    /// processes.
    private func start(_ request: Request, _ child: inout pid_t) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (own, passed) in Request.descriptors {
            posix_spawn_file_actions_adddup2(&actions, own, passed)
            // The output of the test library is discarded. The command writes to the passed
            // descriptors.
            posix_spawn_file_actions_addopen(&actions, own, "/dev/null", O_WRONLY, 0)
        }
        let words = [path, "--testing-library", "swift-testing", "--filter", Self.test]
        let environment = request.environment(ProcessInfo.processInfo.environment)
        let arguments = words.map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        return posix_spawn(&child, path, &actions, nil, arguments, variables)
    }

    private func refuse(_ problem: String) -> ExitStatus.RawValue {
        Console.note(
            "\(path): \(problem); name the product of `swift build --build-tests`, and add a test"
                + " to it: @Test func \(Self.test)() { LabCommandLine.answer(policies) }")
        return ExitStatus.unusableInput.rawValue
    }

    /// The request to a test product, passed in environment variables.
    struct Request {
        private static let argumentsKey = "FAULTLINE_COMMAND"
        private static let answeredKey = "FAULTLINE_ANSWERED"
        /// If this variable is set, Swift hashes with the same seed in each process.
        private static let hashingKey = "SWIFT_DETERMINISTIC_HASHING"
        /// The descriptors of the tool's outputs, and those in the test product.
        static let descriptors = [(own: STDOUT_FILENO, passed: Int32(198)), (STDERR_FILENO, 199)]

        let arguments: [String]
        /// The file that the test product creates to confirm the request.
        let answered: String

        static func ofThisProcess() -> Request? {
            let environment = ProcessInfo.processInfo.environment
            guard let text = environment[argumentsKey], let answered = environment[answeredKey],
                let arguments = try? JSONDecoder().decode([String].self, from: Data(text.utf8))
            else { return nil }
            return Request(arguments: arguments, answered: answered)
        }

        func environment(_ inherited: [String: String]) -> [String: String] {
            var environment = inherited
            let text = (try? JSONEncoder().encode(arguments)) ?? Data("[]".utf8)
            environment[Self.argumentsKey] = String(decoding: text, as: UTF8.self)
            environment[Self.answeredKey] = answered
            // Custom policies may iterate over sets. The order of a set depends on the hash seed.
            if environment[Self.hashingKey] == nil { environment[Self.hashingKey] = "1" }
            return environment
        }

        /// Redirects this process's output to the tool's descriptors, and confirms the request.
        func takeOver() {
            for (own, passed) in Self.descriptors {
                dup2(passed, own)
                close(passed)
            }
            _ = FileManager.default.createFile(atPath: answered, contents: nil)
        }
    }
}
