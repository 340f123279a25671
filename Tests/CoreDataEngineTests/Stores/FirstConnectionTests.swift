import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataSQLite
import CoreDataStore
import Foundation
import Testing

/// The connection that opened a store reads until the first write. It is then used for writing.
@Suite struct FirstConnectionTests {
    private let folder: GraphFolder

    init() throws {
        folder = try GraphFolder()
        let context = try stack().context()
        try context.on {
            context.make("Item", ["name": "old", "picture": Self.picture(1)])
            try context.save()
        }
    }

    /// A model whose entity has a name, an attribute derived from it, and a picture that is stored
    /// in a file.
    private static let model: NSManagedObjectModel = {
        let picture = GraphModels.attribute("picture", .binaryDataAttributeType)
        picture.allowsExternalBinaryDataStorage = true
        let loud = NSDerivedAttributeDescription()
        loud.name = "loud"
        loud.attributeType = .stringAttributeType
        loud.derivationExpression = NSExpression(format: "uppercase:(name)")
        return GraphModels.model([
            GraphModels.entity("Item", [GraphModels.text("name"), loud, picture])
        ])
    }()

    private static func picture(_ byte: UInt8) -> Data { Data(repeating: byte, count: 200_000) }

    private func stack() throws -> GraphStack { try GraphStack(Self.model, at: folder.store) }

    private func names(_ context: NSManagedObjectContext) throws -> [String?] {
        try context.on {
            try context.all("Item").map { $0.text("name") }.sorted { $0 ?? "" < $1 ?? "" }
        }
    }

    /// The open descriptors of this process on the main file of the store.
    private func descriptors() throws -> Int {
        let links = "/proc/self/fd"
        return try FileManager.default.contentsOfDirectory(atPath: links).count {
            let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(links)/\($0)")
            return path == folder.url.path + "/plain.sqlite"
        }
    }

    private var pictures: [String] {
        let path = folder.url.path + "/.store_SUPPORT/_EXTERNAL_DATA"
        return (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    }

    @Test func `a store has a second connection when it is read after a write`() throws {
        let plain = GraphModels.model([GraphModels.entity("Item", [GraphModels.text("name")])])
        let stack = try GraphStack(plain, at: folder.url.appendingPathComponent("plain.sqlite"))
        let context = stack.context()
        #expect(try descriptors() == 1)
        #expect(try names(context) == [])
        #expect(try descriptors() == 1, "the one that opened the store reads")
        try context.on {
            context.make("Item", ["name": "new"])
            try context.save()
        }
        #expect(try descriptors() == 1, "and writes")
        #expect(try names(context) == ["new"])
        #expect(try descriptors() == 2, "from now on another one reads beside it")
    }

    @Test func `a write during a read of the first connection keeps computed values`() throws {
        let stack = try stack()
        let (pinned, context) = (stack.context(), stack.context())
        try pinned.on { try pinned.setQueryGenerationFrom(.current) }
        #expect(try names(pinned) == ["old"])
        try context.on {
            let item = try #require(try context.all("Item").first)
            item.setValue("new", forKey: "name")
            item.setValue(Self.picture(2), forKey: "picture")
            try context.save()
            context.reset()
            #expect(try context.all("Item").first?.text("loud") == "NEW")
        }
        #expect(try names(pinned) == ["old"], "the first connection still has the former state")
        #expect(pictures.count == 1, "the new writer notices the file that no row names any more")
        try pinned.on {
            try pinned.setQueryGenerationFrom(nil)
            pinned.reset()
        }
        #expect(try names(pinned) == ["new"])
        try context.on {
            context.make("Item", ["name": "third"])
            try context.save()
        }
        #expect(try names(pinned) == ["new", "third"], "the writer stays the one that it was")
    }

    @Test func `nothing is written if another file has replaced the store`() throws {
        let stack = try stack()
        let (pinned, context) = (stack.context(), stack.context())
        try pinned.on { try pinned.setQueryGenerationFrom(.current) }
        #expect(try names(pinned) == ["old"])
        let copy = folder.url.appendingPathComponent("copy").path
        try FileManager.default.copyItem(atPath: folder.store.path, toPath: copy)
        #expect(rename(copy, folder.store.path) == 0)
        let before = try Data(contentsOf: folder.store)
        try context.on {
            context.make("Item", ["name": "lost"])
            let error = #expect(throws: CocoaError.self) { try context.save() }
            #expect(error.map { "\($0)" }?.contains("removed or replaced") == true)
            #expect(context.hasChanges, "what was not saved is still there")
        }
        #expect(try Data(contentsOf: folder.store) == before)
    }
}
