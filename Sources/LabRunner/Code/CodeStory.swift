import CoreData
import CoreDataEngine
import CoreDataStore
import CoreDataTrace
import Foundation
import Runtime

/// What the threads of one schedule did, line by line, with the places in the program's own code.
final class CodeStory {
    private struct Line {
        let lane: String
        let text: String
        let stack: Backtrace?
    }

    private var lines: [Line] = []
    private unowned let stage: CodeStage

    init(_ stage: CodeStage) { self.stage = stage }

    func note(_ lane: String, _ text: String) {
        lines.append(Line(lane: lane, text: text, stack: try? Backtrace.capture()))
    }

    func hear(_ event: Event) {
        guard let lane = stage.running, let text = Self.text(event) else { return }
        note(stage.lanes[lane].name, text)
        guard case .saveStep(_, "write") = event else { return }
        for change in changes() { note(stage.lanes[lane].name, "    \(change)") }
    }

    /// What the contexts have changed that the calling thread may use.
    private func changes() -> [String] {
        stage.isLooking = true
        defer { stage.isLooking = false }
        return stage.contexts.compactMap(\.context).filter(\.queue.isCurrent).flatMap { context in
            context.insertedObjects.map { "inserts \(Self.values(of: $0, $0.changedValues()))" }
                + context.updatedObjects.map {
                    "changes \(Self.values(of: $0, $0.changedValues()))"
                }
                + context.deletedObjects.map { "deletes \(Self.name($0))" }
        }.sorted()
    }

    private static func name(_ object: NSManagedObject) -> String {
        let key = object.objectKey
        return key.isTemporary
            ? object.entity.name ?? "" : "\(object.entity.name ?? "") \(key.key)"
    }

    private static func values(of object: NSManagedObject, _ values: [String: Any]) -> String {
        // What a relationship was before may be in the store.
        let attributes = values.keys.filter { object.entity.attributesByName[$0] != nil }
        let old = object.committedValues(forKeys: attributes)
        let parts = values.sorted { $0.key < $1.key }.map { key, value in
            let start = old[key].map { "\(text($0)) → " } ?? ""
            return "\(key) \(start)\(text(value))"
        }
        return "\(name(object)): \(parts.joined(separator: ", "))"
    }

    private static func text(_ value: Any) -> String {
        switch value {
        case is NSNull: "nil"
        case let object as NSManagedObject: name(object)
        case let objects as Set<NSManagedObject>:
            "{\(objects.map(name).sorted().joined(separator: ", "))}"
        default: "\(value)"
        }
    }

    private static func text(_ event: Event) -> String? {
        switch event {
        case .fetch(let entity, let rows, _): "fetches \(entity): \(rows) rows"
        case .count(let entity, let count, _): "counts \(entity): \(count)"
        case .fault(let object, let source):
            "reads \(object.entity) \(object.key) from \(source.rawValue)"
        case .relationshipFault(let object, let relationship, let rows, let source):
            "reads \(object.entity) \(object.key).\(relationship): \(rows) rows from"
                + " \(source.rawValue)"
        case .saveStep(let context, "write"): "saves\(quoted(context))"
        case .saveStep(let context, "didSave"): "has saved\(quoted(context))"
        case .saveStep(let context, "push to parent"): "saves\(quoted(context)) into its parent"
        case .merge(let context, let inserted, let updated, let deleted):
            "merges into '\(context)': \(inserted) inserted, \(updated) updated,"
                + " \(deleted) deleted"
        case .conflict(_, let kind, let object, let policy):
            "meets a conflict (\(kind)) on \(object.entity) \(object.key), policy \(policy)"
        case .statement, .rows, .prefetch, .enqueue, .wait, .acquire, .release, .saveStep,
            .annotation:
            nil
        }
    }

    private static func quoted(_ context: String) -> String {
        context.isEmpty ? "" : " '\(context)'"
    }

    /// The lines with the place of each in the program's own code.
    func told() -> [String] {
        let width = lines.map(\.lane.count).max() ?? 0
        let places = CodePlaces(lines.compactMap(\.stack))
        return lines.map { line in
            let lane = line.lane.padding(toLength: width, withPad: " ", startingAt: 0)
            let place = line.stack.flatMap { places.own($0) }
            return "\(lane)  \(line.text)" + (place.map { "  (\($0))" } ?? "")
        }
    }
}
