import ContextHistory
import CoreDataEngine
import CoreDataModel
import CoreDataStore
import LabCheck
import LabFiles
import LabScenario
import LabSchedule

/// A schedule that a user chooses step by step. The command line shows the state and asks for the
/// next step.
package final class Stepping {
    private let runner: CellRunner
    private var cursor: ScheduleCursor<CellWorld>
    private var names: [String] = []

    init(runner: CellRunner) throws(CoreDataError) {
        self.runner = runner
        cursor = ScheduleCursor(plan: runner.plan.schedulePlan, world: runner.world)
        runner.world.lab.wantsTranscript = true
        try cursor.reset()
    }

    private var world: CellWorld { runner.world }

    private var runnable: [Int] {
        let lanes = cursor.runnableLanes
        return (0..<runner.plan.schedulePlan.laneCount).filter { lanes & 1 << UInt64($0) != 0 }
    }

    package var choices: [String] { runnable.map { world.nextName(lane: $0) ?? "?" } }

    package var isFinished: Bool { runnable.isEmpty }

    /// Runs the next step of a lane.
    ///
    /// - Parameter name: the name of one of the `choices`, or its number, which starts at 1.
    /// - Returns: the transcript lines of the step; nil if `name` denotes none of the `choices`.
    package func choose(_ name: String) throws(InputErrors) -> [String]? {
        let canonical = ScheduleToken.canonical(name)
        let number = Int(name).flatMap {
            runnable.indices.contains($0 - 1) ? runnable[$0 - 1] : nil
        }
        guard let lane = number ?? runnable.first(where: { world.nextName(lane: $0) == canonical })
        else { return nil }
        let before = world.lab.recorder.lines.count
        names.append(world.nextName(lane: lane) ?? "?")
        try engine { () throws(CoreDataError) in try cursor.run(lane) }
        return Array(world.lab.recorder.lines.dropFirst(before))
    }

    /// Undoes the last step. Returns false at the start.
    package func undo() throws(InputErrors) -> Bool {
        guard !names.isEmpty else { return false }
        let path = cursor.path.dropLast()
        names.removeLast()
        try engine { () throws(CoreDataError) in
            try cursor.reset()
            for lane in path { try cursor.run(Int(lane)) }
        }
        return true
    }

    package var state: [String] { world.lab.contexts.flatMap { lines(of: $0) } }

    private func lines(of context: LabContext) -> [String] {
        var lines: [String] = []
        context.queue.runAndWait { () throws(Never) in
            for object in context.changed(context.context.registeredObjects) {
                lines.append("\(context.plan.name)  \(describe(object))")
            }
        }
        return lines.isEmpty ? ["\(context.plan.name)  holds nothing"] : lines
    }

    private func describe(_ object: NSManagedObject) -> String {
        let alias = world.lab.alias(object.objectKey)
        if object.isFault { return "\(alias) is a fault" }
        var flags: [String] = []
        if object.isInserted { flags.append("new") }
        if object.isUpdated { flags.append("changed") }
        if object.isDeleted { flags.append("deleted") }
        guard let row = try? Row(current: object, name: world.lab.alias) else { return alias }
        let values = zip(object.layout.values.map(\.name), row.values)
            .map { "\($0) = \($1.quoted)" }
        let version = row.version > 0 ? " at version \(row.version)" : ""
        let mark = flags.isEmpty ? "" : " (\(flags.joined(separator: ", ")))"
        return "\(alias)\(version)\(mark): \(values.joined(separator: ", "))"
    }

    /// Ends the schedule, and returns the report that a replay of the schedule prints.
    package func finish() throws(InputErrors) -> String {
        try engine { () throws(CoreDataError) in
            try world.finish()
            let page = TranscriptText.page(
                world.lab.recorder.lines.joined(separator: "\n"), runner: runner,
                token: runner.token(names), outcome: world.outcome, findings: world.findings,
                cycles: world.cycles)
            return page
        }
    }

    private func engine<Result>(
        _ body: () throws(CoreDataError) -> Result
    ) throws(InputErrors) -> Result {
        do throws(CoreDataError) { return try body() } catch {
            throw InputErrors([
                InputError(
                    file: runner.plan.scenario.file,
                    problem: "the step cannot be run: \(error.message)",
                    remedy: "report this with the file")
            ])
        }
    }
}

extension ScenarioSuite {
    /// Opens a scenario for stepping by hand.
    ///
    /// - Parameter cell: the label of a matrix cell; nil for the first one.
    package func step(
        _ path: String, cell label: String?, _ body: (Stepping) throws -> Void
    ) throws {
        guard case .loaded(let variants)? = try load([path]).first, let loaded = variants.first
        else {
            throw InputErrors([
                InputError(
                    file: path, problem: "the scenario cannot run here",
                    remedy: "name a scenario that needs no fixture and is not pending")
            ])
        }
        let cells = loaded.scenario.cells
        guard let cell = label.map({ label in cells.first { $0.description == label } }) ?? cells[0]
        else {
            throw InputErrors([
                InputError(
                    file: path, problem: "the matrix has no cell '\(label ?? "")'",
                    remedy: "write one of \(cells.map(\.description).joined(separator: " "))")
            ])
        }
        let folder = try WorkingFolder()
        defer { folder.remove() }
        let runner = try makeRunner(loaded, cell, folder)
        defer { runner.world.lab.store.close() }
        try body(try Stepping(runner: runner))
    }
}
