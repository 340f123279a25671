import CoreData
import XCTest

/// The titles of migrated notes are in upper case.
final class ShoutingPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping,
        manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(
            forSource: sInstance, in: mapping, manager: manager)
        let made = manager.destinationInstances(
            forEntityMappingName: mapping.name, sourceInstances: [sInstance])
        let text = sInstance.value(forKey: "text") as? String
        made.first?.setValue(text?.uppercased(), forKey: "text")
        let seen = manager.userInfo?["progress"] as? [Float] ?? []
        manager.userInfo = ["progress": seen + [manager.migrationProgress]]
    }
}

final class LabsMigrationTests: LabsTestCase {
    /// A folder with two versions of a note. The second one is current.
    private func versions() throws -> URL {
        let url = folder.appendingPathComponent("Notes.xcdatamodeld")
        let text = #"<attribute name="text" optional="YES" attributeType="String"/>"#
        let rank = #"<attribute name="rank" attributeType="Integer 32" defaultValueString="3"/>"#
        for (name, content) in [("Notes", text), ("Notes 2", text + rank)] {
            let version = url.appendingPathComponent("\(name).xcdatamodel")
            try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
            let model = "<model><entity name=\"Note\">\(content)</entity></model>"
            try Data(model.utf8).write(to: version.appendingPathComponent("contents"))
        }
        let current = try PropertyListSerialization.data(
            fromPropertyList: ["_XCCurrentVersionName": "Notes 2.xcdatamodel"], format: .xml,
            options: 0)
        try current.write(to: url.appendingPathComponent(".xccurrentversion"))
        return url
    }

    private func model(_ name: String) throws -> NSManagedObjectModel {
        let url = try versions().appendingPathComponent("\(name).xcdatamodel")
        return try XCTUnwrap(NSManagedObjectModel(contentsOf: url))
    }

    private var store: URL { folder.appendingPathComponent("Notes.sqlite") }

    private func fill(_ model: NSManagedObjectModel, count: Int) throws {
        let container = container(model, name: "Notes")
        let context = container.viewContext
        for number in 0..<count {
            NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
                .setValue("note \(number)", forKey: "text")
        }
        try context.save()
        for store in container.persistentStoreCoordinator.persistentStores {
            try container.persistentStoreCoordinator.remove(store)
        }
    }

    private func code(_ options: [String: Bool], _ model: NSManagedObjectModel) -> Int? {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        do {
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: store, options: options)
            return nil
        } catch {
            XCTAssertTrue(coordinator.persistentStores.isEmpty)
            return (error as NSError).code
        }
    }

    func testL10_aStoreOfAnOlderModelIsRefused() throws {
        let old = try model("Notes")
        try fill(old, count: 3)
        let other = NSManagedObjectModel()
        let note = NSEntityDescription()
        note.name = "Note"
        note.properties = [attribute("title", .stringAttributeType)]
        other.entities = [note]
        XCTAssertEqual(code([:], other), NSPersistentStoreIncompatibleVersionHashError)
        XCTAssertEqual(
            code([NSMigratePersistentStoresAutomaticallyOption: true], other),
            NSMigrationMissingSourceModelError)
        XCTAssertNil(code([:], old))
    }

    func testL41_theCurrentVersionOpensAStoreOfTheFirst() throws {
        try fill(try model("Notes"), count: 3)
        let current = try XCTUnwrap(NSManagedObjectModel(contentsOf: try versions()))
        XCTAssertNotNil(current.entitiesByName["Note"]?.attributesByName["rank"])
        let context = container(current, name: "Notes").viewContext
        let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
        let notes = try context.fetch(request)
        XCTAssertEqual(notes.count, 3)
        XCTAssertEqual(Set(notes.compactMap { $0.value(forKey: "rank") as? Int }), [3])
    }

    func testL41_aMappingModelWithAPolicyReportsItsProgress() throws {
        let (old, new) = (try model("Notes"), try model("Notes 2"))
        try fill(old, count: 4)
        let mapping = try NSMappingModel.inferredMappingModel(
            forSourceModel: old, destinationModel: new)
        let notes = try XCTUnwrap(mapping.entityMappings.first)
        notes.mappingType = .customEntityMappingType
        notes.entityMigrationPolicyClassName = NSStringFromClass(ShoutingPolicy.self)
        let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
        let target = folder.appendingPathComponent("New.sqlite")
        try manager.migrateStore(
            from: store, sourceType: NSSQLiteStoreType, with: mapping, toDestinationURL: target,
            destinationType: NSSQLiteStoreType)
        let progress = try XCTUnwrap(manager.userInfo?["progress"] as? [Float])
        XCTAssertEqual(progress, progress.sorted())
        XCTAssertGreaterThan(Set(progress).count, 2)
        let context = container(new, name: "New").viewContext
        let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
        request.sortDescriptors = [NSSortDescriptor(key: "text", ascending: true)]
        let texts = try context.fetch(request).map { $0.value(forKey: "text") as? String }
        XCTAssertEqual(texts, ["NOTE 0", "NOTE 1", "NOTE 2", "NOTE 3"])
    }

    func testL41_aLargeStoreKeepsItsDataWhenAMigrationIsInterrupted() throws {
        let (old, new) = (try model("Notes"), try model("Notes 2"))
        try fill(old, count: 5000)
        let mapping = try NSMappingModel.inferredMappingModel(
            forSourceModel: old, destinationModel: new)
        mapping.entityMappings[0].attributeMappings?[0].valueExpression = NSExpression(
            format: "FUNCTION($manager, 'noSuchMethod:', 1)")
        let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
        let target = folder.appendingPathComponent("New.sqlite")
        XCTAssertThrowsError(
            try manager.migrateStore(
                from: store, sourceType: NSSQLiteStoreType, with: mapping,
                toDestinationURL: target, destinationType: NSSQLiteStoreType))
        XCTAssertFalse(FileManager.default.fileExists(atPath: target.path))
        let context = container(old, name: "Notes").viewContext
        let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
        XCTAssertEqual(try context.count(for: request), 5000)
    }
}
