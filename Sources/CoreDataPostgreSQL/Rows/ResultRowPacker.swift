import CoreDataModel
import CoreDataPostgreSQLClient
import CoreDataSQL
import CoreDataStore
import CoreDataTrace
import Foundation

/// Copies the rows of an entity and its subentities from results into row blocks.
///
/// Created once for each entity when a store opens; every SELECT that returns whole rows uses it.
final class ResultRowPacker: Sendable {
    let entity: EntityLayout
    /// The SELECT list: entity number, key, version, and the columns of the entity and its
    /// subentities.
    let selectList: String
    /// The number of columns in the SELECT list. The caller may append further columns.
    let columnCount: Int
    private let numbers: EntityNumbers
    /// The columns to copy, for the entity and for each of its subentities.
    private let shapes: [[Move]]

    /// A column of the result that is the value of a slot.
    private struct Move {
        let column: Int
        let slot: Int
        let kind: CoreDataModel.ValueKind
        /// The column with the entity number of the destination; nil if all have one entity.
        let entityColumn: Int?
        let destination: Int
    }

    init(entity: EntityLayout, schema: StoreSchema) {
        self.entity = entity
        numbers = schema.numbers
        let names = schema.names
        var columns = [
            entity.hasSubentities ? "t0.\(names.entity)" : "0", "t0.\(names.key)",
            "t0.\(names.version)",
        ]
        var positions: [String: Int] = [:]
        func position(_ column: String) -> Int {
            if let known = positions[column] { return known }
            columns.append("t0." + column)
            positions[column] = columns.count - 1
            return columns.count - 1
        }
        shapes = entity.familyRange.map { index in
            schema.layout[index].values.enumerated().compactMap { slot, value in
                value.column.map { column in
                    Move(
                        column: position(column), slot: slot, kind: value.kind,
                        entityColumn: value.toOne?.entityColumn.map { position($0) },
                        destination: value.toOne?.destinationIndex ?? 0)
                }
            }
        }
        slotCounts = entity.familyRange.map { schema.layout[$0].values.count }
        selectList = columns.joined(separator: ", ")
        columnCount = columns.count
    }

    private let slotCounts: [Int]

    /// The index of a row's entity. An unknown number counts as the packer's entity.
    private func index(of number: Int64) -> Int {
        guard let index = numbers.index(of: number), entity.familyRange.contains(index) else {
            return entity.index
        }
        return index
    }
}

extension ResultRowPacker {
    /// Copies the rows of a result.
    func rows(
        _ result: QueryResult, generation: UInt64, timestamp: Double
    ) -> FetchedRows {
        var builder = RowBlockBuilder(capacity: result.rowCount == 1 ? 256 : 4096)
        var blocks: [RowBlock] = []
        for row in 0..<result.rowCount {
            pack(row, of: result, into: &builder)
            if builder.isFull {
                blocks.append(builder.finish(generation: generation, timestamp: timestamp))
            }
        }
        if !builder.isEmpty {
            blocks.append(builder.finish(generation: generation, timestamp: timestamp))
        }
        return FetchedRows(blocks: blocks)
    }

    /// The only row of a result; nil without a row.
    func row(
        _ result: QueryResult, generation: UInt64, timestamp: Double
    ) -> RowReference? {
        rows(result, generation: generation, timestamp: timestamp).blocks.first.map {
            RowReference(block: $0, index: 0)
        }
    }

    private func pack(
        _ row: Int, of result: QueryResult, into builder: inout RowBlockBuilder
    ) {
        let index = index(of: result[row, 0].integer)
        let place = index - entity.index
        builder.beginRow(
            key: result[row, 1].integer,
            version: Int32(truncatingIfNeeded: result[row, 2].integer), entity: index,
            slotCount: slotCounts[place])
        for move in shapes[place] {
            let cell = result[row, move.column]
            if cell.isNull { continue }
            switch move.kind {
            case .integer16, .integer32, .integer64, .boolean:
                builder.set(move.slot, integer: cell.integer)
            case .double, .float, .date: builder.set(move.slot, double: cell.double)
            case .string, .uri, .uuid, .binary: builder.set(move.slot, bytes: cell.bytes)
            case .decimal: setDecimal(cell, move.slot, &builder)
            case .toOne:
                var destination = move.destination
                if let column = move.entityColumn {
                    destination = numbers.index(of: result[row, column].integer) ?? destination
                }
                builder.set(
                    move.slot, reference: ObjectKey(entity: destination, key: cell.integer))
            }
        }
    }

    private func setDecimal(_ cell: Cell, _ slot: Int, _ builder: inout RowBlockBuilder) {
        if let decimal = cell.decimal { return builder.set(slot, string: decimal.description) }
        EngineLog.errorOnce(
            "a value of '\(entity.name).\(entity.values[slot].name)' on the server has more digits"
                + " than a decimal number of the program; it is read as nil. Round the value.")
    }

    /// The keys of a result whose columns are the entity number and the key.
    func keys(_ result: QueryResult) -> ContiguousArray<ObjectKey> {
        ContiguousArray(
            (0..<result.rowCount).lazy.map { row in
                ObjectKey(
                    entity: self.index(of: result[row, 0].integer), key: result[row, 1].integer)
            })
    }
}
