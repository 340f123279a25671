import Foundation
import ReportParts

/// A plot of times over a number, such as a batch size or the size of the data.
struct LinePlot {
    struct Line {
        var label: String
        var points: [(x: Double, y: Double)]
        /// Whether the line shows times of the C baseline.
        var isTwin = false
    }

    var title: String
    /// The unit of the horizontal axis.
    var unit: String
    var lines: [Line]

    private static let width = 600.0
    private static let height = 240.0
    private static let left = 70.0
    private static let right = 150.0
    private static let top = 12.0
    private static let bottom = 34.0

    /// The plot; nil if there are fewer than two different positions on the axis.
    func figure() -> HTML? {
        let points = lines.flatMap(\.points).filter { $0.x > 0 && $0.y > 0 }
        guard Set(points.map(\.x)).count > 1 else { return nil }
        let said = lines.map { line in
            let values = line.points.map { "\(Self.count($0.x)): \(Figures.time(UInt64($0.y)))" }
            return "\(line.label) " + values.joined(separator: ", ")
        }
        let frame = Frame(points)
        let picture = HTML.block(
            "svg",
            [
                "viewBox": "0 0 \(Int(Self.width)) \(Int(Self.height))", "role": "img",
                "aria-label": "\(title): \(said.joined(separator: "; "))",
            ],
            axes(frame) + lines.enumerated().flatMap { draw($0.element, $0.offset, frame) })
        return .block(
            "figure", [.text("figcaption", title + " (logarithmic scales)"), picture])
    }

    /// The logarithms of the bounds of both axes.
    private struct Frame {
        var x: ClosedRange<Double>
        var y: ClosedRange<Double>

        init(_ points: [(x: Double, y: Double)]) {
            let (xs, ys) = (points.map { log10($0.x) }, points.map { log10($0.y) })
            x = (xs.min() ?? 0)...(xs.max() ?? 1)
            let (low, high) = (ys.min() ?? 0, ys.max() ?? 1)
            let room = max(0.05, (high - low) * 0.08)
            y = (low - room)...(high + room)
        }

        func place(_ point: (x: Double, y: Double)) -> (x: Double, y: Double) {
            let across = (log10(point.x) - x.lowerBound) / (x.upperBound - x.lowerBound)
            let up = (log10(point.y) - y.lowerBound) / (y.upperBound - y.lowerBound)
            return (
                LinePlot.left + across * (LinePlot.width - LinePlot.left - LinePlot.right),
                LinePlot.height - LinePlot.bottom
                    - up * (LinePlot.height - LinePlot.top - LinePlot.bottom)
            )
        }
    }

    private func axes(_ frame: Frame) -> [HTML] {
        let (floor, ceiling) = (Self.height - Self.bottom, Self.top)
        var parts = [
            line("axis", Self.left, floor, Self.width - Self.right, floor),
            line("axis", Self.left, floor, Self.left, ceiling),
        ]
        for x in Set(lines.flatMap(\.points).map(\.x)).sorted() {
            let place = frame.place((x, pow(10, frame.y.lowerBound)))
            parts.append(text(Self.count(x), place.x, floor + 15, "middle"))
        }
        parts.append(
            text(unit, (Self.left + Self.width - Self.right) / 2, Self.height - 3, "middle"))
        let least = pow(10, frame.y.lowerBound), most = pow(10, frame.y.upperBound)
        for y in [least, (least * most).squareRoot(), most] {
            let place = frame.place((pow(10, frame.x.lowerBound), y))
            parts.append(text(Figures.time(UInt64(y)), Self.left - 6, place.y + 4, "end"))
        }
        return parts
    }

    private func draw(_ line: Line, _ index: Int, _ frame: Frame) -> [HTML] {
        let places = line.points.filter { $0.x > 0 && $0.y > 0 }.map { ($0, frame.place($0)) }
        guard let last = places.last else { return [] }
        let path = places.map { "\(Self.number($1.x)),\(Self.number($1.y))" }
            .joined(separator: " ")
        let kind = line.isTwin ? "plot twin" : "plot line\(index % 4)"
        let dots = places.map { point, place in
            HTML.element(
                "circle",
                ["class": kind, "cx": Self.number(place.x), "cy": Self.number(place.y), "r": "3"],
                [
                    .text(
                        "title",
                        "\(line.label), \(Self.count(point.x)): \(Figures.time(UInt64(point.y)))")
                ])
        }
        let label = text(
            line.label, last.1.x + 8, last.1.y + (line.isTwin ? 12 : 0) + 3, "start")
        return [.shape("polyline", ["class": kind, "points": path])] + dots + [label]
    }

    private func line(
        _ name: String, _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double
    ) -> HTML {
        .shape(
            "line",
            [
                "class": name, "x1": Self.number(x1), "y1": Self.number(y1),
                "x2": Self.number(x2), "y2": Self.number(y2),
            ])
    }

    private func text(_ text: String, _ x: Double, _ y: Double, _ anchor: String) -> HTML {
        .text(
            "text", ["x": Self.number(x), "y": Self.number(y), "text-anchor": anchor], text)
    }

    private static func count(_ value: Double) -> String { Figures.count(Int(value)) }

    private static func number(_ value: Double) -> String { String(format: "%.1f", value) }
}
