import CoreDataModel

/// The changes that one save makes in one store, as values.
///
/// All keys are permanent. All rows of a group are written with the same statement text. A plan
/// writes each row at most once: a second write would not find the expected version.
package struct SavePlan: Sendable {
    /// New rows of one entity; they get version 1.
    ///
    /// After the save, the row cache and the objects use the same blocks, so no value is copied.
    package struct Insert: Sendable {
        package let entity: EntityLayout
        package let keys: ContiguousArray<Int64>
        /// The blocks of the new rows, in the order of the keys; transient slots are null.
        private let blocks: [RowBlock]
        private let starts: ContiguousArray<Int>

        package init(entity: EntityLayout, keys: ContiguousArray<Int64>, blocks: [RowBlock]) {
            self.entity = entity
            self.keys = keys
            self.blocks = blocks
            var next = 0
            starts = ContiguousArray(
                blocks.map { block in
                    defer { next += block.count }
                    return next
                })
            assert(next == keys.count, "the number of rows is not the number of keys")
            // `cells(_:)` relies on this maximum.
            assert(blocks.allSatisfy { $0.count <= RowBlockBuilder.rowsPerBlock })
        }

        /// Creates the rows.
        ///
        /// - Parameter values: the values of the rows, one row after another, with one value for
        ///   each value slot of the entity.
        package init(
            entity: EntityLayout, keys: ContiguousArray<Int64>, values: ContiguousArray<Value>
        ) {
            var builder = RowBlockBuilder()
            var blocks: [RowBlock] = []
            let width = entity.values.count
            for (row, key) in keys.enumerated() {
                builder.beginRow(key: key, version: 1, entity: entity.index, slotCount: width)
                for slot in 0..<width {
                    builder.set(
                        slot, value: values[row * width + slot], of: entity.values[slot].kind)
                }
                if builder.isFull || row == keys.count - 1 {
                    blocks.append(builder.finish(generation: 0, timestamp: 0))
                }
            }
            self.init(entity: entity, keys: keys, blocks: blocks)
        }

        /// Returns the plan for the chosen rows; nil chooses all rows.
        func rows(_ chosen: [Int]?) -> Insert {
            guard let chosen else { return self }
            var values: ContiguousArray<Value> = []
            for row in chosen {
                for slot in entity.values.indices { values.append(value(row, slot)) }
            }
            return Insert(
                entity: entity, keys: ContiguousArray(chosen.map { keys[$0] }), values: values)
        }

        /// The cells of a row, valid as long as the plan.
        package func cells(_ row: Int) -> UnsafeRawPointer {
            var block = row / RowBlockBuilder.rowsPerBlock
            // Blocks with long values contain fewer rows, so the row may be in a later block.
            while block + 1 < starts.count, starts[block + 1] <= row { block += 1 }
            assert(starts[block] <= row, "the search begins at a block after the row")
            return blocks[block].cells(at: row - starts[block])
        }

        package func value(_ row: Int, _ slot: Int) -> Value {
            RowFormat.value(cells(row), slot: slot, kind: entity.values[slot].kind)
        }
    }

    /// Changed rows of one entity, all with the same changed slots. Each row's version increases by
    /// one.
    package struct Update: Sendable {
        package let entity: EntityLayout
        /// The changed slots; empty if only the versions increase.
        package let slots: [Int]
        package var keys: ContiguousArray<Int64> = []
        /// The version that each row must still have.
        package var versions: ContiguousArray<Int32> = []
        /// The values of the rows, one row after another, with one value for each of `slots`.
        package var values: ContiguousArray<Value> = []

        package init(entity: EntityLayout, slots: [Int]) {
            self.entity = entity
            self.slots = slots
        }

        func rows(_ chosen: [Int]?) -> Update {
            guard let chosen else { return self }
            var part = Update(entity: entity, slots: slots)
            for row in chosen {
                part.keys.append(keys[row])
                part.versions.append(versions[row])
                part.values += values[row * slots.count..<(row + 1) * slots.count]
            }
            return part
        }
    }

    package struct Delete: Sendable {
        package let entity: EntityLayout
        package var keys: ContiguousArray<Int64> = []
        package var versions: ContiguousArray<Int32> = []

        package init(entity: EntityLayout) { self.entity = entity }

        func rows(_ chosen: [Int]?) -> Delete {
            guard let chosen else { return self }
            var part = Delete(entity: entity)
            part.keys = ContiguousArray(chosen.map { keys[$0] })
            part.versions = ContiguousArray(chosen.map { versions[$0] })
            return part
        }
    }

    /// A row that the plan does not write, but which must still have this version
    /// (`detectConflicts(for:)`).
    package struct Lock: Sendable {
        package let entity: EntityLayout
        package let key: Int64
        package let version: Int32

        package init(entity: EntityLayout, key: Int64, version: Int32) {
            self.entity = entity
            self.key = key
            self.version = version
        }
    }

    /// Changes to the members of a to-many relationship that are not in a slot of a row. They are
    /// pairs of a join table, foreign keys without an inverse, and the order of an ordered
    /// relationship.
    package struct Membership: Sendable {
        package let entity: EntityLayout
        package let slot: Int
        package let owner: Int64
        package var added: [ObjectKey]
        package var removed: [ObjectKey]
        /// All members in their new order, if the relationship is ordered.
        package var order: [ObjectKey]?

        package init(
            entity: EntityLayout, slot: Int, owner: Int64, added: [ObjectKey], removed: [ObjectKey],
            order: [ObjectKey]?
        ) {
            self.entity = entity
            self.slot = slot
            self.owner = owner
            self.added = added
            self.removed = removed
            self.order = order
        }
    }

    package var inserts: [Insert] = []
    package var updates: [Update] = []
    package var deletes: [Delete] = []
    package var locks: [Lock] = []
    package var memberships: [Membership] = []
    package var origin = WriteOrigin()

    package init() {}

    package var isEmpty: Bool {
        inserts.isEmpty && updates.isEmpty && deletes.isEmpty && locks.isEmpty
            && memberships.isEmpty
    }
}

