import CoreDataModel
import CoreDataStore
import Testing

/// Reads begin before a save and end after it.
@Suite struct StaleReadTests {
    private let cache = RowCache(layout: StoreModels.library)
    private let key = ObjectKey(entity: 0, key: 1)

    private func block(_ version: Int32, _ generation: UInt64, keys: [Int64] = [1]) -> RowBlock {
        var builder = RowBlockBuilder()
        for key in keys {
            builder.beginRow(key: key, version: version, entity: 0, slotCount: 1)
            builder.set(0, string: "\(version)")
        }
        return builder.finish(generation: generation, timestamp: 0)
    }

    /// Saves a row of version 9. A later read replaces the cached row and is released, so the cache
    /// has no entry for the row.
    private func saveThatNobodyHolds() {
        let written = block(9, cache.generation + 1)
        cache.commit([written], deleted: [])
        do {
            let read = block(9, cache.generation)
            cache.insert(read)
            #expect(cache.version(of: key) == 9)
        }
        withExtendedLifetime(written) {
            #expect(cache.version(of: key) == nil, "the entry goes with the read's block")
        }
    }

    @Test func `an older row does not take the entry that a newer one has left`() {
        let began = cache.generation
        saveThatNobodyHolds()
        let old = block(8, began)
        cache.insert(old)
        withExtendedLifetime(old) { #expect(cache.version(of: key) == nil) }
        let new = block(9, cache.generation)
        cache.insert(new)
        withExtendedLifetime(new) { #expect(cache.version(of: key) == 9) }
    }

    @Test func `a read that began before the save changes nothing`() {
        let began = cache.generation
        saveThatNobodyHolds()
        let rows = LoneRows(owner: cache)
        rows.take(RowReference(block: block(8, began), index: 0))
        cache.insert(rows)
        #expect(cache.version(of: key) == nil)
        rows.dropRow()
    }

    @Test func `a row that was deleted meanwhile is not cached again`() {
        let began = cache.generation
        cache.commit([], deleted: [key])
        let old = block(8, began, keys: [1, 2])
        cache.insert(old)
        withExtendedLifetime(old) {
            #expect(cache.version(of: key) == nil)
            #expect(cache.version(of: ObjectKey(entity: 0, key: 2)) == 8, "nobody has changed it")
        }
    }

    @Test func `an invalidated row and an emptied cache accept no older read`() {
        for forget in [{ cache.invalidate([key]) }, { cache.removeAll() }] {
            let began = cache.generation
            forget()
            let old = block(8, began)
            cache.insert(old)
            withExtendedLifetime(old) { #expect(cache.version(of: key) == nil) }
        }
    }

    @Test func `after more changes than are remembered, no older read is accepted`() {
        let began = cache.generation
        cache.commit([], deleted: (10...Int64(1 << 16) + 20).map { ObjectKey(entity: 0, key: $0) })
        let old = block(8, began)
        cache.insert(old)
        withExtendedLifetime(old) { #expect(cache.version(of: key) == nil) }
        let new = block(8, cache.generation)
        cache.insert(new)
        withExtendedLifetime(new) { #expect(cache.version(of: key) == 8) }
    }

    @Test func `a row that was read without concurrent writes is accepted`() {
        cache.invalidate([key])
        let persisted = block(7, 0)
        cache.insert(current: persisted)
        withExtendedLifetime(persisted) { #expect(cache.version(of: key) == 7) }
    }
}
