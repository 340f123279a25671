import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace
import Testing

@Suite struct ConstraintTests {
    private func seeded() throws -> (GraphStack, NSManagedObjectID) {
        let stack = try GraphStack(GraphModels.moody())
        let context = stack.context()
        let id = try context.on {
            let country = context.make("Country", ["code": "DE", "name": "Germany", "count": 1])
            context.make("Mood", ["colour": "old", "country": country])
            try context.save()
            return country.objectID
        }
        return (stack, id)
    }

    // Proves S3.3-2, S3.7-7, S3.7-12
    @Test func `a duplicate of a row prevents saving until the context rolls back`() throws {
        let (stack, id) = try seeded()
        let context = stack.context()
        try context.on {
            let duplicate = context.make("Country", ["code": "DE"])
            for _ in 0..<2 {
                let error = try #require(context.saveError())
                #expect(error.code == 133_021)
                let list = error.userInfo["conflictList"] as? [NSConstraintConflict]
                let conflict = try #require(list?.first)
                #expect(conflict.constraint == ["code"])
                #expect(conflict.constraintValues["code"] as? String == "DE")
                #expect(conflict.databaseObject?.objectID == id)
                #expect(conflict.databaseSnapshot?["name"] as? String == "Germany")
                #expect(conflict.conflictingObjects == [duplicate])
                context.make("Mood", ["colour": "unrelated"])
            }
            #expect(context.insertedObjects.count == 3)
            context.rollback()
            #expect(!context.hasChanges && duplicate.managedObjectContext == nil)
            context.make("Mood", ["colour": "after"])
            try context.save()
            #expect(try context.all("Country").count == 1)
            #expect(try context.all("Mood").count == 2)
        }
    }

    // Proves S3.7-7
    @Test func `duplicates within one save are one conflict without a database object`() throws {
        let stack = try GraphStack(GraphModels.moody())
        let context = stack.context()
        try context.on {
            let pair = Set([
                context.make("Country", ["code": "X"]), context.make("Country", ["code": "X"]),
            ])
            context.make("Country")
            context.make("Country")
            let error = try #require(context.saveError())
            let list = error.userInfo["conflictList"] as? [NSConstraintConflict]
            #expect(error.code == 133_021 && list?.count == 1)
            #expect(list?.first?.databaseObject == nil && list?.first?.databaseSnapshot == nil)
            #expect(Set(list?.first?.conflictingObjects ?? []) == pair)
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try context.save()
            #expect(try context.all("Country", "code == %@", ["X"]).count == 1)
            #expect(try context.all("Country").count == 3)
        }
    }

    // Proves S3.7-13, S3.7-14, S3.7-15
    @Test(arguments: [
        NSMergePolicyType.mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType,
        .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType,
    ])
    func `one row survives under its key, and links to the duplicate lead to it`(
        _ type: NSMergePolicyType
    ) throws {
        let (stack, id) = try seeded()
        let context = stack.context(NSMergePolicy(merge: type))
        let storeWins: Set<NSMergePolicyType> = [
            .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType,
        ]
        try context.on {
            let duplicate = context.make("Country", ["code": "DE", "count": 5])
            let mood = context.make("Mood", ["colour": "new", "country": duplicate])
            try context.save()
            #expect(!context.hasChanges)
            #expect(duplicate.managedObjectContext == nil)
            let survivor = try #require(mood.object("country"))
            #expect(survivor.objectID == id)
            #expect(survivor.text("name") == (storeWins.contains(type) ? "Germany" : nil))
            #expect(survivor.value(forKey: "count") as? Int == (storeWins.contains(type) ? 1 : 5))
            #expect((survivor.value(forKey: "moods") as? NSSet)?.count == 2)
        }
        let third = stack.context()
        try third.on {
            let countries = try third.all("Country")
            #expect(countries.map(\.objectID) == [id])
            #expect((countries[0].value(forKey: "moods") as? NSSet)?.count == 2)
            #expect(countries[0].text("name") == (storeWins.contains(type) ? "Germany" : nil))
        }
    }

    @Test func `of two rows renamed alike, one keeps its name if the store wins`() throws {
        let stack = try GraphStack(GraphModels.moody())
        let context = stack.context(.mergeByPropertyStoreTrump)
        try context.on {
            let first = context.make("Country", ["code": "A"])
            let second = context.make("Country", ["code": "B"])
            try context.save()
            first.setValue("C", forKey: "code")
            second.setValue("C", forKey: "code")
            try context.save()
            #expect(first.managedObjectContext != nil && second.managedObjectContext != nil)
            context.reset()
            let codes = try context.all("Country").compactMap { $0.text("code") }
            #expect(codes.count == 2 && codes.filter { $0 == "C" }.count == 1)
        }
    }

    @Test func `rows may exchange unique values in one save`() throws {
        let stack = try GraphStack(GraphModels.moody())
        let context = stack.context()
        try context.on {
            let first = context.make("Country", ["code": "A"])
            let second = context.make("Country", ["code": "B"])
            try context.save()
            first.setValue("B", forKey: "code")
            second.setValue("A", forKey: "code")
            try context.save()
            let third = context.make("Country", ["code": "B"])
            context.delete(first)
            try context.save()
            #expect(!third.objectID.isTemporaryID)
        }
    }

