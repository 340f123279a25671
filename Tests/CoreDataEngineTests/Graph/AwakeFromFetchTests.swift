import CoreDataEngine
import CoreDataModel
import Foundation
import Testing

/// A mood that moves to the country that is named when it is read.
final class MovingMood: NSManagedObject {
    /// Where the next mood that is read moves to.
    // Safe: set and read on the queue of one test's context.
    nonisolated(unsafe) static var target: NSManagedObject?

    override func awakeFromFetch() {
        if let target = Self.target { setValue(target, forKey: "country") }
    }
}

@Suite struct AwakeFromFetchTests {
    @Test func `what is set there makes nothing dirty and keeps no inverse`() throws {
        let model = GraphModels.moody()
        let mood = try #require(model.entitiesByName["Mood"])
        mood.managedObjectClassName = "CoreDataEngineTests.MovingMood"
        let stack = try GraphStack(model)
        let context = stack.context()
        try context.on {
            let country = context.make("Country", ["code": "A"])
            context.make("Mood", ["colour": "red"])
            try context.save()
            MovingMood.target = country
            defer { MovingMood.target = nil }
            context.refreshAllObjects()
            let found = try #require(try context.all("Mood").first)
            #expect(found.text("colour") == "red")
            #expect(found.object("country") === country)
            #expect((country.value(forKey: "moods") as? NSSet)?.count == 0)
            #expect(!context.hasChanges && !found.hasChanges && !country.hasChanges)
        }
    }
}
