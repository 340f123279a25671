import CoreDataModel
import CoreDataStore
import Foundation
import Synchronization

/// Maps the reference objects of one custom store to keys, with which contexts and the row cache
/// identify the store's objects.
///
/// The store owns the table. In one entity hierarchy, references with equal descriptions are equal.
/// Can be used from any thread.
final class ReferenceTable {
    /// `@unchecked Sendable` because a reference object is never changed: it is part of an id.
    private struct Entry: @unchecked Sendable {
        let reference: Any
        let text: String
        let entity: Int
    }

    private struct Table {
        var keys: [Int: [String: Int64]] = [:]
        var entries: [Int64: Entry] = [:]
    }

    private let table = Mutex(Table())

    /// The key of a reference object. Assigns a new key if it has none yet.
    func key(for reference: Any, _ entity: EntityLayout) -> ObjectKey {
        let plain = "\(reference)"
        let text = plain.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? plain
        return key(Entry(reference: reference, text: text, entity: entity.index), entity)
    }

    /// The key of the object that a URI names. `text` is the part of the URI that identifies the
    /// object.
    func key(named text: String, _ entity: EntityLayout) -> ObjectKey? {
        guard !text.isEmpty else { return nil }
        let reference: Any = Int64(text).map { NSNumber(value: $0) } ?? text
        return key(Entry(reference: reference, text: text, entity: entity.index), entity)
    }

    private func key(_ entry: Entry, _ entity: EntityLayout) -> ObjectKey {
        table.withLock { table in
            if let known = table.keys[entity.rootIndex]?[entry.text] {
                // A known row keeps the entity with which it was first read.
                return ObjectKey(entity: table.entries[known]?.entity ?? entity.index, key: known)
            }
            let key = Int64(table.entries.count + 1)
            assert(table.entries[key] == nil, "the key already has a reference")
            table.keys[entity.rootIndex, default: [:]][entry.text] = key
            table.entries[key] = entry
            return ObjectKey(entity: entity.index, key: key)
        }
    }

    func reference(_ key: ObjectKey) -> Any? { table.withLock { $0.entries[key.key] }?.reference }

    func text(_ key: ObjectKey) -> String? { table.withLock { $0.entries[key.key]?.text } }

    /// The key with the entity of the row, for a key that may have a superentity.
    func exact(_ key: ObjectKey) -> ObjectKey {
        let entity = table.withLock { $0.entries[key.key]?.entity }
        return ObjectKey(entity: entity ?? Int(key.entity), key: key.key)
    }
}
