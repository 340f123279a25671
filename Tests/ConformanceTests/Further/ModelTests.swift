import CoreData
import CoreDataSQLite
import TestSupport
import Testing

/// Conformance tests for section 10: models, lightweight and staged migration.
@MainActor struct ModelTests {
    private static let automatic: [AnyHashable: Any] = [
        NSMigratePersistentStoresAutomaticallyOption: true,
        NSInferMappingModelAutomaticallyOption: true,
    ]

    private static func text(_ name: String) -> NSAttributeDescription {
        attribute(name, .stringAttributeType)
    }

    /// A model whose entity "Thing" has string attributes with these names.
    private static func things(_ names: String...) -> NSManagedObjectModel {
        model(Bookshop.plain("Thing", names.map(text)))
    }

    /// The folder of a store with the two things "old" and "two", and the id of the first one.
    private func seeded() throws -> (TemporaryFolder, NSManagedObjectID) {
        let shop = try Bookshop(Self.things("n"))
        let first = shop.add("Thing", ["n": "old"])
        shop.add("Thing", ["n": "two"])
        try shop.context.save()
        return (shop.folder, first.objectID)
    }

    private func open(
        _ model: NSManagedObjectModel, _ folder: TemporaryFolder,
        _ more: [AnyHashable: Any] = [:]
    ) throws -> Bookshop {
        try Bookshop(model, in: folder, options: Self.automatic.merging(more) { $1 })
    }

    // MARK: Refusals

    // Proves S10-1, S10-2
    @Test func `another model needs the options`() throws {
        let (folder, _) = try seeded()
        let newer = Self.things("n", "x")
        let error = failure { _ = try Bookshop(newer, in: folder) }
        #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
        #expect(error?.userInfo["metadata"] != nil)
        let migrates = [NSMigratePersistentStoresAutomaticallyOption: true]
        let other = failure { _ = try Bookshop(newer, in: folder, options: migrates) }
        #expect(other?.code == NSMigrationMissingMappingModelError)
    }

    // Proves S10-3
    @Test func `a required attribute without a default is refused, and the file is unchanged`()
        throws
    {
        let (folder, _) = try seeded()
        let required = Self.things("n", "x")
        required.entitiesByName["Thing"]?.attributesByName["x"]?.isOptional = false
        let code = try #require(failure { _ = try open(required, folder) }?.code)
        #expect([NSMigrationError, NSInferredMappingModelError].contains(code))
        let shop = try Bookshop(Self.things("n"), in: folder)
        #expect(try shop.find("Thing", by: "n").map { $0.text("n") } == ["old", "two"])
    }

    // Proves S10-4
    @Test func `a newer store is not opened by a model that does not know it`() throws {
        let shop = try Bookshop(Self.things("n", "x"))
        shop.add("Thing", ["n": "1", "x": "2"])
        try shop.context.save()
        try shop.coordinator.remove(shop.coordinator.persistentStores[0])
        #expect(failure { _ = try open(Self.things("n"), shop.folder) }?.code == 134130)
        #expect(try shop.sql("SELECT ZX FROM ZTHING") == ["2"])
    }

    // MARK: What can be inferred

    // Proves S10-5, S10-6
    @Test func `a new attribute keeps ids and has its default`() throws {
        let (folder, id) = try seeded()
        let number = attribute("x", .integer32AttributeType, optional: false, default: 9)
        let shop = try open(Bookshop.thing(Self.text("n"), number), folder)
        #expect(try shop.find("Thing").map { $0.number("x") } == [9, 9])
        let uri = id.uriRepresentation()
        let same = try #require(shop.coordinator.managedObjectID(forURIRepresentation: uri))
        #expect(try shop.context.existingObject(with: same).text("n") == "old")
    }

    // Proves S10-7
    @Test func `renaming identifiers keep entity, attribute and relationship`() throws {
        let old = try Bookshop()
        old.add("Book", ["title": "t", "author": old.add("Author", ["name": "n"])])
        try old.context.save()
        let name = Self.text("fullName")
        name.renamingIdentifier = "name"
        let writer = Bookshop.plain("Writer", [name])
        writer.renamingIdentifier = "Author"
        let book = try #require(Bookshop.library().entitiesByName["Book"])
        let values = book.attributesByName.values.compactMap {
            $0.copy() as? NSAttributeDescription
        }
        let copy = Bookshop.plain("Book", values)
        Bookshop.link(writer, "works", copy, "writer")
        writer.relationshipsByName["works"]?.renamingIdentifier = "books"
        copy.relationshipsByName["writer"]?.renamingIdentifier = "author"
        let shop = try open(model(writer, copy), old.folder)
        let found = try #require(try shop.find("Writer").first)
        #expect(found.text("fullName") == "n")
        let works = found.value(forKey: "works") as? Set<NSManagedObject>
        #expect(works?.map { $0.text("title") } == ["t"])
    }

