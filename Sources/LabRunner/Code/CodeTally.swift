import ContextHistory
import LabCheck
import LabSchedule

/// The results of a walk's schedules.
struct CodeTally: WalkRecord {
    /// A schedule to be shown, and its position in the walk.
    private struct Shown {
        var place: Int
        let witness: CodeExploration.Witness
    }

    /// A result by which schedules are distinguished: the observed values at the end, or a finding.
    enum Sight: Hashable {
        case end(String)
        case finding(String)

        var text: String {
            switch self {
            case .end(let observed): observed.isEmpty ? "an end without a failure" : observed
            case .finding(let name): "the finding '\(name)'"
            }
        }
    }

    private var ended: [(observed: String, findings: Set<String>)] = []
    private var sights: [Sight: Shown] = [:]
    private var firstShown: Shown?
    private var failureShown: Shown?
    private var warningShown: Shown?

    var count: Int { ended.count }

    var first: CodeExploration.Witness? { firstShown?.witness }
    var failure: CodeExploration.Witness? { failureShown?.witness }
    /// The first schedule that passes but shows that another schedule can fail, such as by opposite
    /// lock orders.
    var warning: CodeExploration.Witness? { warningShown?.witness }

    /// - Parameter lanes: the names of the lanes that the numbers in the path refer to.
    mutating func add(
        _ end: CodeWorld.End, of path: [UInt8], _ lanes: @autoclosure () -> [String]
    ) {
        let observed = end.observed.joined(separator: ", ")
        let findings = Set((end.findings + end.told + end.warnings).map(\.name))
        let isFirst = firstShown == nil
        let isFailure = end.isFailure && failureShown == nil
        let isWarning = end.isWarning && warningShown == nil
        let news = ([.end(observed)] + findings.map(Sight.finding)).filter { sights[$0] == nil }
        if isFirst || isFailure || isWarning || !news.isEmpty {
            let witness = CodeExploration.Witness(path: path, lanes: lanes(), end: end)
            let shown = Shown(place: count, witness: witness)
            if isFirst { firstShown = shown }
            if isFailure { failureShown = shown }
            if isWarning { warningShown = shown }
            for sight in news { sights[sight] = shown }
        }
        ended.append((observed, findings))
    }

    mutating func join(_ next: CodeTally, first count: Int) {
        func moved(_ shown: Shown) -> Shown? {
            shown.place < count
                ? Shown(place: shown.place + self.count, witness: shown.witness) : nil
        }
        firstShown = firstShown ?? next.firstShown.flatMap(moved)
        failureShown = failureShown ?? next.failureShown.flatMap(moved)
        warningShown = warningShown ?? next.warningShown.flatMap(moved)
        for (sight, shown) in next.sights where sights[sight] == nil {
            sights[sight] = moved(shown)
        }
        ended += next.ended.prefix(count)
    }

    /// The first schedule with a result that no schedule of `others` has, and the result.
    func missed(by others: CodeTally) -> (sight: Sight, witness: CodeExploration.Witness)? {
        let missed = sights.filter { others.sights[$0.key] == nil }
        return missed.min { ($0.value.place, $0.key.text) < ($1.value.place, $1.key.text) }
            .map { ($0.key, $0.value.witness) }
    }

    var ends: [String: Int] {
        ended.reduce(into: [:]) { $0[$1.observed, default: 0] += 1 }
    }

    var findings: [String: Int] {
        ended.reduce(into: [:]) { counts, end in
            for name in end.findings { counts[name, default: 0] += 1 }
        }
    }
}
