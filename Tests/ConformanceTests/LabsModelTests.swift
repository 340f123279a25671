import CoreData
import XCTest

final class LabsModelTests: LabsTestCase {
    private func house() throws -> NSManagedObjectModel {
        let text = """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                <entity name="Person" syncable="YES">
                    <attribute name="name" optional="YES" attributeType="String"/>
                    <attribute name="height" optional="YES" attributeType="Integer 32"
                        usesScalarValueType="YES"/>
                    <attribute name="birthdate" optional="YES" attributeType="Date"
                        usesScalarValueType="NO"/>
                    <fetchedProperty name="sameBirthdate" optional="YES">
                        <fetchRequest name="fetchedPropertyFetchRequest" entity="Person"
                            predicateString="birthdate == $FETCH_SOURCE.birthdate AND
                            SELF != $FETCH_SOURCE"/>
                    </fetchedProperty>
                </entity>
                <fetchRequest name="canChangeLightBulb" entity="Person"
                    predicateString="height &gt;= 200"/>
                <fetchRequest name="tallerThan" entity="Person"
                    predicateString="height &gt; $HEIGHT"/>
            </model>
            """
        let url = folder.appendingPathComponent("House.xcdatamodel")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try text.write(
            to: url.appendingPathComponent("contents"), atomically: true, encoding: .utf8)
        return try XCTUnwrap(NSManagedObjectModel(contentsOf: url))
    }

    func testL4_requestTemplatesAndFetchedPropertiesWorkFromTheModel() throws {
        let model = try house()
        let context = container(model).viewContext
        let day = Date(timeIntervalSinceReferenceDate: 0)
        for (name, height, birthdate) in [
            ("Ada", 205, day), ("Grace", 160, day), ("Zoe", 210, day.addingTimeInterval(86_400)),
        ] {
            let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
            person.setValue(name, forKey: "name")
            person.setValue(height, forKey: "height")
            person.setValue(birthdate, forKey: "birthdate")
        }
        try context.save()
        func names(_ found: [Any]?) -> [String] {
            (found as? [NSManagedObject] ?? [])
                .compactMap { $0.value(forKey: "name") as? String }.sorted()
        }

        XCTAssertEqual(
            model.fetchRequestTemplatesByName.keys.sorted(), ["canChangeLightBulb", "tallerThan"])
        let tall = try XCTUnwrap(model.fetchRequestTemplate(forName: "canChangeLightBulb"))
        XCTAssertEqual(tall.entity?.name, "Person")
        XCTAssertEqual(names(try context.fetch(tall)), ["Ada", "Zoe"])
        let taller = try XCTUnwrap(
            model.fetchRequestFromTemplate(
                withName: "tallerThan", substitutionVariables: ["HEIGHT": 205]))
        XCTAssertEqual(names(try context.fetch(taller)), ["Zoe"])
        XCTAssertNil(
            model.fetchRequestFromTemplate(withName: "none", substitutionVariables: [:]))

        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        request.predicate = NSPredicate(format: "name == 'Grace'")
        let grace = try XCTUnwrap(try context.fetch(request).first)
        XCTAssertEqual(names(grace.value(forKey: "sameBirthdate") as? [Any]), ["Ada"])
    }

    func testL4_templatesCanBeSetAndRemovedUntilTheModelIsUsed() throws {
        let model = try house()
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Person")
        request.fetchLimit = 1
        model.setFetchRequestTemplate(request, forName: "one")
        model.setFetchRequestTemplate(nil, forName: "tallerThan")
        XCTAssertEqual(
            model.fetchRequestTemplatesByName.keys.sorted(), ["canChangeLightBulb", "one"])
        model.fetchRequestTemplate(forName: "canChangeLightBulb")?.fetchLimit = 7
        let copy = try XCTUnwrap(model.copy() as? NSManagedObjectModel)
        _ = container(model)
        model.fetchRequestTemplate(forName: "one")?.fetchLimit = 5
        XCTAssertEqual(model.fetchRequestTemplate(forName: "one")?.fetchLimit, 1)
        XCTAssertEqual(model.fetchRequestTemplate(forName: "canChangeLightBulb")?.fetchLimit, 7)
        XCTAssertEqual(copy.fetchRequestTemplate(forName: "one")?.fetchLimit, 1)
        copy.fetchRequestTemplate(forName: "one")?.fetchLimit = 9
        XCTAssertEqual(model.fetchRequestTemplate(forName: "one")?.fetchLimit, 1)
    }

    func testAVersionedModelTellsTheChecksumsOfItsVersions() throws {
        let model = try house()
        let from = folder.appendingPathComponent("House.xcdatamodel")
        let versions = folder.appendingPathComponent("House.xcdatamodeld")
        try FileManager.default.createDirectory(at: versions, withIntermediateDirectories: true)
        for name in ["House", "House 2"] {
            try FileManager.default.copyItem(
                at: from, to: versions.appendingPathComponent("\(name).xcdatamodel"))
        }
        XCTAssertEqual(
            try NSManagedObjectModel.checksumsForVersionedModel(at: versions),
            ["House": model.versionChecksum, "House 2": model.versionChecksum])
        XCTAssertThrowsError(try NSManagedObjectModel.checksumsForVersionedModel(at: folder))
    }
}
