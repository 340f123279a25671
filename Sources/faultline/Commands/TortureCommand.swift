import ArgumentParser
import Foundation
import LabCommands
import LabReport
import LabResults
import LabTorture

extension TorturePreset: ExpressibleByArgument {}

struct TortureCommand: StatusCommand {
    static let configuration = CommandConfiguration(
        commandName: "torture",
        abstract: "Attacks the engine: kills, failing disks, power cuts, odd inputs.",
        discussion: """
            Every attempt is made of the seed and its number. A campaign that was stopped goes on \
            where --report points to its report. Exit code 1 if anything was lost or broken.
            """,
        examples: [
            "torture --preset short", "torture --preset night --report night.json",
            "torture --scenarios --attempts 1000",
        ])

    @Option(help: "short, about two minutes, or night.")
    var preset: TorturePreset = .short

    @Option(help: "What the attempts are made of.")
    var seed: UInt64 = 1

    @Option(parsing: .upToNextOption, help: "The parts to run; all without it.")
    var only: [String] = []

    @Flag(help: "Run random scenarios alone; the same as --only scenarios.")
    var scenarios = false

    @Option(help: "Run so many attempts of each part instead of the preset's number.")
    var attempts: Int?

    @Option(help: "The number of the first attempt; with --attempts 1, a failure once more.")
    var first = 0

    @Option(help: "A JSON file with the results; if it exists, the campaign goes on from it.")
    var report: String?

    func validate() throws {
        guard attempts.map({ $0 >= 1 }) ?? true else {
            throw ValidationError("--attempts is at least 1")
        }
        guard first >= 0, first == 0 || report == nil else {
            throw ValidationError("--first is at least 0, and goes without --report")
        }
        let names = preset.plans(tool: "").map(\.part.name)
        for name in only where !names.contains(name) {
            throw ValidationError(
                "there is no part '\(name)'; use one of \(names.joined(separator: ", "))")
        }
    }

    private var wanted: [String] { only + (scenarios ? ["scenarios"] : []) }

    func status() throws -> ExitStatus {
        let plans = preset.plans(tool: try Self.tool())
            .filter { wanted.isEmpty || wanted.contains($0.part.name) }
            .map {
                TortureCampaign.Plan($0.part, attempts: attempts ?? $0.attempts, first: first)
            }
        let progress = ProgressLine()
        defer { progress.finish() }
        let campaign = TortureCampaign(
            plans, progress: progress.sink,
            keep: { state in
                guard let report else { return }
                try Places.write(try ResultFile.text(state), to: report)
            })
        let result = try campaign.run(try start())
        progress.finish()
        for part in result.parts { Console.write(text(part)) }
        if result.parts.contains(where: { !$0.failures.isEmpty }) { return .failed }
        return result.parts.isEmpty ? .inconclusive : .expected
    }

    /// This program itself; resolved here, because the link is another one to whoever reads it
    /// later.
    private static func tool() throws -> String {
        try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    }

    /// The report to go on from, or an empty one.
    private func start() throws -> TortureReport {
        let fresh = TortureReport(preset: preset.rawValue, seed: seed)
        guard let report, FileManager.default.fileExists(atPath: report) else { return fresh }
        guard case .torture(let known) = try ResultFile.read(Places.read(report), file: report)
        else {
            throw InputError(
                file: report, problem: "this is no report of torture",
                remedy: "name a new file, or one that torture wrote")
        }
        guard known.seed == seed, known.preset == preset.rawValue else {
            throw InputError(
                file: report,
                problem: "this campaign has the preset \(known.preset) and the seed \(known.seed)",
                remedy: "give the same ones to go on with it, or name another file")
        }
        return known
    }

    private func text(_ part: TorturePartResult) -> String {
        let counts = part.counts.sorted { $0.key < $1.key }
            .map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        let time = part.seconds.formatted(.number.precision(.fractionLength(1)))
        var text = "\(part.name): \(part.completed) attempts in \(time) s"
        if !counts.isEmpty { text += " · \(counts)" }
        text += " · \(part.failures.count) failures\n"
        for failure in part.failures {
            text += "  attempt \(failure.attempt): \(failure.what)\n"
            if let input = failure.input { text += input.isEmpty ? "" : "    \(input)\n" }
        }
        return text
    }
}
