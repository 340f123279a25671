import Foundation

/// Results as JUnit XML, which commands write on request.
package enum JUnit {
    /// A test case.
    package struct Case {
        package enum State {
            case passed
            case failed(_ message: String, _ text: String)
            case skipped(_ why: String)
        }

        var group: String
        var name: String
        var state: State
        var file: String?
        var line: Int?
        var nanoseconds: UInt64?

        package init(
            group: String, name: String, state: State, file: String? = nil, line: Int? = nil,
            nanoseconds: UInt64? = nil
        ) {
            self.group = group
            self.name = name
            self.state = state
            self.file = file
            self.line = line
            self.nanoseconds = nanoseconds
        }
    }

    /// The XML of a suite.
    package static func suite(_ name: String, _ cases: [Case]) -> String {
        let failed = cases.count { if case .failed = $0.state { true } else { false } }
        let skipped = cases.count { if case .skipped = $0.state { true } else { false } }
        let lines = cases.map(xml).joined()
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites>
            <testsuite name="\(HTML.escape(name))" tests="\(cases.count)" failures="\(failed)" \
            skipped="\(skipped)">
            \(lines)</testsuite>
            </testsuites>

            """
    }

    private static func xml(_ item: Case) -> String {
        var head =
            "<testcase classname=\"\(HTML.escape(item.group))\" "
            + "name=\"\(HTML.escape(item.name))\""
        if let file = item.file { head += " file=\"\(HTML.escape(file))\"" }
        if let line = item.line { head += " line=\"\(line)\"" }
        // JUnit times are in seconds.
        if let time = item.nanoseconds {
            head += " time=\"\(String(format: "%.6f", Double(time) / 1e9))\""
        }
        switch item.state {
        case .passed: return head + "/>\n"
        case .skipped(let why):
            return head + "><skipped message=\"\(HTML.escape(why))\"/></testcase>\n"
        case .failed(let message, let text):
            return head + "><failure message=\"\(HTML.escape(message))\">"
                + HTML.escape(text) + "</failure></testcase>\n"
        }
    }
}
