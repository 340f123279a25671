import CoreDataEngine
import CoreDataModel
import CoreDataStore
import Foundation
import Testing

/// A class that reports changes of properties that its model does not have.
final class Heedful: NSManagedObject {
    override class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { false }
}

@Suite struct PrimitiveValueTests {
    @Test func `primitive values fire no fault, willAccessValue does`() throws {
        let stack = try GraphStack(GraphModels.moody())
        let context = stack.context()
        try context.on {
            let mood = context.make("Mood", ["colour": "red"])
            mood.setValue(context.make("Country", ["name": "C"]), forKey: "country")
            try context.save()
            context.refresh(mood, mergeChanges: false)
            _ = stack.selects()
            for key in ["colour", "country"] {
                #expect(mood.primitiveValue(forKey: key) == nil && mood.isFault)
            }
            mood.setPrimitiveValue("blue", forKey: "colour")
            #expect(mood.isFault && !context.hasChanges && stack.selects() == 0)
            #expect(mood.primitiveValue(forKey: "colour") as? String == "blue")
            mood.willAccessValue(forKey: "country")
            #expect(!mood.isFault && mood.text("colour") == "blue")
            let country = mood.primitiveValue(forKey: "country") as? NSManagedObject
            #expect(country?.text("name") == "C")
            context.refresh(mood, mergeChanges: false)
            #expect(mood.text("colour") == "red")
        }
    }

    @Test func `a primitive value is one of the model's properties`() throws {
        let context = try GraphStack(GraphModels.moody()).context()
        try context.on {
            let mood = context.make("Mood")
            #expect(throws: CoreDataError.self) { try mood.readPrimitive(forKey: "objectID") }
            #expect(mood.value(forKey: "objectID") as? NSManagedObjectID == mood.objectID)
        }
    }

    // Proves S1.1-14
    @Test func `a change of an unmodelled property dirties only classes that opt in`() throws {
        for (name, isDirty) in [("NSManagedObject", false), ("CoreDataEngineTests.Heedful", true)] {
            let model = GraphModels.moody()
            model.entitiesByName["Mood"]?.managedObjectClassName = name
            let context = try GraphStack(model).context()
            try context.on {
                let mood = context.make("Mood")
                try context.save()
                mood.willChangeValue(forKey: "shade")
                mood.didChangeValue(forKey: "shade")
                #expect(mood.hasChanges == isDirty && context.hasChanges == isDirty)
            }
        }
    }
}
