import CoreDataEngine
import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation
import Testing

/// Firing single faults in a stack without listeners, which uses a separate code path.
@Suite struct LoneFaultTests {
    private let library: QuietAuthors
    private var stack: GraphStack { library.stack }

    init() throws { library = try QuietAuthors() }

    private func faults(_ context: NSManagedObjectContext) throws -> [NSManagedObject] {
        try library.fetch(context, withRows: false)
    }

    /// Renames "a" and deletes "c" in another context.
    private func write() throws {
        let writer = stack.context()
        try writer.on {
            let authors = try faults(writer)
            authors[0].setValue("z", forKey: "name")
            writer.delete(authors[2])
            try writer.save()
        }
    }

    private func name(_ object: NSManagedObject) throws -> Value {
        try object.value(at: try #require(object.layout.valueSlot(named: "name")))
    }

    @Test func `single faults read the newest row, also after saves of other contexts`() throws {
        let context = stack.context()
        try context.on {
            let authors = try faults(context)
            #expect(authors.allSatisfy { $0.isFault })
            #expect(try name(authors[1]) == .string("b"))
            try write()
            #expect(try name(authors[0]) == .string("z"))
            #expect(try name(authors[2]) == .null)
            #expect(try name(authors[1]) == .string("b"))
        }
    }

    @Test func `in a pinned context single faults read the rows of its generation`() throws {
        let context = stack.context()
        try context.on {
            try context.setQueryGenerationFrom(.current)
            let authors = try faults(context)
            try write()
            #expect(try authors.map(name) == [.string("a"), .string("b"), .string("c")])
            try context.setQueryGenerationFrom(nil)
            for author in authors { context.refresh(author, mergeChanges: false) }
            #expect(try name(authors[0]) == .string("z"))
            #expect(try name(authors[2]) == .null)
        }
    }

    @Test func `single faults share rows with those of other contexts`() throws {
        let (one, other) = (stack.context(), stack.context())
        let known = try one.on {
            let authors = try faults(one)
            _ = try authors.map(name)
            return authors.map(\.rowVersion)
        }
        try other.on {
            let authors = try faults(other)
            #expect(try authors.map(name) == [.string("a"), .string("b"), .string("c")])
            #expect(authors.map(\.rowVersion) == known)
        }
    }

    /// The addresses of the memory blocks with the rows of these authors.
    private func blocks(
        of authors: [NSManagedObject]
    ) throws -> [UnsafeMutableRawPointer] {
        try authors.map { author in
            _ = try name(author)
            return RowFormat.block(try #require(author.cells)).toOpaque()
        }
    }

    private func addAuthors(_ count: Int) throws {
        let context = stack.context()
        try context.on {
            for index in 0..<count { context.make("Author", ["name": "d\(1000 + index)"]) }
            try context.save()
        }
    }

    @Test func `a block is released with the last object that has one of its rows`() throws {
        try addAuthors(100)
        let context = stack.context()
        try context.on {
            var authors = try faults(context)
            _ = try blocks(of: authors)
            #expect(stack.coordinator.rowCache.count == authors.count)
            authors = []
            #expect(stack.coordinator.rowCache.count == 0)
            authors = try faults(context)
            _ = try blocks(of: Array(authors.suffix(3)))
            #expect(stack.coordinator.rowCache.count == 3)
        }
    }

    @Test func `a row read after a save is in a block of the new generation`() throws {
        try addAuthors(40)
        let context = stack.context()
        try context.on {
            let authors = try faults(context)
            let before = try blocks(of: Array(authors[3..<20]))
            try write()
            let after = try blocks(of: Array(authors[20..<40]))
            #expect(Set(before).isDisjoint(with: after))
            #expect(try name(authors[0]) == .string("z"))
        }
    }

    @Test func `rows of different length share a block up to its capacity`() throws {
        let context = stack.context()
        let names = (0..<80).map { String(repeating: "é", count: $0 % 7 * 40 + 1) + "\(100 + $0)" }
        try context.on {
            for name in names { context.make("Author", ["name": name]) }
            try context.save()
            context.reset()
            let authors = try faults(context)
            _ = try blocks(of: authors)
            let found = try authors.map(name)
            #expect(found.count == 83)
            #expect(names.allSatisfy { found.contains(.string($0)) })
        }
    }

    @Test func `single faults fail after their store was removed`() throws {
        let context = stack.context()
        try context.on {
            let authors = try faults(context)
            _ = try name(authors[0])
            let store = try #require(stack.coordinator.persistentStores.first)
            try stack.coordinator.remove(store)
            #expect(throws: CoreDataError.self) { try name(authors[1]) }
        }
    }

    @Test func `single faults fail at the injected read failure`() throws {
        let context = stack.context()
        try context.on {
            let authors = try faults(context)
            _ = try name(authors[0])
            stack.fail(at: .read)
            #expect(throws: CoreDataError.self) { try name(authors[1]) }
            stack.fail(at: nil)
            #expect(try name(authors[1]) == .string("b"))
        }
    }

    @Test func `a row of many slots keeps its nulls, its entity and its block`() {
        var builder = RowBlockBuilder()
        for row in 0..<2 {
            builder.beginRow(key: Int64(7 + row), version: 3, entity: 300, slotCount: 130)
            for slot in stride(from: row, to: 130, by: 2) {
                builder.set(slot, integer: Int64(slot))
            }
        }
        let block = builder.finish(generation: 1, timestamp: 0)
        for row in 0..<2 {
            let cells = block.cells(at: row)
            #expect(RowFormat.key(cells) == Int64(7 + row) && RowFormat.version(cells) == 3)
            #expect(RowFormat.entity(cells) == 300)
            #expect(RowFormat.block(cells).toOpaque() == block.address)
            for slot in 0..<130 {
                #expect(RowFormat.isNull(cells, slot: slot) == (slot % 2 != row))
                if slot % 2 == row { #expect(RowFormat.word(cells, slot: slot) == UInt64(slot)) }
            }
        }
    }
}
