import BenchResults
import Foundation
import LabFiles
import ReportParts

/// The charts of one workload.
enum BenchCharts {
    static func all(_ result: BenchResult) -> [HTML] {
        let plots =
            [sweep(result), scaling(result)].compactMap { $0?.figure() }
            + [distribution(result).figure()].compactMap(\.self)
        guard result.strategies.count > 1 else {
            return [times(result), ratios(result)].compactMap { $0.figure() } + plots
        }
        return [statements(result), faults(result), times(result), ratios(result)]
            .compactMap { $0.figure() } + plots
    }

    /// A plot of the times over the parameter that a workload varies, such as a batch size.
    private static func sweep(_ result: BenchResult) -> LinePlot? {
        var name: String?
        var engine: [(x: Double, y: Double)] = []
        var twin: [(x: Double, y: Double)] = []
        for strategy in result.strategies {
            let parts = strategy.name.split(separator: "=")
            guard parts.count == 2, let value = Double(parts[1]), value > 0,
                name == nil || name == String(parts[0])
            else { return nil }
            name = String(parts[0])
            if let time = strategy.time { engine.append((value, Double(time.medianNanoseconds))) }
            if let time = strategy.twin?.time {
                twin.append((value, Double(time.medianNanoseconds)))
            }
        }
        guard let name, engine.count > 1 else { return nil }
        return LinePlot(
            title: "Time over \(name)", unit: name,
            lines: [.init(label: "engine", points: engine)]
                + (twin.isEmpty ? [] : [.init(label: "in C", points: twin, isTwin: true)]))
    }

    /// A plot of the times over the size of the data. There is a line for each strategy, and one
    /// for the C baseline of the first strategy.
    private static func scaling(_ result: BenchResult) -> LinePlot? {
        let scaled = result.strategies.compactMap { strategy in
            strategy.scaling.map { (strategy.name, $0) }
        }
        guard let first = scaled.first else { return nil }
        let shown = scaled.count > linesMax ? [first, scaled[scaled.count - 1]] : scaled
        let lines = shown.map { name, scaling in
            LinePlot.Line(
                label: "\(name), ^" + String(format: "%.2f", scaling.exponent),
                points: scaling.points.map { (Double($0.size), Double($0.nanoseconds)) })
        }
        let twin = LinePlot.Line(
            label: "in C, ^" + String(format: "%.2f", first.1.twinExponent),
            points: first.1.points.map { (Double($0.size), Double($0.twinNanoseconds)) },
            isTwin: true)
        return LinePlot(
            title: "Time over size", unit: first.1.unit, lines: lines + [twin])
    }

    /// If there are more strategies, only the first and the last are plotted.
    private static let linesMax = 4

    /// A plot of every sample of each strategy and its C baseline.
    private static func distribution(_ result: BenchResult) -> StripPlot {
        func strip(_ label: String, _ time: Timing?, _ isTwin: Bool) -> StripPlot.Strip? {
            time.map { time in
                StripPlot.Strip(
                    label: label, samples: time.samplesNanoseconds.map { Double($0) },
                    median: Double(time.medianNanoseconds), low: Double(time.lowNanoseconds),
                    high: Double(time.highNanoseconds), isTwin: isTwin)
            }
        }
        return StripPlot(
            title: "Every sample, one process each, with median and 95 % interval",
            strips: result.strategies.flatMap { strategy in
                [strip(strategy.name, strategy.time, false)]
                    + [strip("the same in C", strategy.twin?.time, true)]
            }.compactMap(\.self))
    }

    /// Compares all strategies by the number of SELECT statements and by time.
    static func overview(_ report: BenchReport) -> [HTML] {
        let reading = report.results.flatMap { result in
            result.strategies.filter { $0.counts.statements.keys.allSatisfy { $0 == "select" } }
                .map { (name: label(result, $0), strategy: $0) }
        }
        guard reading.count > 1 else { return [] }
        let selects = BarChart(
            title: "SELECT statements of each way of reading",
            bars: reading.map { name, strategy in
                let count = strategy.counts.statementTotal
                return .init(label: name, value: Double(count), text: Figures.count(count))
            })
        let times = BarChart(
            title: "Time of each method of reading, median (indicative)",
            bars: reading.compactMap { name, strategy in bar(name, strategy.time, isTwin: false) })
        return [selects, times].compactMap { $0.figure() }
    }

    private static func label(_ result: BenchResult, _ strategy: StrategyResult) -> String {
        result.strategies.count == 1 ? result.workload : "\(result.workload) \(strategy.name)"
    }

    private static func statements(_ result: BenchResult) -> BarChart {
        counts("SQL statements", result) { $0.statementTotal }
    }

    private static func faults(_ result: BenchResult) -> BarChart {
        counts("Faults fired", result) { [$0.faults, $0.relationshipFaults].total }
    }

    private static func counts(
        _ title: String, _ result: BenchResult, _ total: (BenchCounts) -> Int
    ) -> BarChart {
        BarChart(
            title: title,
            bars: result.strategies.map { strategy in
                let total = total(strategy.counts)
                return .init(
                    label: strategy.name, value: Double(total), text: Figures.count(total))
            })
    }

    private static func times(_ result: BenchResult) -> BarChart {
        BarChart(
            title: "Time, median with 95 % interval (indicative)",
            bars: result.strategies.flatMap { strategy in
                [bar(strategy.name, strategy.time, isTwin: false)]
                    + [bar("the same in C", strategy.twin?.time, isTwin: true)]
            }.compactMap(\.self))
    }

    private static func bar(_ label: String, _ time: Timing?, isTwin: Bool) -> BarChart.Bar? {
        time.map { time in
            .init(
                label: label, value: Double(time.medianNanoseconds),
                text: Figures.time(time.medianNanoseconds), low: Double(time.lowNanoseconds),
                high: Double(time.highNanoseconds), isTwin: isTwin)
        }
    }

    private static func ratios(_ result: BenchResult) -> BarChart {
        BarChart(
            title: "Time as a multiple of C's, in the same run",
            bars: result.strategies.compactMap { strategy in
                strategy.twin?.ratio.map { ratio in
                    .init(
                        label: strategy.name, value: ratio.median,
                        text: Figures.ratio(ratio.median),
                        low: ratio.low, high: ratio.high)
                }
            })
    }
}
