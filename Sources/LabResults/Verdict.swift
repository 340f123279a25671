/// How a scenario file judged an outcome before it was seen.
///
/// The runner chooses them, reports print them.
package enum Grade: String, Codable, Sendable, CaseIterable {
    case acceptable
    case interesting
    case forbidden
    /// The reported misbehaviour that the scenario reproduces: it must be witnessed.
    case defect
    /// No line of the file matches what was observed.
    case unmatched
}

/// What came of a scenario in one cell of its matrix.
package enum Verdict: String, Codable, Sendable, CaseIterable {
    case passed
    case failed
    /// Nothing failed, and an outcome graded interesting was seen.
    case interesting
    /// Stopped at a budget, or nothing was checked.
    case inconclusive
    /// Something that the scenario needs is absent (a fixture).
    case skipped
    /// The file says that the scenario is not expected to hold yet.
    case pending
    /// The same schedule gave two different histories.
    case nondeterministic
}
