import CoreDataModel
import Foundation

/// Packs rows of a store in memory into blocks, for one request.
struct MemoryRowPacker {
    private let content: MemoryContent
    private let generation: UInt64
    private let timestamp = Date().timeIntervalSinceReferenceDate

    package init(_ content: MemoryContent, generation: UInt64) {
        self.content = content
        self.generation = generation
    }

    package func row(_ key: ObjectKey) -> RowReference? {
        rows([key]).blocks.first.map { RowReference(block: $0, index: 0) }
    }

    /// Keys whose rows do not exist are skipped.
    package func rows(_ keys: [ObjectKey]) -> FetchedRows {
        var builder = RowBlockBuilder(capacity: keys.count == 1 ? 256 : 4096)
        var blocks: [RowBlock] = []
        for key in keys {
            guard let row = content.row(key) else { continue }
            builder.beginRow(
                key: key.key, version: row.version, entity: row.entity, slotCount: row.values.count)
            let slots = content.layout[row.entity].values
            for (slot, value) in row.values.enumerated() {
                builder.set(slot, value: value, of: slots[slot].kind)
            }
            if builder.isFull {
                blocks.append(builder.finish(generation: generation, timestamp: timestamp))
            }
        }
        if !builder.isEmpty {
            blocks.append(builder.finish(generation: generation, timestamp: timestamp))
        }
        return FetchedRows(blocks: blocks)
    }
}
