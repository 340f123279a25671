/// The grade of an outcome. The scenario file defines it before the scenario runs.
package enum Grade: String, Codable, Sendable, CaseIterable {
    case acceptable
    case interesting
    case forbidden
    /// The misbehaviour that the scenario reproduces. At least one schedule must show it.
    case defect
    /// The observation matches no outcome in the file.
    case unmatched
}

/// The verdict on a scenario in one cell of its matrix.
package enum Verdict: String, Codable, Sendable, CaseIterable {
    case passed
    case failed
    /// Nothing failed, and an outcome with the grade `interesting` was seen.
    case interesting
    /// The run reached a limit, or it checked nothing.
    case inconclusive
    /// A prerequisite of the scenario, such as a fixture, is missing.
    case skipped
    /// The file declares that the scenario need not pass yet.
    case pending
    /// Two runs of the same schedule had different histories.
    case nondeterministic
}
