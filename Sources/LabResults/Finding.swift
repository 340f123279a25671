/// A misbehaviour that a detector found, with its name and its evidence.
package struct Finding: Codable, Sendable, Hashable {
    /// The id of the finding. It is unique in the result of the scenario.
    package var id: String
    /// The lab's name for the misbehaviour, such as `lost update`.
    package var name: String
    /// The name in Adya's classification of anomalies, if it has one.
    package var adya: String?
    /// One or two sentences about the events.
    package var prose: String
    /// The lines of the history that prove the finding.
    package var evidence: [String]
    /// The step that completes the finding.
    package var step: String?
    /// The dependencies that prove the name; nil if the schedule has no such cycle.
    package var cycle: Cycle?
    package var token: String?
    package var transcript: String?

    /// Units of work that depend on each other in a circle, so that no serial order has the same
    /// result.
    package struct Cycle: Codable, Sendable, Hashable {
        /// The anomaly and the units in one line.
        package var title: String
        /// The dependencies, one sentence each.
        package var links: [String]

        package init(title: String, links: [String]) {
            self.title = title
            self.links = links
        }
    }

    /// The evidence, followed by the lines of the cycle.
    package var proof: [String] {
        evidence + (cycle.map { ["cycle: \($0.title)"] + $0.links.map { "  \($0)" } } ?? [])
    }

    package init(
        id: String, name: String, adya: String? = nil, prose: String, evidence: [String] = [],
        step: String? = nil, cycle: Cycle? = nil, token: String? = nil, transcript: String? = nil
    ) {
        self.id = id
        self.name = name
        self.adya = adya
        self.cycle = cycle
        self.prose = prose
        self.evidence = evidence
        self.step = step
        self.token = token
        self.transcript = transcript
    }
}

/// The text of one schedule. It has no times, addresses or random ids, so equal runs have equal
/// texts.
package struct Transcript: Codable, Sendable, Hashable {
    /// The id of the transcript, which is unique in a report. It consists of letters, digits and
    /// hyphens, so that links can refer to it.
    package var id: String
    package var title: String
    package var token: String
    package var text: String
    /// The timeline of the schedule, if a graphical output was requested.
    package var timeline: Timeline?

    package init(
        id: String, title: String, token: String, text: String, timeline: Timeline? = nil
    ) {
        self.id = id
        self.title = title
        self.token = token
        self.text = text
        self.timeline = timeline
    }
}
