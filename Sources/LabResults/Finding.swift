/// A detected misbehaviour, with its name and its evidence.
///
/// The detectors create findings, and reports print them.
package struct Finding: Codable, Sendable, Hashable {
    /// The id of the finding, unique in the result of the scenario.
    package var id: String
    /// The lab's name, such as `lost update`.
    package var name: String
    /// The name of the anomaly in Adya's classification, if it has one.
    package var adya: String?
    /// A description of what happened, in one or two sentences.
    package var prose: String
    /// The lines of the history that prove the finding.
    package var evidence: [String]
    /// The step in which the finding became true.
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
    /// Unique within a report; letters, digits and hyphens, so that it can be a link's target.
    package var id: String
    package var title: String
    package var token: String
    package var text: String
    /// The schedule step by step, if a graphical form was requested.
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
