import LabResults

/// The results that the folder is about; what is nil gets no page.
///
/// The report site and its first pages are made from it.
package struct SiteContent: Sendable {
    static let runTitle = "Scenarios"

    package var matrix: MatrixResult?
    package var expectation: ExpectationCheck?
    package var run: RunReport?
    package var bench: BenchReport?
    /// Saved results of several commits.
    package var history: BenchHistory?
    /// The command line that made all of it and makes it again; nil where several did.
    package var command: String?

    package init(
        matrix: MatrixResult? = nil, expectation: ExpectationCheck? = nil,
        run: RunReport? = nil, bench: BenchReport? = nil, history: BenchHistory? = nil,
        command: String? = nil
    ) {
        self.history = history
        self.command = command
        self.matrix = matrix
        self.expectation = expectation
        self.run = run
        self.bench = bench
    }
}
