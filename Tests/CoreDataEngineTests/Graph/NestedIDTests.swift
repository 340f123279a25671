import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace
import Testing

/// Tests of the ids of objects that are registered in several nested contexts.
@Suite struct NestedIDTests {
    private func scene() throws -> (GraphStack, NSManagedObjectContext, NSManagedObjectContext) {
        let stack = try GraphStack(GraphModels.relationships())
        let parent = stack.context()
        return (stack, parent, parent.child())
    }

    // Proves S4.1-8
    @Test func `a new object has a temporary id until the root saves, and this id stays valid`()
        throws
    {
        let (_, parent, child) = try scene()
        try parent.on {
            try child.on {
                let owner = child.make("Owner", ["name": "o"])
                let cat = child.make("Cat", ["name": "c", "owner": owner])
                let temporary = owner.objectID
                try child.save()
                #expect(owner.objectID == temporary && temporary.isTemporaryID)
                #expect(!owner.isInserted && !child.hasChanges)
                #expect(parent.insertedObjects.count == 2)
                try parent.save()
                #expect(owner.objectID == temporary)
                owner.setValue("again", forKey: "name")
                cat.setValue(nil, forKey: "owner")
                child.make("Dog", ["name": "d", "owner": owner])
                try child.save()
                #expect(parent.insertedObjects.count == 1 && parent.updatedObjects.count == 2)
                #expect(try child.all("Animal", "owner == %@", [owner]).count == 1)
            }
            try parent.save()
            parent.reset()
            let owners = try parent.all("Owner")
            #expect(owners.map { $0.text("name") } == ["again"] && owners[0].names("pets") == ["d"])
        }
    }

    @Test func `each context has one instance of an object, whichever of its ids was used`() throws
    {
        let (_, root, child) = try scene()
        let grandchild = child.child(name: "grandchild")
        try root.on {
            let owner = root.make("Owner", ["name": "new"])
            let temporary = owner.objectID
            try grandchild.on {
                let lowest = grandchild.object(with: temporary)
                #expect(lowest.text("name") == "new")
                lowest.setValue(nil, forKey: "favourite")
                try root.obtainPermanentIDs(for: [owner])
                try child.on {
                    // The child had read the object only for the grandchild, and has released it.
                    let middle = child.object(with: owner.objectID)
                    middle.setValue("changed", forKey: "name")
                    grandchild.refreshAllObjects()
                    #expect(lowest.text("name") == "changed")
                    #expect(child.object(with: temporary) === middle)
                    #expect(child.registeredObjects == [middle])
                }
                #expect(lowest.objectID == temporary)
                #expect(grandchild.object(with: owner.objectID) === lowest)
                #expect(grandchild.object(with: temporary) === lowest)
            }
        }
    }

    @Test func `setting a link to its old value is not a change, by whichever id it was read`()
        throws
    {
        let (_, root, child) = try scene()
        let (owner, cat) = try root.on {
            let owner = root.make("Owner")
            return (owner, root.make("Cat", ["owner": owner]))
        }
        try child.on {
            let pet = child.object(with: cat.objectID)
            let mine = try #require(pet.object("owner"))
            try root.on { try root.obtainPermanentIDs(for: [owner, cat]) }
            pet.setValue(mine, forKey: "owner")
            #expect(pet.hasChanges && !pet.hasPersistentChangedValues)
            child.refresh(pet, mergeChanges: true)
            #expect(pet.object("owner") === mine && !pet.hasPersistentChangedValues)
        }
    }

    @Test(arguments: [false, true], [false, true])
    func `a child's new object is inserted in a parent that has already registered its id`(
        isFired: Bool, isPermanent: Bool
    ) throws {
        let (_, parent, child) = try scene()
        try parent.on {
            let held: NSManagedObject = try child.on {
                let owner = child.make("Owner", ["name": "o"])
                if isPermanent { try child.obtainPermanentIDs(for: [owner]) }
                let held = parent.object(with: owner.objectID)
                if isFired { #expect(held.text("name") == nil && held.isDeleted) }
                try child.save()
                return held
            }
            #expect(parent.insertedObjects == [held] && parent.deletedObjects.isEmpty)
            #expect(held.isInserted && held.text("name") == "o")
            try parent.save()
            parent.reset()
            #expect(try parent.all("Owner").map { $0.text("name") } == ["o"])
        }
    }

    @Test func `permanent ids can be had in a child before any save`() throws {
        let (_, parent, child) = try scene()
        try parent.on {
            try child.on {
                let owner = child.make("Owner", ["name": "o"])
                try child.obtainPermanentIDs(for: [owner])
                let id = owner.objectID
                #expect(!id.isTemporaryID && owner.isInserted)
                try child.save()
                #expect(parent.insertedObjects.map(\.objectID) == [id])
                try parent.save()
                #expect(owner.objectID == id)
                owner.setValue("p", forKey: "name")
                try child.save()
            }
            try parent.save()
            #expect(try parent.all("Owner").map { $0.text("name") } == ["p"])
        }
    }

    @Test(arguments: [false, true])
    func `an object that a child has pushed gets the id of its ancestors`(_ isSaved: Bool) throws {
        let (stack, root, parent) = try scene()
        let child = parent.child(name: "grandchild")
        try child.on {
            let owner = child.make("Owner", ["name": "o"])
            try child.save()
            if isSaved {
                try parent.on { try parent.save() }
                try root.on { try root.save() }
            }
            try child.obtainPermanentIDs(for: [owner])
            #expect(!owner.objectID.isTemporaryID && !owner.hasChanges)
            child.make("Cat", ["name": "c", "owner": owner])
            try child.save()
            try parent.on {
                try parent.save()
                #expect(parent.object(with: owner.objectID).text("name") == "o")
            }
            try root.on { try root.save() }
        }
        let other = stack.context()
        try other.on {
            let owners = try other.all("Owner")
            #expect(owners.map { $0.names("pets") } == [["c"]])
        }
    }
}
