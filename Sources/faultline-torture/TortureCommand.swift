import ArgumentParser
import CommandLineSupport
import Foundation
import LabCommands
import LabFiles
import LabReport
import LabResults
import LabTorture
import TortureCampaigns

/// Runs the attacks on the engine. Their processes also run this program.
struct TortureCommand: StatusCommand {
    static let configuration = TortureOptionsGroup.command

    @OptionGroup var options: TortureOptionsGroup

    func validate() throws {
        let names = TortureCampaign.plans(tool: "").map(\.part.name)
        for name in options.only where !names.contains(name) {
            throw ValidationError(
                "unknown part '\(name)'; use one of \(names.joined(separator: ", "))")
        }
    }

    func status() throws -> ExitStatus {
        let wanted = options.wanted
        let plans = TortureCampaign.plans(tool: try Self.tool())
            .filter { wanted.isEmpty || wanted.contains($0.part.name) }
            .map { $0.from(options.first, attempts: options.attempts) }
        let usual = options.attempts == nil ? options.preset.timeBudget : nil
        let progress = ProgressLine()
        defer { progress.finish() }
        let campaign = TortureCampaign(
            plans, timeBudget: options.timeBudget ?? usual, progress: progress.sink,
            keep: { state in
                guard let report = options.report else { return }
                try Places.write(try ResultFile.text(state), to: report)
            })
        let result = try campaign.run(try start())
        progress.finish()
        Console.write(TortureText(result).text())
        if result.parts.contains(where: { !$0.failures.isEmpty }) { return .failed }
        return result.parts.isEmpty ? .inconclusive : .expected
    }

    /// The path of this program. In another process, the link `/proc/self/exe` would refer to the
    /// program of that process, so it is resolved here.
    private static func tool() throws -> String {
        try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    }

    /// The report of the campaign to continue. It is empty for a new campaign.
    private func start() throws -> TortureReport {
        let fresh = TortureReport(preset: options.preset.rawValue, seed: options.seed)
        guard let report = options.report, FileManager.default.fileExists(atPath: report) else {
            return fresh
        }
        let data = try Places.read(report)
        guard let known = try ResultFile.read(TortureReport.self, from: data, file: report) else {
            throw InputError(
                file: report, problem: "this file is not a report of torture",
                remedy: "name a new file, or a report that torture wrote")
        }
        guard known.seed == options.seed, known.preset == options.preset.rawValue else {
            throw InputError(
                file: report,
                problem: "this campaign has the preset \(known.preset) and the seed \(known.seed)",
                remedy: "pass the same preset and seed to continue it, or name another file")
        }
        guard known.parts.allSatisfy({ 0 <= $0.completed && $0.completed <= $0.planned }) else {
            throw InputError(
                file: report,
                problem: "a part has a negative number of attempts, or more than planned",
                remedy: "name another file")
        }
        return known
    }
}
