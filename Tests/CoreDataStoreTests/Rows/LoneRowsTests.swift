import CoreDataModel
import CoreDataStore
import Testing

/// Faults read rows one at a time. Blocks collect these rows.
@Suite struct LoneRowsTests {
    private let cache: RowCache
    private let rows: LoneRows

    init() {
        cache = RowCache(layout: StoreModels.library)
        rows = LoneRows(owner: cache)
    }

    /// Reads one row as a fault does. The caller owns a reference to the block of the row.
    private func read(_ key: Int64, at timestamp: Double, text: String = "") -> UnsafeRawPointer? {
        if let known = cache.cells(ObjectKey(entity: 0, key: key), else: rows) { return known }
        defer { rows.dropRow() }
        var builder = RowBlockBuilder()
        builder.beginRow(key: key, version: 1, entity: 0, slotCount: 1)
        builder.set(0, string: text)
        let packed = builder.finish(generation: 0, timestamp: 0)
        let cells = packed.cells(at: 0)
        rows.append(
            UnsafeRawBufferPointer(start: cells - 24, count: 32 + text.utf8.count), cellsAt: 24,
            generation: cache.generation, timestamp: timestamp)
        cache.insert(rows)
        return rows.takeCells()
    }

    private func readAll(
        _ keys: ClosedRange<Int64>, at timestamp: Double, text: String = ""
    ) throws -> [UnsafeRawPointer] {
        try keys.map { try #require(read($0, at: timestamp, text: text)) }
    }

    /// The number of consecutive rows in each block.
    private func groups(_ cells: [UnsafeRawPointer]) -> [Int] {
        var groups: [(block: UnsafeMutableRawPointer, count: Int)] = []
        for cells in cells {
            let block = RowFormat.block(cells).toOpaque()
            if groups.last?.block == block {
                groups[groups.count - 1].count += 1
            } else {
                groups.append((block, 1))
            }
        }
        return groups.map(\.count)
    }

    private func release(_ cells: [UnsafeRawPointer]) {
        for cells in cells { RowFormat.block(cells).release() }
    }

    @Test func `rows of one generation share blocks, each twice as large as the previous`() throws {
        let cells = try readAll(1...1000, at: 1)
        #expect(groups(cells) == [1, 2, 4, 8, 16, 32, 64, 128, 256, 256, 233])
        #expect(cells.map(RowFormat.key) == Array(1...1000))
        #expect(try readAll(1...1000, at: 2) == cells, "they are in the row cache")
        release(cells + cells)
        #expect(cache.count == 0)
    }

    @Test func `a row that is read without others has its own block`() throws {
        let cells = try (1...5).flatMap { try readAll($0...$0, at: Double($0)) }
        #expect(groups(cells) == [1, 1, 1, 1, 1])
        release(cells)
    }

    @Test func `a block ends with its generation and with a save`() throws {
        var cells = try readAll(1...5, at: 1)
        cells += try readAll(6...7, at: 2)
        cache.commit([], deleted: [])
        cells += try readAll(8...9, at: 2)
        #expect(groups(cells) == [1, 2, 2, 1, 1, 2])
        release(cells)
    }

    @Test func `unused capacity keeps no row alive`() throws {
        let cells = try readAll(1...5, at: 1)
        release(cells)
        #expect(cache.count == 0)
        let next = try readAll(6...6, at: 1)
        #expect(groups(next) == [1] && cache.count == 1)
        release(next)
    }

    @Test func `long rows share less, and each keeps its own bytes`() throws {
        var cells: [UnsafeRawPointer] = []
        for key in 1...40 as ClosedRange<Int64> {
            let text = String(repeating: "é", count: Int(key % 5) * 6000) + "\(key)"
            cells += try readAll(key...key, at: 1, text: text)
        }
        for (index, cells) in cells.enumerated() {
            let text = String(repeating: "é", count: (index + 1) % 5 * 6000) + "\(index + 1)"
            #expect(RowFormat.string(cells, slot: 0) == text)
        }
        #expect((groups(cells).max() ?? 0) < 20)
        release(cells)
    }
}
