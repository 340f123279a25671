/// The grade of an outcome, which the scenario file defines in advance.
///
/// The runner chooses the grades, and reports print them.
package enum Grade: String, Codable, Sendable, CaseIterable {
    case acceptable
    case interesting
    case forbidden
    /// The reported misbehaviour that the scenario reproduces, which some schedule must show.
    case defect
    /// No line of the file matches the observation.
    case unmatched
}

/// The verdict on a scenario in one cell of its matrix.
package enum Verdict: String, Codable, Sendable, CaseIterable {
    case passed
    case failed
    /// Nothing failed, and an outcome graded interesting was seen.
    case interesting
    /// Stopped at a budget, or nothing was checked.
    case inconclusive
    /// A prerequisite of the scenario is missing (a fixture).
    case skipped
    /// The file says that the scenario is not expected to hold yet.
    case pending
    /// The same schedule had two different histories.
    case nondeterministic
}
