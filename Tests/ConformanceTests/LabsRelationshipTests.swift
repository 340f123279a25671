import CoreData
import XCTest

final class LabsRelationshipTests: LabsTestCase {
    /// Owners and things with one delete rule from the owner.
    private func model(_ rule: NSDeleteRule) -> NSManagedObjectModel {
        let owner = entity("Owner", NSManagedObject.self, [attribute("name", .stringAttributeType)])
        owner.managedObjectClassName = "NSManagedObject"
        let thing = entity("Thing", NSManagedObject.self, [attribute("name", .stringAttributeType)])
        thing.managedObjectClassName = "NSManagedObject"
        relate(
            End(owner: owner, name: "things", toMany: true, rule: rule),
            End(owner: thing, name: "owner"))
        return ConformanceTests.model(owner, thing)
    }

    private func new(_ name: String, _ context: NSManagedObjectContext) -> NSManagedObject {
        NSEntityDescription.insertNewObject(forEntityName: name, into: context)
    }

    private func count(_ name: String, _ context: NSManagedObjectContext) throws -> Int {
        try context.count(for: NSFetchRequest<NSManagedObject>(entityName: name))
    }

    func testL23_aRelationshipIsKeptFromEitherSide() throws {
        let context = container(model(.nullifyDeleteRule)).viewContext
        let (one, two) = (new("Owner", context), new("Owner", context))
        let thing = new("Thing", context)
        thing.setValue(one, forKey: "owner")
        XCTAssertEqual((one.value(forKey: "things") as? NSSet)?.count, 1)
        two.mutableSetValue(forKey: "things").add(thing)
        XCTAssertTrue(thing.value(forKey: "owner") as? NSManagedObject === two)
        XCTAssertEqual((one.value(forKey: "things") as? NSSet)?.count, 0)
        two.setValue(NSSet(), forKey: "things")
        XCTAssertNil(thing.value(forKey: "owner"))
    }

    /// A saved owner with two things, the owner deleted.
    private func deletedOwner(
        _ rule: NSDeleteRule
    ) throws -> (context: NSManagedObjectContext, things: [NSManagedObject]) {
        let context = container(model(rule)).viewContext
        let owner = new("Owner", context)
        let things = [new("Thing", context), new("Thing", context)]
        owner.setValue(NSSet(array: things), forKey: "things")
        try context.save()
        context.delete(owner)
        return (context, things)
    }

    func testL23_nullifyLeavesTheThings() throws {
        let (context, things) = try deletedOwner(.nullifyDeleteRule)
        try context.save()
        XCTAssertEqual(try count("Owner", context), 0)
        XCTAssertEqual(try count("Thing", context), 2)
        for thing in things { XCTAssertNil(thing.value(forKey: "owner")) }
    }

    func testL23_cascadeDeletesTheThings() throws {
        let (context, _) = try deletedOwner(.cascadeDeleteRule)
        try context.save()
        XCTAssertEqual(try count("Owner", context), 0)
        XCTAssertEqual(try count("Thing", context), 0)
    }

    func testL23_denyKeepsTheOwnerWhileThereAreThings() throws {
        let (context, things) = try deletedOwner(.denyDeleteRule)
        XCTAssertThrowsError(try context.save()) { error in
            let error = error as NSError
            XCTAssertEqual(error.code, NSValidationRelationshipDeniedDeleteError)
            XCTAssertEqual(error.userInfo[NSValidationKeyErrorKey] as? String, "things")
        }
        for thing in things { context.delete(thing) }
        try context.save()
        XCTAssertEqual(try count("Owner", context), 0)
    }

    func testL23_noActionLeavesTheOtherSideAsItWas() throws {
        let (context, things) = try deletedOwner(.noActionDeleteRule)
        try context.save()
        XCTAssertEqual(try count("Owner", context), 0)
        XCTAssertEqual(try count("Thing", context), 2)
        for thing in things { XCTAssertFalse(thing.isUpdated) }
    }
}
