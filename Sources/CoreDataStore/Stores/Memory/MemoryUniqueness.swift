import CoreDataModel
import Foundation

/// Finds the uniqueness constraints that a save of a store in memory would violate.
///
/// Used for one save. The first look-up for a constraint reads every row of the entity family;
/// later look-ups use a table.
final class MemoryUniqueness: UniquenessSource {
    typealias Failure = Never

    private let content: MemoryContent
    /// For each constraint, by the name of its index: the row that has each combination of unique
    /// values.
    private var holders: [String: [Data: ObjectKey]] = [:]

    init(_ content: MemoryContent) { self.content = content }

    func violations(of plan: SavePlan) -> [ConstraintViolation] {
        UniquenessClaims.violations(of: plan, content.layout, in: self)
    }

    func storedValues(of key: ObjectKey, _ slots: [Int]) -> [Value]? {
        content.row(key).map { row in slots.map { row.values[$0] } }
    }

    func holder(of values: [Value], _ rule: UniquenessRule) -> RowReference? {
        guard let fingerprint = UniquenessClaims.fingerprint(values),
            let key = table(of: rule)[fingerprint]
        else { return nil }
        return MemoryRowPacker(content, generation: 0).row(key)
    }

    private func table(of rule: UniquenessRule) -> [Data: ObjectKey] {
        let name = rule.constraint.indexName
        if let known = holders[name] { return known }
        var made: [Data: ObjectKey] = [:]
        for (key, row) in content.rows[rule.entity.rootIndex] {
            guard let constraint = rule.constraint(of: content.layout[row.entity]),
                let fingerprint = UniquenessClaims.fingerprint(
                    constraint.slots.map { row.values[$0] })
            else { continue }
            made[fingerprint] = ObjectKey(entity: row.entity, key: key)
        }
        holders[name] = made
        return made
    }
}
