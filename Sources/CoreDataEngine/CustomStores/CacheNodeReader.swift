import CoreDataModel
import CoreDataStore
import Foundation

/// Converts the nodes of an atomic store to rows.
///
/// If only one of two linked nodes contains the link, the link is added to the other one. The store
/// creates a reader when it is added, and the store's backend owns it.
struct CacheNodeReader {
    // Unowned, because the store owns the backend, and the backend owns this reader.
    private unowned let store: NSAtomicStore
    private let model: FrozenModel

    init(_ store: NSAtomicStore, _ model: FrozenModel) {
        self.store = store
        self.model = model
    }

    func rows(of nodes: [NSAtomicStoreCacheNode]) throws(CoreDataError) -> [LoadedRow] {
        var rows: [Int64: LoadedRow] = [:]
        for node in nodes {
            let key = store.references.exact(node.objectID.key)
            rows[key.key] = LoadedRow(
                key: key, values: try values(of: node, key), members: try members(of: node, key))
        }
        for row in rows.values.sorted(by: { $0.key.key < $1.key.key }) { mirror(row, in: &rows) }
        return rows.values.sorted { $0.key.key < $1.key.key }
    }

    func values(
        of node: NSAtomicStoreCacheNode, _ key: ObjectKey
    ) throws(CoreDataError) -> [Value] {
        let entity = model.layout[Int(key.entity)]
        var values: [Value] = []
        for slot in entity.values {
            let given = slot.isTransient ? nil : AttributeCoding.flattened(given(slot.name, node))
            if slot.kind == .toOne {
                values.append(
                    try given.map { value throws(CoreDataError) in
                        .reference(try self.key(of: value, slot.name))
                    } ?? .null)
            } else if case .transformed(let name) = slot.coding, let given {
                values.append(
                    .data(try TransformedValues.bytes(of: given, by: name, slot, of: entity)))
            } else if let value = AttributeCoding.value(from: given, kind: slot.kind) {
                values.append(value)
            } else {
                throw unfit(given, slot.name)
            }
        }
        return values
    }

    /// The value of a property, or of an element of a composite attribute.
    private func given(_ name: String, _ node: NSAtomicStoreCacheNode) -> Any? {
        let path = name.split(separator: ".").map(String.init)
        var value = node.value(forKey: path[0])
        for part in path.dropFirst() { value = (value as? [String: Any])?[part] }
        return value
    }

    private func members(
        of node: NSAtomicStoreCacheNode, _ key: ObjectKey
    ) throws(CoreDataError) -> [[ObjectKey]] {
        var members: [[ObjectKey]] = []
        for slot in model.layout[Int(key.entity)].toMany {
            let given = slot.isTransient ? nil : node.value(forKey: slot.name)
            var keys: [ObjectKey] = []
            for member in try list(given, slot.name) {
                keys.append(try self.key(of: member, slot.name))
            }
            members.append(slot.isOrdered ? keys : keys.sorted { $0.key < $1.key })
        }
        return members
    }

    private func list(_ value: Any?, _ name: String) throws(CoreDataError) -> [Any] {
        switch AttributeCoding.flattened(value) {
        case nil: return []
        case let set as Set<NSAtomicStoreCacheNode>: return Array(set)
        case let set as Set<NSManagedObjectID>: return Array(set)
        case let set as NSSet: return set.allObjects
        case let set as NSOrderedSet: return set.array
        case let list as NSArray: return Array(list)
        case let list as [Any]: return list
        case let other: throw unfit(other, name)
        }
    }

    private func key(of value: Any, _ name: String) throws(CoreDataError) -> ObjectKey {
        switch value {
        case let node as NSAtomicStoreCacheNode: return store.references.exact(node.objectID.key)
        case let id as NSManagedObjectID: return store.references.exact(id.key)
        default: throw unfit(value, name)
        }
    }

    private func unfit(_ value: Any?, _ name: String) -> CoreDataError {
        CoreDataError(
            .storeOperation,
            "A node of \(type(of: store)) has a \(value.map { "\(type(of: $0))" } ?? "nil") for"
                + " '\(name)'; use values of the attribute's type, and nodes for destinations.")
    }

    /// Adds the links of a row to the rows at their other ends.
    private func mirror(_ row: LoadedRow, in rows: inout [Int64: LoadedRow]) {
        let entity = model.layout[Int(row.key.entity)]
        for (slot, value) in row.values.enumerated() {
            guard case .reference(let other) = value else { continue }
            if let toOne = entity.values[slot].toOne { link(other, toOne.inverse, row.key, &rows) }
        }
        for (slot, members) in row.members.enumerated() {
            for member in members { link(member, entity.toMany[slot].inverse, row.key, &rows) }
        }
    }

    private func link(
        _ other: ObjectKey, _ inverse: InverseSlot, _ key: ObjectKey,
        _ rows: inout [Int64: LoadedRow]
    ) {
        guard let row = rows[other.key] else { return }
        switch inverse {
        case .none: return
        case .value(let slot):
            if case .null = row.values[slot] { rows[other.key]?.values[slot] = .reference(key) }
        case .toMany(let slot):
            guard !row.members[slot].contains(where: { $0.key == key.key }) else { return }
            rows[other.key]?.members[slot].append(key)
        }
    }
}
