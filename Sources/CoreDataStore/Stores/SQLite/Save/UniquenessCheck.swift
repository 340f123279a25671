import CoreDataModel
import CoreDataSQLite
import Foundation

/// Finds every rule of uniqueness that a save plan would break, with the rows that are to blame.
///
/// Used by `SaveTransaction` only after SQLite has refused the plan, so it may take its time: one
/// SELECT for each planned row and constraint.
struct UniquenessCheck {
    private let plan: SavePlan
    private let store: SQLiteStore
    private let connection: Connection
    private let timestamp: Double

    package init(transaction: SaveTransaction) {
        plan = transaction.plan
        store = transaction.store
        connection = transaction.connection
        timestamp = transaction.timestamp
    }

    package func violations() throws(SQLiteError) -> [ConstraintViolation] {
        assert(connection.isInTransaction, "rows are compared as they are at one moment")
        var result: [ConstraintViolation] = []
        for rule in collectRules() {
            let claims = try collectClaims(rule)
            for group in claims.groups {
                guard let first = group.keys.first else { continue }
                let persisted = try holder(of: group, rule, claims)
                guard group.keys.count > 1 || persisted != nil else { continue }
                result.append(
                    ConstraintViolation(
                        entity: store.layout[Int(first.entity)], constraint: rule.constraint,
                        planned: group.keys, persisted: persisted))
            }
        }
        return result
    }

    /// One unique index; subentities share the one of the entity that declares it.
    private struct Rule {
        let entity: EntityLayout
        let constraint: UniquenessConstraint
    }

    private func collectRules() -> [Rule] {
        var seen: Set<String> = []
        let entities = plan.inserts.map(\.entity) + plan.updates.map(\.entity)
        return entities.flatMap { entity in
            entity.uniquenessConstraints.compactMap { constraint in
                guard seen.insert(constraint.indexName).inserted else { return nil }
                return Rule(entity: entity, constraint: constraint)
            }
        }
    }
}

// MARK: Claims

extension UniquenessCheck {
    /// Planned rows that will have the same values.
    private struct Group {
        let values: [Value]
        var keys: [ObjectKey]
    }

    private struct Claims {
        var groups: [Group] = []
        var places: [Data: Int] = [:]
        /// All rows whose values the plan decides, whatever they will be.
        var decided: Set<Int64> = []

        mutating func add(_ key: ObjectKey, _ values: [Value]) {
            decided.insert(key.key)
            // NULL is never equal to anything.
            if values.contains(where: \.isNull) { return }
            let fingerprint = Self.fingerprint(values)
            if let place = places[fingerprint] {
                groups[place].keys.append(key)
            } else {
                places[fingerprint] = groups.count
                groups.append(Group(values: values, keys: [key]))
            }
        }

        /// Equal exactly where SQLite's binary collation finds the values equal.
        private static func fingerprint(_ values: [Value]) -> Data {
            var bytes = Data()
            func append(_ tag: UInt8, _ content: some Sequence<UInt8>) {
                let content = Array(content)
                bytes.append(tag)
                withUnsafeBytes(of: content.count) { bytes.append(contentsOf: $0) }
                bytes.append(contentsOf: content)
            }
            func number(_ double: Double) {
                // 0.0 and -0.0 are one value.
                withUnsafeBytes(of: (double == 0 ? 0 : double).bitPattern) { append(2, $0) }
            }
            for value in values {
                switch value {
                case .null, .object: append(0, [])
                case .integer(let integer): withUnsafeBytes(of: integer) { append(1, $0) }
                case .double(let double): number(double)
                case .decimal(let decimal): number(NSDecimalNumber(decimal: decimal).doubleValue)
                case .string(let string): append(3, string.utf8)
                case .data(let data): append(4, data)
                case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { append(4, $0) }
                case .reference(let key): withUnsafeBytes(of: key.key) { append(1, $0) }
                }
            }
            return bytes
        }
    }

    private func collectClaims(_ rule: Rule) throws(SQLiteError) -> Claims {
        var claims = Claims()
        let isSameIndex = { (entity: EntityLayout) in
            entity.uniquenessConstraints.first { $0.indexName == rule.constraint.indexName }
        }
        for group in plan.deletes where group.entity.tableName == rule.entity.tableName {
            claims.decided.formUnion(group.keys)
        }
        for group in plan.inserts {
            guard let constraint = isSameIndex(group.entity) else { continue }
            for (row, key) in group.keys.enumerated() {
                claims.add(
                    ObjectKey(entity: group.entity.index, key: key),
                    constraint.slots.map { group.value(row, $0) })
            }
        }
        for group in plan.updates {
            guard let constraint = isSameIndex(group.entity),
                constraint.slots.contains(where: group.slots.contains)
            else { continue }
            for row in group.keys.indices {
                let key = ObjectKey(entity: group.entity.index, key: group.keys[row])
                claims.add(key, try values(constraint, of: key, group, row))
            }
        }
        return claims
    }

    /// What an updated row will have: changed slots from the plan, the others from the file.
    private func values(
        _ constraint: UniquenessConstraint, of key: ObjectKey, _ group: SavePlan.Update, _ row: Int
    ) throws(SQLiteError) -> [Value] {
        let persisted = try store.readRow(key, connection, generation: 0, timestamp: timestamp)
        return constraint.slots.map { slot in
            if let place = group.slots.firstIndex(of: slot) {
                return group.values[row * group.slots.count + place]
            }
            guard let persisted else { return .null }
            return RowFormat.value(
                persisted.cells, slot: slot, kind: group.entity.values[slot].kind)
        }
    }

    /// The row of the file that has a group's values and keeps them.
    private func holder(
        of group: Group, _ rule: Rule, _ claims: Claims
    ) throws(SQLiteError) -> RowReference? {
        let columns = rule.constraint.slots.compactMap { rule.entity.values[$0].column }
        let root = store.statements[rule.entity.rootIndex]
        let condition = columns.map { "t0.\($0) = ?" }.joined(separator: " AND ")
        let statement = try connection.statement(
            "SELECT \(root.reader.selectList) FROM \(rule.entity.tableName) t0 WHERE \(condition)")
        defer { statement.finish() }
        for (index, value) in group.values.enumerated() { statement.bind(index + 1, value: value) }
        let row = try root.reader.readOne(statement, generation: 0, timestamp: timestamp)
        guard let row, !claims.decided.contains(RowFormat.key(row.cells)) else { return nil }
        return row
    }
}
