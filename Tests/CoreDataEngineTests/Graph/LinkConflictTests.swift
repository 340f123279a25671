import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace
import Testing

/// Conflicts about relationships, and the results of custom policies.
@Suite struct LinkConflictTests {
    // Proves S1.7-8
    @Test func `linking a new child includes the parent in conflicts`() throws {
        let stack = try GraphStack(GraphModels.moody())
        let first = stack.context()
        let id = try first.on {
            let country = first.make("Country", ["code": "DE"])
            try first.save()
            return country.objectID
        }
        let second = stack.context()
        try second.on {
            let country = try second.existingObject(with: id)
            let mood = second.make("Mood", ["country": country])
            try first.on {
                first.object(with: id).setValue("Germany", forKey: "name")
                try first.save()
            }
            let error = try #require(second.saveError())
            let list = try #require(error.userInfo["conflictList"] as? [NSMergeConflict])
            #expect(error.code == 133_020 && list.map(\.sourceObject) == [country])
            second.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try second.save()
            #expect(country.text("name") == "Germany" && country.rowVersion == 3)
            #expect((country.value(forKey: "moods") as? NSSet) == NSSet(object: mood))
        }
    }

    @Test func `linking to a fault that was never read does not conflict`() throws {
        let stack = try GraphStack(GraphModels.moody())
        let first = stack.context()
        let id = try first.on {
            let country = first.make("Country", ["code": "DE"])
            try first.save()
            country.setValue("x", forKey: "name")
            try first.save()
            return country.objectID
        }
        let second = stack.context()
        try second.on {
            let country = second.object(with: id)
            second.make("Mood", ["country": country])
            try second.save()
            #expect(country.rowVersion == 3)
        }
    }

