import CRowFormat
import CoreDataModel
import CoreDataSQL
import CoreDataSQLite

/// Copies rows of one entity's family from a statement into blocks.
///
/// Every SELECT of whole rows uses it. It holds the select list and, for each entity of the family,
/// the column of each slot. One call into C packs a block of rows, which is then copied. No memory
/// is allocated for a single row.
final class StatementRowPacker: Sendable {
    package let entity: EntityLayout
    let selectList: String
    /// The number of columns in the SELECT list, after which the caller may append others.
    let columnCount: Int
    private let numbers: EntityNumbers
    private let packing: RowPackingPlan
    /// Whether the rows may belong to different entities.
    private let isFamily: Bool
    private let ownIndex: Int

    package init(entity: EntityLayout, layout: ModelLayout, numbers: EntityNumbers) {
        self.entity = entity
        self.numbers = numbers
        var columns = [entity.hasSubentities ? "t0.Z_ENT" : "0", "t0.Z_PK", "t0.Z_OPT"]
        var positions: [String: Int] = [:]
        func position(_ column: String, _ slot: ValueSlot? = nil) -> Int {
            if let known = positions[column] { return known }
            let text = "t0." + column
            columns.append(slot?.readExpression(of: text) ?? text)
            positions[column] = columns.count - 1
            return columns.count - 1
        }
        let shapes = entity.familyRange.map { index in
            let values = layout[index].values
            var shape = RowPackingPlan.Shape(slotCount: values.count)
            for (slot, value) in values.enumerated() {
                guard let column = value.column else { continue }
                shape.moves.append(
                    RowPackingPlan.Move(
                        column: position(column, value), slot: slot,
                        form: Self.form(of: value.kind),
                        entityColumn: value.toOne?.entityColumn.map { position($0) },
                        entity: value.toOne?.destinationIndex ?? 0))
            }
            return shape
        }
        packing = RowPackingPlan(
            firstEntity: entity.index, shapes: shapes, entities: numbers.indexesByNumber)
        isFamily = shapes.count > 1
        ownIndex = entity.index
        selectList = columns.joined(separator: ", ")
        columnCount = columns.count
    }

    private static func form(of kind: ValueKind) -> RowPackingPlan.Form {
        switch kind {
        case .integer16, .integer32, .integer64, .boolean: .integer
        case .double, .float, .date: .double
        case .decimal, .string, .uri, .uuid, .binary: .bytes
        case .toOne: .reference
        }
    }

    /// The entity of a row. If the number in the file is not one of the family, the packer's own
    /// entity.
    private func entityIndex(_ number: Int64) -> Int {
        guard isFamily, let index = numbers.index(of: number), entity.familyRange.contains(index)
        else { return ownIndex }
        return index
    }
}

extension StatementRowPacker {
    /// Steps a statement to its end and returns its rows.
    ///
    /// - Parameters:
    ///   - tagColumn: a column of integers that is read in addition to the rows.
    ///   - takeTags: called for each block with the values of the tag column in its rows.
    package func readAll(
        _ statement: Statement, generation: UInt64, timestamp: Double, tagColumn: Int = -1,
        takeTags: (UnsafeBufferPointer<Int64>) -> Void = { _ in }
    ) throws(SQLiteError) -> FetchedRows {
        var blocks: [RowBlock] = []
        var isLast = false
        var byteCount = 0
        while !isLast {
            let packed = try statement.pack(
                packing, limit: RowBlockBuilder.rowsPerBlock, tagColumn: tagColumn)
            isLast = packed.isLast
            if packed.offsets.isEmpty { break }
            if tagColumn >= 0 { takeTags(packed.tags) }
            byteCount += packed.bytes.count
            blocks.append(
                RowBlock(
                    copying: packed.bytes, offsets: packed.offsets, generation: generation,
                    timestamp: timestamp))
        }
        if byteCount > Self.bytesOfManyPages { statement.releasePages() }
        return FetchedRows(blocks: blocks)
    }

    /// If a statement has read more bytes of rows than this, its pages are no longer needed. The
    /// page cache is then freed, so that objects can use its memory.
    private static let bytesOfManyPages = 8 << 20

