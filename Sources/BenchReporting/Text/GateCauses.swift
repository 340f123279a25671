import BenchResults
import ReportParts

/// Describes the cause of differences.
enum GateCauses {
    /// The largest change, such as `select statements 1 → 11`.
    static func title(_ cause: GateCause) -> String {
        let head = cause.head
        if head.metric == "checksum" { return "another result" }
        return "\(figure(head.metric)) \(head.baseline) → \(head.current)"
    }

    /// The message, the statements, the other changes, and the strategies.
    static func body(_ cause: GateCause) -> [String] {
        let message = cause.head.message
        var lines = [message] + cause.head.statements.filter { !message.contains($0) }
        let moved = with(cause)
        if !moved.isEmpty { lines.append("with it: " + moved) }
        if cause.strategies.count > 1 {
            lines.append("strategies: " + cause.strategies.joined(separator: ", "))
        }
        return lines
    }

    /// The other changed figures of the first strategy, and the number of changed figures of other
    /// strategies.
    static func with(_ cause: GateCause) -> String {
        let own = cause.others.filter { $0.strategy == cause.head.strategy }
        let figures = own.map { other in
            // A query plan has several lines, so only the fact that it changed is mentioned.
            other.metric == "plan"
                ? "another plan" : "\(figure(other.metric)) \(other.baseline) → \(other.current)"
        }
        let rest = cause.others.count - own.count
        return
            (figures + (rest > 0 ? [Figures.count(rest, "figure") + " of other strategies"] : []))
            .joined(separator: ", ")
    }

    private static func figure(_ metric: String) -> String {
        let kind = "statements."
        if metric.hasPrefix(kind) { return "\(metric.dropFirst(kind.count)) statements" }
        return metric
    }
}
