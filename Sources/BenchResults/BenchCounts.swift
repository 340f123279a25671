import LabFiles

/// Counts that are the same in every run, so that the gate can compare them exactly.
package struct BenchCounts: Codable, Sendable, Hashable {
    /// The number of SQL statements that ran, by kind (`select`, `insert`, …). Kinds that did not
    /// run are omitted.
    package var statements: [String: Int]
    /// The number of rows that SELECT statements returned.
    package var rows: Int
    /// The number of instructions that SQLite's virtual machine executed.
    package var vmSteps: Int
    /// The number of faults of objects that fired, with values from the row cache or from SQL.
    package var faults: Int
    /// The number of faults that the row cache fulfilled, without SQL.
    package var rowCacheHits: Int
    package var relationshipFaults: Int
    package var prefetches: Int
    /// The number of allocations, which jemalloc counts in a separate process; nil without
    /// jemalloc. Unlike the other counts, it depends on the compiler.
    package var allocations: Int?
    /// The size of all allocations in bytes, as the allocator rounds them.
    package var allocatedBytes: Int?

    package init(
        statements: [String: Int] = [:], rows: Int = 0, vmSteps: Int = 0, faults: Int = 0,
        rowCacheHits: Int = 0, relationshipFaults: Int = 0, prefetches: Int = 0
    ) {
        self.statements = statements
        self.rows = rows
        self.vmSteps = vmSteps
        self.faults = faults
        self.rowCacheHits = rowCacheHits
        self.relationshipFaults = relationshipFaults
        self.prefetches = prefetches
    }

    package var statementTotal: Int { statements.values.total }
}

/// An SQL statement, and the number of times that it ran.
package struct StatementCount: Codable, Sendable, Hashable {
    package var kind: String
    package var text: String
    package var count: Int
    /// The number of instructions of SQLite's virtual machine in all these runs.
    package var vmSteps: Int?
    /// The lines of `EXPLAIN QUERY PLAN`; nil if the plan was not requested.
    package var plan: [String]?

    package init(
        kind: String, text: String, count: Int, vmSteps: Int? = nil, plan: [String]? = nil
    ) {
        self.kind = kind
        self.text = text
        self.count = count
        self.vmSteps = vmSteps
        self.plan = plan
    }
}

/// A distribution of times. Times depend on the machine, so the gate judges only their ratios.
package struct Timing: Codable, Sendable, Hashable {
    package var samplesNanoseconds: [UInt64]
    package var medianNanoseconds: UInt64
    /// The bounds of the median's 95 % confidence interval.
    package var lowNanoseconds: UInt64
    package var highNanoseconds: UInt64
    /// The number of outliers among the samples (by Tukey's rule). All figures include them.
    package var outliers: OutlierCount?

    package init(
        samplesNanoseconds: [UInt64], medianNanoseconds: UInt64, lowNanoseconds: UInt64,
        highNanoseconds: UInt64, outliers: OutlierCount? = nil
    ) {
        self.outliers = outliers
        self.samplesNanoseconds = samplesNanoseconds
        self.medianNanoseconds = medianNanoseconds
        self.lowNanoseconds = lowNanoseconds
        self.highNanoseconds = highNanoseconds
    }
}

/// The number of samples beyond Tukey's fences.
package struct OutlierCount: Codable, Sendable, Hashable {
    /// More than 1.5 interquartile ranges outside the quartiles.
    package var mild: Int
    /// More than 3 interquartile ranges outside the quartiles.
    package var severe: Int

    package init(mild: Int, severe: Int) {
        self.mild = mild
        self.severe = severe
    }
}

/// The result of the C baseline. It does the same work with direct calls of SQLite.
package struct TwinResult: Codable, Sendable, Hashable {
    package var sentence: String
    package var statements: [StatementCount]
    package var rows: Int
    package var vmSteps: Int
    package var time: Timing?
    /// The strategy's time divided by the C baseline's time, from paired samples of one run.
    package var ratio: Ratio?
    package var peakMemoryBytes: Int?
    package var checksum: String

    package init(
        sentence: String, statements: [StatementCount], rows: Int, vmSteps: Int,
        time: Timing? = nil, ratio: Ratio? = nil, peakMemoryBytes: Int? = nil, checksum: String
    ) {
        self.sentence = sentence
        self.statements = statements
        self.rows = rows
        self.vmSteps = vmSteps
        self.time = time
        self.ratio = ratio
        self.peakMemoryBytes = peakMemoryBytes
        self.checksum = checksum
    }
}

/// A ratio of times from paired samples, with its 95 % confidence interval.
package struct Ratio: Codable, Sendable, Hashable {
    package var median: Double
    package var low: Double
    package var high: Double

    package init(median: Double, low: Double, high: Double) {
        self.median = median
        self.low = low
        self.high = high
    }
}

/// The predicted and the actual value of a count.
package struct CountExpectation: Codable, Sendable, Hashable {
    /// The count's name in workload files, such as `select` or `relationship-faults`.
    package var count: String
    /// The prediction in the file, such as `ceil(authors * books / batch) + 1`.
    package var expression: String
    package var expected: Int
    package var seen: Int

    package init(count: String, expression: String, expected: Int, seen: Int) {
        self.count = count
        self.expression = expression
        self.expected = expected
        self.seen = seen
    }

    package var holds: Bool { expected == seen }
}