    // Proves S10-8
    @Test func `a to-one becomes a to-many and keeps its links`() throws {
        let old = try Bookshop()
        old.add("Book", ["title": "t", "author": old.add("Author", ["name": "n"])])
        try old.context.save()
        let wider = Bookshop.library()
        wider.entitiesByName["Book"]?.relationshipsByName["author"]?.maxCount = 0
        let shop = try open(wider, old.folder)
        let authors = try shop.find("Book")[0].value(forKey: "author") as? Set<NSManagedObject>
        #expect(authors?.map { $0.text("name") } == ["n"])
    }

    // Proves S10-9
    @Test func `an attribute moves to a new parent`() throws {
        let (folder, _) = try seeded()
        let parent = Bookshop.plain("Parent", [Self.text("n")])
        let thing = Bookshop.plain("Thing", [])
        parent.isAbstract = true
        parent.subentities = [thing]
        let shop = try open(model(parent, thing), folder)
        #expect(try shop.find("Thing", by: "n").map { $0.text("n") } == ["old", "two"])
    }

    // Proves S10-10
    @Test func `entities are added and removed`() throws {
        let (folder, _) = try seeded()
        let more = model(
            Bookshop.plain("Thing", [Self.text("n")]), Bookshop.plain("Added", [Self.text("m")]))
        let shop = try open(more, folder)
        #expect(try shop.count("Thing") == 2 && shop.count("Added") == 0)
    }

