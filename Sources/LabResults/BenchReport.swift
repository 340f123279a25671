/// What a bench run measured.
///
/// The bench fills it in, reports render it, the gate compares two.
package struct BenchReport: Codable, Sendable, Hashable {
    package var header: ResultHeader
    /// The preset (`smoke`, `quick`, `full`), or `custom`.
    package var preset: String
    package var seed: UInt64
    package var environment: Environment
    package var results: [BenchResult]
    /// What made times less certain here, such as load or a virtual machine.
    package var warnings: [String]?

    package init(
        preset: String, seed: UInt64, environment: Environment, results: [BenchResult],
        warnings: [String]? = nil
    ) {
        self.warnings = warnings
        self.header = ResultHeader(.bench)
        self.preset = preset
        self.seed = seed
        self.environment = environment
        self.results = results
    }
}

/// One workload with its parameters: the strategies for the same work, side by side.
package struct BenchResult: Codable, Sendable, Hashable {
    package var workload: String
    package var file: String
    /// What the workload compares, in the words of its file.
    package var sentence: String
    /// The swept or fixed parameters, in the order of the file.
    package var parameters: [Parameter]
    package var strategies: [StrategyResult]
    /// Figures that follow from several strategies, such as the speed-up of four readers.
    package var figures: [BenchFigure]?

    package init(
        workload: String, file: String, sentence: String, parameters: [Parameter],
        strategies: [StrategyResult], figures: [BenchFigure]? = nil
    ) {
        self.figures = figures
        self.workload = workload
        self.file = file
        self.sentence = sentence
        self.parameters = parameters
        self.strategies = strategies
    }

    package struct Parameter: Codable, Sendable, Hashable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The parameters as one text: `authors=1000 books=100`.
    package var parameterText: String {
        parameters.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
    }
}

/// One way of doing a workload.
package struct StrategyResult: Codable, Sendable, Hashable {
    package var name: String
    /// What the strategy does, as a short sentence.
    package var sentence: String
    package var counts: BenchCounts
    /// Statement texts with their number of executions, most frequent first, then by text.
    package var statements: [StatementCount]
    package var time: Timing?
    /// Resident memory at its highest, in a process of its own; nil where it was not measured.
    package var peakMemoryBytes: Int?
    /// The same work in C against SQLite in the same run.
    package var twin: TwinResult?
    /// Over the values read or written; equal for every strategy that does the same work.
    package var checksum: String
    /// Counts that the workload file predicts, with what was seen.
    package var expectations: [CountExpectation]
    /// What a reader should know, such as why a figure is missing.
    package var notes: [String]
    /// Figures of this operation's own.
    package var figures: [BenchFigure]?
    package var peers: [PeerResult]?
    package var scaling: Scaling?
    /// Whether threads decide how often something runs, so that counts are no figures to compare.
    package var countsVary: Bool?

    package init(
        name: String, sentence: String, counts: BenchCounts, statements: [StatementCount],
        time: Timing? = nil, peakMemoryBytes: Int? = nil, twin: TwinResult? = nil,
        checksum: String, expectations: [CountExpectation] = [], notes: [String] = [],
        figures: [BenchFigure]? = nil, peers: [PeerResult]? = nil, scaling: Scaling? = nil,
        countsVary: Bool? = nil
    ) {
        self.countsVary = countsVary
        self.figures = figures
        self.peers = peers
        self.scaling = scaling
        self.name = name
        self.sentence = sentence
        self.counts = counts
        self.statements = statements
        self.time = time
        self.peakMemoryBytes = peakMemoryBytes
        self.twin = twin
        self.checksum = checksum
        self.expectations = expectations
        self.notes = notes
    }
}
