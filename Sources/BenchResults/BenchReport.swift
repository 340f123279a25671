import LabFiles

/// The results of a benchmark run.
///
/// Reports render it, and the gate compares two of them.
package struct BenchReport: SavedResult, Sendable, Hashable {
    package static let kind = ResultKind.bench

    package var header: ResultHeader
    /// The preset (`smoke`, `quick`, `full`), or `custom`.
    package var preset: String
    package var seed: UInt64
    package var environment: Environment
    package var results: [BenchResult]
    /// The strategies that could not be completely measured; nil if all were.
    package var failures: [BenchFailure]?
    /// Conditions that made times less precise, such as system load or a virtual machine. Also the
    /// reason why allocations were not counted.
    package var warnings: [String]?
    /// The times of a fixed small task in C. It runs in every round as a measure of the machine's
    /// speed. Nil if every workload has a C baseline.
    package var yardstick: Timing?
    /// The measured commit and the time of the measurement; nil outside a repository.
    package var origin: ResultOrigin?
    /// The time budget of the run, and the time that it used; nil if the number of rounds was
    /// fixed.
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
    /// Whether everything was measured, and every count equals its prediction in the workload file.
    package var isAsExpected: Bool {
        (failures ?? []).isEmpty
            && results.flatMap(\.strategies).flatMap(\.expectations).allSatisfy(\.holds)
    }

    package var hasTimes: Bool {
        results.flatMap(\.strategies).contains { $0.time != nil }
    }
}

/// The time budget of a run. The times of each strategy show the number of its samples.
package struct BenchTimeBudget: Codable, Sendable, Hashable {
    /// The budget for the whole run, and the time that the run used.
    package var seconds: Double
    package var spentSeconds: Double
    /// The minimum and maximum number of samples of each side of a strategy.
    package var floor: Int
    package var most: Int

    package init(seconds: Double, spentSeconds: Double, floor: Int, most: Int) {
        self.seconds = seconds
        self.spentSeconds = spentSeconds
        self.floor = floor
        self.most = most
    }
}

/// A strategy that could not be completely measured, and the reason. The report still has the
/// results of all other strategies.
package struct BenchFailure: Codable, Sendable, Hashable, CustomStringConvertible {
    package var workload: String
    package var strategy: String
    package var file: String
    package var line: Int?
    /// The problem and the phase in which it occurred, without a full stop.
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

/// The commit that was measured. The page of trends sorts results by its date.
package struct ResultOrigin: Codable, Sendable, Hashable {
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

/// The result of one workload. Its strategies do the same work with different methods.
package struct BenchResult: Codable, Sendable, Hashable {
    package var workload: String
    /// The workload file, or the source file that declares the workload.
    package var file: String
    /// The line of the declaration in a source file; nil for a workload file.
    package var line: Int?
    /// A sentence from the workload file about the purpose of the comparison.
    package var sentence: String
    /// The parameters, swept or fixed, in the order of the file.
    package var parameters: [Parameter]
    package var strategies: [StrategyResult]
    /// Figures from several strategies, such as the speed-up of four readers.
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

    /// The parameters as text: `authors=1000 books=100`.
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
    /// The SQL statements that ran, sorted by frequency and then by text.
    package var statements: [StatementCount]
    package var time: Timing?
    /// The peak resident memory of a separate process; nil if it was not measured.
    package var peakMemoryBytes: Int?
    package var twin: TwinResult?
    /// A checksum of the values that were read or written. It is equal for all strategies that do
    /// the same work.
    package var checksum: String
    /// The counts that the workload file predicts, and the measured counts.
    package var expectations: [CountExpectation]
    /// Remarks for the reader, such as the reason why a figure is missing.
    package var notes: [String]
    /// Figures that only this operation has.
    package var figures: [BenchFigure]?
    package var peers: [PeerResult]?
    package var scaling: Scaling?
    /// Whether the counts depend on the timing of threads. They are then not compared.
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
