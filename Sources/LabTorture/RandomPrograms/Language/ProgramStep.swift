/// A step of a random program. Numbers identify the objects.
///
/// If earlier steps are removed, a step can become impossible. The reference skips such a step, so
/// a program remains valid when steps are removed.
enum ProgramStep: Hashable, Sendable {
    case insert(ProgramKind, Int, [ProgramAttribute: ProgramValue])
    case set(Int, ProgramAttribute, ProgramValue?)
    case lead(Int, ProgramLink, Int?)
    /// Adds a member at the index; at the end if it is nil.
    case add(Int, ProgramLink, Int, at: Int?)
    case remove(Int, ProgramLink, Int)
    case replace(Int, ProgramLink, [Int])
    case move(Int, ProgramLink, Int, to: Int)
    case delete(Int)
    case undo
    case redo
    case save
    case rollback
    case reset
    case refresh(Int, merging: Bool)
    case refreshAll
    /// Releases the program's strong references to objects.
    case forget
    case obtainIDs
    case fetch(ProgramQuery)
    case look
    case readInNewContext
    case openChild
    case closeChild
    case batchUpdate(ProgramKind, ProgramAttribute, ProgramValue?, ProgramCondition)
    case batchDelete(ProgramKind, ProgramCondition)
    case batchInsert(ProgramKind, [Int: ProgramValue])
    case reopen

    var text: String {
        switch self {
        case .insert(let kind, let number, let values):
            (["insert \(kind.entity) #\(number)"] + Self.list(values)).joined(separator: " ")
        case .set(let number, let attribute, let value):
            "set #\(number).\(attribute) to \(value?.text ?? "nil")"
        case .lead(let number, let link, let other):
            "set #\(number).\(link.name) to \(other.map { "#\($0)" } ?? "nil")"
        case .add(let number, let link, let other, let index):
            "add #\(other) to #\(number).\(link.name)\(index.map { " at \($0)" } ?? "")"
        case .remove(let number, let link, let other):
            "remove #\(other) from #\(number).\(link.name)"
        case .replace(let number, let link, let others):
            "set #\(number).\(link.name) to {\(others.map { "#\($0)" }.joined(separator: ", "))}"
        case .move(let number, let link, let from, let to):
            "move #\(number).\(link.name) from \(from) to \(to)"
        case .delete(let number): "delete #\(number)"
        case .undo: "undo"
        case .redo: "redo"
        case .save: "save"
        case .rollback: "rollback"
        case .reset: "reset"
        case .refresh(let number, let merging):
            "refresh #\(number)\(merging ? " merging changes" : "")"
        case .refreshAll: "refresh all"
        case .forget: "forget objects"
        case .obtainIDs: "obtain permanent ids"
        case .fetch(let query): query.text
        case .look: "look"
        case .readInNewContext: "look in a new context"
        case .openChild: "open a child"
        case .closeChild: "close the child"
        case .batchUpdate(let kind, let attribute, let value, let condition):
            "batch update \(kind.entity) set \(attribute) to \(value?.text ?? "nil")"
                + " where \(condition.text)"
        case .batchDelete(let kind, let condition):
            "batch delete \(kind.entity) where \(condition.text)"
        case .batchInsert(let kind, let rows):
            "batch insert \(kind.entity) "
                + rows.sorted { $0.key < $1.key }.map { "#\($0.key) \($0.value.text)" }
                .joined(separator: ", ")
        case .reopen: "reopen the store"
        }
    }

    private static func list(_ values: [ProgramAttribute: ProgramValue]) -> [String] {
        values.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.key)=\($0.value.text)" }
    }
}

struct RandomProgram: Sendable {
    let schema: ProgramSchema
    let hasUndo: Bool
    /// Whether the program keeps a strong reference to each object that it has used.
    let holdsObjects: Bool
    var watched: ProgramQuery?
    var steps: [ProgramStep]

    var text: String {
        let facts = [schema.text, hasUndo ? "undo" : "", holdsObjects ? "objects held" : ""]
        let watch = watched.map { "\nwatched: \($0.text)" } ?? ""
        let head = "model: " + facts.filter { !$0.isEmpty }.joined(separator: "; ") + watch
        let lines = steps.enumerated().map { "\($0 + 1). \($1.text)" }
        return ([head] + lines).joined(separator: "\n")
    }
}
