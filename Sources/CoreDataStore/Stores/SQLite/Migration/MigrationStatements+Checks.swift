import CoreDataModel

/// A SELECT that finds a row which the destination cannot hold, and what to say then.
struct RowCheck {
    package let sql: String
    package let error: CoreDataError
}

// What must be true of the source's rows before `SchemaMigration` moves them.

extension MigrationStatements {
    /// Finds rows that would lack a mandatory attribute.
    func mandatoryChecks() -> [RowCheck] {
        mapping.entities.enumerated().flatMap { index, map in
            map.source.map { mandatoryChecks(destination[index], map, $0) } ?? []
        }
    }

    private func mandatoryChecks(
        _ entity: EntityLayout, _ map: SchemaMapping.Entity, _ sourceIndex: Int
    ) -> [RowCheck] {
        let old = source[sourceIndex]
        let number = sourceNumbers.number(of: sourceIndex)
        let rows =
            source[old.rootIndex].hasSubentities
            ? "FROM \(old.tableName) WHERE Z_ENT = \(number)" : "FROM \(old.tableName) WHERE 1"
        return entity.values.enumerated().compactMap { slot, value in
            guard value.column != nil, value.toOne == nil, !value.isOptional,
                map.defaults[slot].isNull
            else { return nil }
            let condition: String
            if case .value(let index) = map.values[slot], let column = old.values[index].column {
                guard old.values[index].isOptional else { return nil }
                condition = " AND \(column) IS NULL"
            } else {
                condition = ""
            }
            return RowCheck(
                sql: "SELECT Z_PK \(rows)\(condition) LIMIT 1",
                error: Self.missing(value.name, entity.name))
        }
    }

    private static func missing(_ attribute: String, _ entity: String) -> CoreDataError {
        let reason =
            "Validation error missing attribute values on mandatory destination attribute"
        return CoreDataError(
            .migration,
            "\(reason) '\(attribute)' of entity '\(entity)'. Give it a default value, or make it"
                + " optional.",
            info: ["reason": reason, "entity": entity, "attribute": attribute])
    }

    // MARK: Members that several owners share

    /// Finds rows that several owners point to where the destination has room for one.
    func sharedMemberChecks() -> [RowCheck] {
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
        let reason = "several objects lead to one, and there is room for one of them alone."
        return RowCheck(
            sql: "SELECT B FROM (\(pairs.sql)) GROUP BY B HAVING COUNT(*) > 1 LIMIT 1",
            error: CoreDataError(
                .inferredMappingModel,
                "The mapping cannot be inferred. \(entity).\(property): \(reason) Make the inverse"
                    + " to-many, or write a mapping model.",
                info: ["reason": reason, "entity": entity, "property": property]))
    }
}
