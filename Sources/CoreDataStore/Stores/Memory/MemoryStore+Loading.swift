import CoreDataModel

/// One row that a custom store has loaded.
package struct LoadedRow: Sendable {
    package let key: ObjectKey
    package var values: [Value]
    package var members: [[ObjectKey]]

    package init(key: ObjectKey, values: [Value], members: [[ObjectKey]]) {
        self.key = key
        self.values = values
        self.members = members
    }
}

/// Stores in memory whose rows a custom store loads and saves.
extension MemoryStore {
    /// Creates a store from rows.
    ///
    /// - Parameter metadata: the metadata, including type and UUID.
    /// - Throws: 259 for a row that the model does not allow, or a reference to a missing row.
    package convenience init(
        _ rows: [LoadedRow], layout: ModelLayout, metadata: [String: any Sendable]
    ) throws(CoreDataError) {
        let shown = MemoryMetadata(
            identifier: metadata[StoreMetadata.identifierKey] as? String ?? "",
            type: metadata[StoreMetadata.typeKey] as? String ?? "", values: metadata)
        do throws(FileFinding) {
            var builder = ContentBuilder(layout: layout)
            for row in rows { try builder.add(try Self.draft(row, layout)) }
            let content = try builder.finish(lastKey: 0, at: 0)
            self.init(MemoryDocument(content: content, metadata: shown))
        } catch {
            throw CoreDataError(
                .fileReadCorrupt, "load() returned invalid nodes: \(error.text).")
        }
    }

    private static func draft(
        _ row: LoadedRow, _ layout: ModelLayout
    ) throws(FileFinding) -> RowDraft {
        var draft = try RowDraft(
            layout[Int(row.key.entity)], key: row.key.key, version: 1, at: 0)
        for (slot, value) in row.values.enumerated() { try draft.set(slot, value, at: 0) }
        for (slot, keys) in row.members.enumerated() { try draft.set(toMany: slot, keys, at: 0) }
        return draft
    }
}

extension MemoryContent {
    /// Replaces the values of a row's attributes, and keeps the values of the row's relationships.
    mutating func replaceAttributes(of key: ObjectKey, by values: [Value]) {
        guard let row = row(key) else { return }
        let entity = layout[row.entity]
        for (slot, value) in values.enumerated() where !entity.isToOne(slot) {
            rows[entity.rootIndex][key.key]?.values[slot] = value
        }
    }
}
