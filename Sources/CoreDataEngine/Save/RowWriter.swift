import CoreDataModel
import Foundation

/// Writes the current values of objects as rows, in blocks.
///
/// Called by the save for the rows as they will be, and by a parent context for its children.
struct RowWriter: ~Copyable {
    private var builder = RowBlockBuilder()
    private var blocks: [RowBlock] = []
    private let generation: UInt64
    private let timestamp = Date().timeIntervalSinceReferenceDate

    /// - Parameter generation: what the row cache's change count will be; see `RowBlock`.
    init(generation: UInt64) { self.generation = generation }

    /// - Parameter includesTransient: whether transient values are written too; they must not
    ///   reach the row cache, which contexts share.
    mutating func append(_ object: NSManagedObject, version: Int32, includesTransient: Bool) {
        let layout = object.layout
        builder.beginRow(
            key: object.key, version: version, entity: layout.index,
            slotCount: layout.values.count)
        let skipsTransient = layout.hasTransientValues && !includesTransient
        for slot in layout.values.indices {
            if skipsTransient, layout.values[slot].isTransient { continue }
            if let cells = object.cells, object.pending?.isSet(slot) != true,
                !layout.isToOne(slot)
            {
                builder.copy(slot, of: layout.values[slot].kind, from: cells)
            } else {
                builder.set(slot, value: SavePlanBuilder.storedValue(of: object, slot))
            }
        }
        if builder.isFull { flush() }
    }

    consuming func finish() -> [RowBlock] {
        if !builder.isEmpty { flush() }
        return blocks
    }

    private mutating func flush() {
        blocks.append(builder.finish(generation: generation, timestamp: timestamp))
    }
}
