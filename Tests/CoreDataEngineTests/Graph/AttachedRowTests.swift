import CoreDataModel
import CoreDataTrace
import Foundation
import TestSupport
import Testing

@testable import CoreDataEngine
@testable import CoreDataStore

/// Faults hold a reference to their row while other contexts save. The stack has no listeners.
@Suite struct AttachedRowTests {
    private let library: QuietAuthors
    private var stack: GraphStack { library.stack }

    init() throws { library = try QuietAuthors() }

    private func authors(_ context: NSManagedObjectContext) throws -> [NSManagedObject] {
        try library.fetch(context)
    }

    /// Whether the object uses its row without a lookup in the row cache.
    private func takesAsItIs(_ object: NSManagedObject) throws -> Bool {
        try #require(object.registry).takesAsItIs(try #require(object.cells))
    }

    private func save(_ change: ([NSManagedObject], NSManagedObjectContext) -> Void) throws {
        let writer = stack.context()
        try writer.on {
            change(try authors(writer), writer)
            try writer.save()
        }
    }

    @Test func `a save of other rows does not send these faults to the row cache`() throws {
        let (reader, writer) = (stack.context(), stack.context())
        let mine = try writer.on { try authors(writer) }
        try reader.on {
            let read = try authors(reader)
            try writer.on {
                mine[0].setValue("z", forKey: "name")
                try writer.save()
            }
            #expect(try read.map(takesAsItIs) == [false, true, true])
            #expect(read.allSatisfy { $0.isFault })
            #expect(read.map { $0.text("name") } == ["z", "b", "c"])
        }
    }

    @Test func `rows that another context read again are looked up after a save`() throws {
        let context = stack.context()
        try context.on {
            let read = try authors(context)
            #expect(try read.map(takesAsItIs) == [true, true, true])
            try save { _, writer in writer.make("Author", ["name": "d"]) }
            #expect(try read.map(takesAsItIs) == [false, false, false])
            #expect(read.map { $0.text("name") } == ["a", "b", "c"])
        }
    }

    @Test func `a row that was deleted meanwhile is not used`() throws {
        let context = stack.context()
        try context.on {
            let read = try authors(context)
            try save { authors, writer in writer.delete(authors[2]) }
            #expect(try !takesAsItIs(read[2]))
            #expect(read[2].text("name") == nil)
            #expect(read[0].text("name") == "a")
        }
    }

    @Test func `a save does not fail if the cached row is older than the object's own`() throws {
        let context = stack.context()
        try context.on {
            let mine = try authors(context)
            let old = try #require(mine[0].block)
            mine[0].setValue("b1", forKey: "name")
            try context.save()
            let cache = try #require(context.persistentStoreCoordinator).rowCache
            cache.invalidate([mine[0].objectKey])
            cache.insert(current: old)
            #expect(cache.version(of: mine[0].objectKey) == 1)
            mine[0].setValue("b2", forKey: "name")
            try context.save()
            #expect(cache.version(of: mine[0].objectKey) == 3)
        }
        let reader = stack.context()
        let names = try reader.on { try authors(reader).map { $0.text("name") } }
        #expect(names.contains("b2"))
    }

    @Test func `after a save that follows another save a context sees the newest row`() throws {
        let (one, other) = (stack.context(), stack.context())
        let mine = try one.on { try authors(one) }
        let theirs = try other.on { try authors(other) }
        for turn in 0..<3 {
            try one.on {
                mine[1].setValue("mine \(turn)", forKey: "name")
                try one.save()
            }
            try other.on {
                other.refresh(theirs[1], mergeChanges: false)
                #expect(theirs[1].text("name") == "mine \(turn)")
                theirs[1].setValue("theirs \(turn)", forKey: "name")
                try other.save()
            }
            try one.on {
                one.refresh(mine[1], mergeChanges: false)
                #expect(mine[1].text("name") == "theirs \(turn)")
            }
        }
    }

    @Test func `an attached row is looked up again in a pinned context`() throws {
        let context = stack.context()
        try context.on {
            let read = try authors(context)
            try context.setQueryGenerationFrom(.current)
            #expect(try read.map(takesAsItIs) == [false, false, false])
        }
    }
}

