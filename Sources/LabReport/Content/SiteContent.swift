import LabResults

/// The results that a report folder shows. A result that is nil does not get a page.
package struct SiteContent: Sendable {
    static let runTitle = "Scenarios"

    package var matrix: MatrixResult?
    package var expectation: ExpectationCheck?
    package var run: RunReport?
    package var bench: BenchReport?
    package var history: BenchHistory?
    /// The command that produced all results. Nil if several commands produced them.
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
