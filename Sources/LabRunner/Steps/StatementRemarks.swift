import ContextHistory
import LabScenario

/// Remarks on a statement in addition to its result. Step runners collect remarks only if a
/// transcript is written, because formatting them takes longer than running the steps.
final class StatementRemarks {
    private var beside: [String] = []
    private var below: [String] = []

    func add(beside text: String) { beside.append(text) }

    func add(below texts: [String]) { below += texts }

    func completed(_ result: String) -> String {
        let parts = result.isEmpty ? beside : [result] + beside
        beside = []
        return parts.joined(separator: "; ")
    }

    func takeBelow() -> [String] {
        defer { below = [] }
        return below
    }
}

extension StatementRemarks {
    /// Adds a value that the statement computes or reads, with its origin.
    func noteValue(
        _ value: ObservedValue, _ basis: WriteBasis, of property: String, givenAs operand: StepValue
    ) {
        if case .literal = operand { return }
        var text = "\(property) = \(value.quoted)"
        if case .computed(let readings) = basis {
            var origins: [String] = []
            for reading in readings {
                let origin = Self.text(reading)
                if !origins.contains(origin) { origins.append(origin) }
            }
            text += ", computed from " + origins.joined(separator: " and ")
        }
        add(beside: text)
    }

    private static func text(_ reading: WriteBasis.Reading) -> String {
        "\(reading.object.alias).\(reading.key) = \(reading.value.quoted)"
            + (reading.version > 0 ? " at version \(reading.version)" : "")
    }
}
