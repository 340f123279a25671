import BenchResults
import ReportParts

/// Annotations for the command `gate`, which GitHub shows next to a change.
package enum GateAnnotations {
    /// An error for each cause of regressions, a notice for each cause of improvements, and a
    /// warning for each workload that was not compared, at the declaration of the workload.
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

    // Escapes text for GitHub annotations, in which colons and commas are separators.
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
