import CoreDataTrace

/// Receives the events that only a story needs: the rows of a fetch, and the SQL of each choice.
final class StorySink: EventSink {
    private let stage: CodeStage
    // Unchecked because only the thread with the baton uses it.
    private nonisolated(unsafe) var statements: [String] = []

    init(_ stage: CodeStage) { self.stage = stage }

    var wantsRows: Bool { true }

    func taken() -> [String] {
        defer { statements = [] }
        return statements
    }

    func record(_ event: Event) {
        guard stage.isInside, stage.baton.current != nil, !stage.isLooking else { return }
        switch event {
        case .rows: stage.story?.hear(event)
        case .statement(let statement):
            let rows = statement.rows == 1 ? "1 row" : "\(statement.rows) rows"
            statements.append(statement.sql + (statement.kind == .select ? "  -- \(rows)" : ""))
        default: break
        }
    }
}