    func readOne(
        _ statement: Statement, generation: UInt64, timestamp: Double
    ) throws(SQLiteError) -> RowReference? {
        let packed = try statement.pack(packing, limit: 1)
        guard !packed.offsets.isEmpty else { return nil }
        let block = RowBlock(
            copying: packed.bytes, offsets: packed.offsets, generation: generation,
            timestamp: timestamp)
        return RowReference(block: block, index: 0)
    }

    /// Reads the only row of a statement and adds it to the lone rows.
    func readOne(
        _ statement: Statement, generation: UInt64, timestamp: Double, into rows: LoneRows
    ) throws(SQLiteError) {
        let packed = try statement.pack(packing, limit: 1)
        guard let cells = packed.offsets.first else { return }
        let row = UnsafeRawBufferPointer(rebasing: packed.bytes[FAULTLINE_BLOCK_HEADER_SIZE...])
        rows.append(
            row, cellsAt: Int(cells) - FAULTLINE_BLOCK_HEADER_SIZE, generation: generation,
            timestamp: timestamp)
    }

    /// Reads all keys of a statement, whose columns are the entity's number and the key.
    func readKeys(_ statement: Statement) throws(SQLiteError) -> ContiguousArray<ObjectKey> {
        try readKeyPages(statement).allKeys
    }

    /// Like ``readKeys(_:)``, but returns the keys in pages.
    func readKeyPages(_ statement: Statement) throws(SQLiteError) -> KeyPages {
        if isFamily {
            return try Self.pages(of: statement, 0, width: 2) {
                ObjectKey(entity: entityIndex($0[0]), key: $0[1])
            }.map(KeyPage.ofFamily)
        }
        return try Self.pages(of: statement, 1, width: 1) { $0[0] }.map {
            KeyPage.ofEntity(ownIndex, $0)
        }
    }

    /// Reads columns of integers into arrays that are small enough for free memory of the heap.
    ///
    /// - Parameter make: creates a value from the integers of one row.
    @inline(__always)
    private static func pages<T>(
        of statement: Statement, _ column: Int, width: Int,
        _ make: (UnsafePointer<Int64>) -> T
    ) throws(SQLiteError) -> [ContiguousArray<T>] {
        var pages: [ContiguousArray<T>] = []
        var page: ContiguousArray<T> = []
        try statement.readIntegers(column, width: width) { numbers in
            guard var next = numbers.baseAddress else { return }
            let count = numbers.count / width
            if page.count + count > rowsPerPage {
                pages.append(page)
                page = []
                page.reserveCapacity(rowsPerPage)
            } else if page.isEmpty {
                // If a statement returns few rows, this call receives all of them, and the array
                // never grows.
                page.reserveCapacity(count)
            }
            for _ in 0..<count {
                page.append(make(next))
                next += width
            }
        }
        if !page.isEmpty { pages.append(page) }
        return pages
    }

    /// The number of rows whose keys and entities take 64 KB.
    private static let rowsPerPage = 4_000

    /// Reads all keys of a statement. Its columns are the entity number, the key and the owner's
    /// position (from 1), by which its rows are sorted.
    ///
    /// - Parameter owners: the number of owners.
    /// - Returns: the keys, and the number of keys for each owner.
    func readMembers(
        _ statement: Statement, owners: Int
    ) throws(SQLiteError) -> (keys: ContiguousArray<ObjectKey>, counts: ContiguousArray<Int>) {
        var keys: ContiguousArray<ObjectKey> = []
        var counts = ContiguousArray(repeating: 0, count: owners)
        var last = 1
        try statement.readIntegers(0, width: 3) { numbers in
            for place in stride(from: 0, to: numbers.count, by: 3) {
                let owner = Int(numbers[place + 2])
                assert(owner >= last, "the members are not sorted by owner")
                last = owner
                counts[owner - 1] += 1
                keys.append(
                    ObjectKey(entity: entityIndex(numbers[place]), key: numbers[place + 1]))
            }
        }
        return (keys, counts)
    }
}
