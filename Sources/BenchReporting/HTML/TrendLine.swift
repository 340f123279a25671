import Foundation
import ReportParts

/// A small line chart of one figure over several results.
struct TrendLine {
    var title: String
    /// The value of each result. Nil leaves a gap.
    var values: [Double?]
    var text: (Double) -> String

    private static let width = 120.0
    private static let height = 26.0
    private static let room = 3.0

    /// The chart, with the values as text for screen readers.
    var picture: HTML {
        let said = values.map { $0.map(text) ?? "none" }.joined(separator: ", ")
        return .element(
            "svg",
            [
                "class": "trend", "viewBox": "0 0 \(Int(Self.width)) \(Int(Self.height))",
                "role": "img", "aria-label": "\(title): \(said)",
            ], [.text("title", said)] + pieces.map(line) + ends)
    }

    /// The sequences of points between gaps.
    private var pieces: [[(x: Double, y: Double)]] {
        values.indices.split { values[$0] == nil }.map { $0.compactMap(point) }
    }

    private func line(_ points: [(x: Double, y: Double)]) -> HTML {
        let list = points.map { "\(Self.number($0.x)),\(Self.number($0.y))" }
        return .shape("polyline", ["class": "plot", "points": list.joined(separator: " ")])
    }

    /// A dot that marks the newest value.
    private var ends: [HTML] {
        guard let last = values.indices.last(where: { values[$0] != nil }), let end = point(last)
        else { return [] }
        return [
            .shape(
                "circle",
                [
                    "class": "plot", "cx": Self.number(end.x), "cy": Self.number(end.y),
                    "r": "2.5",
                ])
        ]
    }

    private func point(_ index: Int) -> (x: Double, y: Double)? {
        guard let value = values[index] else { return nil }
        let known = values.compactMap(\.self)
        let (low, high) = (known.min() ?? 0, known.max() ?? 0)
        let share = high > low ? (value - low) / (high - low) : 0.5
        let step = values.count > 1 ? (Self.width - 2 * Self.room) / Double(values.count - 1) : 0
        return (
            Self.room + step * Double(index),
            Self.height - Self.room - share * (Self.height - 2 * Self.room)
        )
    }

    private static func number(_ value: Double) -> String { String(format: "%.1f", value) }
}
