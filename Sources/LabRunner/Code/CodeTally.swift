import LabCheck
import LabSchedule

/// What the schedules of a walk came to, one after the other.
struct CodeTally: WalkRecord {
    /// A schedule to be shown, and its place among the others.
    private struct Shown {
        var place: Int
        let witness: CodeExploration.Witness
    }

    private var ended: [(observed: String, findings: Set<String>)] = []
    private var firstShown: Shown?
    private var failureShown: Shown?
    private var warningShown: Shown?

    /// How many schedules there are.
    var count: Int { ended.count }

    /// The first schedule, whatever it came to.
    var first: CodeExploration.Witness? { firstShown?.witness }
    /// The first schedule that fails.
    var failure: CodeExploration.Witness? { failureShown?.witness }
    /// The first schedule that shows what could happen in another one.
    var warning: CodeExploration.Witness? { warningShown?.witness }

    mutating func add(_ end: CodeWorld.End, of path: [UInt8]) {
        let shown = Shown(place: count, witness: .init(path: path, end: end))
        if firstShown == nil { firstShown = shown }
        if end.isFailure, failureShown == nil { failureShown = shown }
        if end.isWarning, warningShown == nil { warningShown = shown }
        ended.append(
            (
                end.observed.joined(separator: ", "),
                Set((end.findings + end.told + end.warnings).map(\.name))
            ))
    }

    mutating func join(_ next: CodeTally, first count: Int) {
        for shown in [\CodeTally.firstShown, \.failureShown, \.warningShown]
        where self[keyPath: shown] == nil {
            guard var own = next[keyPath: shown], own.place < count else { continue }
            own.place += self.count
            self[keyPath: shown] = own
        }
        ended += next.ended.prefix(count)
    }

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
