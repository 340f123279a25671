import CoreDataEngine
import CoreDataModel
import Foundation
import Testing

/// A mood that moves to the country `target` in `awakeFromFetch`.
final class MovingMood: NSManagedObject {
    /// The country to which the next fetched mood moves.
    // Safe: set and read on the queue of one test's context.
    nonisolated(unsafe) static var target: NSManagedObject?

    override func awakeFromFetch() {
        if let target = Self.target { setValue(target, forKey: "country") }
    }
}

/// A country that adds the mood `mood` to its moods in `awakeFromFetch`.
final class GatheringCountry: NSManagedObject {
    /// The mood that the next fetched country adds.
    // Safe: set and read on the queue of one test's context.
    nonisolated(unsafe) static var mood: NSManagedObject?

    override func awakeFromFetch() {
        if let mood = Self.mood { setValue(NSSet(object: mood), forKey: "moods") }
    }
}

@Suite struct AwakeFromFetchTests {
    @Test func `values set in awakeFromFetch make nothing dirty and set no inverse`() throws {
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

    // Proves S1.2-4, S1.2-5
    @Test func `members set in awakeFromFetch make nothing dirty and set no inverse`() throws {
        let model = GraphModels.moody()
        let country = try #require(model.entitiesByName["Country"])
        country.managedObjectClassName = "CoreDataEngineTests.GatheringCountry"
        let context = try GraphStack(model).context()
        try context.on {
            let home = context.make("Country", ["code": "A"])
            let own = context.make("Mood", ["colour": "red", "country": home])
            let stray = context.make("Mood", ["colour": "blue"])
            try context.save()
            context.refresh(home, mergeChanges: false)
            GatheringCountry.mood = stray
            #expect(home.text("code") == "A")
            GatheringCountry.mood = nil
            #expect(home.value(forKey: "moods") as? NSSet == NSSet(object: stray))
            #expect(stray.object("country") == nil && own.object("country") === home)
            #expect(!context.hasChanges && !home.hasChanges && !stray.hasChanges)
            home.setValue("B", forKey: "code")
            try context.save()
            context.reset()
            let saved = try context.all("Mood", "country.code == 'B'")
            #expect(saved.map { $0.text("colour") } == ["red"])
        }
    }
}
