import ArgumentParser
import LabResults
import SQLAnalysis

/// The limits for the values of a log. A negative limit is accepted; every value exceeds it.
struct SQLLimitsGroup: ParsableArguments {
    @Option(parsing: .unconditional, help: "The maximum number of statements.")
    var maxStatements: Int?

    @Option(parsing: .unconditional, help: "The maximum number of rows.")
    var maxRows: Int?

    @Option(
        parsing: .unconditional, help: "The maximum number of faults that the database fulfilled.")
    var maxFaults: Int?

    @Option(parsing: .unconditional, help: "The maximum number of N+1 chains.")
    var maxNPlusOne: Int?

    @Option(parsing: .unconditional, help: "The maximum number of kinds of repeated faults.")
    var maxRepeatedFaults: Int?

    @Option(
        parsing: .unconditional, help: "The maximum number of fetches without limit or batch size.")
    var maxUnbounded: Int?

    @Option(
        parsing: .unconditional,
        help:
            "The maximum number of statements without an index; needs --store, --model or level 4.")
    var maxMissingIndexes: Int?

    @Option(parsing: .unconditional, help: "The maximum milliseconds of one statement.")
    var maxWorst: Double?

    @Option(parsing: .unconditional, help: "The maximum milliseconds in SQLite.")
    var maxTime: Double?

    @Option(
        parsing: .unconditional,
        help: "The maximum number of transactions a second; needs time stamps.")
    var maxTransactionRate: Double?

    @Option(
        parsing: .unconditional,
        help: "The maximum number of statements in excess of the earlier log.")
    var maxNewStatements: Int?

    func validate() throws {
        let given = [
            ("--max-worst", maxWorst), ("--max-time", maxTime),
            ("--max-transaction-rate", maxTransactionRate),
        ]
        for (option, value) in given {
            guard let value, !value.isFinite else { continue }
            throw ValidationError("\(option) is \(value); write a number")
        }
    }

    /// Compares a report with the limits of the command line.
    ///
    /// - Returns: a message with a remedy for each limit whose value the log lacks.
    func apply(to report: inout SQLReport) -> [String] {
        var unjudged: [String] = []
        for limit in all(report) {
            guard let asked = limit.asked else { continue }
            if let seen = limit.seen {
                report.hold(limit.name, to: asked, seen: seen)
            } else {
                unjudged.append("\(limit.option) cannot be judged: \(limit.advice)")
            }
        }
        return unjudged
    }

    /// An option's limit, and the value in the log.
    private struct Limit {
        let option: String
        let name: String
        let asked: Double?
        /// The value in the log; nil if the log lacks it.
        let seen: Double?
        var advice = ""

        init(_ option: String, _ name: String, _ asked: Int?, _ seen: Int?, _ advice: String = "") {
            self.init(option, name, asked.map(Double.init), seen.map(Double.init), advice)
        }

        init(
            _ option: String, _ name: String, _ asked: Double?, _ seen: Double?, _ advice: String
        ) {
            self.option = option
            self.name = name
            self.asked = asked
            self.seen = seen
            self.advice = advice
        }
    }

    private func all(_ report: SQLReport) -> [Limit] {
        let totals = report.totals
        let isTimed = totals.nanoseconds > 0
        let selects = report.shapes.filter { $0.kind == "select" }
        let reportsRows = selects.isEmpty || selects.contains { $0.rowsKnown > 0 }
        let timed =
            "the log has no lines with times and rows; log at level 1 or more, with whole lines"
        let hasPlans = report.shapes.contains { !$0.plan.isEmpty }
        let worst = report.shapes.map(\.worstNanoseconds).max() ?? 0
        let before = report.comparison?.totals.statements ?? 0
        return [
            Limit("--max-statements", "statements", maxStatements, totals.statements),
            Limit("--max-rows", "rows", maxRows, reportsRows ? totals.rows : nil, timed),
            Limit("--max-faults", "faults", maxFaults, totals.faults),
            Limit("--max-n-plus-one", "N+1 chains", maxNPlusOne, report.count(of: .nPlusOne)),
            Limit(
                "--max-repeated-faults", "repeated faults", maxRepeatedFaults,
                report.count(of: .repeatedFault)),
            Limit(
                "--max-unbounded", "unbounded fetches", maxUnbounded,
                reportsRows ? report.count(of: .unboundedFetch) : nil, timed),
            Limit(
                "--max-missing-indexes", "missing indexes", maxMissingIndexes,
                hasPlans ? report.count(of: .missingIndex) : nil,
                "no statement has a query plan; give --store or --model, or log at level 4"),
            Limit(
                "--max-worst", "worst statement in ms", maxWorst,
                isTimed ? Double(worst) / 1_000_000 : nil, timed),
            Limit(
                "--max-time", "time in ms", maxTime,
                isTimed ? Double(totals.nanoseconds) / 1_000_000 : nil, timed),
            Limit(
                "--max-transaction-rate", "transactions a second", maxTransactionRate,
                totals.transactionsPerSecond, "the log has no time stamps"),
            Limit(
                "--max-new-statements", "statements more than before", maxNewStatements,
                totals.statements - before),
        ]
    }
}
