import ContextHistory
import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import LabScenario

/// Runs the statements of one step on one context. It calls the engine's functions that throw
/// errors instead of trapping. So misuse ends the step with a finding, and the process continues.
/// Worlds create one runner for each step.
struct StepRunner {
    let world: LabWorld
    let context: LabContext
    /// Nil if no transcript is written.
    let remarks: StatementRemarks?

    init(world: LabWorld, context: LabContext) {
        self.world = world
        self.context = context
        remarks = world.recorder.wantsLines ? StatementRemarks() : nil
    }

    /// Creates a runner that executes a part of another runner's statement in another context.
    init(_ context: LabContext, for other: StepRunner) {
        world = other.world
        self.context = context
        remarks = other.remarks
    }

    /// The reason why a step stopped early.
    enum Stop: Error {
        case engine(CoreDataError)
        case misuse(Misuse, String)
        /// The name has no value in this schedule.
        case missing(String)
        /// A save ended differently than its step expects.
        case unexpected(String)
        /// The database rejected a statement of another process.
        case outside(StatementProblem)
    }

    /// - Returns: the step's status.
    mutating func run(_ step: Step) -> ObservedValue {
        var hasRun = false
        for statement in step.statements {
            if let condition = statement.condition, holds(condition.name.value) != condition.holds {
                world.recorder.line(statement.text, "skipped")
                continue
            }
            do throws(Stop) {
                if statement.isOffQueue {
                    try perform(statement)
                } else {
                    try context.queue.runAndWait { () throws(Stop) in try perform(statement) }
                }
                hasRun = true
            } catch {
                return stopped(error, statement)
            }
        }
        return .text(hasRun ? "ok" : "skipped")
    }

    private func holds(_ name: String) -> Bool {
        switch context.bindings[name] {
        case .object: true
        case .objects(let objects): !objects.isEmpty
        case .value(let value, _): value.holds
        case nil:
            world.notes.status(of: name).map { $0 == .text("ok") } ?? (world.setupKey(name) != nil)
        }
    }

    private func stopped(_ stop: Stop, _ statement: Statement) -> ObservedValue {
        switch stop {
        case .missing(let name):
            record(statement, "skipped: '\(name)' has no value")
            return .text("skipped")
        case .unexpected(let text):
            record(statement, "unexpected: \(text)")
            return .text("unexpected")
        case .outside(let problem):
            record(statement, "\(problem.source): \(problem.message)")
            return .integer(Int64(problem.code))
        case .misuse(let misuse, let text):
            let message = Scrubbed.text(text)
            world.recorder.record(.misuse(misuse, message: message))
            record(statement, "\(misuse.rawValue): \(message)")
            return .text("misuse")
        case .engine(let error) where error.code == .wrongQueue:
            return stopped(.misuse(.queueConfinement, error.message), statement)
        case .engine(let error):
            let code = error.cocoaCode
            let message = Scrubbed.text(error.message)
            // A save records its own failure, with the objects that caused it.
            if !statement.action.isSave {
                world.recorder.record(.failed(code: code, message: message))
            }
            record(statement, "error \(code): \(message)")
            return .integer(Int64(code))
        }
    }

    private func record(_ statement: Statement, _ result: @autoclosure () -> String) {
        guard let remarks else { return }
        world.recorder.line(statement.text, remarks.completed(result()))
        for text in remarks.takeBelow() { world.recorder.detail(text) }
    }

    /// Runs code that may change objects, and adds the changes to the transcript.
    func reportingChanges<Result>(
        of changed: LabContext, _ body: () throws(Stop) -> Result
    ) throws(Stop) -> Result {
        guard let remarks else { return try body() }
        let before = ContextView(of: changed, in: world)
        let result = try body()
        remarks.add(below: ContextView(of: changed, in: world).changes(since: before))
        return result
    }

    private func perform(_ statement: Statement) throws(Stop) {
        let result =
            switch statement.action {
            case .object(let action): try perform(action)
            case .context(let action): try perform(action)
            case .list(let action): try perform(action)
            case .look(let action): try perform(action)
            case .batch(let batch): try run(batch)
            case .setting(let action): perform(action)
            case .stack(let action): try perform(action)
            }
        record(statement, result)
        if statement.action.writesRows { describeSave() }
    }

    func engine<Result>(_ body: () throws(CoreDataError) -> Result) throws(Stop) -> Result {
        do throws(CoreDataError) { return try body() } catch { throw .engine(error) }
    }

    func bind(_ name: String?, _ value: ObservedValue) {
        bind(name, .value(value, .given), value)
    }

    func bind(_ name: String?, _ binding: LabContext.Binding, _ value: ObservedValue) {
        guard let name else { return }
        context.bindings[name] = binding
        world.notes.keep(value, as: name)
    }
}

extension Action {
    /// Whether the statement may write rows. A transcript shows these rows below the statement.
    fileprivate var writesRows: Bool {
        switch self {
        case .context(.save), .batch: true
        case .object, .context, .list, .look, .setting, .stack: false
        }
    }
}
