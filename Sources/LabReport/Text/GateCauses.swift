import LabResults

/// What a cause of a gate's differences is called; text, Markdown and annotations use it.
enum GateCauses {
    /// What moved most, in some words: `select statements 1 → 11`.
    static func title(_ cause: GateCause) -> String {
        let head = cause.head
        if head.metric == "checksum" { return "another result" }
        return "\(figure(head.metric)) \(head.baseline) → \(head.current)"
    }

    /// The message, the statements, what moved with it, and where.
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

    /// The other figures of the head's strategy, as one text, and how many there are elsewhere.
    static func with(_ cause: GateCause) -> String {
        let own = cause.others.filter { $0.strategy == cause.head.strategy }
        let figures = own.map { other in
            // A plan is a text of several lines; that it moved is enough here.
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
