import Foundation
import LabFiles
import LabResults
import LabRunner
import LabSchedule
import Testing

/// A scenario in which a step of the reader requires that a notification was delivered.
private struct Waiting: Sendable, CustomTestStringConvertible {
    enum Delivery: String, CaseIterable {
        case observed, automatic, child, chained, enqueued, onSave
    }

    /// The role of a third session.
    enum Company: String, CaseIterable {
        case none, conflicting, merged, saving
    }

    let delivery: Delivery
    let company: Company
    var number = 1
    var mode = "inline"

    var testDescription: String { "\(delivery), \(company), #\(number), \(mode)" }

    static let inline: [Waiting] = Delivery.allCases.flatMap { delivery -> [Waiting] in
        Company.allCases.flatMap { company -> [Waiting] in
            let numbers = company == .saving ? [1, 2] : [1]
            return numbers.map { Waiting(delivery: delivery, company: company, number: $0) }
        }
    }

    static let baton = [Delivery.observed, .automatic, .enqueued].map {
        Waiting(delivery: $0, company: .none, mode: "baton")
    }

    private var isBlock: Bool { delivery == .enqueued || delivery == .onSave }

    private var name: String {
        (isBlock ? "~look" : "~m(W→V)") + (number == 1 ? "" : "#\(number)")
    }

    private var contexts: String {
        let fromOther = company == .merged ? ", X" : ""
        let listens = company == .merged ? ", merges-from: [X]" : ""
        return switch delivery {
        case .observed: "W: {}\n  X: {}\n  V: {merges-from: [W\(fromOther)]}"
        case .automatic: "W: {}\n  X: {}\n  V: {automerge: true}"
        case .child: "W: {}\n  X: {}\n  V: {parent: W, automerge: true}"
        case .chained: "W: {}\n  C: {parent: W}\n  X: {}\n  V: {automerge: true}"
        case .enqueued: "W: {}\n  X: {}\n  V: {queue: main\(listens)}"
        case .onSave: "W: {on-save: [look]}\n  X: {}\n  V: {queue: main\(listens)}"
        }
    }

    private var writer: String {
        let end = delivery == .enqueued ? "save; enqueue look" : "save"
        if mode == "baton" { return "w1: set a.n = 5; \(end)" }
        if company == .saving { return "w1: set a.n = 5; \(end), w2: set a.n = 6; \(end)" }
        return "w1: set a.n = 5, w2: \(end)"
    }

    private var sessions: String {
        let context = delivery == .chained ? "C" : "W"
        var text = "writer: {context: \(context), steps: {\(steps(writer))}}"
        if company == .conflicting || company == .merged {
            text += "\n  other: {context: X, steps: {x1: 'set a.n = 7', x2: save}}"
        }
        let reads = mode == "baton" ? "v2: read a.n -> seen" : "v1: read a.n, v2: read a.n -> seen"
        return text + "\n  reader: {context: V, steps: {\(reads)}}"
    }

    /// The steps in YAML, quoted because a statement may contain a semicolon. In the chained form,
    /// a save of a child also saves its parents.
    private func steps(_ text: String) -> String {
        let save = delivery == .chained ? "save-chain" : "save"
        return text.split(separator: ", ").map { step in
            let (name, line) = (step.prefix(2), step.dropFirst(4))
            return "\(name): '\(line.replacing("save", with: save))'"
        }.joined(separator: ", ")
    }

    func yaml(isOrdered: Bool = true) -> String {
        """
        name: written
        about: The reader reads when it was told.
        model: {entities: {Item: {attributes: {n: integer64}}}}
        setup: ["insert Item as a with n = 10"]
        mode: \(mode)
        contexts:
          \(contexts)
        sessions:
          \(sessions)
        blocks: {look: {context: V, do: "refresh a keep"}}
        after: [\(isOrdered ? "v2 requires \(name)" : "")]
        observe: {seen: value seen, read: status v2}
        outcomes:
          - {grade: acceptable, is: {seen: "*"}, because: anything may be}
        """
    }

    var mayBeSeen: [String] { number == 1 ? ["5", "6", "7"] : ["6"] }
}