    @Test(arguments: [
        NSMergePolicyType.mergeByPropertyStoreTrumpMergePolicyType,
        .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType,
        .rollbackMergePolicyType,
    ])
    func `two contexts move one child, and both ends agree afterwards`(
        _ type: NSMergePolicyType
    ) throws {
        let stack = try GraphStack(GraphModels.moody())
        let first = stack.context()
        try first.on {
            let countries = ["A", "B", "C"].map { first.make("Country", ["code": $0, "name": $0]) }
            first.make("Mood", ["colour": "red", "country": countries[0]])
            try first.save()
        }
        let second = stack.context(NSMergePolicy(merge: type))
        try second.on {
            let countries = try second.all("Country", sort: "code")
            let mood = try #require(try second.all("Mood").first)
            _ = mood.object("country")
            for country in countries { _ = (country.value(forKey: "moods") as? NSSet)?.count }
            try first.on {
                let mood = try #require(try first.all("Mood").first)
                mood.setValue(try first.all("Country", sort: "code")[1], forKey: "country")
                try first.save()
            }
            mood.setValue(countries[2], forKey: "country")
            try second.save()
            let owner = try #require(mood.object("country"))
            let wins: Set<NSMergePolicyType> = [
                .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType,
            ]
            #expect(owner === countries[wins.contains(type) ? 2 : 1])
            for country in countries {
                let moods = country.value(forKey: "moods") as? NSSet
                #expect(
                    moods?.count == (country === owner ? 1 : 0), "\(country.text("code") ?? "")")
            }
        }
        let third = stack.context()
        try third.on {
            let mood = try #require(try third.all("Mood").first)
            #expect((mood.object("country")?.value(forKey: "moods") as? NSSet)?.count == 1)
        }
    }

    /// A policy that resolves conflicts as its superclass does. It then counts the moods again, as
    /// a book about Core Data recommends.
    ///
    /// `@unchecked Sendable` because it has no state.
    final class Recounting: NSMergePolicy, @unchecked Sendable {
        override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
            try super.resolve(optimisticLockingConflicts: list)
            for conflict in list where conflict.sourceObject.entity.name == "Country" {
                let country = conflict.sourceObject
                country.managedObjectContext?.refresh(country, mergeChanges: true)
                let moods = country.value(forKey: "moods") as? NSSet
                country.setValue(moods?.count ?? 0, forKey: "count")
            }
        }
    }

    // Proves S3.6-2
    @Test(arguments: [
        NSMergePolicyType.mergeByPropertyStoreTrumpMergePolicyType,
        .mergeByPropertyObjectTrumpMergePolicyType, .rollbackMergePolicyType,
    ])
    func `values that a custom policy sets after super are saved in the same save`(
        _ type: NSMergePolicyType
    ) throws {
        let stack = try GraphStack(GraphModels.moody())
        let first = stack.context()
        let id = try first.on {
            let country = first.make("Country", ["code": "DE", "count": 1])
            first.make("Mood", ["country": country])
            try first.save()
            return country.objectID
        }
        let second = stack.context(Recounting(merge: type))
        try second.on {
            let country = try second.existingObject(with: id)
            second.make("Mood", ["country": country])
            country.setValue(2, forKey: "count")
            try first.on {
                let country = first.object(with: id)
                first.make("Mood", ["country": country])
                country.setValue(2, forKey: "count")
                try first.save()
            }
            try second.save()
            #expect(country.value(forKey: "count") as? Int == 3)
        }
        let third = stack.context()
        try third.on {
            let country = try third.existingObject(with: id)
            #expect(country.value(forKey: "count") as? Int == 3)
        }
    }

    /// `@unchecked Sendable` because it has no state.
    final class Refusing: NSMergePolicy, @unchecked Sendable {
        override func resolve(mergeConflicts list: [Any]) throws {
            throw NSError(domain: "mine", code: 133_020, userInfo: ["number": list.count])
        }
    }

    @Test func `a custom policy's own error reaches the caller`() throws {
        let scene = try PolicyTests.Scene(.rowCache)
        let context = scene.mine.context(Refusing(merge: .errorMergePolicyType))
        try context.on {
            let item = try scene.item(in: context)
            try scene.theySave(["both"])
            item.setValue("O", forKey: "both")
            let error = try #require(context.saveError())
            #expect(error.domain == "mine" && error.userInfo["number"] as? Int == 1)
        }
    }

    @Test func `links to an object whose row was deleted are removed`() throws {
        let stack = try GraphStack(GraphModels.moody())
        let first = stack.context()
        let id = try first.on {
            let country = first.make("Country", ["code": "DE"])
            try first.save()
            return country.objectID
        }
        let second = stack.context(.mergeByPropertyObjectTrump)
        try second.on {
            let mood = second.make("Mood", ["country": try second.existingObject(with: id)])
            try first.on {
                first.delete(first.object(with: id))
                try first.save()
            }
            try second.save()
            #expect(mood.object("country") == nil)
        }
        let third = stack.context()
        try third.on {
            let moods = try third.all("Mood")
            #expect(moods.map { $0.object("country") } == [nil])
        }
    }

    @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType])
    func `a member whose deletion a policy reverts keeps its position`(_ type: String) throws {
        let stack = try GraphStack(GraphModels.relationships(), type: type)
        let (context, other) = (stack.context(.rollback), stack.context())
        let ids = try context.on {
            let list = context.make("List", ["name": "l"])
            let tracks = ["c", "b", "a"].map { context.make("Track", ["name": $0]) }
            list.setValue(NSOrderedSet(array: tracks), forKey: "tracks")
            try context.save()
            context.delete(tracks[1])
            context.processPendingChanges()
            return (list.objectID, tracks[1].objectID)
        }
        try other.on {
            other.object(with: ids.1).setValue("B", forKey: "name")
            try other.save()
        }
        try context.on { try context.save() }
        let reader = stack.context()
        reader.performAndWait {
            #expect(reader.object(with: ids.0).names("tracks") == ["c", "B", "a"])
        }
    }

    @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType])
    func `a member that a policy restores follows the members that were ordered`(
        _ type: String
    ) throws {
        let stack = try GraphStack(GraphModels.relationships(), type: type)
        let (context, other) = (stack.context(.overwrite), stack.context())
        let (list, first, last) = try context.on {
            let list = context.make("List", ["name": "l"])
            let tracks = ["a", "b"].map { context.make("Track", ["name": $0, "list": list]) }
            try context.save()
            context.refresh(list, mergeChanges: false)
            tracks[0].setValue("A", forKey: "name")
            return (list, tracks[0].objectID, tracks[1].objectID)
        }
        try other.on {
            other.object(with: first).setValue(nil, forKey: "list")
            try other.save()
        }
        try context.on {
            context.make("Track", ["name": "c", "list": list])
            try context.save()
            #expect(context.object(with: last).object("list") === list)
        }
        let reader = stack.context()
        reader.performAndWait {
            #expect(reader.object(with: list.objectID).names("tracks") == ["b", "c", "A"])
        }
    }

    @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType])
    func `an owner and a member that a policy restores are linked once`(_ type: String) throws {
        let stack = try GraphStack(GraphModels.relationships(), type: type)
        let (context, other) = (stack.context(.overwrite), stack.context())
        let (list, track) = try context.on {
            let list = context.make("List", ["name": "l"])
            let track = context.make("Track", ["name": "a", "list": list])
            try context.save()
            return (list, track)
        }
        try other.on {
            for id in [list.objectID, track.objectID] { other.delete(other.object(with: id)) }
            try other.save()
        }
        try context.on {
            list.setValue("L", forKey: "name")
            track.setValue("A", forKey: "name")
            try context.save()
        }
        let reader = stack.context()
        reader.performAndWait {
            #expect(reader.object(with: list.objectID).names("tracks") == ["A"])
        }
    }

    @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType], [false, true])
    func `a list that was reversed and rolled back has its order`(
        _ type: String, _ fails: Bool
    ) throws {
        let stack = try GraphStack(GraphModels.relationships(), type: type)
        let context = stack.context()
        let id = try context.on {
            let list = context.make("List", ["name": "l"])
            let tracks = ["a", "b"].map { context.make("Track", ["name": $0]) }
            list.setValue(NSOrderedSet(array: tracks), forKey: "tracks")
            try context.save()
            list.setValue(NSOrderedSet(array: tracks.reversed()), forKey: "tracks")
            if fails {
                stack.fail(at: .write)
                #expect(context.saveError() != nil)
                stack.fail(at: nil)
            }
            context.rollback()
            #expect(list.names("tracks") == ["a", "b"])
            list.setValue("L", forKey: "name")
            try context.save()
            return list.objectID
        }
        let reader = stack.context()
        reader.performAndWait {
            #expect(reader.object(with: id).names("tracks") == ["a", "b"])
        }
    }
}
