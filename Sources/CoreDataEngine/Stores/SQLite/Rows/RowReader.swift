import CoreDataModel
import CoreDataSQLite

/// Moves rows of one entity's family from a statement into blocks.
///
/// Made once for each entity when a store opens; every SELECT that returns whole rows goes
/// through it. It holds the select list and, for each member of the family, which column goes to
/// which slot. Nothing is allocated for a row beside its place in the block.
final class RowReader: Sendable {
    let entity: EntityLayout
    /// `0, t0.Z_PK, t0.Z_OPT, t0.ZTITLE, …`, with `t0.Z_ENT` first where there are subentities.
    let selectList: String
    /// The number of columns in the select list; further ones are the caller's.
    let columnCount: Int
    private let numbers: EntityNumbers
    private let members: ContiguousArray<Member>
    /// Whether rows may be of several entities.
    private let isFamily: Bool
    private let ownIndex: Int

    private struct Member: Sendable {
        let slotCount: Int
        var moves: ContiguousArray<Move> = []
    }

    private struct Move: Sendable {
        let column: Int
        let slot: Int
        let form: Form
        /// Where the destination's `Z_ENT` stands; -1 where there is no such column.
        let entityColumn: Int
        let destination: Int
    }

    private enum Form: UInt8 { case integer, double, bytes, toOne }

    init(entity: EntityLayout, layout: ModelLayout, numbers: EntityNumbers) {
        self.entity = entity
        self.numbers = numbers
        var columns = [entity.hasSubentities ? "t0.Z_ENT" : "0", "t0.Z_PK", "t0.Z_OPT"]
        var positions: [String: Int] = [:]
        func position(_ column: String) -> Int {
            if let known = positions[column] { return known }
            columns.append("t0." + column)
            positions[column] = columns.count - 1
            return columns.count - 1
        }
        members = ContiguousArray(
            entity.familyRange.map { index in
                let layout = layout[index]
                var member = Member(slotCount: layout.values.count)
                for (slot, value) in layout.values.enumerated() {
                    guard let column = value.column else { continue }
                    let place = position(column)
                    member.moves.append(
                        Move(
                            column: place, slot: slot, form: Self.form(of: value.kind),
                            entityColumn: value.toOne?.entityColumn.map(position) ?? -1,
                            destination: value.toOne?.destinationIndex ?? 0))
                }
                return member
            })
        isFamily = members.count > 1
        ownIndex = entity.index
        selectList = columns.joined(separator: ", ")
        columnCount = columns.count
    }

    private static func form(of kind: ValueKind) -> Form {
        switch kind {
        case .integer16, .integer32, .integer64, .boolean: .integer
        case .double, .float, .date: .double
        case .decimal, .string, .uri, .uuid, .binary: .bytes
        case .toOne: .toOne
        }
    }

    /// The key of the current row; its entity is this reader's where the file names another tree.
    func key(_ statement: Statement) -> ObjectKey {
        ObjectKey(entity: entityIndex(statement), key: statement.integer(1))
    }

    private func entityIndex(_ statement: Statement) -> Int {
        guard isFamily, let index = numbers.index(of: statement.integer(0)),
            entity.familyRange.contains(index)
        else { return ownIndex }
        return index
    }

    /// Adds the current row to a block.
    func read(_ statement: Statement, into builder: inout RowBlockBuilder) {
        let index = entityIndex(statement)
        let member = index - ownIndex
        members.withUnsafeBufferPointer { members in
            builder.beginRow(
                key: statement.integer(1),
                version: Int32(truncatingIfNeeded: statement.integer(2)), entity: index,
                slotCount: members[member].slotCount)
            members[member].moves.withUnsafeBufferPointer { moves in
                for move in moves { read(move, statement, into: &builder) }
            }
        }
    }

    @inline(__always)
    private func read(_ move: Move, _ statement: Statement, into builder: inout RowBlockBuilder) {
        let value = statement.value(move.column)
        if value.isNull { return }
        switch move.form {
        case .integer: builder.set(move.slot, integer: value.integer)
        case .double: builder.set(move.slot, double: value.double)
        case .bytes: builder.set(move.slot, bytes: value.bytes)
        case .toOne:
            var destination = move.destination
            if move.entityColumn >= 0 {
                destination = numbers.index(of: statement.integer(move.entityColumn)) ?? destination
            }
            builder.set(
                move.slot, reference: ObjectKey(entity: destination, key: value.integer))
        }
    }
}

extension RowReader {
    /// Steps a statement to its end and returns its rows.
    func readAll(
        _ statement: Statement, generation: UInt64, timestamp: Double
    ) throws(SQLiteError) -> FetchedRows {
        var builder = RowBlockBuilder()
        var blocks: [RowBlock] = []
        while try statement.step() {
            read(statement, into: &builder)
            if builder.count == RowBlockBuilder.rowsPerBlock {
                blocks.append(builder.finish(generation: generation, timestamp: timestamp))
            }
        }
        if builder.count > 0 {
            blocks.append(builder.finish(generation: generation, timestamp: timestamp))
        }
        return FetchedRows(blocks: blocks)
    }

    /// Steps to the only row of a statement and returns it.
    func readOne(
        _ statement: Statement, generation: UInt64, timestamp: Double
    ) throws(SQLiteError) -> RowReference? {
        guard try statement.step() else { return nil }
        var builder = RowBlockBuilder(capacity: 256, rows: 1)
        read(statement, into: &builder)
        return RowReference(
            block: builder.finish(generation: generation, timestamp: timestamp), index: 0)
    }
}
