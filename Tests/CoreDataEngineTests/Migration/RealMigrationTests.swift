import CoreDataModel
import CoreDataPredicate
import CoreDataSQLite
import TestSupport
import Testing

@testable import CoreDataEngine
@testable import CoreDataStore

struct RealMigrationTests {
    private func model(_ path: String) throws -> NSManagedObjectModel {
        let url = try #require(RealStores.folder).appendingPathComponent("models/\(path)")
        let model = try NSManagedObjectModel.load(contentsOf: url)
        // Nothing but the store itself knows the source model.
        model.versionsFolder = nil
        for entity in model.entities { entity.managedObjectClassName = nil }
        return model
    }

    @Test(
        .enabled(if: RealStores.folder != nil, RealStores.areMissing),
        arguments: [("V1", "BookmarksModel 3"), ("V2", "BookmarksModel 3")])
    func `A real store is migrated by the model in its own cache`(
        version: String, target: String
    ) throws {
        let fixture = try MigrationFixture()
        let store = "duckduckgo-BrowserServicesKit-Bookmarks_\(version).sqlite"
        let path = try fixture.folder.copy(store)
        for suffix in ["", "-wal"] {
            try FileManager.default.moveItem(
                atPath: path + suffix, toPath: fixture.url.path + suffix)
        }
        let new = try model(
            "duckduckgo-BrowserServicesKit/BookmarksModel.xcdatamodeld/\(target).xcdatamodel")
        #expect(fixture.failure(new, [:])?.code == NSPersistentStoreIncompatibleVersionHashError)
        let query = "SELECT Z_PK, ZTITLE, ZURL, ZUUID, ZPARENT FROM ZBOOKMARKENTITY ORDER BY Z_PK"
        let before = try fixture.sql(query)
        #expect(!before.isEmpty)
        let titles = try fixture.use(new) { try values("BookmarkEntity", "title", $0) }
        #expect(titles.count == before.count)
        #expect(try fixture.sql(query) == before)
        // From now on the store's hashes are those of the model.
        #expect(fixture.failure(new, [:]) == nil)
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
