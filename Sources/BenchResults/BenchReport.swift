import LabFiles

/// The results of a benchmark run.
///
/// The run fills it in, reports render it, and the gate compares two of them.
package struct BenchReport: SavedResult, Sendable, Hashable {
    package static let kind = ResultKind.bench

    package var header: ResultHeader
    /// The preset (`smoke`, `quick`, `full`), or `custom`.
    package var preset: String
    package var seed: UInt64
    package var environment: Environment
    package var results: [BenchResult]
    /// The strategies that could not be measured completely; nil if all were measured.
    package var failures: [BenchFailure]?
    /// Conditions that made times less precise, such as system load or a virtual machine, and the
    /// reason why allocations were not counted.
    package var warnings: [String]?
    /// The times of a fixed small task in C, which runs in every round as a measure of the
    /// machine's speed. Nil if every workload has a C baseline.
    package var yardstick: Timing?
    /// The measured commit and the time of the measurement; nil outside a repository.
    package var origin: ResultOrigin?
    /// The time budget of the run, and the time used; nil if the run had a fixed number of rounds.
    package var timeBudget: BenchTimeBudget?

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

extension BenchReport {
    /// Whether everything was measured, and every count equals the workload file's prediction.
    package var isAsExpected: Bool {
        (failures ?? []).isEmpty
            && results.flatMap(\.strategies).flatMap(\.expectations).allSatisfy(\.holds)
    }

    /// Whether the report contains times.
    package var hasTimes: Bool {
        results.flatMap(\.strategies).contains { $0.time != nil }
    }
}

/// The time budget of a run.
///
/// The number of samples is in the times of each strategy.
package struct BenchTimeBudget: Codable, Sendable, Hashable {
    /// The budgeted time for the whole run, and the time used.
    package var seconds: Double
    package var spentSeconds: Double
    /// The minimum and maximum number of samples per side of a strategy.
    package var floor: Int
    package var most: Int

    package init(seconds: Double, spentSeconds: Double, floor: Int, most: Int) {
        self.seconds = seconds
        self.spentSeconds = spentSeconds
        self.floor = floor
        self.most = most
    }
}

/// A strategy that could not be measured completely, and the reason.
///
/// The report still contains the results of all other strategies.
package struct BenchFailure: Codable, Sendable, Hashable, CustomStringConvertible {
    package var workload: String
    package var strategy: String
    /// The file that declares the workload.
    package var file: String
    package var line: Int?
    /// A description of the problem and the phase in which it occurred, without a full stop.
    package var problem: String

    package init(
        workload: String, strategy: String, file: String, line: Int? = nil, problem: String
    ) {
        self.workload = workload
        self.strategy = strategy
        self.file = file
        self.line = line
        self.problem = problem
    }

    package var description: String { "\(workload), \(strategy): \(problem)" }
}

/// The commit that was measured.
///
/// The page of trends sorts results by the commit's date.
package struct ResultOrigin: Codable, Sendable, Hashable {
    /// The full hash of the commit.
    package var commit: String
    /// The first line of the commit message.
    package var subject: String
    /// The date of the commit, as `2026-11-23T10:00:00Z`.
    package var committed: String
    /// The date of the measurement, in the same format.
    package var measured: String
    /// Whether the working tree contained changes that were not committed.
    package var isChanged: Bool

    package init(
        commit: String, subject: String, committed: String, measured: String, isChanged: Bool
    ) {
        self.commit = commit
        self.subject = subject
        self.committed = committed
        self.measured = measured
        self.isChanged = isChanged
    }
}

/// The result of one workload: the parameters, and the strategies that do the same work.
package struct BenchResult: Codable, Sendable, Hashable {
    package var workload: String
    /// The workload file, or the source file that declares the workload.
    package var file: String
    /// The line of the declaration in a source file; nil for a workload file.
    package var line: Int?
    /// The purpose of the comparison, as a sentence from the workload file.
    package var sentence: String
    /// The swept or fixed parameters, in the order of the file.
    package var parameters: [Parameter]
    package var strategies: [StrategyResult]
    /// Figures derived from several strategies, such as the speed-up of four readers.
    package var figures: [BenchFigure]?

    package init(
        workload: String, file: String, line: Int? = nil, sentence: String,
        parameters: [Parameter], strategies: [StrategyResult], figures: [BenchFigure]? = nil
    ) {
        self.line = line
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

/// One strategy of a workload.
package struct StrategyResult: Codable, Sendable, Hashable {
    package var name: String
    /// A short sentence about the strategy's work.
    package var sentence: String
    package var counts: BenchCounts
    /// The executed SQL texts with their number of executions, sorted by frequency and then by
    /// text.
    package var statements: [StatementCount]
    package var time: Timing?
    /// The peak resident memory of a separate process; nil if it was not measured.
    package var peakMemoryBytes: Int?
    /// The result of the C baseline in the same run.
    package var twin: TwinResult?
    /// A checksum of the values that were read or written, which is equal for all strategies that
    /// do the same work.
    package var checksum: String
    /// The predicted counts from the workload file, with the measured counts.
    package var expectations: [CountExpectation]
    /// Remarks for the reader, such as the reason why a figure is missing.
    package var notes: [String]
    /// Figures that exist only for this operation.
    package var figures: [BenchFigure]?
    package var peers: [PeerResult]?
    package var scaling: Scaling?
    /// Whether the counts depend on thread timing and therefore cannot be compared.
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
