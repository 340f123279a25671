import CoreDataModel
import CoreDataPredicate
import CoreDataStore

/// Encodes the constants that a predicate compares with transformable attributes, because a store
/// contains only the encoded bytes.
///
/// Used for one fetch from a store. Very deep predicates are left unchanged.
struct TransformedConstants {
    private let entity: EntityLayout
    private let layout: ModelLayout

    init(_ entity: EntityLayout, _ layout: ModelLayout) {
        self.entity = entity
        self.layout = layout
    }

    /// - Throws: an error if an attribute's transformer is missing, or returns no bytes for an
    ///   object.
    func storable(_ predicate: NSPredicate) throws(CoreDataError) -> NSPredicate {
        let hasSome = layout.entities.contains { !$0.transformedSlots.isEmpty }
        guard hasSome, predicate.depth <= 200 else { return predicate }
        return try replaced(predicate)
    }

    private func replaced(_ predicate: NSPredicate) throws(CoreDataError) -> NSPredicate {
        switch predicate.node {
        case .constant, .block: return predicate
        case .compound(let type, let parts):
            var made: [NSPredicate] = []
            for part in parts { made.append(try replaced(part)) }
            return NSCompoundPredicate(type: type, subpredicates: made)
        case .comparison(let comparison):
            guard let (slot, owner) = attribute(comparison.left),
                case .transformed(let name) = owner.values[slot].coding,
                case .constant(let constant?) = comparison.right.node
            else { return predicate }
            let right = try bytes(
                of: constant, isList: comparison.operator == .in, name, owner.values[slot], owner)
            return NSComparisonPredicate(
                leftExpression: comparison.left,
                rightExpression: NSExpression(forConstantValue: right),
                modifier: comparison.modifier, type: comparison.operator,
                options: comparison.options)
        }
    }

    private func bytes(
        of constant: Any, isList: Bool, _ name: String?, _ slot: ValueSlot, _ owner: EntityLayout
    ) throws(CoreDataError) -> Any {
        guard isList else {
            return try TransformedValues.bytes(of: constant, by: name, slot, of: owner)
        }
        let members: [Any] =
            switch constant {
            case let set as NSSet: set.allObjects
            case let set as NSOrderedSet: set.array
            default: constant as? [Any] ?? [constant]
            }
        var list: [Any] = []
        for member in members {
            list.append(try TransformedValues.bytes(of: member, by: name, slot, of: owner))
        }
        return list
    }

    func attribute(_ expression: NSExpression) -> (slot: Int, owner: EntityLayout)? {
        guard case .keyPath(let keys) = expression.node, let last = keys.last else { return nil }
        var owner = entity
        for key in keys.dropLast() {
            guard let next = owner.destinationIndex(of: key) else { return nil }
            owner = layout[next]
        }
        return owner.valueSlot(named: last).map { ($0, owner) }
    }
}
