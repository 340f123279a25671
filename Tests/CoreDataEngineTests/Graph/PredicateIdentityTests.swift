import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import Foundation
import Testing

@Suite struct PredicateIdentityTests {
    /// A saved country, and a context with a saved and an unsaved mood of it.
    private func moods() throws -> (GraphStack, NSManagedObjectContext, NSManagedObject) {
        let stack = try GraphStack(GraphModels.moody())
        let context = stack.context()
        let country = try context.on {
            let country = context.make("Country", ["code": "A"])
            context.make("Mood", ["colour": "saved", "country": country])
            try context.save()
            context.make("Mood", ["colour": "unsaved", "country": country])
            return country
        }
        return (stack, context, country)
    }

    private func colours(
        _ context: NSManagedObjectContext, _ format: String, _ arguments: [Any]
    ) throws -> [String] {
        try context.all("Mood", format, arguments).compactMap { $0.text("colour") }.sorted()
    }

    @Test func `an object, its id and its copy in another context match saved and unsaved rows`()
        throws
    {
        let (stack, context, country) = try moods()
        let other = stack.context()
        let copy = try other.on { try other.existingObject(with: country.objectID) }
        let both = ["saved", "unsaved"]
        try context.on {
            for constant in [country, country.objectID, copy] as [Any] {
                #expect(try colours(context, "country == %@", [constant]) == both)
                #expect(try colours(context, "country IN %@", [[constant]]) == both)
                #expect(try colours(context, "country != %@", [constant]) == [])
                let many = Array(repeating: constant, count: 20)
                #expect(try colours(context, "country IN %@", [many]) == both)
            }
            for mood in try context.all("Mood") {
                let found = try colours(context, "SELF == %@", [mood.objectID])
                #expect(found == [mood.text("colour")])
                #expect(
                    try context.all("Country", "moods CONTAINS %@", [mood.objectID]) == [country])
            }
        }
    }

    @Test func `a new country's temporary id matches only its unsaved moods`() throws {
        let (_, context, _) = try moods()
        try context.on {
            let new = context.make("Country", ["code": "B"])
            context.make("Mood", ["colour": "new", "country": new])
            #expect(try colours(context, "country == %@", [new.objectID]) == ["new"])
            let others = try colours(context, "country != %@", [new.objectID])
            #expect(others == ["saved", "unsaved"])
        }
    }

    @Test func `an id of another store is equal to nothing, in rows and in memory`() throws {
        let (_, context, country) = try moods()
        let foreign = try GraphStack(GraphModels.moody()).context()
        let stranger = try foreign.on {
            let stranger = foreign.make("Country", ["code": "A"])
            try foreign.save()
            return stranger
        }
        try context.on {
            let key = { (id: NSManagedObjectID) in id.uriRepresentation().lastPathComponent }
            #expect(key(stranger.objectID) == key(country.objectID))
            for constant in [stranger, stranger.objectID] as [Any] {
                #expect(try colours(context, "country == %@", [constant]) == [])
                #expect(try colours(context, "country IN %@", [[constant]]) == [])
                #expect(try colours(context, "SELF == %@", [constant]) == [])
                let others = try colours(context, "country != %@", [constant])
                #expect(others == ["saved", "unsaved"])
            }
            let child = context.child()
            #expect(try child.on { try colours(child, "country == %@", [stranger]) } == [])
        }
    }
}
