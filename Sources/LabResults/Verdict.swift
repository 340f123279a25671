/// The grade of an outcome, which the scenario file defines before the scenario runs.
///
/// The runner looks up the grade of each observed outcome, and reports print it.
package enum Grade: String, Codable, Sendable, CaseIterable {
    case acceptable
    case interesting
    case forbidden
    /// The reported misbehaviour that the scenario reproduces. At least one schedule must show it.
    case defect
    /// No outcome in the file matches the observation.
    case unmatched
}

/// The verdict on a scenario in one cell of its matrix.
package enum Verdict: String, Codable, Sendable, CaseIterable {
    case passed
    case failed
    /// Nothing failed, and an outcome graded interesting was seen.
    case interesting
    /// The run stopped at a limit, or it checked nothing.
    case inconclusive
    /// A prerequisite of the scenario is missing (a fixture).
    case skipped
    /// The file declares that the scenario is not expected to pass yet.
    case pending
    /// The same schedule had two different histories.
    case nondeterministic
}
