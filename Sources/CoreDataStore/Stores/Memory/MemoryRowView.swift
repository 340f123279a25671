import CoreDataModel
import CoreDataPredicate
import Foundation

/// One row as predicates and sort descriptors read it: by names, along relationships.
///
/// Made by `MemoryStore` for each row that a fetch looks at.
final class MemoryRowView: NSObject, OperandReadable {
    package let key: ObjectKey
    private let content: Content

    /// The content behind all views of one fetch.
    package final class Content: Sendable {
        package let value: MemoryContent

        package init(_ value: MemoryContent) { self.value = value }
    }

    package init(_ key: ObjectKey, in content: Content) {
        self.key = key
        self.content = content
    }

    package override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? MemoryRowView else { return false }
        return other.key.key == key.key && layout?.rootIndex == other.layout?.rootIndex
    }

    /// Nil for what stands for an object of another store.
    private var layout: EntityLayout? {
        key.entity < 0 ? nil : content.value.layout[Int(key.entity)]
    }

    package override var hash: Int { key.key.hashValue }

    package func predicateValue(forKey key: String) throws(PredicateEvaluationError) -> Any? {
        try predicateOperand(forKey: key).any
    }

    func predicateOperand(forKey name: String) throws(PredicateEvaluationError) -> Operand {
        guard let layout else { return .null }
        if let slot = layout.valueSlot(named: name) {
            let value = content.value.row(key)?.values[slot] ?? .null
            return operand(value, layout.values[slot].kind)
        }
        if let slot = layout.toManySlot(named: name) {
            let members = content.value.members(of: key, slot: slot)
            return Operand(members.map { MemoryRowView($0, in: content) })
        }
        if layout.elementSlots(ofComposite: name) != nil {
            return .object(MemoryComposite(row: self, path: name))
        }
        if name == "objectID" || name == "self" { return .object(self) }
        throw PredicateEvaluationError("keypath \(name) not found in entity \(layout.name)")
    }

    private func operand(_ value: Value, _ kind: ValueKind) -> Operand {
        guard case .reference(let key) = value else { return value.operand(kind) }
        guard let row = content.value.row(key) else { return .null }
        return Operand(MemoryRowView(ObjectKey(entity: row.entity, key: key.key), in: content))
    }
}

/// A composite attribute of a row, whose elements go by their paths.
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
