import CoreDataModel
import CoreDataPredicate
import Foundation

/// Provides the rows for all row views of one fetch.
protocol ViewedRows: AnyObject {
    var layout: ModelLayout { get }

    /// The entity of an existing row; nil if the row does not exist.
    ///
    /// - Parameter reference: the row that refers to the existing row, and the slot with the
    ///   reference.
    func entity(
        of key: ObjectKey, from reference: (owner: ObjectKey, slot: Int)?
    ) throws(PredicateEvaluationError) -> Int?

    func value(of key: ObjectKey, slot: Int) throws(PredicateEvaluationError) -> Value

    func members(of key: ObjectKey, slot: Int) throws(PredicateEvaluationError) -> [ObjectKey]
}

/// A view of one row for predicates and sort descriptors, which read it by key path.
///
/// One is created for each row that a fetch evaluates in memory.
final class MemoryRowView: NSObject, OperandReadable {
    package let key: ObjectKey
    private let content: any ViewedRows

    package init(_ key: ObjectKey, in content: any ViewedRows) {
        self.key = key
        self.content = content
    }

    /// Converts a constant of a predicate to a value that rows can be compared with. The key of an
    /// object becomes a view of its row.
    func comparable(_ constant: Any) -> Any {
        guard let key = (constant as? any ObjectIdentifying)?.objectKey else { return constant }
        return MemoryRowView(key, in: content)
    }

    package override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? MemoryRowView else { return false }
        return other.key.key == key.key && layout?.rootIndex == other.layout?.rootIndex
    }

    /// The layout of the row's entity; nil for an object of another store.
    private var layout: EntityLayout? {
        key.entity < 0 ? nil : content.layout[Int(key.entity)]
    }

    package override var hash: Int { key.key.hashValue }

    package func predicateValue(forKey key: String) throws(PredicateEvaluationError) -> Any? {
        try predicateOperand(forKey: key).any
    }

    func predicateOperand(forKey name: String) throws(PredicateEvaluationError) -> Operand {
        guard let layout else { return .null }
        if let slot = layout.valueSlot(named: name) {
            let value = try content.value(of: key, slot: slot)
            guard case .reference(let destination) = value else {
                return value.operand(layout.values[slot].kind)
            }
            guard let entity = try content.entity(of: destination, from: (key, slot)) else {
                return .null
            }
            return Operand(
                MemoryRowView(ObjectKey(entity: entity, key: destination.key), in: content))
        }
        if let slot = layout.toManySlot(named: name) {
            let members = try content.members(of: key, slot: slot)
            return .collection(
                OperandCollection(
                    elements: members.map { MemoryRowView($0, in: content) },
                    isSet: !layout.toMany[slot].isOrdered))
        }
        if layout.elementSlots(ofComposite: name) != nil {
            return .object(MemoryComposite(row: self, path: name))
        }
        if name == "objectID" || name == "self" { return .object(self) }
        if name == "entity" { return .object(ViewedEntity(layout)) }
        throw PredicateEvaluationError("keypath \(name) not found in entity \(layout.name)")
    }
}

/// A composite attribute of a row. Predicates access its elements by key path.
private final class MemoryComposite: NSObject, OperandReadable {
    private let row: MemoryRowView
    private let path: String

    init(row: MemoryRowView, path: String) {
        self.row = row
        self.path = path
    }

    func predicateValue(forKey key: String) throws(PredicateEvaluationError) -> Any? {
        try predicateOperand(forKey: key).any
    }

    func predicateOperand(forKey name: String) throws(PredicateEvaluationError) -> Operand {
        try row.predicateOperand(forKey: "\(path).\(name)")
    }
}
