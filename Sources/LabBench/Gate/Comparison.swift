import BenchResults

/// The comparison of a benchmark run with its baseline. The gate adds one strategy after another.
struct Comparison {
    /// Whether both runs used the same SQLite. Only then are their VM steps and query plans
    /// comparable.
    let comparesPlans: Bool
    let thresholds: Thresholds
    var compared = 0
    var differences: [GateDifference] = []
    var missing: [String] = []
    var times: [TimeComparison] = []
    /// Every strategy of this run, with the names of the compared figures.
    private(set) var subjects: [GateSubject] = []
    private var subjectIndices: [String: Int] = [:]

    init(comparesPlans: Bool, thresholds: Thresholds) {
        self.comparesPlans = comparesPlans
        self.thresholds = thresholds
    }

    /// The status of the verdict. If something failed, it is `failed`, even if something else could
    /// not be compared.
    ///
    /// - Parameter hasNew: whether some work is new.
    func status(hasNew: Bool) -> GateVerdict.Status {
        if differences.contains(where: { $0.effect != .improvement }) { return .failed }
        return missing.isEmpty && (compared > 0 || hasNew) ? .passed : .inconclusive
    }

    /// Counts a comparison, and records the name of the compared figure.
    mutating func note(_ metric: String, of entry: Gate.Entry) {
        note(
            metric,
            of: GateSubject(
                workload: entry.result.workload, strategy: entry.strategy.name,
                file: entry.result.file, line: entry.result.line,
                nanoseconds: entry.strategy.time?.medianNanoseconds))
    }

    private mutating func note(_ metric: String, of subject: GateSubject) {
        compared += 1
        let key = "\(subject.workload)\n\(subject.strategy)"
        let index = subjectIndices[key] ?? subjects.count
        if index == subjects.count {
            subjectIndices[key] = index
            subjects.append(subject)
        }
        if !subjects[index].figures.contains(metric) { subjects[index].figures.append(metric) }
    }

    mutating func add(_ failure: BenchFailure) {
        note(
            "measured",
            of: GateSubject(
                workload: failure.workload, strategy: failure.strategy, file: failure.file,
                line: failure.line))
        differences.append(
            GateDifference(
                effect: .regression, workload: failure.workload, strategy: failure.strategy,
                metric: "measured", baseline: "yes", current: "no", message: "\(failure)"))
    }

    mutating func compare(_ current: Gate.Entry, with baseline: Gate.Entry) {
        guard current.result.parameters == baseline.result.parameters else {
            missing.append(
                "\(current.result.workload), \(current.strategy.name): measured with"
                    + " \(current.result.parameterText), but the baseline was measured with"
                    + " \(baseline.result.parameterText)")
            return
        }
        // These counts depend on the timing of threads.
        guard current.strategy.countsVary != true, baseline.strategy.countsVary != true else {
            compareChecksums(current, baseline)
            return
        }
        compareStatements(current, baseline)
        let (seen, expected) = (current.strategy.counts, baseline.strategy.counts)
        compare(.rows, seen.rows, expected.rows, current)
        compare(.faults, seen.faults, expected.faults, current)
        // A row cache hit is cheaper than an SQL statement, so more hits are an improvement.
        compare(.rowCacheHits, expected.rowCacheHits, seen.rowCacheHits, current, flipped: true)
        compare(
            .relationshipFaults, seen.relationshipFaults, expected.relationshipFaults, current)
        compare(.prefetches, seen.prefetches, expected.prefetches, current)
        if let seen = seen.allocations, let expected = expected.allocations {
            compare(.allocations, seen, expected, current)
        }
        if comparesPlans {
            let costlier = StatementCost.risen(
                from: baseline.strategy.statements, to: current.strategy.statements)
            compare(.vmSteps, seen.vmSteps, expected.vmSteps, current, naming: costlier)
            comparePlans(current, baseline)
        }
        compareChecksums(current, baseline)
    }

    /// Checks the predictions in the workload file. They do not depend on the baseline.
    mutating func checkPredictions(_ entry: Gate.Entry) {
        for expectation in entry.strategy.expectations {
            note("expect \(expectation.count)", of: entry)
            guard !expectation.holds else { continue }
            let statements = entry.strategy.statements
                .filter { $0.kind == expectation.count || expectation.count == "statements" }
                .map { "`\($0.text)` ran \($0.count) times" + $0.planText }
            add(
                .regression, entry, "expect \(expectation.count)",
                String(expectation.expected), String(expectation.seen), statements,
                "the file predicts \(expectation.count) = \(expectation.expression) = "
                    + "\(expectation.expected), observed \(expectation.seen)")
        }
    }