@Suite struct DeliveryOrderTests {
    private func cell(_ text: String) throws -> LoadedCell {
        try withScenario(text) { path in
            try #require(
                try suite().smallCells([path], atMost: .max, includesBaton: true).first)
        }
    }

    /// Expects that in every outcome, the reader has received the delivery or has never read.
    private func expectTold(_ summary: CellSummary, _ waiting: Waiting) {
        for outcome in summary.outcomes.keys {
            let isTold = waiting.mayBeSeen.contains {
                outcome.contains("seen = \($0),") && outcome.contains("read = ok")
            }
            #expect(isTold || outcome.contains("read = never"), "\(outcome)")
            #expect(
                isTold || summary.findings.contains("step never runs in v2"), "\(outcome)")
        }
    }

    @Test(arguments: Waiting.inline + Waiting.baton)
    private func `a step that requires a delivery runs after it, and reduction keeps all`(
        waiting: Waiting
    ) throws {
        let cell = try cell(waiting.yaml())
        let whole = try suite().with(.exhaustive).explore(cell)
        let fewer = try suite().with(.reduced).explore(cell)
        #expect(whole.isComplete && fewer.isComplete)
        #expect(fewer.outcomes == whole.outcomes)
        #expect(fewer.findings == whole.findings)
        #expect(fewer.represented == whole.explored)
        expectTold(whole, waiting)
        let isRefused = whole.findings.contains("step never runs in v2")
        let mayBeRefused = waiting.company == .conflicting || waiting.company == .merged
        // In the chained form the parent reads the row only when its child saves. The save
        // therefore never fails.
        #expect(isRefused == (mayBeRefused && waiting.delivery != .chained))
        if let predicted = cell.predicted {
            let isAlone = waiting.company == .none || waiting.company == .saving
            #expect(isAlone ? whole.explored == predicted : whole.explored <= predicted)
        }
        // Without the required order, some schedules read the old value.
        let free = try suite().with(.exhaustive).explore(
            try self.cell(waiting.yaml(isOrdered: false)))
        #expect(free.outcomes.keys.contains { $0.contains("seen = 10") })
        #expect(free.explored > whole.explored)
    }

    /// The maximum number of schedules for each strategy. `FAULTLINE_THOROUGH` raises it.
    private static let limit =
        ProcessInfo.processInfo.environment["FAULTLINE_THOROUGH"] == nil ? 15 : 60

    @Test(arguments: [Strategy.bounded(1), .pct(depth: 3), .random, .portfolio, .automatic])
    func `every strategy keeps the order`(strategy: Strategy) throws {
        for waiting in Waiting.inline + Waiting.baton {
            let summary = try suite().with(strategy, limit: Self.limit).explore(
                try cell(waiting.yaml()))
            #expect(summary.explored > 0)
            expectTold(summary, waiting)
        }
    }

    @Test func `a replay waits for the delivery, and leaves out steps that never run`() throws {
        let waiting = Waiting(delivery: .observed, company: .conflicting)
        try withScenario(waiting.yaml()) { path in
            func replay(_ steps: String) throws -> ReplayResult {
                try suite().replay("lab1:written@00000000:-:\(steps)", in: [path])
            }
            let told = try replay("v1.w1.w2.v2.~m(W->V).x1.x2")
            #expect(told.adaptations.contains("'v2' has to wait for another step"))
            let lines = told.first.split(separator: "\n")
            let merged = try #require(lines.firstIndex { $0.hasPrefix("~m(W→V)") })
            let read = try #require(lines.firstIndex { $0.hasPrefix("v2 ") })
            #expect(merged < read)
            let left = try replay("v1.w1.x1.x2.w2")
            #expect(left.first.contains("requires ~m(W→V)  → never runs"))
            #expect(left.first.contains("observed read = \"never\""))
            #expect(left.result.findings.map(\.name).contains("step never runs"))
            #expect(left.first == left.second)
        }
    }

    @Test(
        arguments: [
            ("v2 requires ~m(X→V)", "14:22", "did you mean '~m(W→V)'?"),
            ("v2 requires ~m(W→V)#3", "14:22", "did you mean '~m(W→V)#2'?"),
            ("v2 requires ~look", "14:22", "write one of '~m(W→V)', '~m(W→V)#2'"),
            ("v2 requires w9", "14:22", "write one of 'w1', 'w2', 'v1', 'v2', '~m(W→V)'"),
            ("~m(W→V) requires w1", "14:10", "name a step of a session here"),
            ("v2 requires ~m(W)", "14:26", "write ~m(W→CONTEXT)"),
            ("v2 requires ~m(W→V)#x", "14:30", "write #2 for the second delivery"),
            ("w1 requires ~m(W→V)", "14:10", "remove one of the lines under 'after'"),
        ])
    func `an impossible requirement is reported with its location and the possible ones`(
        line: String, place: String, remedy: String
    ) throws {
        let text = Waiting(delivery: .observed, company: .saving).yaml(isOrdered: false)
            .replacing("after: []", with: "after: ['\(line)']")
        try withScenario(text) { path in
            let error = #expect(throws: InputErrors.self) { try suite().run([path]) }
            let found = try #require(error?.errors.first)
            #expect("\(found.line ?? 0):\(found.column ?? 0)" == place)
            #expect(found.remedy.contains(remedy), "\(found.remedy)")
        }
    }

    @Test func `a requirement that a cell never delivers is reported, and nothing hangs`() throws {
        let text = Waiting(delivery: .automatic, company: .none).yaml()
            .replacing("automerge: true", with: "automerge: $listens")
            .replacing("mode: inline", with: "matrix: {listens: [true, false]}")
        try withScenario(text) { path in
            let results = try suite().run([path]).scenarios
            #expect(results[0].findings.isEmpty)
            #expect(results[1].findings.map(\.name) == ["step never runs"])
            #expect(results[1].outcomes.allSatisfy { $0.text.contains("never") })
        }
    }
}
