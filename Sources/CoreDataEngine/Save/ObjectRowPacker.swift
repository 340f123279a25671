import CoreDataModel
import CoreDataStore
import Foundation

/// Packs the current values of objects as rows, in blocks.
///
/// A save packs its new rows. A parent context packs rows for its children.
struct ObjectRowPacker: ~Copyable {
    private var builder = RowBlockBuilder()
    private var blocks: [RowBlock] = []
    private let generation: UInt64
    private let timestamp = Date().timeIntervalSinceReferenceDate
    private let includesTransient: Bool

    /// - Parameters:
    ///   - generation: the generation of the row cache to which the rows belong; in a save, the
    ///     generation after the save. See `RowBlock`.
    ///   - includesTransient: whether the rows contain transient values. Rows of the row cache must
    ///     not contain any, because contexts share them.
    init(generation: UInt64, includesTransient: Bool) {
        self.generation = generation
        self.includesTransient = includesTransient
    }

    mutating func append(_ object: NSManagedObject, version: Int32) {
        object.layoutReference._withUnsafeGuaranteedRef { layout in
            builder.beginRow(
                key: object.key, version: version, entity: layout.index,
                slotCount: layout.values.count)
            let skipsTransient = layout.hasTransientValues && !includesTransient
            if object.cells != nil { copyUnchanged(object, layout, skipsTransient) }
            object.pending?.forEach { slot, value in
                if skipsTransient, layout.values[slot].isTransient { return }
                if layout.isToOne(slot) {
                    if let key = object.storedKey(at: slot) { builder.set(slot, reference: key) }
                } else if case .object = value {
                    builder.set(slot, value: object.storedForm(of: value, slot))
                } else {
                    assert(
                        value.fits(layout.values[slot].kind),
                        "the value does not have the kind of its slot")
                    builder.set(slot, value: value)
                }
            }
        }
        if builder.isFull { flush() }
    }

    private mutating func copyUnchanged(
        _ object: NSManagedObject, _ layout: EntityLayout, _ skipsTransient: Bool
    ) {
        guard let cells = object.cells else { return }
        for slot in 0..<layout.values.count {
            if skipsTransient, layout.values[slot].isTransient { continue }
            if object.pending?.isSet(slot) == true { continue }
            if !layout.isToOne(slot) {
                builder.copy(slot, of: layout.values[slot].kind, from: cells)
            } else if let key = object.storedKey(at: slot) {
                builder.set(slot, reference: key)
            }
        }
    }

    consuming func finish() -> [RowBlock] {
        if !builder.isEmpty { flush() }
        return blocks
    }

    private mutating func flush() {
        blocks.append(builder.finish(generation: generation, timestamp: timestamp))
    }
}
