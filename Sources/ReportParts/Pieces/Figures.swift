import Foundation

/// Formats numbers as text. The formats do not depend on the locale.
package enum Figures {
    /// For example `100,000`.
    package static func count(_ value: Int) -> String {
        let digits = String(value.magnitude)
        var groups = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { groups.append(",") }
            groups.append(digit)
        }
        return value < 0 ? "-" + groups : groups
    }

    /// For example `1 row` or `2 rows`.
    package static func count(_ value: Int, _ singular: String, _ plural: String? = nil) -> String {
        "\(count(value)) \(value == 1 ? singular : plural ?? singular + "s")"
    }

    /// Three significant digits, such as `1.23 ms`.
    package static func time(_ nanoseconds: UInt64) -> String {
        let units: [(Double, String)] = [(1e9, "s"), (1e6, "ms"), (1e3, "µs")]
        let value = Double(nanoseconds)
        for (size, unit) in units where value >= size {
            return "\(significant(value / size)) \(unit)"
        }
        return "\(nanoseconds) ns"
    }

    /// One decimal unless it is zero, such as `60 s` or `72.4 s`.
    package static func seconds(_ value: Double) -> String {
        let text = String(format: "%.1f", value)
        return (text.hasSuffix(".0") ? String(text.dropLast(2)) : text) + " s"
    }

    /// Each bound has its own unit.
    package static func interval(_ low: UInt64, _ high: UInt64) -> String {
        "\(time(low)) – \(time(high))"
    }

    /// Units are powers of 1,024, such as `12.5 MiB`.
    package static func bytes(_ value: Int) -> String {
        let units = ["B", "KiB", "MiB", "GiB", "TiB"]
        var rest = Double(value)
        var unit = 0
        while rest >= 1024, unit + 1 < units.count {
            rest /= 1024
            unit += 1
        }
        return unit == 0 ? "\(value) B" : "\(significant(rest)) \(units[unit])"
    }

    /// Two decimals, such as `3.27×`.
    package static func ratio(_ value: Double) -> String {
        String(format: "%.2f×", value)
    }

    /// Three significant digits, without an exponent.
    package static func significant(_ value: Double) -> String {
        switch value {
        case 99.95...: String(format: "%.0f", value)
        case 9.995...: String(format: "%.1f", value)
        default: String(format: "%.2f", value)
        }
    }
}
