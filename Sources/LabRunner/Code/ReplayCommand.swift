import Foundation

/// The shell command that runs only one schedule of an exploration.
enum ReplayCommand {
    /// - Parameters:
    ///   - token: the token of the schedule.
    ///   - function: the function that explores, in the compiler's spelling.
    static func line(_ token: String, function: String) -> String {
        let filter = test(function).map(NSRegularExpression.escapedPattern)
        return "FAULTLINE_REPLAY=\(quoted(token)) swift test"
            + (filter.map { " --filter \(quoted($0))" } ?? "")
    }

    /// The test that runs; nil if none is known.
    ///
    /// - Parameter function: the function that explores; it identifies tests of XCTest.
    static func test(_ function: String) -> String? {
        test(CodeFailures.catcher?.testName ?? nil, function)
    }

    /// - Parameter running: the running test of Swift Testing.
    static func test(_ running: String?, _ function: String) -> String? {
        guard let name = running ?? (function.hasPrefix("test") ? function : nil) else {
            return nil
        }
        // The name of a test does not include its parameters.
        return (name.split(separator: "(").first.map(String.init) ?? name).filter { $0 != "`" }
    }

    private static func quoted(_ text: String) -> String {
        if text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }) {
            return text
        }
        return "'" + escaped(text) + "'"
    }

    /// Text that a shell reads inside single quotes.
    static func escaped(_ text: String) -> String { text.replacing("'", with: "'\\''") }
}
