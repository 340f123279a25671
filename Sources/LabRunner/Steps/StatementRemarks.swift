import LabCheck
import LabScenario

/// What a reader should know of a statement beside its result. Step runners have one where a
/// transcript is written and none where schedules are explored: texts cost more than steps.
final class StatementRemarks {
    /// What follows the result in the statement's own line.
    private var beside: [String] = []
    /// The lines below it.
    private var below: [String] = []

    func add(beside text: String) { beside.append(text) }

    func add(below texts: [String]) { below += texts }

    /// The result with what belongs to it.
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
    /// A value that no reader could see in the statement: what it is, and what it was computed
    /// from.
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
