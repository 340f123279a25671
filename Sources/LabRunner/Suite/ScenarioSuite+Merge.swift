import LabFiles
import LabResults
import LabScenario

// Merges the results of shards. The first schedule that shows an outcome or a finding runs again.
// So transcripts, findings and verdict are the same as after a single process.
extension ScenarioSuite {
    /// Joins the results of shards.
    ///
    /// - Parameter reports: the results with their files.
    /// - Throws: an error for results that cannot be joined, and for scenarios that are missing or
    ///   have changed.
    package func merge(
        _ reports: [(file: String, report: RunReport)]
    ) throws(InputErrors) -> RunReport {
        try ShardMerge(reports).merged { (shards, missing) throws(InputErrors) in
            let records = shards.compactMap(\.record)
            guard records.count == shards.count, let first = shards.first else { return nil }
            let cut = shards.first { $0.record?.end != "whole" }
            return try join(
                first, records, missing, strategy: (cut ?? first).schedules.strategy)
        }
    }

    private func join(
        _ result: ScenarioResult, _ records: [ShardRecord], _ missing: [String],
        strategy: String
    ) throws(InputErrors) -> ScenarioResult {
        let (loaded, cell) = try find(result)
        guard records.allSatisfy({ $0.hash == loaded.scenario.hash }) else {
            throw problem(
                result, "the scenario has changed since '\(result.name)' was explored",
                "explore its shards again")
        }
        return try withFolder { (folder) throws(InputErrors) in
            let runner = try makeRunner(loaded, cell, folder)
            defer { runner.world.lab.store.close() }
            let exploration = try runner.explore(
                joining: records, missing: missing, strategy: strategy)
            return try CellJob(loaded: loaded, cell: cell, options: options)
                .report(runner, exploration, result.mode).result
        }
    }

    private func find(
        _ result: ScenarioResult
    ) throws(InputErrors) -> (LoadedScenario, MatrixCell) {
        guard case .loaded(let variants)? = try load([result.file]).first,
            let loaded = variants.first(where: { $0.scenario.fullName == result.name }),
            let cell = loaded.scenario.cells.first(where: { $0.axisValues == result.cell })
        else {
            throw problem(
                result, "the file has no scenario '\(result.name)' that can run here",
                "join the results on the machine that explored the shards")
        }
        return (loaded, cell)
    }

    private func problem(
        _ result: ScenarioResult, _ what: String, _ instead: String
    ) -> InputErrors {
        InputErrors([InputError(file: result.file, problem: what, remedy: instead)])
    }
}
