import CoreDataModel

/// The SQL statements that insert rows of one entity.
///
/// The store binds the values of each row: key, entity, version, and the columns of each slot.
package struct InsertTexts: Sendable {
    private let entity: EntityLayout
    private let schema: StoreSchema

    package init(_ entity: EntityLayout, schema: StoreSchema) {
        self.entity = entity
        self.schema = schema
    }

    private var columns: [String] {
        let names = schema.names
        return [names.key, names.entity, names.version]
            + entity.values.flatMap { [$0.column, $0.toOne?.entityColumn].compactMap { $0 } }
    }

    private var parameters: Fragment {
        var parameters = [Fragment.open, .open, .open]
        for slot in entity.values {
            if slot.column != nil { parameters.append(schema.dialect.writing(slot, .open)) }
            if slot.toOne?.entityColumn != nil { parameters.append(.open) }
        }
        return "(" + Fragment.joined(parameters, separator: ", ") + ")"
    }

    private func insert(_ verb: String, rows: Int) -> Fragment {
        "\(verb) INTO \(entity.tableName)(\(columns.joined(separator: ", "))) VALUES"
            + Fragment.joined(Array(repeating: parameters, count: rows), separator: ", ")
    }

    package func rows(_ count: Int) -> String {
        schema.text(insert("INSERT", rows: count))
    }

    /// Inserts a row and returns its key, unless another row has its unique values.
    package var unlessStored: String {
        let (verb, clause) = schema.dialect.insertUnlessStored
        return schema.text(insert(verb, rows: 1) + clause + returning)
    }

    /// Inserts a row. If a row has the same unique values, updates some of its slots instead.
    /// Returns the key.
    ///
    /// - Throws: ``QueryRefusal`` if the entity has several unique constraints and the database
    ///   allows only one here.
    package func updating(_ slots: [Int]) throws(QueryRefusal) -> String {
        let constraints = entity.uniquenessConstraints
        guard constraints.count < 2 || schema.dialect.hasManyConflictClauses else {
            throw QueryRefusal(
                message: "The rows of \(entity.name) cannot be updated by an insertion, because"
                    + " the entity has several uniqueness constraints.", isBeyondSQL: false)
        }
        let sets = slots.compactMap { entity.values[$0].column }
            .map { " , \($0) = excluded.\($0)" }.joined()
        let version = schema.names.version
        let former =
            schema.dialect.qualifiesFormerValues ? "\(entity.tableName).\(version)" : version
        let clauses = constraints.map { constraint in
            let unique = constraint.slots.compactMap { entity.values[$0].column }
            return " ON CONFLICT(\(unique.joined(separator: ", "))) "
                + "DO UPDATE SET \(version) = \(former)+1\(sets)"
        }
        return schema.text(insert("INSERT", rows: 1) + clauses.joined() + returning)
    }

    private var returning: String { " RETURNING \(schema.names.key)" }
}
