import LabResults

/// Lines that GitHub shows beside a change.
///
/// The command `gate` prints them.
package enum GateAnnotations {
    /// An error for each regression, a notice for each improvement, a warning for what was not
    /// compared.
    package static func text(_ verdict: GateVerdict) -> String {
        let differences = verdict.differences.map { difference in
            let level = difference.effect == .improvement ? "notice" : "error"
            let body = ([difference.message] + difference.statements).joined(separator: "\n")
            return line(level, "\(difference.workload): \(difference.metric)", body)
        }
        let missing = verdict.missing.map { line("warning", "not compared", $0) }
        return (differences + missing).joined()
    }

    private static func line(_ level: String, _ title: String, _ body: String) -> String {
        "::\(level) title=\(escaped(title, isProperty: true))::\(escaped(body))\n"
    }

    // GitHub's own escapes; colons and commas end a property.
    private static func escaped(_ text: String, isProperty: Bool = false) -> String {
        text.escaped { scalar in
            switch scalar {
            case "%": "%25"
            case "\r": "%0D"
            case "\n": "%0A"
            case ":" where isProperty: "%3A"
            case "," where isProperty: "%2C"
            default: nil
            }
        }
    }
}
