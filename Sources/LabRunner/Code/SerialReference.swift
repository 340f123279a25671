import ContextHistory
import CoreDataEngine
import CoreDataModel
import CoreDataStore
import LabCheck

/// The end of a schedule: the rows of all stores, and the observed values.
struct SerialEnd: Sendable {
    struct Held: Sendable {
        let entity: String
        let keys: [String]
        let values: [ObservedValue]
        /// Whether the row exists since before the sessions, so that it has the same key in every
        /// schedule.
        let isOld: Bool
        let number: Int64
    }

    /// The rows by store and key.
    var rows: [String: Held] = [:]
    var observed: [String: String] = [:]

    /// The names of properties and observed values that differ between two runs of one schedule,
    /// such as dates.
    func differences(from other: SerialEnd) -> Set<String> {
        var found: Set<String> = []
        for (key, held) in rows {
            guard let twin = other.rows[key] else { continue }
            for (name, (one, two)) in zip(held.keys, zip(held.values, twin.values))
            where one != two { found.insert("\(held.entity).\(name)") }
        }
        for (name, value) in observed where other.observed[name] != value { found.insert(name) }
        return found
    }

    /// One line for each row and each observed value. Rows that the sessions have inserted have no
    /// number, because their numbers depend on the order of the saves.
    func lines(without ignored: Set<String>) -> [String] {
        let rows = rows.values.map { held -> String in
            let values = zip(held.keys, held.values).filter { name, _ in
                !ignored.contains("\(held.entity).\(name)")
            }.map { name, value in "\(name) \(text(value, ignored))" }
            return ([Self.name(held)] + values).joined(separator: " ")
        }
        let observed = observed.filter { !ignored.contains($0.key) }.map { "\($0) = \($1)" }
        return (rows + observed).sorted()
    }

    private static func name(_ held: Held) -> String {
        held.isOld ? "\(held.entity) \(held.number):" : "new \(held.entity):"
    }

    /// A reference to a new row is described by the values of that row.
    private func text(_ value: ObservedValue, _ ignored: Set<String>) -> String {
        guard case .object(let key) = value else { return value.quoted }
        guard let held = rows[key] else { return "a deleted row" }
        if held.isOld { return "\(held.entity) \(held.number)" }
        let values = zip(held.keys, held.values).filter { name, value in
            !value.isObject && !ignored.contains("\(held.entity).\(name)")
        }.map { name, value in "\(name) \(value.quoted)" }
        return "new \(held.entity) (\(values.joined(separator: " ")))"
    }
}

/// The ends of the sessions one after another, in every order.
struct SerialReference: Sendable {
    static let finding = "no serial order"

    private let ends: [(order: String, lines: [String])]
    private let ignored: Set<String>

    /// - Parameters:
    ///   - ends: the end of each order, with the names of its sessions.
    ///   - again: the end of the first order in another run.
    init(_ ends: [(order: [String], end: SerialEnd)], again: SerialEnd) {
        let ignored = ends.first.map { $0.end.differences(from: again) } ?? []
        self.ignored = ignored
        self.ends = ends.map {
            ($0.order.joined(separator: ", then "), $0.end.lines(without: ignored))
        }
    }

    /// The finding of a schedule whose end no order has; nil if an order has it.
    func finding(_ end: SerialEnd) -> Detection? {
        let lines = end.lines(without: ignored)
        if ends.isEmpty || ends.contains(where: { $0.lines == lines }) { return nil }
        let partings = ends.map { (order: $0.order, parting: Self.parting(lines, $0.lines)) }
        // `min` returns the first of several equal elements.
        guard let (order, parting) = partings.min(by: { $0.parting.count < $1.parting.count })
        else { return nil }
        return Detection(
            name: Self.finding,
            prose: "The sessions, one after another, never end like this schedule, in any order."
                + " The closest order is \(order); \(parting.count) lines differ.",
            evidence: parting.here.map { "here: \($0)" }
                + parting.there.map { "\(order): \($0)" }, step: "end")
    }

    /// The lines that only one of two ends has.
    private static func parting(
        _ here: [String], _ there: [String]
    ) -> (here: [String], there: [String], count: Int) {
        func rest(_ lines: [String], _ others: [String]) -> [String] {
            others.reduce(into: lines) { rest, line in
                if let index = rest.firstIndex(of: line) { rest.remove(at: index) }
            }
        }
        let (own, theirs) = (rest(here, there), rest(there, here))
        return (own, theirs, own.count + theirs.count)
    }
}

/// Reads the rows of stores for the comparison with serial orders.
enum SerialRows {
    /// The keys of all rows, by store.
    static func keys(_ coordinators: [NSPersistentStoreCoordinator]) -> Set<String> {
        var keys: Set<String> = []
        visit(coordinators) { key, _, _, _ in keys.insert(key) }
        return keys
    }

    /// - Parameter old: the keys of the rows from before the sessions.
    static func end(
        _ coordinators: [NSPersistentStoreCoordinator], old: Set<String>
    ) -> [String: SerialEnd.Held] {
        var rows: [String: SerialEnd.Held] = [:]
        visit(coordinators) { key, number, entity, row in
            rows[key] = SerialEnd.Held(
                entity: entity.name, keys: entity.values.map(\.name), values: row.values,
                isOld: old.contains(key), number: number)
        }
        return rows
    }

    private static func visit(
        _ coordinators: [NSPersistentStoreCoordinator],
        _ body: (_ key: String, _ number: Int64, EntityLayout, Row) -> Void
    ) {
        for (index, coordinator) in coordinators.enumerated() {
            let layout = coordinator.frozenModel.layout
            func name(_ key: ObjectKey) -> String {
                "\(index) \(layout[Int(key.entity)].rootIndex) \(key.key)"
            }
            for entity in layout.entities where entity.rootIndex == entity.index {
                let rows = CodeRows.read(entity, of: coordinator, layout) { name($0) }
                for (key, row) in rows {
                    body(name(key), key.key, layout[Int(key.entity)], row)
                }
            }
        }
    }
}
