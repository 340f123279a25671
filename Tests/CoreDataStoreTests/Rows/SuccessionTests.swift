import CoreDataModel
import TestSupport
import Testing

@testable import CoreDataStore

/// Several readers insert row blocks, which replace each other in the cache.
@Suite struct SuccessionTests {
    private let cache = RowCache(layout: StoreModels.library)
    private static let keys: ClosedRange<Int64> = 1...40

    private func block(_ versions: [(key: Int64, version: Int32)]) -> RowBlock {
        var builder = RowBlockBuilder()
        for (key, version) in versions {
            builder.beginRow(key: key, version: version, entity: 0, slotCount: 1)
        }
        return builder.finish(generation: cache.generation, timestamp: 0)
    }

    private func entry(_ key: Int64) -> UnsafeRawPointer? {
        guard let cells = cache.cells(ObjectKey(entity: 0, key: key)) else { return nil }
        RowFormat.block(cells).release()
        return cells
    }

    /// A block of rows for a random range of keys. The rows have one version, or each has a random
    /// one.
    private func random(_ numbers: inout some RandomNumberGenerator) -> RowBlock {
        let first = Int64.random(in: Self.keys, using: &numbers)
        let last = Int64.random(in: first...Self.keys.upperBound, using: &numbers)
        let common = Int32.random(in: 1...3, using: &numbers)
        let isMixed = Bool.random(using: &numbers)
        return block(
            (first...last).map { key in
                (key, isMixed ? Int32.random(in: 1...3, using: &numbers) : common)
            })
    }

    @Test(arguments: 0..<200)
    func `the entry is the last row of the highest version`(seed: Int) {
        var numbers = SeededGenerator(seed: UInt64(seed))
        var expected: [Int64: UnsafeRawPointer] = [:]
        var blocks: [RowBlock] = []
        for _ in 0..<8 {
            let block = random(&numbers)
            blocks.append(block)
            cache.insert(block)
            for index in 0..<block.count {
                let cells = block.cells(at: index)
                let key = RowFormat.key(cells)
                let gives = expected[key].map {
                    RowFormat.version($0) <= RowFormat.version(cells)
                }
                if gives ?? true { expected[key] = cells }
            }
            for key in Self.keys { #expect(entry(key) == expected[key], "key \(key)") }
            #expect(cache.brokenInvariant() == nil)
            for former in blocks where former !== block {
                for index in 0..<former.count {
                    let cells = former.cells(at: index)
                    guard expected[RowFormat.key(cells)] != cells else { continue }
                    #expect(!cache.holds(cells, in: former), "a row that gave way counts as newest")
                }
            }
        }
        // A block that is released removes only its own entries.
        blocks.shuffle(using: &numbers)
        while blocks.popLast() != nil { #expect(cache.brokenInvariant() == nil) }
        #expect(cache.count == 0)
    }

    @Test func `replaced rows of a block are recognised only by their version`() {
        let former = block((1...40).map { ($0, 1) })
        cache.insert(former)
        let newer = block((1...20).map { ($0, 1) } + (21...40).map { ($0, 2) })
        cache.insert(newer)
        #expect(former.commonVersion == 1)
        #expect(newer.commonVersion == 0, "not all have the same")
        for key in Self.keys { #expect(entry(key) == newer.cells(at: Int(key) - 1)) }
        let older = block((1...40).map { ($0, 1) })
        cache.insert(older)
        for key in Self.keys {
            let winner = key <= 20 ? older : newer
            #expect(entry(key) == winner.cells(at: Int(key) - 1))
        }
        withExtendedLifetime((former, newer, older)) {}
    }
}
