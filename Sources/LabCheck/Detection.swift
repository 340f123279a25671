/// A detector's finding, with its evidence.
package struct Detection: Sendable, Hashable {
    /// One of the finding names that scenario files may use.
    package let name: String
    /// A description of the event in one or two sentences.
    package let prose: String
    /// The steps that prove the finding, in their order.
    package let evidence: [String]
    /// The step that completes the finding.
    package let step: String

    package init(name: String, prose: String, evidence: [String], step: String) {
        self.name = name
        self.prose = prose
        self.evidence = evidence
        self.step = step
    }

    /// Adya's name for the anomaly, if it has one.
    package var adya: String? {
        switch name {
        case "write skew": "G2-item"
        case "unique race", "phantom": "G2"
        case "lost update", "lost property", "read skew": "G-single"
        case "dirty read": "G1a"
        case "intermediate read": "G1b"
        default: nil
        }
    }
}
