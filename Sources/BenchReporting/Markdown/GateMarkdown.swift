import BenchResults
import ReportParts

/// The verdict of the command `gate` as Markdown.
package enum GateMarkdown {
    package static func page(_ verdict: GateVerdict) -> String {
        var text = "# Gate \(verdict.status.rawValue)\n\n"
        text += "\(Figures.count(verdict.compared, "figure")) compared with "
        text += "\(Markdown.code(verdict.baseline)).\n"
        if !verdict.differences.isEmpty {
            text += "\n" + table(verdict) + "\n" + verdict.causes.map(cause).joined()
        }
        if !verdict.missing.isEmpty {
            text += "\nNot compared:\n\n"
            text += verdict.missing.map { "- \(Markdown.text($0))\n" }.joined()
        }
        for line in verdict.added ?? [] {
            text += "\nNew, not compared with the base: \(Markdown.text(line))\n"
        }
        if let times = verdict.times { text += "\n" + Self.times(times) }
        for line in verdict.unconfirmed ?? [] {
            text += "\nNot confirmed by a second measurement: \(Markdown.text(line))\n"
        }
        return text
    }

    private static func times(_ times: [TimeComparison]) -> String {
        var table = Table([
            .init("workload"), .init("strategy"), .init("verdict"), .init("ratio", .right),
            .init("95 % interval", .right), .init("chance", .right),
        ])
        for time in times {
            let interval = "\(Figures.ratio(time.ratio.low)) – \(Figures.ratio(time.ratio.high))"
            table.add([
                time.workload, time.strategy, time.verdict.rawValue,
                Figures.ratio(time.ratio.median), interval, Figures.significant(time.chance),
            ])
        }
        return table.markdown()
    }

    private static func table(_ verdict: GateVerdict) -> String {
        var table = Table([
            .init("effect"), .init("workload"), .init("strategy"), .init("figure"),
            .init("baseline", .right), .init("now", .right),
        ])
        for difference in verdict.differences {
            table.add([
                difference.effect.rawValue, difference.workload, difference.strategy,
                difference.metric, difference.baseline, difference.current,
            ])
        }
        return table.markdown()
    }

    private static func cause(_ cause: GateCause) -> String {
        let place = "\(cause.workload), \(cause.strategies.joined(separator: ", "))"
        let lines = GateCauses.body(cause).dropFirst()
        let file = cause.file.map {
            " (\(Markdown.code($0 + (cause.line.map { ":\($0)" } ?? ""))))"
        }
        return "- \(Markdown.text(place)): \(Markdown.text(cause.head.message))\(file ?? "")\n"
            + lines.map { "  - \(Markdown.code($0))\n" }.joined()
    }
}
