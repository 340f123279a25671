import CoreDataModel
import CoreDataPredicate
import CoreDataSQLite
import TestSupport
import Testing

@testable import CoreDataEngine
@testable import CoreDataStore

struct RealMigrationTests {
    /// - Parameter knowsVersions: whether a migration can use the other versions in the folder.
    private func model(
        _ path: String, knowsVersions: Bool = false
    ) throws -> NSManagedObjectModel {
        let url = try #require(RealStores.folder).appendingPathComponent("models/\(path)")
        let model = try NSManagedObjectModel.load(contentsOf: url)
        if !knowsVersions { model.versionsFolder = nil }
        for entity in model.entities { entity.managedObjectClassName = nil }
        return model
    }

    @Test(
        .enabled(if: RealStores.folder != nil, RealStores.areMissing),
        arguments: [("V1", "BookmarksModel 3"), ("V2", "BookmarksModel 3")])
    func `a real store is migrated from the version that its own cache describes`(
        version: String, target: String
    ) throws {
        let fixture = try MigrationFixture()
        let store = "duckduckgo-BrowserServicesKit-Bookmarks_\(version).sqlite"
        let path = try fixture.folder.copy(store)
        for suffix in ["", "-wal"] {
            try FileManager.default.moveItem(
                atPath: path + suffix, toPath: fixture.url.path + suffix)
        }
        let file = "duckduckgo-BrowserServicesKit/BookmarksModel.xcdatamodeld/\(target).xcdatamodel"
        // The new model lacks `isFavorite`. A program without the old version must not drop it.
        let alone = try model(file)
        #expect(fixture.failure(alone, [:])?.code == NSPersistentStoreIncompatibleVersionHashError)
        #expect(fixture.failure(alone)?.code == NSMigrationMissingSourceModelError)
        let new = try model(file, knowsVersions: true)
        let query = "SELECT Z_PK, ZTITLE, ZURL, ZUUID, ZPARENT FROM ZBOOKMARKENTITY ORDER BY Z_PK"
        let before = try fixture.sql(query)
        #expect(!before.isEmpty)
        let titles = try fixture.use(new) { try values("BookmarkEntity", "title", $0) }
        #expect(titles.count == before.count)
        #expect(try fixture.sql(query) == before)
        // The store now has the hashes of the model.
        #expect(fixture.failure(new, [:]) == nil)
    }

    /// Source: store-format.md; NSPersistentStoreCoordinator.h, error 134100.
    @Test(
        .enabled(if: RealStores.folder != nil, RealStores.areMissing), arguments: [true, false])
    func `a real store opens with its source model, and not if a type has changed`(
        isChanged: Bool
    ) throws {
        let fixture = try MigrationFixture()
        let path = try fixture.folder.copy("duckduckgo-BrowserServicesKit-Bookmarks_V1.sqlite")
        for suffix in ["", "-wal"] {
            try FileManager.default.moveItem(
                atPath: path + suffix, toPath: fixture.url.path + suffix)
        }
        let model = try model(
            "duckduckgo-BrowserServicesKit/BookmarksModel.xcdatamodeld/BookmarksModel.xcdatamodel")
        let title = try #require(
            model.entitiesByName["BookmarkEntity"]?.attributesByName["title"])
        #expect(title.attributeType == .stringAttributeType)
        // The column is unchanged. Only the model in the store shows its type.
        if isChanged { title.attributeType = .URIAttributeType }
        let code = fixture.failure(model, [:])?.code
        #expect(code == (isChanged ? NSPersistentStoreIncompatibleVersionHashError : nil))
    }

    /// Source: semantics.md §10; a `.momd` has the hashes of Xcode's compiler.
    @Test(.enabled(if: RealStores.folder != nil, RealStores.areMissing))
    func `a compiled model recognises its app's store by the compiler's hashes`() throws {
        let data = try #require(RealStores.folder)
        let store = data.appendingPathComponent(
            "stores/alemar11-CoreDataPlus-SampleModel_V1.sqlite")
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: store)
        let folder = data.appendingPathComponent(
            "models/alemar11-CoreDataPlus/SampleModel.momd")
        let fitting = try ["SampleModel", "SampleModel2", "SampleModel3"].filter {
            try NSManagedObjectModel.load(contentsOf: folder, version: $0)
                .isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
        }
        #expect(fitting == ["SampleModel"])
    }

    @Test(.enabled(if: RealStores.folder != nil, RealStores.areMissing))
    func `D-051: a compiled mapping model is read with its expressions`() throws {
        let url = try #require(RealStores.folder)
            .appendingPathComponent("models/alemar11-CoreDataPlus/V2toV3.cdm")
        let mapping = try #require(NSMappingModel(contentsOf: url))
        #expect(mapping.entityMappings.count == 5)
        let car = try #require(mapping.entityMappingsByName["CarToCar"])
        #expect(car.mappingType == .customEntityMappingType)
        #expect(car.sourceEntityVersionHash?.count == 32)
        #expect(car.attributeMappings?.map(\.name).contains("numberPlate") == true)
        let owner = try #require(car.relationshipMappings?.first { $0.name == "owner" })
        let expression = try #require(owner.valueExpression)
        #expect(
            "\(expression)".contains("destinationInstancesForEntityMappingNamed:sourceInstances:"))
    }
}
