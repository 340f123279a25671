import CoreDataEngine
import CoreDataModel
import LabCheck

/// Writes the history of one schedule, and its transcript where somebody wants to read it.
struct Recorder {
    private(set) var history: History
    /// One line for each thing that a reader should see; empty unless it is wanted.
    private(set) var lines: [String] = []
    let wantsLines: Bool
    private(set) var step = ""
    private(set) var context = ""

    init(schema: History.Schema, wantsLines: Bool) {
        history = History(schema: schema)
        self.wantsLines = wantsLines
    }

    mutating func begin(step: String, context: String) {
        self.step = step
        self.context = context
    }

    mutating func record(_ event: History.Event) {
        history.entries.append(.init(step: step, context: context, event: event))
    }

    /// A line of the step that runs: the statement and what came of it.
    mutating func line(_ statement: @autoclosure () -> String, _ result: @autoclosure () -> String) {
        guard wantsLines else { return }
        let head = "\(Self.padded(step, 10)) \(Self.padded(context, 8)) "
        let result = result()
        lines.append(head + statement() + (result.isEmpty ? "" : "  → " + result))
    }

    /// A line below the statement's.
    mutating func detail(_ text: @autoclosure () -> String) {
        guard wantsLines else { return }
        lines.append(String(repeating: " ", count: 20) + text())
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text.count >= width ? text : text + String(repeating: " ", count: width - text.count)
    }
}

extension History.Schema {
    init(_ layout: ModelLayout) {
        self.init(entities: layout.entities.map { ($0.name, $0.values.map(\.name)) })
    }
}
