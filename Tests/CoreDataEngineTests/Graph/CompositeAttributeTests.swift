import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import TestSupport
import Testing

/// Attributes that consist of other attributes.
///
/// Source: semantics.md §7.4; api-surface.md §4, NSCompositeAttributeDescription.
@Suite struct CompositeAttributeTests {
    private let fixture: MigrationFixture

    init() throws { fixture = try MigrationFixture() }

    private static func model(
        _ attributes: String = "<attribute name=\"place\" optional=\"YES\""
            + " attributeType=\"Composite\" composite=\"Place\"/>"
    ) throws -> NSManagedObjectModel {
        try MigrationFixture.model(
            """
            <composite name="Point">
              <attribute name="x" optional="YES" attributeType="Double"/>
              <attribute name="y" optional="YES" attributeType="Double"/></composite>
            <composite name="Place">
              <attribute name="city" attributeType="String" minValueString="2"/>
              <attribute name="zip" optional="YES" attributeType="Integer 32"/>
              <attribute name="point" optional="YES" attributeType="Composite" composite="Point"/>
            </composite>
            <entity name="Shop"><attribute name="name" optional="YES" attributeType="String"/>
              \(attributes)
              <relationship name="partner" optional="YES" maxCount="1" destinationEntity="Shop"
                deletionRule="Nullify"/></entity>
            """)
    }

    private static var rome: [String: Any] {
        ["city": "Rome", "zip": 184, "point": ["x": 1.5, "y": 2.5]]
    }

    static let types = [NSSQLiteStoreType, NSInMemoryStoreType, NSXMLStoreType, NSBinaryStoreType]

