import CoreDataModel
import CoreDataStore

/// The rows of one entity in a store: values, references and the members of relationships.
struct StoreRows {
    let entity: EntityLayout
    /// The values by the primary key of their row, in the order of the entity's slots.
    let values: [Int64: [Value]]
    /// The members of each to-many relationship that is stored outside of the members' rows.
    let members: [Int: [Int64: [ObjectKey]]]

    init(_ entity: EntityLayout, of store: any ObjectStore) throws(CoreDataError) {
        self.entity = entity
        var values: [Int64: [Value]] = [:]
        let plan = FetchPlan(entity: entity, includesSubentities: false)
        for block in try store.fetchRows(plan, generation: 0).blocks {
            for index in 0..<block.count {
                let cells = block.cells(at: index)
                values[RowFormat.key(cells)] = entity.values.enumerated().map { slot, layout in
                    layout.isTransient
                        ? .null : RowFormat.value(cells, slot: slot, kind: layout.kind)
                }
            }
        }
        self.values = values
        var members: [Int: [Int64: [ObjectKey]]] = [:]
        let owners = ContiguousArray(values.keys.sorted())
        for (slot, relationship) in entity.toMany.enumerated() where relationship.isListed {
            let found = try store.destinations(
                ofAll: owners, entity: entity, slot: slot, generation: 0)
            for (owner, keys) in zip(owners, found.keysByOwner) {
                members[slot, default: [:]][owner] =
                    relationship.isOrdered ? Array(keys) : keys.sorted { $0.packed < $1.packed }
            }
        }
        self.members = members
    }
}

/// The result of a copy: the numbers of equal rows, values and references, and the differences.
package struct TransferReport {
    private let from: String
    private let to: String
    private var lines: [String] = []
    private var differences: [String] = []
    private var differenceCount = 0
    private var total = (rows: 0, values: 0, references: 0)

    /// The maximum number of differences that the report shows.
    private static let shown = 20

    init(from: String, to: String) {
        self.from = from
        self.to = to
    }

    package var isEqual: Bool { differenceCount == 0 }

    mutating func add(_ original: StoreRows, _ copy: StoreRows) {
        let entity = original.entity
        var equal = (values: 0, references: 0)
        for (key, values) in original.values.sorted(by: { $0.key < $1.key }) {
            guard let other = copy.values[key] else {
                note("\(entity.name)/p\(key) is missing")
                continue
            }
            for (slot, layout) in entity.values.enumerated() where !values[slot].isNull {
                guard Self.areSame(values[slot], other[slot]) else {
                    note(
                        "\(entity.name)/p\(key).\(layout.name) is \(other[slot]) and was"
                            + " \(values[slot])")
                    continue
                }
                if layout.toOne == nil { equal.values += 1 } else { equal.references += 1 }
            }
            for (slot, layout) in entity.values.enumerated()
            where values[slot].isNull && !other[slot].isNull {
                note("\(entity.name)/p\(key).\(layout.name) is \(other[slot]) and was nil")
            }
        }
        for key in copy.values.keys.sorted() where original.values[key] == nil {
            note("\(entity.name)/p\(key) exists only in the copy")
        }
        for (slot, owners) in original.members.sorted(by: { $0.key < $1.key }) {
            for (owner, keys) in owners.sorted(by: { $0.key < $1.key }) {
                guard copy.members[slot]?[owner] == keys else {
                    note(
                        "\(entity.name)/p\(owner).\(entity.toMany[slot].name) has other members"
                            + " or another order")
                    continue
                }
                equal.references += keys.count
            }
        }
        total.rows += original.values.count
        total.values += equal.values
        total.references += equal.references
        lines.append(
            "\(entity.name): \(original.values.count) rows, \(copy.values.count) in the copy;"
                + " \(equal.values) values and \(equal.references) references are equal")
    }

    /// Whether two values are the same; also true for two values that are not a number.
    private static func areSame(_ one: Value, _ other: Value) -> Bool {
        if case .double(let one) = one, case .double(let other) = other {
            return one == other || one.isNaN && other.isNaN
        }
        return one == other
    }

    private mutating func note(_ difference: String) {
        differenceCount += 1
        if differences.count < Self.shown { differences.append(difference) }
    }

    package var text: String {
        var lines = ["from \(from)", "to \(to)"] + self.lines
        lines.append(
            "\(total.rows) rows, \(total.values) values, \(total.references) references:"
                + (isEqual ? " the copy is equal" : " \(differenceCount) differences"))
        lines += differences.map { "  \($0)" }
        if differenceCount > differences.count { lines.append("  …") }
        return lines.joined(separator: "\n") + "\n"
    }
}
