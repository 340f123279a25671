import CoreDataModel
import CoreDataSQL

/// A SELECT that finds a row which the destination cannot contain, and the error for it.
package struct RowCheck {
    package let sql: String
    /// Creates the error from the value in the first column of the row that was found.
    package let error: (String) -> CoreDataError
}

extension CoreDataError {
    package static func numberDoesNotFit(
        _ number: String, _ attribute: String, _ entity: String
    ) -> CoreDataError {
        let reason = "The number \(number) does not fit the new type of the attribute"
        return CoreDataError(
            .migration,
            "\(reason) '\(attribute)' of entity '\(entity)'. Choose a type that fits, change"
                + " the value with the old model, or write a mapping model.",
            info: ["reason": reason, "entity": entity, "attribute": attribute])
    }
}

// Conditions that the old rows must satisfy. They are checked before the rows are moved.

extension RowMoves {
    /// Finds rows that the destination cannot contain.
    package var checks: [RowCheck] {
        mandatoryChecks() + numberChecks() + sharedMemberChecks() + inverseChecks()
    }

    /// Finds rows that would lack a mandatory attribute.
    private func mandatoryChecks() -> [RowCheck] {
        mapping.entities.enumerated().flatMap { index, map in
            map.source.map { mandatoryChecks(destination[index], map, $0) } ?? []
        }
    }

    /// The rows of an entity of the old model that satisfy a condition.
    private func rows(of sourceIndex: Int, where condition: String?) -> String {
        let old = source[sourceIndex]
        let number = sourceNumbers.number(of: sourceIndex)
        let isOne =
            source[old.rootIndex].hasSubentities ? "\(dialect.rows.entity) = \(number)" : nil
        let conditions = [isOne, condition].compactMap { $0 }.joined(separator: " AND ")
        return "FROM \(old.tableName)" + (conditions.isEmpty ? "" : " WHERE \(conditions)")
    }

    /// Finds numbers that cannot be converted to the new type of their attribute.
    private func numberChecks() -> [RowCheck] {
        mapping.entities.enumerated().flatMap { index, map in
            map.source.map { numberChecks(destination[index], map, $0) } ?? []
        }
    }

    private func numberChecks(
        _ entity: EntityLayout, _ map: SchemaMapping.Entity, _ sourceIndex: Int
    ) -> [RowCheck] {
        let old = source[sourceIndex]
        return entity.values.enumerated().compactMap { slot, value in
            guard value.column != nil, case .value(let index) = map.values[slot],
                let column = old.values[index].column,
                let misfit = dialect.misfit(of: column, from: old.values[index], to: value)
            else { return nil }
            let rows = rows(of: sourceIndex, where: "\(column) IS NOT NULL AND \(misfit)")
            return RowCheck(
                sql: "SELECT \(column) \(rows) LIMIT 1",
                error: { .numberDoesNotFit($0, value.name, entity.name) })
        }
    }

    private func mandatoryChecks(
        _ entity: EntityLayout, _ map: SchemaMapping.Entity, _ sourceIndex: Int
    ) -> [RowCheck] {
        let old = source[sourceIndex]
        return entity.values.enumerated().compactMap { slot, value in
            guard value.column != nil, value.toOne == nil, !value.isOptional,
                map.defaults[slot].isNull
            else { return nil }
            var condition: String?
            if case .value(let index) = map.values[slot], let column = old.values[index].column {
                guard old.values[index].isOptional else { return nil }
                condition = "\(column) IS NULL"
            }
            let rows = rows(of: sourceIndex, where: condition)
            return RowCheck(
                sql: "SELECT \(dialect.rows.key) \(rows) LIMIT 1",
                error: { _ in Self.missing(value.name, entity.name) })
        }
    }

    private static func missing(_ attribute: String, _ entity: String) -> CoreDataError {
        let reason =
            "Validation error missing attribute values on mandatory destination attribute"
        return CoreDataError(
            .migration,
            "\(reason) '\(attribute)' of entity '\(entity)'. Give the attribute a default value, or"
                + " make it optional.",
            info: ["reason": reason, "entity": entity, "attribute": attribute])
    }

    // MARK: Members that several owners share

    /// Finds rows with several owners, if the new model allows only one owner.
    private func sharedMemberChecks() -> [RowCheck] {
        destination.entities.flatMap { entity in
            ownChecks(entity) + memberChecks(entity)
        }
    }

    private func ownChecks(_ entity: EntityLayout) -> [RowCheck] {
        entity.values.indices.compactMap { slot in
            let value = entity.values[slot]
            guard value.column != nil, let toOne = value.toOne else { return nil }
            return check(key(for: entity, slot, toOne), entity.name, value.name)
        }
    }

    private func memberChecks(_ owner: EntityLayout) -> [RowCheck] {
        owner.toMany.indices.compactMap { slot in
            let relationship = owner.toMany[slot]
            guard relationship.inverse == .none, case .foreignKey = relationship.storage else {
                return nil
            }
            let member = destination[relationship.destinationIndex]
            return check(memberKey(owner, slot, member), owner.name, relationship.name)
        }
    }

    private func check(_ key: KeySource, _ entity: String, _ property: String) -> RowCheck? {
        guard case .lookUp(let pairs, _) = key else { return nil }
        let reason = "several objects refer to one object, but its new inverse allows only one."
        return RowCheck(
            sql: "SELECT B FROM (\(pairs.sql)) X GROUP BY B HAVING COUNT(*) > 1 LIMIT 1",
            error: { _ in
                CoreDataError(
                    .inferredMappingModel,
                    "The mapping cannot be inferred. \(entity).\(property): \(reason) Make the"
                        + " inverse to-many, or write a mapping model.",
                    info: ["reason": reason, "entity": entity, "property": property])
            })
    }
}