    private func context(_ type: String) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try Self.model())
        try coordinator.addPersistentStore(
            ofType: type, configurationName: nil,
            at: type == NSInMemoryStoreType ? nil : fixture.url)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    @Test(arguments: types)
    func `a dictionary is set and read, and its elements have key paths`(
        type: String
    ) throws {
        let context = try context(type)
        try context.on {
            let shop = context.make("Shop", ["name": "a", "place": Self.rome])
            context.make("Shop", ["name": "b", "partner": shop])
            try context.save()
            context.reset()
            let found = try context.all("Shop", sort: "name")
            let place = try #require(found[0].value(forKey: "place") as? [String: Any])
            #expect(place["city"] as? String == "Rome" && place["zip"] as? Int == 184)
            #expect((place["point"] as? [String: Any])?["y"] as? Double == 2.5)
            #expect(found[0].value(forKeyPath: "place.point.x") as? Double == 1.5)
            #expect(found[1].value(forKey: "place") == nil)
            #expect(found[1].value(forKeyPath: "partner.place.city") as? String == "Rome")
            found[1].setValue("Bern", forKeyPath: "place.city")
            found[1].setValue("Oslo", forKeyPath: "partner.place.city")
            #expect(found[0].value(forKeyPath: "place.city") as? String == "Oslo")
            try context.save()
            let sorted = try context.all("Shop", sort: "place.city")
            #expect(sorted.map { $0.text("name") } == ["b", "a"])
        }
    }

    @Test(arguments: types)
    func `predicates name elements by their paths`(type: String) throws {
        let context = try context(type)
        try context.on {
            let shop = context.make("Shop", ["name": "a", "place": Self.rome])
            context.make("Shop", ["name": "b", "partner": shop])
            context.make("Shop", ["name": "c", "place": ["city": "Bern"]])
            try context.save()
            for (format, names) in [
                ("place.city = 'Rome'", ["a"]), ("place.point.y > 2", ["a"]),
                ("partner.place.zip = 184", ["b"]), ("place.zip = nil", ["b", "c"]),
                ("place.city BEGINSWITH[c] 'b'", ["c"]),
            ] {
                let found = try context.all("Shop", format, sort: "name")
                #expect(found.map { $0.text("name") ?? "" } == names, "\(format)")
                // Unsaved changes are evaluated in memory.
                let kept = found.first
                kept?.setValue(kept?.value(forKey: "name"), forKey: "name")
                let again = try context.all("Shop", format, sort: "name")
                #expect(again.count == names.count)
            }
        }
    }

    @Test func `changes are reported under the attribute's name`() throws {
        let context = try context(NSSQLiteStoreType)
        try context.on {
            let shop = context.make("Shop", ["name": "a", "place": Self.rome])
            try context.save()
            shop.setValue(7, forKeyPath: "place.zip")
            let changed = shop.changedValues()
            #expect(changed.keys.sorted() == ["place"])
            #expect((changed["place"] as? [String: Any])?["city"] as? String == "Rome")
            #expect((changed["place"] as? [String: Any])?["zip"] as? Int == 7)
            let committed = shop.committedValues(forKeys: ["place"])
            #expect(committed.keys.sorted() == ["place"])
            #expect((committed["place"] as? [String: Any])?["zip"] as? Int == 184)
            shop.setValue(nil, forKey: "place")
            #expect(shop.value(forKey: "place") == nil)
            context.rollback()
            #expect(shop.value(forKeyPath: "place.zip") as? Int == 184)
        }
    }

    @Test func `elements are validated with their own rules`() throws {
        let context = try context(NSSQLiteStoreType)
        try context.on {
            context.make("Shop", ["place": ["city": "X"]])
            let error = try #require(context.saveError())
            #expect(error.code == 1660 || error.code == 1670)
            #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "place.city")
        }
        let message = #expect(throws: CoreDataError.self) {
            try context.on {
                let shop = context.make("Shop")
                try shop.writeValue(["town": "Rome"], forKey: "place")
            }
        }
        #expect(message?.message.contains("'town' is not an element") == true)
    }

    @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType])
    func `dictionary results and batches contain dictionaries, too`(type: String) throws {
        let context = try context(type)
        try context.on {
            context.make("Shop", ["name": "a", "place": Self.rome])
            try context.save()
            let request = NSFetchRequest<NSDictionary>(entityName: "Shop")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = ["name", "place"]
            let rows = try context.fetch(request)
            let place = rows[0]["place"] as? [String: Any]
            #expect(place?["city"] as? String == "Rome")
            #expect((place?["point"] as? [String: Any])?["x"] as? Double == 1.5)
            request.propertiesToFetch = ["place.city"]
            let flat = try context.fetch(request)
            #expect(flat[0]["place.city"] as? String == "Rome")
            guard type == NSSQLiteStoreType else { return }
            let insert = NSBatchInsertRequest(
                entityName: "Shop", objects: [["name": "b", "place": ["city": "Bern"]]])
            _ = try context.execute(insert)
            let update = NSBatchUpdateRequest(entityName: "Shop")
            update.predicate = NSPredicate(format: "place.city = 'Bern'")
            update.propertiesToUpdate = ["place.zip": 3000]
            _ = try context.execute(update)
            let found = try context.all("Shop", "place.zip = 3000")
            #expect(found.map { $0.text("name") } == ["b"])
        }
    }

    @Test func `D-048 columns are named after the paths, and a migration renames them`() throws {
        try fixture.use(try Self.model()) { context in
            make("Shop", context, ["place": Self.rome])
        }
        #expect(try fixture.sql("SELECT ZPLACE_CITY, ZPLACE_POINT_X FROM ZSHOP") == ["Rome|1.5"])
        let renamed = try Self.model(
            "<attribute name=\"site\" optional=\"YES\" attributeType=\"Composite\""
                + " composite=\"Place\" elementID=\"place\" renamingIdentifier=\"place\"/>")
        try fixture.use(renamed) { context in
            let shop = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Shop"))[0]
            #expect(shop.value(forKeyPath: "site.point.y") as? Double == 2.5)
        }
    }

    @Test func `a compiled model has the same elements`() throws {
        let model = try Self.model()
        let file = fixture.folder.url.appendingPathComponent("Shop.mom")
        try model.compiledData().write(to: file)
        let compiled = try NSManagedObjectModel.load(contentsOf: file)
        #expect(compiled.entityVersionHashesByName == model.entityVersionHashesByName)
        try fixture.use(compiled) { context in make("Shop", context, ["place": Self.rome]) }
    }

    @Test func `whole numbers change their widths without a mapping model`() throws {
        func model(_ type: String) throws -> NSManagedObjectModel {
            try Self.model(
                "<attribute name=\"size\" optional=\"YES\" attributeType=\"\(type)\"/>")
        }
        let types = ["Boolean", "Integer 16", "Integer 32", "Integer 64", "Integer 16"]
        try fixture.use(try model(types[0])) { context in make("Shop", context, ["size": true]) }
        for type in types.dropFirst() {
            try fixture.use(try model(type)) { context in
                let sizes = try values("Shop", "size", context)
                #expect(sizes == ["1"])
            }
        }
    }
}
