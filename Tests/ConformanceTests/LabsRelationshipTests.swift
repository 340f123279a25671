import CoreData
import XCTest

final class LabsRelationshipTests: LabsTestCase {
    /// A model with owners and their things. The owner's relationship has the delete rule.
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

    func testL22_aPreparedDeletionMayReadAndChangeRelationships() throws {
        let context = container(Company.makeModel()).viewContext
        let team = context.new("Team", "core")
        let spare = context.new("Team", "spare")
        let boss = context.person("boss")
        let person = context.person("person")
        for one in [boss, person] { one.team = team }
        let report = context.person("report")
        report.boss = person
        try context.save()
        var seen: [String?] = []
        person.onDelete = { deleted in
            seen = deleted.reports.map(\.name)
            for report in deleted.reports { report.boss = boss }
            deleted.team = spare
        }
        context.delete(person)
        context.processPendingChanges()
        XCTAssertEqual(seen, ["report"])
        // The report stays, because `prepareForDeletion` has removed the link to the report.
        XCTAssertFalse(report.isDeleted)
        XCTAssertTrue(report.boss === boss)
        for one in [team, spare] {
            let members = one.value(forKey: "members") as? Set<Person>
            XCTAssertEqual(members, one === team ? [boss] : [])
        }
        try context.save()
        context.reset()
        XCTAssertEqual(try context.people().map(\.name), ["boss", "report"])
        XCTAssertEqual(try context.people("boss.name == 'boss'").map(\.name), ["report"])
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

    /// Saves an owner with two things, and deletes the owner.
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
