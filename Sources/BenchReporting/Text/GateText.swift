import BenchResults
import ReportParts

/// The verdict of the command `gate` as text. The command `compare` also prints it.
package struct GateText {
    private let verdict: GateVerdict
    private let terminal: Terminal

    package init(_ verdict: GateVerdict, terminal: Terminal = .plain) {
        self.verdict = verdict
        self.terminal = terminal
    }

    /// Each cause with its statements and related changes, then the verdict.
    package func text() -> String {
        let differences = verdict.causes.map(cause).joined()
        let missing =
            verdict.missing.map { "not compared: \($0)\n" }.joined()
            + (verdict.added ?? []).map { "new, not compared with the base: \($0)\n" }.joined()
        return differences + missing + times() + unconfirmed() + closing() + "\n"
    }

    /// The number of times for each verdict, and the names of the times without a clear verdict.
    private func times() -> String {
        guard let times = verdict.times else { return "" }
        let unresolved = times.filter { $0.verdict == .unresolved }.map { time in
            let interval = "\(Figures.ratio(time.ratio.low)) – \(Figures.ratio(time.ratio.high))"
            return "unresolved: \(time.workload) / \(time.strategy): \(time.metric) "
                + "\(Figures.ratio(time.ratio.median)) (\(interval))\n"
        }
        let counts = [TimeComparison.Verdict.same, .improved, .regressed, .unresolved].map { kind in
            "\(times.count { $0.verdict == kind }) \(kind.rawValue)"
        }
        return unresolved.joined() + "times: \(counts.joined(separator: ", "))\n"
    }

    private func unconfirmed() -> String {
        (verdict.unconfirmed ?? []).map { "not confirmed by a second measurement: \($0)\n" }
            .joined()
    }

    private func cause(_ cause: GateCause) -> String {
        let head = cause.head
        let colour: Terminal.Colour = cause.effect == .improvement ? .green : .red
        let place = cause.line.flatMap { line in cause.file.map { "  at \($0):\(line)\n" } } ?? ""
        let statements = head.statements.map { "    \($0)\n" }.joined()
        let with = GateCauses.with(cause)
        return """
            \(terminal.paint(cause.effect.rawValue, colour)) \(head.workload) / \
            \(cause.strategies.joined(separator: ", ")): \(head.message)
              \(head.metric): \(head.baseline) → \(head.current)
            \(statements)
            """ + (with.isEmpty ? "" : "  with it: \(with)\n") + place
    }

    private func closing() -> String {
        let colour: Terminal.Colour =
            switch verdict.status {
            case .passed: .green
            case .failed: .red
            case .inconclusive: .yellow
            }
        let status = terminal.paint("gate \(verdict.status.rawValue)", colour)
        let compared = Figures.count(verdict.compared, "figure")
        return "\(status): \(compared) compared with \(verdict.baseline)"
    }
}
