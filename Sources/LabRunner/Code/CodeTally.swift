import LabCheck
import LabSchedule

/// What the schedules of a walk came to, one after the other.
struct CodeTally: WalkRecord {
    private var ended: [(observed: String, findings: Set<String>)] = []

    /// How many schedules there are.
    var count: Int { ended.count }

    mutating func add(_ end: CodeWorld.End) {
        ended.append(
            (
                end.observed.joined(separator: ", "),
                Set((end.findings + end.told + end.warnings).map(\.name))
            ))
    }

    mutating func join(_ next: CodeTally, first count: Int) { ended += next.ended.prefix(count) }

    /// How many came to which observed values.
    var ends: [String: Int] {
        ended.reduce(into: [:]) { $0[$1.observed, default: 0] += 1 }
    }

    /// In how many of them was found what.
    var findings: [String: Int] {
        ended.reduce(into: [:]) { counts, end in
            for name in end.findings { counts[name, default: 0] += 1 }
        }
    }
}
