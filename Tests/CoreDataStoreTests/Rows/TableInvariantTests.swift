import CoreDataModel
import Testing

@testable import CoreDataStore

/// The invariants of the tables and blocks for rows and objects are violated deliberately.
@Suite struct TableInvariantTests {
    private let cache: RowCache

    init() {
        cache = RowCache(layout: StoreModels.library)
    }

    private func address(_ number: Int) throws -> UnsafeMutableRawPointer {
        try #require(UnsafeMutableRawPointer(bitPattern: number * 8))
    }

    /// The rows belong to the first entity.
    private func block(_ keys: [Int64]) -> RowBlock {
        var builder = RowBlockBuilder()
        for key in keys { builder.beginRow(key: key, version: 1, entity: 0, slotCount: 1) }
        return builder.finish(generation: cache.generation, timestamp: 0)
    }

    @Test func `a table of keys detects an entry that was removed without being counted`() throws {
        var table = KeyTable()
        for key in 0..<100 {
            let entry = try address(key + 1)
            table.update(Int64(key), entry)
        }
        let sound = table.brokenInvariant()
        #expect(sound == nil)
        // Removes the first entry of the first group.
        table.entries[KeyTable.groupSize] = nil
        let broken = table.brokenInvariant()
        #expect(broken == "The table counts 100 entries, but has 99.")
    }

    @Test func `a table of keys detects a group that is not found`() throws {
        var table = KeyTable()
        for key in 0..<100 {
            let entry = try address(key + 1)
            table.update(Int64(key), entry)
        }
        let place = table.directoryPlace(of: 0)
        table.prefixes[place] = 1_000_003
        let broken = table.brokenInvariant()
        #expect(broken == "The group 1 is not found by its prefix.")
    }

    @Test func `a table of keys detects a group that is neither in use nor free`() throws {
        var table = KeyTable()
        let entry = try address(1)
        for key in [0, 8, 16] as [Int64] { table.update(key, entry) }
        table.remove(8)
        let sound = table.brokenInvariant()
        #expect(sound == nil)
        table.freeGroup = 0
        let broken = table.brokenInvariant()
        #expect(broken == "1 groups are neither in use nor free.")
    }

    @Test func `a block of rows detects a row that does not lead back to it`() {
        let rows = block([1, 2, 3])
        #expect(rows.brokenInvariant() == nil)
        rows.offsets[1] += 8
        #expect(rows.brokenInvariant() == "Row 1 does not refer to its block.")
        rows.offsets[1] -= 4
        #expect(rows.brokenInvariant() == "Row 1 does not begin at a word boundary.")
    }

    @Test func `a block of rows detects that it begins with another address`() {
        let rows = block([1])
        rows.bytes.storeBytes(of: rows.bytes, as: UnsafeMutableRawPointer.self)
        #expect(rows.brokenInvariant() == "The block does not begin with its own address.")
    }

    @Test func `lone rows detect a row of a block that they do not hold`() {
        let rows = LoneRows(owner: cache)
        let read = block([1])
        let other = block([2])
        defer { withExtendedLifetime((read, other)) {} }
        rows.take(RowReference(block: read, index: 0))
        #expect(rows.brokenInvariant() == nil)
        rows.cells = other.cells(at: 0)
        #expect(
            rows.brokenInvariant()
                == "A row was read that is not in the held block.")
        rows.dropRow()
        #expect(rows.brokenInvariant() == nil)
    }

    @Test func `lone rows detect a block that is filled beyond its capacity`() {
        let rows = LoneRows(owner: cache)
        rows.used = rows.room + 8
        #expect(rows.brokenInvariant() == "The newest block is filled beyond its capacity.")
    }

    @Test func `the row cache detects a row that is not marked`() {
        let read = block([1, 2])
        defer { withExtendedLifetime(read) {} }
        cache.insert(read)
        #expect(cache.brokenInvariant() == nil)
        RowFormat.mark(read.cells(at: 1), false)
        #expect(cache.brokenInvariant() == "The row of 2 is not marked as the newest.")
        RowFormat.mark(read.cells(at: 1), true)
        #expect(cache.brokenInvariant() == nil)
    }

    @Test func `the row cache detects a row under another's key, and an unused anchor`() throws {
        let read = block([1])
        defer { withExtendedLifetime(read) {} }
        cache.insert(read)
        let entry = UnsafeMutableRawPointer(mutating: read.cells(at: 0))
        cache.rows[0].update(9, entry)
        #expect(cache.brokenInvariant() == "The row of 1 is stored under the key 9.")
        cache.rows[0].remove(9)
        cache.anchors[0].update(7, entry)
        #expect(cache.brokenInvariant() == "The row 7 has an anchor, but is not cached.")
        cache.anchors[0].remove(7)
        #expect(cache.brokenInvariant() == nil)
    }

    @Test func `replacing, removing and releasing rows leaves a valid row cache`() {
        var read: [RowBlock] = [block([1, 2, 3]), block([4])]
        for rows in read { cache.insert(rows) }
        var builder = RowBlockBuilder()
        builder.beginRow(key: 2, version: 2, entity: 0, slotCount: 1)
        let saved = builder.finish(generation: cache.generation, timestamp: 0)
        cache.commit([saved], deleted: [ObjectKey(entity: 0, key: 3)])
        #expect(cache.brokenInvariant() == nil)
        read.removeFirst()
        #expect(cache.brokenInvariant() == nil)
        cache.invalidate([ObjectKey(entity: 0, key: 4)])
        #expect(cache.brokenInvariant() == nil && cache.count <= 1)
    }
}