    private mutating func compareStatements(_ current: Gate.Entry, _ baseline: Gate.Entry) {
        let seen = current.strategy.counts.statements
        let expected = baseline.strategy.counts.statements
        let changes = StatementChange.all(
            from: baseline.strategy.statements, to: current.strategy.statements)
        for kind in Set(seen.keys).union(expected.keys).sorted() {
            note("statements.\(kind)", of: current)
            let (now, before) = (seen[kind] ?? 0, expected[kind] ?? 0)
            let own = changes.filter { $0.kind == kind }
            let named = own.map(\.description)
            guard now != before || !named.isEmpty else { continue }
            let allowed = thresholds.allowed(
                .statements, current.result.workload, current.strategy.name, baseline: before)
            guard now <= before || now > allowed else { continue }
            let effect: GateDifference.Effect =
                now > before ? .regression : now < before ? .improvement : .change
            let moved =
                now == before
                ? "\(kind) statements changed"
                : "\(kind) statements: expected \(before), observed \(now)"
            add(
                effect, current, "statements.\(kind)", String(before), String(now), named,
                shapes: own.filter { $0.now > $0.before }.map(\.text),
                ([moved] + named).joined(separator: "; "))
        }
    }

    private mutating func compare(
        _ metric: Thresholds.Metric, _ seen: Int, _ expected: Int, _ entry: Gate.Entry,
        flipped: Bool = false, naming statements: [String] = []
    ) {
        note(metric.rawValue, of: entry)
        guard seen != expected else { return }
        func allowed(beside count: Int) -> Int {
            thresholds.allowed(
                metric, entry.result.workload, entry.strategy.name, baseline: count)
        }
        guard seen > allowed(beside: expected) || expected > allowed(beside: seen) else { return }
        let (before, now) = flipped ? (seen, expected) : (expected, seen)
        let isWorse = seen > expected
        add(
            isWorse ? .regression : .improvement, entry, metric.rawValue, String(before),
            String(now), isWorse ? statements : [],
            "\(metric.rawValue): expected \(before), observed \(now)")
    }

    /// Reports statements with the same text and another query plan. For example, a statement no
    /// longer uses an index.
    private mutating func comparePlans(_ current: Gate.Entry, _ baseline: Gate.Entry) {
        let (now, before) = (current.strategy, baseline.strategy)
        let effect: GateDifference.Effect =
            if now.counts.vmSteps > before.counts.vmSteps {
                .regression
            } else if now.counts.vmSteps < before.counts.vmSteps {
                .improvement
            } else { .change }
        for statement in now.statements {
            guard let plan = statement.plan,
                let old = before.statements.first(where: { $0.isSame(as: statement) })?.plan
            else { continue }
            note("plan", of: current)
            guard plan != old else { continue }
            let (was, isNow) = (old.joined(separator: " | "), plan.joined(separator: " | "))
            add(
                effect, current, "plan", was, isNow,
                ["`\(statement.text)` ran \(statement.count) times" + statement.planText],
                "`\(statement.text)` has a different query plan: it was \(was), it is \(isNow)")
        }
    }

    private mutating func compareChecksums(_ current: Gate.Entry, _ baseline: Gate.Entry) {
        note("checksum", of: current)
        let (seen, expected) = (current.strategy.checksum, baseline.strategy.checksum)
        guard seen != expected else { return }
        add(
            .change, current, "checksum", expected, seen, [],
            "the result differs: expected \(expected), observed \(seen)")
    }

    mutating func add(
        _ effect: GateDifference.Effect, _ entry: Gate.Entry, _ metric: String, _ baseline: String,
        _ current: String, _ statements: [String], shapes: [String] = [], _ message: String
    ) {
        let (workload, strategy) = (entry.result.workload, entry.strategy.name)
        let place = workload == strategy ? workload : "\(workload), \(strategy)"
        differences.append(
            GateDifference(
                effect: effect, workload: entry.result.workload, strategy: entry.strategy.name,
                metric: metric, baseline: baseline, current: current, statements: statements,
                shapes: shapes.isEmpty ? nil : shapes,
                message: "\(place): \(message)"))
    }
}
