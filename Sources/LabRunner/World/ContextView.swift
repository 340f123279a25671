import ContextHistory
import CoreDataEngine
import CoreDataModel
import CoreDataStore

/// The objects of a context, read without firing a fault. A transcript compares the views before
/// and after a merge or a refresh.
struct ContextView {
    fileprivate struct Held {
        let layout: EntityLayout
        let version: Int
        /// The values of the object's row, without unsaved changes; nil for a new object.
        let base: [Value]?
        /// Nil for a fault.
        let values: [Value]?
        /// The members of the to-many relationships that have been read, by their slots.
        let members: [Int: Set<ObjectKey>]
        let isDeleted: Bool
    }

    private let world: LabWorld
    private let order: [ObjectKey]
    private let held: [ObjectKey: Held]
    private let name: String

    private static let linesMax = 12

    init(of context: LabContext, in world: LabWorld) {
        self.world = world
        name = context.plan.name
        let wasLooking = world.watch.isLooking
        world.watch.isLooking = true
        defer { world.watch.isLooking = wasLooking }
        let seen = context.queue.runAndWait { () throws(Never) in
            context.changed(context.context.registeredObjects).map { ($0.objectKey, Held($0)) }
        }
        order = seen.map(\.0)
        held = Dictionary(seen, uniquingKeysWith: { first, _ in first })
    }

    /// The differences, with a line for each object or value. If nothing differs, a single line
    /// reports this.
    func changes(since before: ContextView) -> [String] {
        var lines: [String] = []
        for key in before.order where held[key] == nil {
            lines.append("\(world.alias(key)) is no longer in \(name)")
        }
        for key in order {
            // Safe: the order lists the keys of `held`.
            lines += Self.changes(of: world.alias(key), before.held[key], held[key]!, world.alias)
        }
        if lines.isEmpty { return ["no object in \(name) has changed"] }
        let rest = lines.count - Self.linesMax
        return lines.prefix(Self.linesMax) + (rest > 0 ? ["and \(rest) more"] : [])
    }

    private static func changes(
        of alias: String, _ old: Held?, _ new: Held, _ name: (ObjectKey) -> String
    ) -> [String] {
        guard let old else { return ["\(alias) is new, a fault until it is read"] }
        if new.isDeleted, !old.isDeleted { return ["\(alias) is deleted"] }
        guard let before = old.values else {
            return new.values == nil ? [] : ["\(alias) is read, " + new.versionText]
        }
        guard let after = new.values else { return [old.text(asFault: alias, name)] }
        var lines = new.layout.values.indices.compactMap { slot -> String? in
            let path = "\(alias).\(new.layout.values[slot].name)"
            func text(_ values: [Value]?) -> String {
                values.map { new.text($0, slot, name) } ?? "nothing"
            }
            if before[slot] != after[slot] { return "\(path): \(text(before)) → \(text(after))" }
            let (oldBase, newBase) = (old.base?[slot], new.base?[slot])
            if oldBase == newBase { return nil }
            return "\(path) stays \(text(after)), not saved; its row:"
                + " \(text(old.base)) → \(text(new.base))"
        }
        for (slot, relationship) in new.layout.toMany.enumerated() {
            let line = membersLine(old.members[slot], new.members[slot], name)
            if let line { lines.append("\(alias).\(relationship.name)\(line)") }
        }
        if old.version != new.version {
            lines.append("\(alias): version \(old.version) → \(new.version)")
        }
        return lines
    }

    private static func membersLine(
        _ old: Set<ObjectKey>?, _ new: Set<ObjectKey>?, _ name: (ObjectKey) -> String
    ) -> String? {
        if old == new { return nil }
        guard let old else { return nil }
        guard let new else { return " is read again when it is used" }
        let came = new.subtracting(old).map { "+ \(name($0))" }.sorted()
        let went = old.subtracting(new).map { "− \(name($0))" }.sorted()
        return ": " + (came + went).joined(separator: ", ")
    }
}

extension ContextView.Held {
    init(_ object: NSManagedObject) {
        let layout = object.layout
        self.layout = layout
        let cells = object.cells
        version = cells.map { Int(RowFormat.version($0)) } ?? 0
        base = cells.map { cells in
            layout.values.indices.map {
                RowFormat.value(cells, slot: $0, kind: layout.values[$0].kind)
            }
        }
        isDeleted = object.isDeleted
        if object.isFault {
            values = nil
            members = [:]
            return
        }
        values = layout.values.indices.map { (try? object.value(at: $0)) ?? .null }
        var members: [Int: Set<ObjectKey>] = [:]
        for (slot, relationship) in layout.toMany.enumerated()
        where !object.hasFault(forRelationshipNamed: relationship.name) {
            members[slot] = Set((try? object.toManyMembers(slot))?.map(\.objectKey) ?? [])
        }
        self.members = members
    }

    fileprivate var versionText: String { version > 0 ? "version \(version)" : "without a row" }

    fileprivate func text(
        _ values: [Value], _ slot: Int, _ name: (ObjectKey) -> String
    ) -> String {
        LiteralCoding.observed(values[slot], kind: layout.values[slot].kind, name: name).quoted
    }

    fileprivate func text(asFault alias: String, _ name: (ObjectKey) -> String) -> String {
        let unsaved = layout.values.indices.compactMap { slot -> String? in
            guard let values, let base, values[slot] != base[slot] else { return nil }
            return "\(layout.values[slot].name) = \(text(values, slot, name))"
        }
        return "\(alias) is a fault, which is read again when it is used"
            + (unsaved.isEmpty ? "" : "; dropped unsaved: " + unsaved.joined(separator: ", "))
    }
}