/// The result of writing a save plan. Only `committed` and `unknown` may have changed the store.
package enum SaveOutcome: Sendable {
    /// - Parameters:
    ///   - computed: rows with values that the store has computed and the plan does not contain.
    ///   - transaction: the number of the save in the store's history; nil if the store keeps no
    ///     history.
    case committed(computed: [ObjectKey] = [], transaction: Int64? = nil)
    /// Rows that do not have the expected version.
    case conflicts([RowConflict])
    case constraintViolations([ConstraintViolation])
    /// The store rolled the transaction back because of a conflict with another one, such as a
    /// deadlock. It may succeed if it is repeated.
    ///
    /// - Parameter reason: the store's reason, as the end of a sentence.
    case refused(_ reason: String)
    /// Another transaction makes it impossible to commit the transaction in which the context has
    /// read. The save must not be repeated, because its values come from the reads.
    ///
    /// - Parameter reason: the store's reason, as the end of a sentence.
    case superseded(_ reason: String)
    /// The connection ended during the commit, so it is not known whether the store has the rows.
    ///
    /// - Parameter reason: the store's reason, as the end of a sentence.
    case unknown(_ reason: String)
}

/// A row that another writer changed or deleted.
package struct RowConflict: Sendable {
    package let key: ObjectKey
    package let expectedVersion: Int32
    /// The current row; nil if it does not exist.
    package let persisted: RowReference?

    package init(key: ObjectKey, expectedVersion: Int32, persisted: RowReference?) {
        self.key = key
        self.expectedVersion = expectedVersion
        self.persisted = persisted
    }
}

package struct ConstraintViolation: Sendable {
    package let entity: EntityLayout
    package let constraint: UniquenessConstraint
    /// The rows of the plan that have the values.
    package let planned: [ObjectKey]
    /// The stored row that already has the values; nil if only rows of the plan conflict.
    package let persisted: RowReference?

    package init(
        entity: EntityLayout, constraint: UniquenessConstraint, planned: [ObjectKey],
        persisted: RowReference?
    ) {
        self.entity = entity
        self.constraint = constraint
        self.planned = planned
        self.persisted = persisted
    }
}
