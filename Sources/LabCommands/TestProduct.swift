import Foundation
import Glibc

/// A test product that runs a command in place of the tool.
package struct TestProduct {
    /// The name of the test that answers.
    static let test = "faultlineCommandLine"

    private let path: String
    private let arguments: [String]

    /// Nil where the arguments do not ask for a test product.
    ///
    /// - Parameter all: the tool's arguments, its own path first.
    package init?(_ all: [String]) {
        var rest = Array(all.dropFirst())
        guard let name = rest.first, LabCommand.hasCommand(named: name) else { return nil }
        if let index = rest.firstIndex(of: "--tests"), index + 1 < rest.count {
            path = rest[index + 1]
            rest.removeSubrange(index...index + 1)
        } else if let index = rest.firstIndex(where: { $0.hasPrefix("--tests=") }) {
            path = String(rest[index].dropFirst("--tests=".count))
            rest.remove(at: index)
        } else {
            return nil
        }
        arguments = rest
    }

    /// Runs the command there, and returns how it ended.
    package func run() -> ExitStatus.RawValue {
        let answered = NSTemporaryDirectory() + "faultline-answered-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: answered) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = ["--testing-library", "swift-testing", "--filter", Self.test]
        process.environment = Request(arguments: arguments, answered: answered)
            .environment(ProcessInfo.processInfo.environment)
        // What the test library prints is no output of the command.
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
        } catch {
            return refuse("this test product cannot be started: \(error.localizedDescription)")
        }
        process.waitUntilExit()
        guard FileManager.default.fileExists(atPath: answered) else {
            return refuse("no test of this product answers the command line")
        }
        if process.terminationReason == .uncaughtSignal {
            Console.note("\(path): the test product ended by signal \(process.terminationStatus)")
            return ExitStatus.internalError.rawValue
        }
        return process.terminationStatus
    }

    private func refuse(_ problem: String) -> ExitStatus.RawValue {
        Console.note(
            "\(path): \(problem); name what `swift build --build-tests` makes, and have a test in"
                + " it: @Test func \(Self.test)() { LabCommandLine.answer(policies) }")
        return ExitStatus.unusableInput.rawValue
    }

    /// What a test product is started with.
    struct Request {
        private static let argumentsKey = "FAULTLINE_COMMAND"
        private static let answeredKey = "FAULTLINE_ANSWERED"
        private static let toolKey = "FAULTLINE_TOOL"

        let arguments: [String]
        /// The file that says that somebody has answered.
        let answered: String
        /// The process whose output is written to.
        var tool = getpid()

        init(arguments: [String], answered: String) {
            self.arguments = arguments
            self.answered = answered
        }

        static func ofThisProcess() -> Request? {
            let environment = ProcessInfo.processInfo.environment
            guard let text = environment[argumentsKey], let answered = environment[answeredKey],
                let tool = environment[toolKey].flatMap({ pid_t($0) }),
                let arguments = try? JSONDecoder().decode([String].self, from: Data(text.utf8))
            else { return nil }
            var request = Request(arguments: arguments, answered: answered)
            request.tool = tool
            return request
        }

        func environment(_ inherited: [String: String]) -> [String: String] {
            var environment = inherited
            let text = (try? JSONEncoder().encode(arguments)) ?? Data("[]".utf8)
            environment[Self.argumentsKey] = String(decoding: text, as: UTF8.self)
            environment[Self.answeredKey] = answered
            environment[Self.toolKey] = "\(tool)"
            return environment
        }

        /// Writes from now on where the tool writes.
        func takeOver() {
            for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
                let target = open("/proc/\(tool)/fd/\(descriptor)", O_WRONLY | O_APPEND)
                guard target >= 0 else { continue }
                dup2(target, descriptor)
                close(target)
            }
            _ = FileManager.default.createFile(atPath: answered, contents: nil)
        }
    }
}
