import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace
import Foundation
import Synchronization
import Testing

/// A model that cannot be used never ends the process.
@Suite struct ModelLoadingTests {
    private let folder: GraphFolder

    init() throws { folder = try GraphFolder() }

    private func write(_ contents: String) throws -> URL {
        let url = folder.url.appendingPathComponent("M.xcdatamodel")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try Data(contents.utf8).write(to: url.appendingPathComponent("contents"))
        return url
    }

    private static func xml(_ attributes: String) -> String {
        "<model><entity name=\"Thing\"><attribute name=\"a\" \(attributes)/></entity></model>"
    }

    private func logged(_ body: () throws -> Void) rethrows -> [String] {
        let lines = Mutex<[String]>([])
        try EngineLog.capture({ line in lines.withLock { $0.append(line) } }) { try body() }
        return lines.withLock { $0 }
    }

    private static func text(_ error: (any Error)?) -> String {
        (error as NSError?)?.localizedDescription ?? ""
    }

    @Test func `a file that cannot be read returns nil, and logs one line with the reason`() throws
    {
        let url = try write(Self.xml("attributeType=\"Number\""))
        let lines = logged { #expect(NSManagedObjectModel(contentsOf: url) == nil) }
        #expect(lines.count == 1)
        #expect(lines[0].contains("Thing.a") && lines[0].contains("\"Number\""))
        #expect(lines[0].contains("contents:1:"))
        let error = #expect(throws: (any Error).self) { try NSManagedObjectModel.loaded(from: url) }
        #expect(Self.text(error).contains("Thing.a"))
        let missing = folder.url.appendingPathComponent("nothing.momd")
        let told = logged { #expect(NSManagedObjectModel(contentsOf: missing) == nil) }
        #expect(told.count == 1 && told[0].contains("nothing.momd"))
    }

    @Test func `a model that is not valid is an error of its stores`() throws {
        let model = GraphModels.model([
            GraphModels.entity("Thing", [GraphModels.attribute("a", .undefinedAttributeType)])
        ])
        var coordinator: NSPersistentStoreCoordinator?
        let lines = logged {
            coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        }
        #expect(lines.count == 1 && lines[0].contains("Thing.a"))
        let made = try #require(coordinator)
        #expect(made.managedObjectModel === model)
        let error = #expect(throws: (any Error).self) {
            try made.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: folder.store)
        }
        #expect(Self.text(error).contains("Thing.a"))
        #expect(!FileManager.default.fileExists(atPath: folder.store.path))
    }

    @Test func `a container without its model fails to load its stores`() throws {
        var container: NSPersistentContainer?
        let lines = logged { container = NSPersistentContainer(name: "Nobody's") }
        #expect(lines.count == 1 && lines[0].contains("Nobody's"))
        var failure: (any Error)?
        container?.loadPersistentStores { failure = $1 }
        #expect(Self.text(failure).contains("Nobody's"))
        let context = try #require(container).viewContext
        #expect(context.performAndWait { context.registeredObjects.isEmpty })
    }

    @Test func `a store returns the model that it contains`() throws {
        let stack = try GraphStack(GraphModels.moody(), at: folder.store)
        #expect(stack.coordinator.persistentStores.count == 1)
        let model = try NSManagedObjectModel.carried(byStoreAt: folder.store)
        #expect(model.entitiesByName.keys.sorted() == ["Country", "Mood"])
        #expect(model.entityVersionHashesByName == GraphModels.moody().entityVersionHashesByName)
        let missing = folder.url.appendingPathComponent("none.sqlite")
        #expect(throws: (any Error).self) {
            try NSManagedObjectModel.carried(byStoreAt: missing)
        }
    }

    @Test(arguments: [
        ("Integer 32", "NO", 0.0), ("Integer 16", "YES", 1), ("Integer 64", " 7 ", 7),
        ("Integer 32", "2.0", 2), ("Boolean", "0.0", 0), ("Boolean", "1", 1),
        ("Boolean", "YES", 1), ("Double", "NO", 0), ("Float", "1.5", 1.5), ("Decimal", "YES", 1),
    ])
    func `a default that Xcode has kept from another type is read`(
        type: String, text: String, expected: Double
    ) throws {
        let url = try write(
            Self.xml("attributeType=\"\(type)\" defaultValueString=\"\(text)\""))
        let model = try NSManagedObjectModel.loaded(from: url)
        let attribute = try #require(model.entitiesByName["Thing"]?.attributesByName["a"])
        #expect((attribute.defaultValue as? NSNumber)?.doubleValue == expected)
    }

    @Test func `a transient attribute needs no type, another one does`() throws {
        let url = try write(Self.xml("transient=\"YES\""))
        let model = try NSManagedObjectModel.loaded(from: url)
        let attribute = model.entitiesByName["Thing"]?.attributesByName["a"]
        #expect(attribute?.attributeType == .undefinedAttributeType)
        let other = try write(Self.xml(""))
        #expect(throws: (any Error).self) { try NSManagedObjectModel.loaded(from: other) }
    }
}
