import CoreDataModel
import CoreDataPredicate

/// Converts a batch update to one UPDATE that returns the keys of the changed rows.
struct BatchUpdateBuilder {
    package let batch: BatchPlan.Update
    /// Creates the condition for the rows to update.
    package let rows: SelectBuilder

    package func make() throws(CoreDataError) -> Fragment {
        let entity = batch.plan.entity
        let translator = PredicateTranslator(
            entity: entity, layout: rows.layout, numbers: rows.numbers)
        var sets: [Fragment] = []
        for assignment in batch.assignments {
            let slot = entity.values[assignment.slot]
            guard let column = slot.column else { continue }
            let value = try fragment(assignment.value, slot, translator)
            let stored = slot.isExternal ? "\(ExternalData.storedFunction)(" + value + ")" : value
            sets.append("\(column) = " + stored)
        }
        sets.append(Fragment("Z_OPT = (Z_OPT + 1)"))
        let filter = try rows.filter()
        let keys = entity.hasSubentities ? "Z_ENT, Z_PK" : "0, Z_PK"
        return "UPDATE \(entity.tableName) AS t0 SET " + Fragment.joined(sets, separator: ", ")
            + filter + " RETURNING \(keys)"
    }

    private func fragment(
        _ assigned: BatchPlan.Assigned, _ slot: ValueSlot, _ translator: PredicateTranslator
    ) throws(CoreDataError) -> Fragment {
        switch assigned {
        case .value(let value): return .parameter(Binding(value))
        case .expression(let expression):
            let fragment = try translator.fragment(expression)
            guard translator.root.joinText.isEmpty else {
                throw translator.refuse(
                    "The new value of '\(slot.name)' in a batch update follows a relationship;"
                        + " use only the entity's own attributes.")
            }
            return fragment
        }
    }
}

extension Binding {
    package init(_ value: Value) {
        self =
            switch value {
            case .null, .object: .null
            case .integer(let integer): .integer(integer)
            case .double(let double): .double(double)
            case .string(let text): .text(text)
            case .data(let data): .blob(data)
            case .uuid(let uuid): .blob(withUnsafeBytes(of: uuid.uuid) { Data($0) })
            case .decimal(let decimal): .double(NSDecimalNumber(decimal: decimal).doubleValue)
            case .reference(let key): .integer(key.key)
            }
    }
}
