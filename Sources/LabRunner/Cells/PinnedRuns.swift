import ContextHistory
import CoreDataStore
import Foundation
import LabCheck
import LabFiles
import LabScenario
import LabSchedule

/// Runs the schedules that a file pins by name, and compares their transcripts with the stored
/// ones. Only the first cell of a scenario has pinned schedules. Cures have none.
struct PinnedRuns {
    let runner: CellRunner

    /// The current transcript of a pinned schedule, and the path of the stored transcript.
    struct Golden {
        let name: String
        let path: String
        let text: String

        /// The stored transcript; nil if none exists.
        ///
        /// - Throws: an error for a link to another folder, or for a file that is not a regular
        ///   file.
        func kept() throws(FileProblem) -> String? {
            let folder = FileScope.folder(of: FileScope.folder(of: path))
            let whole = path.hasPrefix("/") ? path : "./\(path)"
            let name = "golden/" + (whole.split(separator: "/").last ?? "")
            let place = try FileScope(folder: folder).place(of: name, in: folder)
            guard FileManager.default.fileExists(atPath: place) else { return nil }
            return String(
                decoding: try InputFile.bytes(at: place, atMost: 10_000_000), as: UTF8.self)
        }
    }

    func run() throws(InputErrors) -> [Golden] {
        let scenario = runner.plan.scenario
        // The transcripts contain the statements of the file's own store.
        guard runner.options.store == nil, scenario.cure == nil,
            runner.plan.cell == scenario.cells.first
        else { return [] }
        var made: [Golden] = []
        for pin in scenario.pinned { made.append(try golden(of: pin, scenario)) }
        return made
    }

    /// The differences from the stored transcripts, one sentence per transcript.
    func compare() throws(InputErrors) -> [String] {
        try run().compactMap { golden in
            let kept: String?
            do throws(FileProblem) { kept = try golden.kept() } catch {
                return "the transcript \(golden.path) cannot be used: \(error.what)"
            }
            guard let kept else {
                return "the pinned schedule '\(golden.name)' has no transcript \(golden.path);"
                    + " write it with './faultline bless \(runner.plan.scenario.file)'"
            }
            if kept == golden.text { return nil }
            return "the pinned schedule '\(golden.name)' differs from \(golden.path) in line"
                + " \(Self.firstDifference(golden.text, kept))"
        }
    }

    private func golden(of pin: PinnedSpec, _ scenario: Scenario) throws(InputErrors) -> Golden {
        let steps = pin.steps.map(ScheduleToken.canonical)
        do throws(CoreDataError) {
            let world = runner.world
            let replayed = try Replay(plan: runner.plan.schedulePlan).run(steps, in: world)
            if let adaptation = replayed.adaptations.first {
                throw CoreDataError(.invalidArgument, adaptation)
            }
            let (names, text) = try TranscriptText.run(replayed.path, in: world)
            let page = TranscriptText.page(
                text, runner: runner, token: runner.unhashedToken(names), outcome: world.outcome,
                findings: world.findings)
            return Golden(
                name: pin.name.value, path: Self.path(pin.name.value, of: scenario), text: page)
        } catch {
            throw InputErrors([
                InputError(
                    scenario.file, pin.name.position,
                    "the schedule '\(pin.name.value)' does not run as it is written:"
                        + " \(error.message)",
                    "name every step and delivery in an order that can happen")
            ])
        }
    }

    static func path(_ name: String, of scenario: Scenario) -> String {
        let folder = URL(fileURLWithPath: scenario.file).deletingLastPathComponent()
        return folder.appendingPathComponent("golden/\(scenario.name).\(name).txt").relativePath
    }

    private static func firstDifference(_ one: String, _ other: String) -> Int {
        let (left, right) = (one.split(separator: "\n"), other.split(separator: "\n"))
        let same = zip(left, right).prefix { $0 == $1 }
        return same.count + 1
    }
}

extension CellRunner {
    fileprivate func unhashedToken(_ names: [String]) -> String {
        ScheduleToken(
            scenario: plan.scenario.fullName, hash: "00000000", cell: plan.cell.description,
            steps: names
        ).description
    }
}
