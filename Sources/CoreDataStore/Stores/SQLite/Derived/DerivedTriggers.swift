import CoreDataModel
import CoreDataSQL

/// Creates the triggers that keep derived attributes up to date, whichever program writes the rows.
///
/// The triggers for the count of members, and for the value at the end of one relationship, are
/// known to be those of Core Data's stores. Every trigger ends by reporting the rows that it has
/// written; see ``DerivedChanges``.
///
/// Source: store-format.md, "Indexes and triggers"; semantics.md §7.7.
struct DerivedTriggers {
    let layout: ModelLayout
    let numbers: EntityNumbers

    static let prefix = "Z_DA_"

    func statements(keeping keeps: (Int) -> Bool = { _ in true }) -> [String] {
        DerivedColumn.all(of: layout).filter { keeps($0.entity.index) }.flatMap(triggers)
    }

    /// Fills the columns of all rows, for a store with new triggers. An existing date in a row is
    /// kept.
    func recomputing() -> [String] {
        DerivedColumn.all(of: layout).map {
            $0.update(where: $0.derivation == .now ? "\($0.column) IS NULL" : "1", numbers)
        }
    }

    private func triggers(_ derived: DerivedColumn) -> [String] {
        switch derived.derivation {
        case .now:
            [
                own(derived, "INSERT", "INSERT", isNew: true),
                own(derived, "UPDATE", "UPDATE OF Z_OPT"),
            ]
        case .value(let hops, let slot, _): valueTriggers(derived, hops, slot)
        case .count(let members): [sourceInsert(derived)] + countTriggers(derived, members)
        case .aggregate(_, let members, let slot):
            [sourceInsert(derived)] + aggregateTriggers(derived, members, slot)
        }
    }

    // MARK: The row itself

    private func sourceInsert(_ derived: DerivedColumn) -> String {
        own(derived, "SOURCE_INSERT", "INSERT", isNew: true)
    }

    /// The statement that computes the value of the row for which the trigger fires.
    private func own(
        _ derived: DerivedColumn, _ name: String, _ event: String, isNew: Bool = false
    ) -> String {
        trigger(
            derived, name, event, on: derived.table,
            when: derived.ownership(of: "NEW.", numbers),
            set: derived.value(of: "NEW"), where: "Z_PK = NEW.Z_PK", isNew: isNew)
    }

    private func valueTriggers(
        _ derived: DerivedColumn, _ hops: [Int], _ slot: Int
    ) -> [String] {
        let ownColumn = derived.entity.values[hops.first ?? slot].column ?? ""
        var made = [
            sourceInsert(derived), own(derived, "SOURCE_UPDATE", "UPDATE OF \(ownColumn)"),
        ]
        let way = derived.way(hops)
        // For each relationship of the path, triggers watch the rows at its end. They find the rows
        // to update by following the path backwards.
        for (index, hop) in way.enumerated() {
            var owners = "NEW.Z_PK"
            for step in stride(from: index, through: 1, by: -1) {
                owners =
                    "(SELECT Z_PK FROM \(way[step - 1].destination.tableName)"
                    + " WHERE \(way[step].column) \(step == index ? "=" : "IN") \(owners))"
            }
            let isLast = index == way.count - 1
            let changing = isLast ? hop.destination.values[slot].column : way[index + 1].column
            let suffix = way.count == 1 ? "" : "_\(index + 1)"
            let condition = "\(way[0].column) \(index == 0 ? "=" : "IN") \(owners)"
            for (name, event) in [
                ("PARAMETER_INSERT", "INSERT"), ("PARAMETER_UPDATE", "UPDATE OF \(changing ?? "")"),
            ] {
                made.append(
                    trigger(
                        derived, name + suffix, event, on: hop.destination.tableName,
                        set: derived.value(of: derived.table), where: condition))
            }
        }
        return made
    }

    // MARK: Members

