import CoreDataModel
import CoreDataPredicate

/// Converts a batch update to an UPDATE statement that returns the keys of the changed rows.
package struct BatchUpdateBuilder {
    package enum Assigned: Sendable {
        case value(Binding)
        /// An expression over the values of the row before the update.
        case expression(NSExpression)
    }

    private let assignments: [(slot: Int, value: Assigned)]
    private let rows: SelectBuilder

    package init(_ assignments: [(slot: Int, value: Assigned)], rows: SelectBuilder) {
        self.assignments = assignments
        self.rows = rows
    }

    package func make() throws(QueryRefusal) -> Fragment {
        let entity = rows.plan.entity
        let schema = rows.schema
        let translator = PredicateTranslator(schema, entity: entity)
        var sets: [Fragment] = []
        for assignment in assignments {
            let slot = entity.values[assignment.slot]
            guard let column = slot.column else { continue }
            let value = try fragment(assignment.value, slot, translator)
            sets.append("\(column) = " + schema.dialect.writing(slot, value))
        }
        let version = schema.names.version
        sets.append(Fragment("\(version) = (\(version) + 1)"))
        let filter = try rows.filter()
        let keys = schema.identity(of: entity, in: "")
        return "UPDATE \(entity.tableName) AS t0 SET " + Fragment.joined(sets, separator: ", ")
            + filter + " RETURNING \(keys)"
    }

    private func fragment(
        _ assigned: Assigned, _ slot: ValueSlot, _ translator: PredicateTranslator
    ) throws(QueryRefusal) -> Fragment {
        switch assigned {
        case .value(let value): return .parameter(value)
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
