import Foundation

/// The line that runs one schedule of an exploration alone, ready to paste into a shell.
enum ReplayCommand {
    /// - Parameters:
    ///   - token: names the schedule.
    ///   - function: the function that explores, as the compiler names it.
    static func line(_ token: String, function: String) -> String {
        let filter = test(function).map(NSRegularExpression.escapedPattern)
        return "FAULTLINE_REPLAY=\(quoted(token)) swift test"
            + (filter.map { " --filter \(quoted($0))" } ?? "")
    }

    /// The test that runs; nil where none is known.
    ///
    /// - Parameter function: the function that explores, which XCTest's tests are known by.
    static func test(_ function: String) -> String? {
        test(CodeFailures.catcher?.testName ?? nil, function)
    }

    /// - Parameter running: the running test of Swift Testing.
    static func test(_ running: String?, _ function: String) -> String? {
        guard let name = running ?? (function.hasPrefix("test") ? function : nil) else {
            return nil
        }
        // Parameters of a test are no part of its name.
        return (name.split(separator: "(").first.map(String.init) ?? name).filter { $0 != "`" }
    }

    /// Text as a shell takes it for one word.
    private static func quoted(_ text: String) -> String {
        if text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }) {
            return text
        }
        return "'" + text.replacing("'", with: "'\\''") + "'"
    }
}