    // Proves S10-11
    @Test func `history survives a migration`() throws {
        let old = try Bookshop(Self.things("n"), options: Bookshop.tracking)
        old.add("Thing")
        try old.context.save()
        let shop = try open(Self.things("n", "x"), old.folder, Bookshop.tracking)
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: .distantPast)
        let result = try shop.context.execute(request) as? NSPersistentHistoryResult
        #expect((result?.result as? [NSPersistentHistoryTransaction])?.count == 1)
    }

    /// A model version with string attributes, in the form that Xcode writes.
    private static func write(
        _ name: String, _ texts: [String], in folder: URL
    ) throws -> URL {
        let url = folder.appendingPathComponent("\(name).xcdatamodel")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let attributes = texts.map {
            "<attribute name=\"\($0)\" optional=\"YES\" attributeType=\"String\"/>"
        }
        let text = "<model><entity name=\"Thing\">\(attributes.joined())</entity></model>"
        try Data(text.utf8).write(to: url.appendingPathComponent("contents"))
        return url
    }

    // Proves S10-12
    @Test func `deferred work runs when it is finished explicitly`() throws {
        let versions = FileManager.default.temporaryDirectory
            .appendingPathComponent("versions-\(UUID().uuidString).xcdatamodeld")
        defer { try? FileManager.default.removeItem(at: versions) }
        let first = try Self.write("1", ["n", "gone"], in: versions)
        let second = try Self.write("2", ["n"], in: versions)
        let former = try #require(NSManagedObjectModel(contentsOf: first))
        let old = try Bookshop(former)
        old.add("Thing", ["n": "old", "gone": "g"])
        try old.context.save()
        let option = [NSPersistentStoreDeferredLightweightMigrationOptionKey: true]
        let new = try #require(NSManagedObjectModel(contentsOf: second))
        let shop = try open(new, old.folder, option)
        let table = "SELECT sql FROM sqlite_master WHERE name = 'ZTHING'"
        #expect(try shop.sql(table)[0].contains("ZGONE"))
        #expect(try shop.find("Thing")[0].text("n") == "old")
        try shop.coordinator.finishDeferredLightweightMigration()
        #expect(try !shop.sql(table)[0].contains("ZGONE"))
        #expect(try shop.find("Thing")[0].text("n") == "old")
    }

    // Proves S10-25, S10-26
    @Test func `the types of numbers change by inference, texts do not become numbers`() throws {
        let old = try Bookshop(Bookshop.thing(attribute("n", .integer64AttributeType)))
        for number in [3, 70_000] { old.add("Thing", ["n": number]) }
        try old.context.save()
        let shop = try open(Bookshop.thing(attribute("n", .doubleAttributeType)), old.folder)
        let values = try shop.find("Thing", by: "n").map { $0.value(forKey: "n") as? Double }
        #expect(values == [3, 70_000])
        let error = failure {
            _ = try NSMappingModel.inferredMappingModel(
                forSourceModel: Self.things("n"), destinationModel: shop.model)
        }
        #expect(error?.code == NSInferredMappingModelError)
    }

    // Proves S10-27
    @Test func `models with different contents of one entity are not merged`() {
        #expect(NSManagedObjectModel(byMerging: [Self.things("n"), Self.things("m")]) == nil)
        let merged = NSManagedObjectModel(byMerging: [Self.things("n"), Bookshop.library()])
        #expect(merged?.entitiesByName.keys.sorted() == ["Author", "Book", "Thing"])
    }

    // MARK: Stages

    private static func reference(_ model: NSManagedObjectModel) -> NSManagedObjectModelReference {
        NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
    }

    // Proves S10-13
    @Test func `stages run with the old and the new model`() throws {
        let (folder, _) = try seeded()
        let (one, two) = (Self.things("n"), Self.things("n", "x"))
        let three = Self.things("x")
        let custom = NSCustomMigrationStage(
            migratingFrom: Self.reference(one), to: Self.reference(two))
        // `nonisolated(unsafe)` is safe because the handler is called on this thread.
        nonisolated(unsafe) var hadX: Bool?
        custom.willMigrateHandler = { manager, _ in
            let model = manager.container?.managedObjectModel
            hadX = model?.entitiesByName["Thing"]?.attributesByName["x"] != nil
        }
        custom.didMigrateHandler = { manager, _ in
            let context = try #require(manager.container?.newBackgroundContext())
            try context.performAndWait {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
                for thing in try context.fetch(request) {
                    thing.setValue("from \(thing.value(forKey: "n") ?? "")", forKey: "x")
                }
                try context.save()
            }
        }
        let light = NSLightweightMigrationStage([three.versionChecksum])
        let manager = NSStagedMigrationManager([custom, light])
        let shop = try open(
            three, folder, [NSPersistentStoreStagedMigrationManagerOptionKey: manager])
        #expect(hadX == false)
        #expect(
            try shop.find("Thing", by: "x").map { $0.text("x") } == ["from old", "from two"])
    }

    // Proves S10-14, S10-15
    @Test func `a failing handler and an unknown version fail the opening`() throws {
        let (folder, _) = try seeded()
        let (one, two, three) = (
            Self.things("n"), Self.things("n", "x"), Self.things("n", "x", "y")
        )
        let custom = NSCustomMigrationStage(
            migratingFrom: Self.reference(one), to: Self.reference(two))
        custom.willMigrateHandler = { _, _ in throw CocoaError(.userCancelled) }
        let key = NSPersistentStoreStagedMigrationManagerOptionKey
        let failing = NSStagedMigrationManager([custom])
        #expect(failure { _ = try open(two, folder, [key: failing]) } != nil)
        let unknown = NSStagedMigrationManager([
            NSLightweightMigrationStage([two.versionChecksum, three.versionChecksum])
        ])
        #expect(failure { _ = try open(three, folder, [key: unknown]) } != nil)
        #expect(try Bookshop(one, in: folder).count("Thing") == 2)
    }

    // MARK: Models

    // Proves S10-16, S10-17
    @Test func `entities have their relatives and their properties`() throws {
        let parent = Bookshop.plain("Parent", [Self.text("n")])
        let child = Bookshop.plain("Child", [Self.text("m")])
        let other = Bookshop.plain("Other", [])
        parent.subentities = [child]
        Bookshop.link(parent, "others", other, "parent")
        let shop = try Bookshop(model(parent, child, other))
        let entities = shop.model.entitiesByName
        let found = try #require(entities["Child"])
        #expect(found.superentity?.name == "Parent")
        #expect(found.attributesByName.keys.sorted() == ["m", "n"])
        #expect(found.propertiesByName.keys.sorted() == ["m", "n", "others"])
        #expect(entities["Parent"]?.subentitiesByName.keys.sorted() == ["Child"])
        #expect(found.isKindOf(entity: try #require(entities["Parent"])))
        #expect(entities["Parent"]?.isKindOf(entity: found) == false)
        let links = found.relationships(forDestination: try #require(entities["Other"]))
        #expect(links.map(\.name) == ["others"] && links.allSatisfy(\.isToMany))
        #expect(links.first?.inverseRelationship?.name == "parent")
    }

    // Proves S10-18
    @Test func `an attribute's type names the class of its values`() {
        let table: [(NSAttributeType, String)] = [
            (.stringAttributeType, "NSString"), (.integer64AttributeType, "NSNumber"),
            (.booleanAttributeType, "NSNumber"), (.doubleAttributeType, "NSNumber"),
            (.decimalAttributeType, "NSDecimalNumber"), (.dateAttributeType, "NSDate"),
            (.binaryDataAttributeType, "NSData"), (.UUIDAttributeType, "NSUUID"),
            (.URIAttributeType, "NSURL"),
        ]
        for (type, name) in table {
            #expect(attribute("a", type).attributeValueClassName == name)
        }
    }

    // Proves S10-19, S10-20
    @Test func `a configuration has its entities and recognises its stores`() throws {
        let (first, second) = (
            Bookshop.plain("First", [Self.text("n")]), Bookshop.plain("Second", [Self.text("n")])
        )
        let both = model(first, second)
        both.setEntities([first], forConfigurationName: "one")
        #expect(both.configurations.contains("one"))
        #expect(both.entities(forConfigurationName: "one")?.map(\.name) == ["First"])
        #expect(both.entities(forConfigurationName: "none") == nil)
        let shop = try Bookshop(both)
        let metadata = shop.coordinator.metadata(for: shop.coordinator.persistentStores[0])
        #expect(both.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
        let other = Self.things("n")
        #expect(!other.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
    }

    // Proves S10-21
    @Test func `a checksum covers the hashes in the order of names`() throws {
        let model = Bookshop.library()
        #expect(Data(base64Encoded: model.versionChecksum)?.count == 32)
        #expect(model.versionChecksum == Bookshop.library().versionChecksum)
        #expect(model.versionChecksum != Self.things("n").versionChecksum)
        #expect(model.entityVersionHashesByName.keys.sorted() == ["Author", "Book"])
    }

    // Proves S10-22
    @Test func `localised names are in validation texts`() throws {
        let title = Self.text("title")
        title.isOptional = false
        let model = Bookshop.thing(title)
        model.localizationDictionary = ["Property/title/Entity/Thing": "Headline"]
        let shop = try Bookshop(model)
        shop.add("Thing")
        let error = failure { try shop.context.save() }
        #expect(error?.localizedDescription.contains("Headline") == true)
    }

    // MARK: Indexes

    // Proves S10-23
    @Test func `a fetch index has its order and its condition in the file`() throws {
        let (name, number) = (Self.text("n"), attribute("k", .integer32AttributeType))
        let thing = Bookshop.plain("Thing", [name, number])
        let descending = NSFetchIndexElementDescription(property: number, collationType: .binary)
        descending.isAscending = false
        let index = NSFetchIndexDescription(
            name: "pick",
            elements: [
                NSFetchIndexElementDescription(property: name, collationType: .binary), descending,
            ])
        index.partialIndexPredicate = NSPredicate(format: "k > 5")
        thing.indexes = [index]
        let shop = try Bookshop(model(thing))
        let text = try shop.sql("SELECT sql FROM sqlite_master WHERE name LIKE '%pick%'")
        #expect(text.first?.contains("DESC") == true && text.first?.contains("WHERE") == true)
    }

    // Proves S10-24
    @Test func `an R-tree index finds the objects in a box`() throws {
        let places = ["lat", "lon"].map { attribute($0, .doubleAttributeType) }
        let thing = Bookshop.plain("Thing", places)
        thing.indexes = [
            NSFetchIndexDescription(
                name: "place",
                elements: places.map {
                    NSFetchIndexElementDescription(property: $0, collationType: .rTree)
                })
        ]
        let shop = try Bookshop(model(thing))
        for number in 0..<20 { shop.add("Thing", ["lat": Double(number), "lon": Double(number)]) }
        try shop.context.save()
        let box = "indexed:by:(lat, 'place') BETWEEN {3, 6} AND indexed:by:(lon, 'place') > 4"
        #expect(try shop.count("Thing", box) == 2)
    }
}