    private func countTriggers(_ derived: DerivedColumn, _ members: Int) -> [String] {
        let relationship = derived.entity.toMany[members]
        guard case .foreignKey(let key, _, _) = relationship.storage else {
            return pairTriggers(derived, members)
        }
        let table = layout[relationship.destinationIndex].tableName
        func step(
            _ name: String, _ event: String, _ row: String, _ value: String
        ) -> String {
            trigger(
                derived, name, event, on: table, when: "\(row).\(key) NOT NULL",
                set: value, where: "Z_PK = \(row).\(key)")
        }
        let more = "IFNULL(\(derived.column), 0) + 1"
        let less = "\(derived.column) - 1"
        return [
            step("PARAMETER_INSERT", "INSERT", "NEW", more),
            step("PARAMETER_UPDATE_INCREMENT", "UPDATE OF \(key)", "NEW", more),
            step("PARAMETER_UPDATE_DECREMENT", "UPDATE OF \(key)", "OLD", less),
            step("PARAMETER_DELETE", "DELETE", "OLD", less),
        ]
    }

    private func aggregateTriggers(
        _ derived: DerivedColumn, _ members: Int, _ slot: Int
    ) -> [String] {
        let relationship = derived.entity.toMany[members]
        let destination = layout[relationship.destinationIndex]
        let value = destination.values[slot].column ?? ""
        func anew(_ name: String, _ event: String, _ owners: String) -> String {
            trigger(
                derived, name, event, on: destination.tableName,
                set: derived.value(of: derived.table), where: owners)
        }
        switch relationship.storage {
        case .foreignKey(let key, _, _):
            return [
                anew("PARAMETER_INSERT", "INSERT", "Z_PK = NEW.\(key)"),
                anew(
                    "PARAMETER_UPDATE", "UPDATE OF \(key), \(value)",
                    "Z_PK IN (OLD.\(key), NEW.\(key))"),
                anew("PARAMETER_DELETE", "DELETE", "Z_PK = OLD.\(key)"),
            ]
        case .joinTable(let pairs, let owner, let member, _, _):
            let owners = "Z_PK IN (SELECT \(owner) FROM \(pairs) WHERE \(member) = NEW.Z_PK)"
            return pairTriggers(derived, members)
                + [
                    anew("PARAMETER_INSERT", "INSERT", owners),
                    anew("PARAMETER_UPDATE", "UPDATE OF \(value)", owners),
                ]
        case .none: return []
        }
    }

    /// The triggers that fire when the pairs of a join table change.
    private func pairTriggers(_ derived: DerivedColumn, _ members: Int) -> [String] {
        guard
            case .joinTable(let pairs, let owner, _, _, _) = derived.entity.toMany[members].storage
        else { return [] }
        return [("INSERT", "NEW"), ("DELETE", "OLD")].map { event, row in
            trigger(
                derived, "MEMBER_\(event)", event, on: pairs,
                set: derived.value(of: derived.table), where: "Z_PK = \(row).\(owner)")
        }
    }

    // MARK: Text

    private func trigger(
        _ derived: DerivedColumn, _ name: String, _ event: String, on table: String,
        when test: String? = nil, set value: String, where condition: String, isNew: Bool = false
    ) -> String {
        let attribute = derived.entity.values[derived.slot].name
        let title = "\(Self.prefix)\(table)_\(derived.entity.name)_\(attribute)_\(name)"
        let owned = isNew ? "" : derived.ownership(of: "", numbers).map { " AND \($0)" } ?? ""
        let (target, column) = (derived.table, derived.column)
        return "CREATE TRIGGER \(title) AFTER \(event) ON \(table) FOR EACH ROW "
            + (test.map { "WHEN (\($0)) " } ?? "")
            + "BEGIN UPDATE \(target) SET \(column) = \(value) WHERE \(condition)\(owned); "
            + "SELECT \(DerivedChanges.functions[isNew ? 1 : 0])('\(target)', Z_ENT, Z_PK, "
            + "'\(attribute)', \(column)) FROM \(target) WHERE \(condition)\(owned); END"
    }
}