    /// Fills nil properties of the new object from the existing row.
    ///
    /// `@unchecked Sendable` because it has no state.
    final class Backfilling: NSMergePolicy, @unchecked Sendable {
        override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
            for conflict in list {
                for object in conflict.conflictingObjects {
                    for (key, value) in conflict.databaseSnapshot ?? [:]
                    where object.value(forKey: key) == nil && !(value is NSNull) {
                        object.setValue(value, forKey: key)
                    }
                }
            }
            try super.resolve(constraintConflicts: list)
        }
    }

    @Test(arguments: [
        NSMergePolicyType.overwriteMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType,
    ])
    func `a row that is replaced loses its links, even if its rule denies a deletion`(
        _ policy: NSMergePolicyType
    ) throws {
        let country = GraphModels.entity("Country", [GraphModels.text("code")])
        country.uniquenessConstraints = [["code"]]
        let mood = GraphModels.entity("Mood", [GraphModels.text("colour")])
        let end = GraphModels.End.init
        GraphModels.relate(
            end(country, "moods", true, false, .denyDeleteRule),
            end(mood, "country", false, false, .nullifyDeleteRule))
        GraphModels.relate(
            end(country, "capital", false, false, .denyDeleteRule),
            end(mood, "capitalOf", false, false, .nullifyDeleteRule))
        let context = try GraphStack(GraphModels.model([country, mood]))
            .context(NSMergePolicy(merge: policy))
        try context.on {
            let first = context.make("Country", ["code": "A"])
            let loser = context.make("Country", ["code": "B"])
            let blue = context.make("Mood", ["colour": "blue", "country": loser])
            let red = context.make("Mood", ["colour": "red", "capitalOf": loser])
            try context.save()
            context.refreshAllObjects()
            first.setValue("B", forKey: "code")
            try context.save()
            context.refreshAllObjects()
            #expect(try context.all("Country") == [first])
            #expect(blue.object("country") == nil && red.object("capitalOf") == nil)
        }
    }

    @Test func `a child's object that a parent replaced stands for the surviving row`() throws {
        let (stack, id) = try seeded()
        let parent = stack.context(.overwrite)
        let child = parent.child()
        try child.on {
            let duplicate = child.make("Country", ["code": "DE", "name": "Again"])
            try child.save()
            try parent.on { try parent.save() }
            child.make("Mood", ["colour": "late", "country": duplicate])
            try child.save()
            try parent.on { try parent.save() }
        }
        let reader = stack.context()
        try reader.on {
            let country = try #require(try reader.all("Country").first)
            #expect(try reader.all("Country").count == 1 && country.objectID == id)
            let moods = country.value(forKey: "moods") as? Set<NSManagedObject> ?? []
            #expect(Set(moods.map { $0.text("colour") }).contains("late"))
        }
    }

    @Test func `a policy that fills nils before calling super keeps the row's values`() throws {
        let (stack, id) = try seeded()
        let context = stack.context(Backfilling(merge: .mergeByPropertyObjectTrumpMergePolicyType))
        try context.on {
            context.make("Country", ["code": "DE", "count": 9])
            try context.save()
            let survivor = try context.existingObject(with: id)
            #expect(survivor.text("name") == "Germany")
            #expect(survivor.value(forKey: "count") as? Int == 9)
        }
    }

    /// A model whose entity Animal has a unique name. Its subentities Cat and Dog have one property
    /// each.
    private func kinds() -> NSManagedObjectModel {
        let animal = GraphModels.entity("Animal", [GraphModels.text("name")])
        animal.uniquenessConstraints = [["name"]]
        let cat = GraphModels.entity("Cat", [GraphModels.text("colour")])
        let dog = GraphModels.entity("Dog", [GraphModels.text("trick")])
        let owner = GraphModels.entity("Owner", [GraphModels.text("name")])
        GraphModels.relate(
            GraphModels.End(owner: owner, name: "pets", toMany: true),
            GraphModels.End(owner: animal, name: "owner"))
        GraphModels.relate(
            GraphModels.End(owner: owner, name: "packs", toMany: true),
            GraphModels.End(owner: dog, name: "leaders", toMany: true))
        animal.subentities = [cat, dog]
        return GraphModels.model([animal, cat, dog, owner])
    }

    @Test(arguments: ["Animal", "Cat"], [false, true])
    func `duplicates of two entities share only their common properties`(
        _ first: String, isSaved: Bool
    ) throws {
        let stack = try GraphStack(kinds())
        let context = stack.context(.mergeByPropertyObjectTrump)
        try context.on {
            let survivor = context.make(first, ["name": "Rex"])
            if isSaved { try context.save() }
            let owner = context.make("Owner", ["name": "Ann"])
            let dog = context.make("Dog", ["name": "Rex", "trick": "sits", "owner": owner])
            dog.mutableSetValue(forKey: "leaders").add(owner)
            try context.save()
            let animals = try context.all("Animal")
            #expect(animals.count == 1 && !context.hasChanges)
            #expect(!isSaved || animals == [survivor])
            #expect((owner.value(forKey: "pets") as? NSSet)?.allObjects.count == 1)
            let packs = (owner.value(forKey: "packs") as? NSSet)?.count
            #expect(packs == (animals[0].entity.name == "Dog" ? 1 : 0))
        }
    }
}
