/// The grade of an outcome, which the scenario file defines before the scenario runs.
///
/// The runner looks up the grade of each observed outcome, and reports print it.
package enum Grade: String, Codable, Sendable, CaseIterable {
    case acceptable
    case interesting
    case forbidden
    /// The misbehaviour that the scenario reproduces. At least one schedule must show this outcome.
    case defect
    /// The observation does not match any outcome in the file.
    case unmatched
}

/// The verdict on a scenario in one cell of its matrix.
package enum Verdict: String, Codable, Sendable, CaseIterable {
    case passed
    case failed
    /// Nothing failed, and an outcome with the grade `interesting` was seen.
    case interesting
    /// The run reached a limit, or the run did not check anything.
    case inconclusive
    /// A prerequisite of the scenario, such as a fixture, is missing.
    case skipped
    /// The file declares that the scenario is not expected to pass yet.
    case pending
    /// Two runs of the same schedule had different histories.
    case nondeterministic
}
