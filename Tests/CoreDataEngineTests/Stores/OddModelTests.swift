import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace
import Synchronization
import TestSupport
import Testing

@testable import CoreDataEngine

/// The model names this class without a module.
final class LonelyLighthouse: NSManagedObject {}

/// One of two classes with the same unqualified name.
enum NorthernHarbour { final class CrowdedHarbour: NSManagedObject {} }
enum SouthernHarbour { final class CrowdedHarbour: NSManagedObject {} }

/// Unusual models, as frameworks and other tools write them.
struct OddModelTests {
    private static func model(
        _ entities: String, isCompiled: Bool
    ) throws -> NSManagedObjectModel {
        let model = try MigrationFixture.model(entities)
        guard isCompiled else { return model }
        return try NSManagedObjectModel.parse(compiled: model.compiledData(), path: "Odd.mom")
    }

    @Test(arguments: [true, false], [NSSQLiteStoreType, NSInMemoryStoreType, NSXMLStoreType])
    func `a name may begin with an underscore`(isCompiled: Bool, type: String) throws {
        let text = #"optional="YES" attributeType="String"/>"#
        let model = try Self.model(
            #"<entity name="_metadata"><attribute name="_pk" \#(text)<attribute name="__title" "#
                + #"\#(text)<relationship name="_next" optional="YES" maxCount="1" "#
                + #"destinationEntity="_metadata" inverseName="_former" "#
                + #"inverseEntity="_metadata"/><relationship name="_former" optional="YES" "#
                + #"toMany="YES" destinationEntity="_metadata" inverseName="_next" "#
                + #"inverseEntity="_metadata"/></entity>"#, isCompiled: isCompiled)
        let folder = try TemporaryFolder()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: type, configurationName: nil,
            at: type == NSInMemoryStoreType ? nil : folder.url.appendingPathComponent("store"))
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let first = make("_metadata", context, ["_pk": "a", "__title": "x"])
            make("_metadata", context, ["_pk": "b", "_next": first])
            try context.save()
            context.reset()
            let request = NSFetchRequest<NSManagedObject>(entityName: "_metadata")
            request.predicate = NSPredicate(format: "_next._pk == %@", "a")
            let found = try context.fetch(request)
            #expect(found.map { $0.value(forKey: "_pk") as? String } == ["b"])
            #expect(found.first?.value(forKeyPath: "_next.__title") as? String == "x")
        }
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    @Test(arguments: [
        (#"maxCount="1""#, #"maxCount="1""#), (#"maxCount="1""#, #"toMany="YES""#),
        (#"toMany="YES""#, #"maxCount="1""#), (#"toMany="YES""#, #"toMany="YES""#),
    ])
    func `D-077 a relationship is stored although its inverse is transient`(
        count: String, inverseCount: String
    ) throws {
        let name = #"<attribute name="name" optional="YES" attributeType="String"/>"#
        let fixture = try MigrationFixture()
        let model = try MigrationFixture.model(
            #"<entity name="A">\#(name)<relationship name="b" optional="YES" \#(count) "#
                + #"destinationEntity="B" inverseName="a" inverseEntity="B"/></entity>"#
                + #"<entity name="B">\#(name)<relationship name="a" optional="YES" "#
                + #"transient="YES" \#(inverseCount) destinationEntity="A" inverseName="b" "#
                + #"inverseEntity="A"/></entity>"#)
        try fixture.use(model) { context in
            let b = make("B", context, ["name": "b"])
            let isToMany = count.hasPrefix("toMany")
            make("A", context, ["name": "a", "b": isToMany ? Set([b]) as Any : b])
        }
        let names = try fixture.use(model) { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "A")
            let a = try #require(try context.fetch(request).first)
            return MappedMembers.objects(a.value(forKey: "b")).map {
                $0.value(forKey: "name") as? String
            }
        }
        #expect(names == ["b"])
    }

    @Test func `a class is found in any module if the location of the model names none`() throws {
        // The model was not loaded from the resources of a target, so it names no module.
        let model = try MigrationFixture.model(
            #"<entity name="Light" representedClassName="LonelyLighthouse"/>"#)
        #expect(model.classModules == [])
        let lines = Mutex<[String]>([])
        let found = try EngineLog.capture({ line in lines.withLock { $0.append(line) } }) {
            try ModelBinding.of(model).entity(named: "Light").flatMap {
                NamedClasses.find(for: $0)
            }
        }
        #expect(found == LonelyLighthouse.self)
        #expect(lines.withLock { $0 } == [])
    }

    @Test func `of two classes with one name none is used, and one line says so`() throws {
        let model = try MigrationFixture.model(
            #"<entity name="Port" representedClassName="CrowdedHarbour"/>"#)
        let lines = Mutex<[String]>([])
        let found = try EngineLog.capture({ line in lines.withLock { $0.append(line) } }) {
            try ModelBinding.of(model).entity(named: "Port").flatMap {
                NamedClasses.find(for: $0)
            }
        }
        #expect(found == nil)
        #expect(lines.withLock { $0.count } == 1)
        #expect(lines.withLock { $0.first?.contains("Several classes are called") } == true)
    }
}
