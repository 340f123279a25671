import Foundation
import ReportParts

/// A plot of the individual samples of several strategies on one axis.
struct StripPlot {
    struct Strip {
        var label: String
        /// Times in nanoseconds.
        var samples: [Double]
        var median: Double
        var low: Double
        var high: Double
        var isTwin = false
    }

    var title: String
    var strips: [Strip]

    private static let width = 600.0
    private static let labelWidth = 210.0
    private static let right = 20.0
    private static let rowHeight = 26.0

    /// The plot; nil if there are fewer than three samples, or if all are equal.
    func figure() -> HTML? {
        let all = strips.flatMap(\.samples).filter { $0 > 0 }
        guard all.count > 2, let least = all.min(), let most = all.max(), most > least else {
            return nil
        }
        let height = Self.rowHeight * Double(strips.count) + 26
        let scale = Scale(least: log(least), most: log(most))
        let said = strips.map { strip in
            "\(strip.label): \(strip.samples.count) samples, median "
                + Figures.time(UInt64(strip.median))
        }
        let rows = strips.enumerated().map {
            row($0.element, at: Self.rowHeight * (Double($0.offset) + 0.5), scale)
        }
        let ends = [(least, "start"), (most, "end")].map { value, anchor in
            HTML.text(
                "text",
                [
                    "x": Self.number(scale.place(value)), "y": Self.number(height - 6),
                    "text-anchor": anchor,
                ], Figures.time(UInt64(value)))
        }
        let picture = HTML.block(
            "svg",
            [
                "viewBox": "0 0 \(Int(Self.width)) \(Int(height))", "role": "img",
                "aria-label": "\(title): \(said.joined(separator: "; "))",
            ], rows + ends)
        return .block("figure", [.text("figcaption", title + " (logarithmic scale)"), picture])
    }

    private struct Scale {
        var least: Double
        var most: Double

        func place(_ value: Double) -> Double {
            let share = (log(max(value, 1)) - least) / (most - least)
            return StripPlot.labelWidth
                + share * (StripPlot.width - StripPlot.labelWidth - StripPlot.right)
        }
    }

    private func row(_ strip: Strip, at y: Double, _ scale: Scale) -> HTML {
        var parts: [HTML] = [
            .text(
                "text",
                [
                    "x": Self.number(Self.labelWidth - 8), "y": Self.number(y + 4),
                    "text-anchor": "end",
                ], strip.label)
        ]
        parts.append(
            .shape(
                "line",
                [
                    "class": "whisker", "x1": Self.number(scale.place(strip.low)),
                    "x2": Self.number(scale.place(strip.high)), "y1": Self.number(y),
                    "y2": Self.number(y),
                ]))
        for sample in strip.samples where sample > 0 {
            let kind = strip.isTwin ? "plot twin sample" : "plot line0 sample"
            parts.append(mark(sample, y, kind, scale))
        }
        parts.append(mark(strip.median, y, "whisker", scale, half: 8))
        return .element("g", parts)
    }

    private func mark(
        _ value: Double, _ y: Double, _ name: String, _ scale: Scale, half: Double = 5
    ) -> HTML {
        let x = Self.number(scale.place(value))
        return .element(
            "line",
            [
                "class": name, "x1": x, "x2": x, "y1": Self.number(y - half),
                "y2": Self.number(y + half),
            ], [.text("title", Figures.time(UInt64(value)))])
    }

    private static func number(_ value: Double) -> String { String(format: "%.1f", value) }
}
