import BenchResults
import ReportParts

/// Annotations of the command `gate`. GitHub shows them next to a change.
package enum GateAnnotations {
    /// A cause of regressions is an error and a cause of improvements is a notice, both at the
    /// declaration of the workload. A workload that was not compared is a warning without a
    /// position.
    package static func text(_ verdict: GateVerdict) -> String {
        let causes = verdict.causes.map { cause in
            line(
                cause.effect == .improvement ? "notice" : "error",
                place(cause) + [("title", "\(cause.workload): \(GateCauses.title(cause))")],
                GateCauses.body(cause).joined(separator: "\n"))
        }
        let missing = verdict.missing.map { line("warning", [("title", "not compared")], $0) }
        return (causes + missing).joined()
    }

    private static func place(_ cause: GateCause) -> [(String, String)] {
        guard let file = cause.file else { return [] }
        return [("file", file), ("line", String(cause.line ?? 1))]
    }

    private static func line(
        _ level: String, _ properties: [(name: String, value: String)], _ body: String
    ) -> String {
        let list = properties.map { "\($0.name)=\(escaped($0.value, isProperty: true))" }
        return "::\(level) \(list.joined(separator: ","))::\(escaped(body))\n"
    }

    // Colons and commas are separators in annotations.
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
