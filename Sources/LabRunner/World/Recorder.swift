import ContextHistory
import CoreDataEngine
import CoreDataModel

/// Writes the history of one schedule, and its transcript if one is requested.
struct Recorder {
    private(set) var history: History
    struct Line {
        let step: String
        let context: String
        let text: String
        let isDetail: Bool

        fileprivate var place: (String, String) { (step, context) }
    }

    /// One line for each event of the transcript; empty if no transcript is written.
    private(set) var texts: [Line] = []
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

    mutating func line(_ statement: @autoclosure () -> String, _ result: @autoclosure () -> String)
    {
        guard wantsLines else { return }
        let result = result()
        let text = statement() + (result.isEmpty ? "" : "  → " + result)
        texts.append(Line(step: step, context: context, text: text, isDetail: false))
    }

    /// Adds a line below the statement's line.
    mutating func detail(_ text: @autoclosure () -> String) {
        guard wantsLines else { return }
        texts.append(Line(step: step, context: context, text: text(), isDetail: true))
    }

    var lines: [String] {
        texts.enumerated().map { index, line in
            // A detail below a line of another thread's step would seem to belong to that step.
            let isBelowIts =
                index > 0 && (texts[index - 1].step, texts[index - 1].context) == line.place
            if line.isDetail, isBelowIts {
                return String(repeating: " ", count: 20) + line.text
            }
            return "\(Self.padded(line.step, 10)) \(Self.padded(line.context, 8)) " + line.text
        }
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text.count >= width ? text : text + String(repeating: " ", count: width - text.count)
    }
}

/// Removes from a message the parts that differ from run to run: addresses, and ids with random
/// parts.
enum Scrubbed {
    static func text(_ message: String) -> String {
        var text = ""
        var rest = Substring(message)
        while let start = first(in: rest) {
            text += rest[..<start]
            let tail = rest[start...]
            let end = tail.firstIndex { " >,')".contains($0) } ?? tail.endIndex
            text += tail.hasPrefix("0x") ? "0x…" : "an object's id"
            rest = tail[end...]
        }
        return text + rest
    }

    private static func first(in text: Substring) -> Substring.Index? {
        let starts = ["0x", "x-coredata:"].compactMap { mark in
            text.firstRange(of: mark)?.lowerBound
        }
        return starts.min()
    }
}

extension History.Schema {
    init(_ layout: ModelLayout, _ contexts: [CellPlan.Context]) {
        self.init(
            entities: layout.entities.map { ($0.name, $0.values.map(\.name)) },
            partners: layout.entities.map { entity in
                var partners: [Int: Int] = [:]
                for (slot, value) in entity.values.enumerated() {
                    if case .value(let other)? = value.toOne?.inverse { partners[slot] = other }
                }
                return partners
            },
            parents: Dictionary(
                uniqueKeysWithValues: contexts.compactMap { context in
                    context.parent.map { (context.name, contexts[$0].name) }
                }))
    }
}
