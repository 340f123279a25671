import LabFiles

/// Joins the results of shards into one result, as if one process had run all schedules.
package struct ShardMerge {
    private let reports: [(file: String, report: RunReport)]

    /// - Parameter reports: the results of the shards, with the paths of their files.
    package init(_ reports: [(file: String, report: RunReport)]) {
        self.reports = reports
    }

    /// - Parameter joining: joins the shards of one cell by the ranks of their schedules. Its
    ///   second argument has the names of missing shards. If it returns nil, the results are joined
    ///   without ranks.
    /// - Throws: an error if the results cannot be joined. For example, a shard occurs twice, or
    ///   the total numbers of shards differ.
    package func merged(
        _ joining: ([ScenarioResult], [String]) throws(InputErrors) -> ScenarioResult? = { _, _ in
            nil
        }
    ) throws(InputErrors) -> RunReport {
        var order: [String] = []
        var groups: [String: [ScenarioResult]] = [:]
        for (file, report) in reports {
            for result in report.scenarios {
                let key = "\(result.file) \(result.name) \(result.cellText)"
                if groups[key] == nil { order.append(key) }
                try check(result, with: groups[key] ?? [], file)
                groups[key, default: []].append(result)
            }
        }
        var joined: [ScenarioResult] = []
        for key in order {
            let shards = groups[key] ?? []
            joined.append(try joining(shards, missingShards(shards)) ?? join(shards))
        }
        return RunReport(scenarios: joined)
    }

    private func check(
        _ result: ScenarioResult, with others: [ScenarioResult], _ file: String
    ) throws(InputErrors) {
        guard let shard = result.schedules.shard else {
            throw problem(
                file, "'\(result.name)' is not a shard",
                "name result files of 'explore --shard i/n --save'"
            )
        }
        guard Self.parts(shard) != nil else {
            throw problem(
                file, "'\(shard)' of '\(result.name)' is not a shard",
                "write i/n with 1 ≤ i ≤ n ≤ \(Self.countMax)")
        }
        guard result.schedules.explored >= 0, result.outcomes.allSatisfy({ $0.count >= 0 }) else {
            throw problem(
                file, "a count of '\(result.name)' is negative",
                "name an unchanged result file of 'explore --shard i/n --save'")
        }
        guard let other = others.first?.schedules.shard else { return }
        if others.contains(where: { $0.schedules.shard == shard }) {
            throw problem(
                file, "shard \(shard) of '\(result.name)' is in two of the files",
                "name one of the files")
        }
        if Self.count(other) != Self.count(shard) {
            throw problem(
                file, "shard \(shard) of '\(result.name)' does not match shard \(other)",
                "create all shards with the same number n in --shard i/n")
        }
    }

    private func problem(_ file: String, _ what: String, _ instead: String) -> InputErrors {
        InputErrors([InputError(file: file, problem: what, remedy: instead)])
    }

    /// The maximum number of shards, far above any useful number.
    private static let countMax = 100_000

    private static func count(_ shard: String) -> Int { parts(shard)?.count ?? 0 }

    /// Parses a shard's name of the form `i/n`; nil if it has another form.
    private static func parts(_ shard: String) -> (number: Int, count: Int)? {
        let numbers = shard.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 2, let number = numbers[0], let count = numbers[1],
            (1...countMax).contains(count), (1...count).contains(number)
        else { return nil }
        return (number, count)
    }

    private func join(_ shards: [ScenarioResult]) -> ScenarioResult {
        var joined = shards[0]
        joined.schedules.explored = shards.map(\.schedules.explored).total
        joined.schedules.represented = nil
        joined.schedules.shard = nil
        joined.record = nil
        let missing = missingShards(shards)
        let cut = shards.compactMap(\.schedules.stoppedAt).first { !$0.hasPrefix("shard ") }
        joined.schedules.stoppedAt =
            cut
            ?? (missing.isEmpty
                ? "results without the ranks of their schedules"
                : "missing shards: \(missing.joined(separator: ", "))")
        joined.findings = []
        joined.outcomes = []
        joined.transcripts = []
        for (number, shard) in shards.enumerated() { add(shard, "s\(number + 1)-", to: &joined) }
        judge(&joined, shards)
        return joined
    }

    private func missingShards(_ shards: [ScenarioResult]) -> [String] {
        let present = Set(shards.compactMap(\.schedules.shard))
        let count = present.first.map(Self.count) ?? 0
        return (1...max(1, count)).map { "\($0)/\(count)" }.filter { !present.contains($0) }
    }

    /// Adds the outcomes and findings of one shard. The prefix makes their ids unique.
    private func add(_ shard: ScenarioResult, _ prefix: String, to joined: inout ScenarioResult) {
        for var transcript in shard.transcripts {
            transcript.id = prefix + transcript.id
            joined.transcripts.append(transcript)
        }
        for var finding in shard.findings
        where !joined.findings.contains(where: {
            $0.name == finding.name && $0.step == finding.step
        }) {
            finding.id = prefix + finding.id
            finding.transcript = finding.transcript.map { prefix + $0 }
            joined.findings.append(finding)
        }
        for var outcome in shard.outcomes {
            outcome.transcript = outcome.transcript.map { prefix + $0 }
            outcome.findings = outcome.findings.map { prefix + $0 }
                .filter { id in joined.findings.contains { $0.id == id } }
            if let known = joined.outcomes.firstIndex(where: { $0.observed == outcome.observed }) {
                joined.outcomes[known].count = [joined.outcomes[known].count, outcome.count].total
                joined.outcomes[known].findings += outcome.findings
            } else {
                joined.outcomes.append(outcome)
            }
        }
    }

    /// Determines the verdict. Without ranks of schedules, the joined result cannot pass.
    private func judge(_ joined: inout ScenarioResult, _ shards: [ScenarioResult]) {
        let bad = joined.outcomes.filter { [.unmatched, .forbidden].contains($0.grade) }
        joined.reasons =
            bad.map { "\($0.text) is \($0.grade.rawValue): \($0.reason)" } + unseenDefects(shards)
        if shards.contains(where: { $0.verdict == .nondeterministic }) {
            joined.verdict = .nondeterministic
        } else if !bad.isEmpty {
            joined.verdict = .failed
        } else {
            joined.verdict = .inconclusive
            joined.reasons.append("stopped at \(joined.schedules.stoppedAt ?? "")")
        }
    }

    /// The reasons for failure about defects that no shard has seen.
    private func unseenDefects(_ shards: [ScenarioResult]) -> [String] {
        let missed = shards.map { shard in
            Set(
                shard.reasons.filter { $0.hasPrefix("the defect of line") }.map {
                    Self.withoutSample($0)
                })
        }
        guard let first = missed.first else { return [] }
        return missed.dropFirst().reduce(first) { $0.intersection($1) }.sorted()
    }

    private static func withoutSample(_ reason: String) -> String {
        guard let end = reason.firstRange(of: ", in a sample of ") else { return reason }
        return String(reason[..<end.lowerBound])
    }
}
