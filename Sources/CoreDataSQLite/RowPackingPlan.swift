import CSQLite

/// Maps the columns of a SELECT to the slots of packed rows, for
/// ``Statement/pack(_:limit:tagColumn:)``. The engine defines the format of a packed row
/// (`RowBlock`).
package final class RowPackingPlan {
    /// The form of a value in a packed row.
    package enum Form: Int32, Sendable { case integer, double, bytes, reference }

    /// Maps a column of the SELECT to a slot of the packed row.
    package struct Move: Sendable {
        let column: Int
        let slot: Int
        let form: Form
        let entityColumn: Int?
        let entity: Int

        /// - Parameters:
        ///   - entityColumn: for a to-one reference, the column with the number of the
        /// destination's entity.
        ///   - entity: for a to-one reference without such a column, the index of the destination's
        /// entity.
        package init(column: Int, slot: Int, form: Form, entityColumn: Int?, entity: Int) {
            self.column = column
            self.slot = slot
            self.form = form
            self.entityColumn = entityColumn
            self.entity = entity
        }
    }

    /// The mappings from columns to slots for the rows of one entity.
    package struct Shape: Sendable {
        let slotCount: Int
        package var moves: [Move] = []

        package init(slotCount: Int) { self.slotCount = slotCount }
    }

    let plan: UnsafeMutablePointer<csqlite_row_plan>
    private let shapes: UnsafeMutablePointer<csqlite_row_shape>
    private let moves: UnsafeMutablePointer<csqlite_move>
    private let entities: UnsafeMutablePointer<Int32>

    /// - Parameters:
    ///   - firstEntity: the index of the entity to which the first shape belongs.
    ///   - shapes: the mappings for the entity and each of its subentities.
    ///   - entities: the index of each entity, by its number in the file; -1 for a number without
    /// an entity.
    package init(firstEntity: Int, shapes all: [Shape], entities numbers: ContiguousArray<Int32>) {
        shapes = .allocate(capacity: all.count)
        moves = .allocate(capacity: all.reduce(1) { $0 + $1.moves.count })
        entities = .allocate(capacity: numbers.count + 1)
        plan = .allocate(capacity: 1)
        for (index, entity) in numbers.enumerated() {
            (entities + index).initialize(to: entity)
        }
        var next = moves
        for (index, shape) in all.enumerated() {
            let made = csqlite_row_shape(
                moves: next, move_count: Int32(shape.moves.count),
                slot_count: Int32(shape.slotCount))
            (shapes + index).initialize(to: made)
            for move in shape.moves {
                next.initialize(to: csqlite_move(move))
                next += 1
            }
        }
        plan.initialize(
            to: csqlite_row_plan(
                shapes: shapes, shape_count: Int32(all.count), first_entity: Int32(firstEntity),
                entities: entities, entity_count: Int32(numbers.count)))
    }

    deinit {
        shapes.deallocate()
        moves.deallocate()
        entities.deallocate()
        plan.deallocate()
    }
}

// `@unchecked Sendable` because the pointers' memory is never changed after `init`.
extension RowPackingPlan: @unchecked Sendable {}

extension csqlite_move {
    fileprivate init(_ move: RowPackingPlan.Move) {
        self.init(
            column: Int32(move.column), slot: Int32(move.slot), form: move.form.rawValue,
            entity_column: Int32(move.entityColumn ?? -1), entity: Int32(move.entity))
    }
}

/// Rows that a statement has packed. The memory belongs to the connection: the caller must copy the
/// rows before the connection packs others.
package struct PackedRows {
    package let bytes: UnsafeRawBufferPointer
    /// The offset of each row's first word.
    package let offsets: UnsafeBufferPointer<Int32>
    /// The tag column's value for each row.
    package let tags: UnsafeBufferPointer<Int64>
    package let isLast: Bool
}

extension Statement {
    package func pack(
        _ packing: RowPackingPlan, limit: Int, tagColumn: Int = -1
    ) throws(SQLiteError) -> PackedRows {
        beginStepping()
        let buffer = recorder.rowBuffer
        let code = csqlite_pack_rows(
            handle, packing.plan, Int32(truncatingIfNeeded: tagColumn), Int32(limit), buffer)
        let count = Int(buffer.pointee.count)
        rows &+= count
        guard code == SQLITE_ROW || code == SQLITE_DONE else { throw failure(code) }
        return PackedRows(
            bytes: UnsafeRawBufferPointer(
                start: buffer.pointee.bytes, count: Int(buffer.pointee.used)),
            offsets: UnsafeBufferPointer(start: buffer.pointee.offsets, count: count),
            tags: UnsafeBufferPointer(start: buffer.pointee.tags, count: count),
            isLast: code == SQLITE_DONE)
    }

    /// Steps the statement to its end and reads adjacent columns of integers.
    ///
    /// - Parameters:
    ///   - column: the first of the columns.
    ///   - width: the number of columns.
    ///   - take: called for several rows at a time, with the integers of one row after another.
    package func readIntegers(
        _ column: Int, width: Int = 1, take: (UnsafeBufferPointer<Int64>) -> Void
    ) throws(SQLiteError) {
        beginStepping()
        let code = withUnsafeTemporaryAllocation(
            of: Int64.self, capacity: Self.rowsAtOnce * width
        ) { values in
            var code = SQLITE_ROW
            while code == SQLITE_ROW {
                var count: Int32 = 0
                code = csqlite_read_integers(
                    handle, Int32(truncatingIfNeeded: column), Int32(truncatingIfNeeded: width),
                    values.baseAddress, Int32(Self.rowsAtOnce), &count)
                rows &+= Int(count)
                take(UnsafeBufferPointer(rebasing: values[..<(Int(count) * width)]))
            }
            return code
        }
        guard code == SQLITE_DONE else { throw failure(code) }
    }

    /// The number of rows whose integers are buffered on the stack.
    private static let rowsAtOnce = 128

    private func beginStepping() {
        if counters.pointee.isObserved { noteStart() }
        hasRun = true
    }
}
