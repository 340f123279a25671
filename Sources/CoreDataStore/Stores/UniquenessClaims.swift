import CoreDataModel
import Foundation

/// Reads existing rows of a store, for a check of unique values.
package protocol UniquenessSource {
    associatedtype Failure: Error

    /// The values of a stored row in the given slots; nil if the row does not exist.
    func storedValues(of key: ObjectKey, _ slots: [Int]) throws(Failure) -> [Value]?

    /// The stored row that has these values, even if the plan changes it.
    func holder(of values: [Value], _ rule: UniquenessRule) throws(Failure) -> RowReference?
}

/// A uniqueness constraint, identified by the name of its index. Subentities share the index of the
/// entity that declares the constraint.
package struct UniquenessRule {
    package let entity: EntityLayout
    package let constraint: UniquenessConstraint

    /// The constraints that apply to a plan's new and changed rows, without duplicates.
    package static func all(of plan: SavePlan) -> [UniquenessRule] {
        var seen: Set<String> = []
        let entities = plan.inserts.map(\.entity) + plan.updates.map(\.entity)
        return entities.flatMap { entity in
            entity.uniquenessConstraints.compactMap { constraint in
                guard seen.insert(constraint.indexName).inserted else { return nil }
                return UniquenessRule(entity: entity, constraint: constraint)
            }
        }
    }

    /// The same constraint, as another entity of the family lists it.
    func constraint(of entity: EntityLayout) -> UniquenessConstraint? {
        entity.uniquenessConstraints.first { $0.indexName == constraint.indexName }
    }
}

/// The values that the rows of a save plan will have under one uniqueness constraint.
package struct UniquenessClaims {
    /// Rows of the plan that will have the same values.
    private struct Group {
        let values: [Value]
        var keys: [ObjectKey]
    }

    private var groups: [Group] = []
    private var places: [Data: Int] = [:]
    /// The keys of all rows whose unique values the plan sets.
    private var decided: Set<Int64> = []

    /// Finds every uniqueness constraint that a plan would violate, with the responsible rows.
    package static func violations<Source: UniquenessSource>(
        of plan: SavePlan, _ layout: ModelLayout, in source: Source
    ) throws(Source.Failure) -> [ConstraintViolation] {
        var result: [ConstraintViolation] = []
        for rule in UniquenessRule.all(of: plan) {
            let claims = try UniquenessClaims(plan, rule, source)
            for group in claims.groups {
                guard let first = group.keys.first else { continue }
                var persisted = try source.holder(of: group.values, rule)
                if let row = persisted, claims.decided.contains(RowFormat.key(row.cells)) {
                    persisted = nil
                }
                guard group.keys.count > 1 || persisted != nil else { continue }
                result.append(
                    ConstraintViolation(
                        entity: layout[Int(first.entity)], constraint: rule.constraint,
                        planned: group.keys, persisted: persisted))
            }
        }
        return result
    }

    private init<Source: UniquenessSource>(
        _ plan: SavePlan, _ rule: UniquenessRule, _ source: Source
    ) throws(Source.Failure) {
        for group in plan.deletes where group.entity.tableName == rule.entity.tableName {
            decided.formUnion(group.keys)
        }
        for group in plan.inserts {
            guard let constraint = rule.constraint(of: group.entity) else { continue }
            for (row, key) in group.keys.enumerated() {
                add(
                    ObjectKey(entity: group.entity.index, key: key),
                    constraint.slots.map { group.value(row, $0) })
            }
        }
        for group in plan.updates {
            guard let constraint = rule.constraint(of: group.entity),
                constraint.slots.contains(where: group.slots.contains)
            else { continue }
            for row in group.keys.indices {
                let key = ObjectKey(entity: group.entity.index, key: group.keys[row])
                let stored = try source.storedValues(of: key, constraint.slots)
                add(key, Self.values(constraint, stored, group, row))
            }
        }
    }

    /// The values of an updated row after the save: changed values from the plan, the others from
    /// the store.
    private static func values(
        _ constraint: UniquenessConstraint, _ stored: [Value]?, _ group: SavePlan.Update, _ row: Int
    ) -> [Value] {
        constraint.slots.enumerated().map { index, slot in
            if let place = group.slots.firstIndex(of: slot) {
                return group.values[row * group.slots.count + place]
            }
            return stored?[index] ?? .null
        }
    }

    private mutating func add(_ key: ObjectKey, _ values: [Value]) {
        decided.insert(key.key)
        // NULL does not equal any value.
        guard let fingerprint = Self.fingerprint(values) else { return }
        if let place = places[fingerprint] {
            groups[place].keys.append(key)
        } else {
            places[fingerprint] = groups.count
            groups.append(Group(values: values, keys: [key]))
        }
    }

    /// A dictionary key for the values; nil if a value is null. Two keys are equal if the values
    /// are equal under SQLite's binary collation.
    static func fingerprint(_ values: [Value]) -> Data? {
        if values.contains(where: \.isNull) { return nil }
        var bytes = Data()
        func append(_ tag: UInt8, _ content: some Sequence<UInt8>) {
            let content = Array(content)
            bytes.append(tag)
            withUnsafeBytes(of: content.count) { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: content)
        }
        func number(_ double: Double) {
            // 0.0 and -0.0 are equal.
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
