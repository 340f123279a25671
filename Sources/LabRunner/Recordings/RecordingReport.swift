import ContextHistory
import LabCheck

/// The findings of a recording.
///
/// A recording is one schedule that has really run. Other schedules of the same program can have
/// other findings; `faultline explore` runs them from the scenario file of the recording.
public struct RecordingReport: Sendable, Encodable, CustomStringConvertible {
    /// A misbehaviour that the recording shows.
    public struct Finding: Sendable, Hashable, Encodable {
        /// The name of the misbehaviour, such as `lost update`.
        public let name: String
        /// A description with the contexts, the values and the lines of the transcript.
        public let text: String
        /// The events that prove the finding, each with its line in the transcript.
        public let evidence: [String]
        /// The line of the transcript that completes the finding.
        public let line: String
        /// The dependencies of the saves that prove the name: a title, and a line for each
        /// dependency; empty if the recording has no such cycle.
        public let cycle: [String]

        init(_ detection: Detection, _ cycles: [Cycle]) {
            cycle = Cycle.of(detection, in: cycles)?.lines ?? []
            name = detection.name
            text = detection.prose
            evidence = detection.evidence
            line = detection.step
        }
    }

    /// The name of the recording.
    public let name: String
    /// The path of the file; nil for a recorder whose recording is not in a file.
    public let path: String?
    /// The reason why the recording was written.
    public let reason: String
    /// The number of contexts.
    public let contexts: Int
    /// The number of saves.
    public let saves: Int
    /// The findings about lost or wrong data.
    public let findings: [Finding]
    /// The other findings, such as phantoms, which a program may intend.
    public let remarks: [Finding]
    /// The circular dependencies of saves that prove none of the findings and remarks: a title, and
    /// a line for each dependency.
    public let cycles: [[String]]
    /// The facts that the recording lacks. No finding depends on them, but they may hide findings.
    public let missing: [String]

    init(_ recording: Recording, path: String?, fails: Lab.Failing) {
        let all = Cycle.all(in: recording.history)
        let found = Self.distinct(
            Detectors.findings(in: recording.history, isEnded: false), all)
        let named = Set(found.map(\.cycle))
        cycles = all.map(\.lines).filter { !named.contains($0) }
        name = recording.name
        self.path = path
        reason = recording.reason
        contexts = Set(recording.history.entries.map(\.context)).count
        saves = recording.history.entries.count { entry in
            if case .saved = entry.event { return true }
            return false
        }
        findings = found.filter { fails.includes($0.name) }
        remarks = found.filter { !fails.includes($0.name) }
        missing =
            recording.missing + (recording.values == "none" ? [Self.withoutValues] : [])
    }

    /// The findings without repetitions, such as further reads of the same stale value.
    private static func distinct(_ found: [Detection], _ cycles: [Cycle]) -> [Finding] {
        var known: Set<[String]> = []
        return found.filter { detection in
            // Code may look for an object several times before a unique race. These findings have
            // the same two saves at the end of their evidence. Findings of other kinds are
            // repetitions if they differ only in the line of the last event.
            let last = detection.evidence.last.map { String($0.drop { $0 != ":" }) } ?? ""
            let rest =
                detection.name == "unique race"
                ? detection.evidence.suffix(2) : detection.evidence.dropLast() + [last]
            return known.insert([detection.name] + rest).inserted
        }.map { Finding($0, cycles) }
    }

    /// The maximum number of cycles without a finding in the text.
    private static let cyclesMax = 5

    private static let withoutValues =
        "all values, because the recorder had the option none: lost and stale values cannot be"
        + " found"

    /// The findings and the missing facts as text.
    public var description: String {
        var lines = [
            "\(name): \(Self.count(contexts, "context")), \(Self.count(saves, "save")),"
                + " \(findings.isEmpty ? "no finding" : Self.count(findings.count, "finding"))"
        ]
        lines += findings.flatMap(Self.lines)
        if !remarks.isEmpty {
            lines.append("Also seen, which may be intended:")
            lines += remarks.flatMap(Self.lines)
        }
        if !cycles.isEmpty {
            lines.append("Saves that depend on each other in a circle, without a finding:")
            lines += cycles.prefix(Self.cyclesMax).flatMap { $0.map { "  \($0)" } }
            let more = cycles.count - Self.cyclesMax
            if more > 0 { lines.append("  and \(more) more") }
        }
        if !missing.isEmpty {
            lines.append("The recording lacks these facts, which may hide findings:")
            lines += missing.map { "  \($0)" }
        }
        return (lines + ends).joined(separator: "\n")
    }

    private static func lines(_ finding: Finding) -> [String] {
        ["  \(finding.name): \(finding.text)"]
            + (finding.evidence + finding.cycle).map { "    \($0)" }
    }

    private var ends: [String] {
        guard let path, path.hasSuffix(".json") else {
            return ["This is one recorded schedule, not an exploration of all schedules."]
        }
        let stem = path.dropLast(".json".count)
        return [
            "The lines are those of \(stem).txt. This is one recorded schedule, not an",
            "exploration; ./faultline explore \(stem).yaml runs the other orders.",
        ]
    }

    private static func count(_ number: Int, _ noun: String) -> String {
        number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
    }
}
