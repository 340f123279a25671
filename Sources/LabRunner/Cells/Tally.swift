import LabCheck
import LabSchedule

/// Counts outcomes and findings while schedules run.
struct Tally {
    let grading: OutcomeGrading
    private(set) var tallies: [OutcomeTally] = []
    private(set) var paths: [[UInt8]] = []
    private(set) var witnesses: [(detection: Detection, path: [UInt8])] = []
    private var known: [Outcome: Int] = [:]
    private var kinds: Set<String> = []

    init(grading: OutcomeGrading) {
        self.grading = grading
    }

    /// Whether a finding of the name and step is known.
    func has(_ finding: Detection) -> Bool { kinds.contains(Self.kind(of: finding)) }

    private static func kind(of finding: Detection) -> String {
        "\(finding.name) \(finding.step)"
    }

    mutating func add(
        _ outcome: Outcome, _ findings: [Detection], _ schedule: VisitedSchedule
    ) {
        let path = schedule.path
        let index: Int
        if let found = known[outcome] {
            index = found
        } else {
            index = tallies.count
            known[outcome] = index
            tallies.append(OutcomeTally(outcome: outcome, mark: grading.mark(outcome)))
            paths.append(path)
        }
        tallies[index].count += Int(clamping: schedule.weight)
        for finding in findings {
            // An outcome is best shown by a schedule that has its finding, too.
            if tallies[index].findings.isEmpty { paths[index] = path }
            tallies[index].findings.insert(finding.name)
            if kinds.insert(Self.kind(of: finding)).inserted {
                witnesses.append((finding, path))
            }
        }
    }
}
