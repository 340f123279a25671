import CoreDataEngine
import CoreDataModel
import CoreDataStore
import Foundation
import Testing

/// The validators trim the name and permit only colours of the rainbow.
final class Particular: NSManagedObject {
    private static let rainbow = ["red", "yellow", "green", "blue"]

    override class var propertyValidators: [String: PropertyValidator] {
        [
            "name": { _, value in
                value = (value as? String)?.trimmingCharacters(in: .whitespaces)
            },
            "colour": { object, value in
                guard let colour = value as? String, !Particular.rainbow.contains(colour) else {
                    return
                }
                throw NSError(
                    domain: "Particular", code: 7,
                    userInfo: [NSValidationObjectErrorKey: object])
            },
        ]
    }
}

// D-021
@Suite struct PropertyValidatorTests {
    private func context(
        _ objectClass: String = "CoreDataEngineTests.Particular"
    ) throws -> NSManagedObjectContext {
        let name = GraphModels.text("name")
        name.isOptional = false
        let thing = GraphModels.entity("Thing", [name, GraphModels.text("colour")])
        thing.managedObjectClassName = objectClass
        return try GraphStack(GraphModels.model([thing])).context()
    }

    @Test func `a class's validator changes a value and refuses another at the save`() throws {
        let context = try context()
        try context.on {
            let thing = context.make("Thing", ["name": "  a ", "colour": "grey"])
            let error = try #require(context.saveError())
            #expect(error.domain == "Particular" && error.code == 7)
            thing.setValue("red", forKey: "colour")
            try context.save()
            #expect(thing.text("name") == "a" && !context.hasChanges)
            context.reset()
            #expect(try context.all("Thing").first?.text("name") == "a")
        }
    }

    @Test func `the model's rules check the validator's result, and errors accumulate`() throws {
        let context = try context()
        try context.on {
            context.make("Thing", ["colour": "grey"])
            let error = try #require(context.saveError())
            #expect(error.code == NSValidationMultipleErrorsError)
            let parts = error.userInfo[NSDetailedErrorsKey] as? [NSError]
            #expect(parts?.map(\.code) == [7, NSValidationMissingMandatoryPropertyError])
        }
    }

    @Test func `a single value is validated before it is set`() throws {
        let context = try context()
        try context.on {
            let thing = context.make("Thing")
            var value: Any? = " b "
            try thing.validateValue(&value, forKey: "name")
            #expect(value as? String == "b")
            value = "grey"
            #expect(throws: NSError.self) { try thing.validateValue(&value, forKey: "colour") }
        }
    }
}
