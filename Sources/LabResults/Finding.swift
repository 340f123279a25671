/// A misbehaviour that a detector has found, with its name and its evidence.
///
/// The detectors create findings, and reports print them.
package struct Finding: Codable, Sendable, Hashable {
    /// The id of the finding, which is unique in the result of the scenario.
    package var id: String
    /// The lab's name for the misbehaviour, such as `lost update`.
    package var name: String
    /// The name of the anomaly in Adya's classification, if it has one.
    package var adya: String?
    /// A description of what happened, in one or two sentences.
    package var prose: String
    /// The lines of the history that prove the finding.
    package var evidence: [String]
    /// The step that completes the finding.
    package var step: String?
    package var token: String?
    package var transcript: String?

    package init(
        id: String, name: String, adya: String? = nil, prose: String, evidence: [String] = [],
        step: String? = nil, token: String? = nil, transcript: String? = nil
    ) {
        self.id = id
        self.name = name
        self.adya = adya
        self.prose = prose
        self.evidence = evidence
        self.step = step
        self.token = token
        self.transcript = transcript
    }
}

/// The text of one schedule, without times, addresses or random ids, so that equal runs have equal
/// texts.
package struct Transcript: Codable, Sendable, Hashable {
    /// The id of the transcript, which is unique within a report. It consists of letters, digits
    /// and hyphens, so that links can refer to it.
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