/// The mark of a row states whether the row is current. A lookup in the row cache must agree.
@Suite struct RowMarkTests {
    private let layout: ModelLayout
    private let cache: RowCache

    init() throws {
        layout = try GraphStack(Library.makeModel()).coordinator.frozenModel.layout
        cache = RowCache(layout: layout)
    }

    private func block(_ rows: [(key: Int64, version: Int32)]) -> RowBlock {
        var builder = RowBlockBuilder()
        for row in rows {
            builder.beginRow(key: row.key, version: row.version, entity: 0, slotCount: 1)
        }
        return builder.finish(generation: cache.generation, timestamp: 0)
    }

    private func held(_ block: RowBlock) -> [Bool] {
        (0..<block.count).map { cache.holds(block.cells(at: $0), in: block) }
    }

    @Test func `marks of a read stay until another version is read or the row is deleted`() {
        let read = block([(1, 1), (2, 1), (3, 1), (4, 1)])
        #expect(held(read) == [false, false, false, false])
        cache.insert(read)
        #expect(held(read) == [true, true, true, true])
        let saved = block([(2, 2)])
        cache.commit([saved], deleted: [ObjectKey(entity: 0, key: 3)])
        #expect(held(read) == [true, false, false, true])
        #expect(held(saved) == [true])
        cache.invalidate([ObjectKey(entity: 0, key: 4)])
        #expect(held(read) == [true, false, false, false])
        cache.removeAll()
        #expect(held(read) == [false, false, false, false] && held(saved) == [false])
    }

    @Test func `a late or repeated read does not hide newer rows`() {
        let saved = block([(1, 5)])
        cache.commit([saved], deleted: [])
        let late = block([(1, 4), (2, 1)])
        cache.insert(late)
        #expect(held(late) == [false, true] && held(saved) == [true])
        let again = block([(1, 5)])
        cache.insert(again)
        #expect(held(again) == [true] && held(saved) == [false])
    }

    @Test func `a cache does not mark the rows of another cache`() {
        let other = RowCache(layout: layout)
        let read = block([(1, 1)])
        other.insert(read)
        #expect(held(read) == [false])
        #expect(other.holds(read.cells(at: 0), in: read))
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `marks agree with lookups after any reads, saves and releases`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var versions: [Int64: Int32] = [:]
        var alive: [RowBlock] = []
        var answers = (yes: 0, no: 0)
        for _ in 0..<1_500 {
            var keys = Set<Int64>()
            for _ in 0..<6 { keys.insert(Int64.random(in: 1...20, using: &generator)) }
            switch Int.random(in: 0..<6, using: &generator) {
            case 0, 1:
                alive.append(
                    block(
                        keys.sorted().map { key in
                            let newest = versions[key] ?? 1
                            return (key, newest - Int32.random(in: 0...1, using: &generator))
                        }))
                cache.insert(alive[alive.count - 1])
            case 2:
                for key in keys { versions[key] = (versions[key] ?? 1) + 1 }
                alive.append(block(keys.sorted().map { ($0, versions[$0] ?? 1) }))
                cache.commit([alive[alive.count - 1]], deleted: [])
            case 3:
                cache.invalidate(keys.prefix(1).map { ObjectKey(entity: 0, key: $0) })
            default:
                if alive.count > 4 {
                    alive.remove(at: Int.random(in: 0..<alive.count, using: &generator))
                }
            }
            for block in alive {
                for index in 0..<block.count {
                    let cells = block.cells(at: index)
                    let key = ObjectKey(entity: 0, key: RowFormat.key(cells))
                    let isNewest = cache.row(key)?.cells == cells
                    if cache.holds(cells, in: block) {
                        #expect(isNewest)
                        answers.yes += 1
                    } else {
                        #expect(!isNewest || block.isShadowed)
                        answers.no += 1
                    }
                }
            }
        }
        #expect(answers.yes > 1_000 && answers.no > 1_000)
    }
}
