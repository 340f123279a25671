import CoreDataModel
import CoreDataSQL

/// An entity that exists in the old and in the new model, for the conversion of a history.
package struct MigratedEntity {
    package let old: EntityLayout
    package let oldNumber: Int64
    package let new: EntityLayout
    package let newNumber: Int64
    private let map: SchemaMapping.Entity

    package static func all(in moves: RowMoves) -> [MigratedEntity] {
        moves.mapping.entities.enumerated().compactMap { index, map in
            map.source.map { old in
                MigratedEntity(
                    old: moves.source[old], oldNumber: moves.sourceNumbers.number(of: old),
                    new: moves.destination[index],
                    newNumber: moves.destinationNumbers.number(of: index), map: map)
            }
        }
    }

    private func oldName(of name: String) -> String? {
        if let slot = new.valueSlot(named: name) {
            if case .value(let index) = map.values[slot] { return old.values[index].name }
            if case .toMany(let index) = map.values[slot] { return old.toMany[index].name }
        } else if let slot = new.toManySlot(named: name) {
            if case .value(let index) = map.toMany[slot] { return old.values[index].name }
            if case .toMany(let index) = map.toMany[slot] { return old.toMany[index].name }
        }
        return nil
    }

    /// For each new position of a preserved value, its old position, or nil if it had none. Returns
    /// nil instead of an array if all positions stay the same.
    package var preservedMoves: [Int?]? {
        let old = HistoryColumns(old).preserved.map { self.old.values[$0].name }
        let new = HistoryColumns(new).preserved.map { slot in
            oldName(of: self.new.values[slot].name).flatMap { old.firstIndex(of: $0) }
        }
        return new == old.indices.map({ $0 }) ? nil : new
    }

    /// Converts bitmaps of changed properties to the order of the new model. Nil if the bitmaps
    /// stay the same.
    package var bitmapConversion: ((UnsafeRawBufferPointer) -> [UInt8])? {
        let (old, new) = (HistoryColumns(old), HistoryColumns(new))
        let origins = new.names.map { oldName(of: $0) }
        guard origins != old.names.map({ $0 }) else { return nil }
        return { bits in
            let names = old.names(in: bits)
            let kept = zip(new.names, origins).filter { _, origin in
                origin.map { names.contains($0) } ?? false
            }
            return new.bits(of: kept.map { $0.0 })
        }
    }
}
