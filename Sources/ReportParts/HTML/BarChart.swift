import Foundation

/// A chart with one bar for each strategy. A thin line shows the interval of a value.
package struct BarChart {
    package struct Bar {
        var label: String
        var value: Double
        var text: String
        var low: Double?
        var high: Double?
        /// Whether the bar shows a time of the C baseline.
        var isTwin: Bool

        package init(
            label: String, value: Double, text: String, low: Double? = nil, high: Double? = nil,
            isTwin: Bool = false
        ) {
            self.label = label
            self.value = value
            self.text = text
            self.low = low
            self.high = high
            self.isTwin = isTwin
        }
    }

    package var title: String
    package var bars: [Bar]

    package init(title: String, bars: [Bar]) {
        self.title = title
        self.bars = bars
    }

    private static let width = 600.0
    private static let labelWidth = 210.0
    private static let valueWidth = 96.0
    private static let rowHeight = 26.0
    /// The scale is logarithmic if the largest value is at least this many times the smallest.
    private static let logarithmicFrom = 40.0

    /// The chart; nil if no value is positive.
    package func figure() -> HTML? {
        guard bars.contains(where: { $0.value > 0 }) else { return nil }
        let height = Self.rowHeight * Double(bars.count) + 6
        let scale = isLogarithmic ? " (logarithmic scale)" : ""
        let said = bars.map { "\($0.label) \($0.text)" }.joined(separator: ", ")
        let picture = HTML.block(
            "svg",
            [
                "viewBox": "0 0 \(Self.number(Self.width)) \(Self.number(height))", "role": "img",
                "aria-label": "\(title)\(scale): \(said)",
            ],
            bars.enumerated().map { row($0.element, at: 3 + Self.rowHeight * Double($0.offset)) }
                + [axis(height)])
        return .block("figure", [.text("figcaption", title + scale), picture])
    }

    private var isLogarithmic: Bool {
        let values = bars.map(\.value).filter { $0 > 0 }
        guard let least = values.min(), let most = values.max() else { return false }
        return most / least >= Self.logarithmicFrom
    }

    private func row(_ bar: Bar, at top: Double) -> HTML {
        let end = position(bar.value)
        let middle = Self.number(top + Self.rowHeight / 2 + 4.5)
        let whiskers = [bar.low, bar.high].compactMap(\.self).map(position)
        let valueStart = max(end, whiskers.max() ?? 0) + 6
        var parts: [HTML] = [
            .text("title", "\(bar.label): \(bar.text)"),
            .text(
                "text",
                ["x": Self.number(Self.labelWidth - 8), "y": middle, "text-anchor": "end"],
                Self.shortened(bar.label)),
            .shape(
                "rect",
                [
                    "class": bar.isTwin ? "twin" : "bar", "x": Self.number(Self.labelWidth),
                    "y": Self.number(top + 4), "height": Self.number(Self.rowHeight - 8),
                    "width": Self.number(max(end - Self.labelWidth, bar.value > 0 ? 1.5 : 0)),
                    "rx": "2",
                ]),
            .text(
                "text", ["class": "value", "x": Self.number(valueStart), "y": middle], bar.text),
        ]
        if whiskers.count == 2 {
            let y = Self.number(top + Self.rowHeight / 2)
            parts.append(
                .shape(
                    "line",
                    [
                        "class": "whisker", "x1": Self.number(whiskers[0]),
                        "x2": Self.number(whiskers[1]), "y1": y, "y2": y,
                    ]))
        }
        return .element("g", parts)
    }

    private func axis(_ height: Double) -> HTML {
        let x = Self.number(Self.labelWidth)
        return .shape(
            "line", ["class": "axis", "x1": x, "x2": x, "y1": "0", "y2": Self.number(height)])
    }

    /// The horizontal position of the end of a bar.
    private func position(_ value: Double) -> Double {
        let most = bars.map { max($0.value, $0.high ?? 0) }.max() ?? 1
        let room = Self.width - Self.labelWidth - Self.valueWidth
        guard value > 0, most > 0 else { return Self.labelWidth }
        guard isLogarithmic else { return Self.labelWidth + room * value / most }
        let least: Double = bars.map(\.value).filter { $0 > 0 }.min() ?? 1
        let floor: Double = least / 2
        let share: Double = log(max(value, floor) / floor) / log(most / floor)
        return Self.labelWidth + room * share
    }

    private static func shortened(_ label: String) -> String {
        label.count <= 29 ? label : label.prefix(28) + "…"
    }

    private static func number(_ value: Double) -> String {
        let text = String(format: "%.1f", value)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
