import CoreDataEngine
import CoreDataModel
import CoreDataStore
import Foundation
import Testing

/// Tests of inserting objects again after a deletion, and of links to objects that are being
/// deleted.
@Suite struct ReinsertionTests {
    private static let stores = [NSSQLiteStoreType, NSInMemoryStoreType]

    /// A model of nodes. The relationship `friends` is many-to-many. `left` and `right` are the
    /// ends of a one-to-one relationship. `seen` is to-many and `last` is to-one, both without
    /// inverse.
    private func nodes() -> NSManagedObjectModel {
        let node = GraphModels.entity(
            "Node", [GraphModels.text("name"), GraphModels.number("n")])
        GraphModels.relate(
            GraphModels.End(owner: node, name: "friends", toMany: true),
            GraphModels.End(owner: node, name: "friendOf", toMany: true))
        GraphModels.relate(
            GraphModels.End(owner: node, name: "left"),
            GraphModels.End(owner: node, name: "right"))
        GraphModels.relate(
            GraphModels.End(owner: node, name: "children", toMany: true),
            GraphModels.End(owner: node, name: "parent"))
        let seen = GraphModels.relationship(
            GraphModels.End(owner: node, name: "seen", toMany: true), to: node)
        let last = GraphModels.relationship(GraphModels.End(owner: node, name: "last"), to: node)
        node.properties += [seen, last]
        return GraphModels.model([node])
    }

    private func members(_ object: NSManagedObject, _ key: String) -> Set<NSManagedObject> {
        object.value(forKey: key) as? Set<NSManagedObject> ?? []
    }

    @Test(arguments: stores)
    func `an object whose deletion was saved can be inserted and changed again`(
        _ type: String
    ) throws {
        let context = try GraphStack(nodes(), type: type).context()
        try context.on {
            let node = context.make("Node", ["name": "a", "n": 1])
            try context.save()
            node.setValue(2, forKey: "n")
            try context.save()
            context.delete(node)
            try context.save()
            context.insert(node)
            try context.save()
            node.setValue(3, forKey: "n")
            try context.save()
            context.refresh(node, mergeChanges: false)
            #expect(node.text("name") == "a" && node.value(forKey: "n") as? Int == 3)
            let all = try context.all("Node")
            #expect(all == [node])
        }
    }

    @Test(arguments: stores, [false, true])
    func `an object whose row another context has deleted is inserted as a new one`(
        _ type: String, _ isRead: Bool
    ) throws {
        let stack = try GraphStack(nodes(), type: type)
        let (context, other) = (stack.context(), stack.context())
        let id = try other.on {
            let node = other.make("Node", ["name": "a"])
            try other.save()
            return node.objectID
        }
        let node = try context.on {
            let node = context.object(with: id)
            if isRead { _ = node.text("name") }
            return node
        }
        let changes = try other.on {
            other.delete(other.object(with: id))
            try other.save()
            return [NSDeletedObjectsKey: [id]]
        }
        try context.on {
            if isRead {
                NSManagedObjectContext.mergeChanges(
                    fromRemoteContextSave: changes, into: [context])
            }
            node.setValue(7, forKey: "n")
            #expect(node.isDeleted)
            context.insert(node)
            #expect(node.isInserted && !node.isDeleted && node.objectID != id)
            context.processPendingChanges()
            try context.save()
            let all = try context.all("Node")
            #expect(all == [node] && node.value(forKey: "n") as? Int == 7)
            #expect(node.text("name") == (isRead ? "a" : nil))
            node.setValue(8, forKey: "n")
            try context.save()
        }
    }

    @Test(arguments: stores)
    func `an object that is inserted again after its links were cut has consistent ends`(
        _ type: String
    ) throws {
        let stack = try GraphStack(nodes(), type: type)
        let context = stack.context()
        try context.on {
            let (a, b) = (context.make("Node"), context.make("Node", ["name": "b"]))
            a.mutableSetValue(forKey: "friends").add(b)
            b.setValue(a, forKey: "parent")
            b.setValue(a, forKey: "left")
            try context.save()
            context.delete(b)
            context.processPendingChanges()
            context.insert(b)
            try context.save()
            for side in [a, b] { context.refresh(side, mergeChanges: false) }
            #expect(members(a, "friends").isEmpty && members(b, "friendOf").isEmpty)
            #expect((b.object("parent") === a) == members(a, "children").contains(b))
            #expect(b.object("left") == nil && a.object("right") == nil)
            #expect(b.text("name") == "b")
        }
    }

    @Test(arguments: stores, ["parent", "friends", "children", "right"])
    func `a link to an object whose deletion was processed is cut by its rules`(
        _ type: String, _ key: String
    ) throws {
        let context = try GraphStack(nodes(), type: type).context()
        try context.on {
            let (gone, kept) = (context.make("Node"), context.make("Node"))
            try context.save()
            context.delete(gone)
            context.processPendingChanges()
            if key == "parent" || key == "right" {
                kept.setValue(gone, forKey: key)
            } else {
                kept.mutableSetValue(forKey: key).add(gone)
            }
            try context.save()
            context.refresh(kept, mergeChanges: false)
            #expect(kept.object("parent") == nil && kept.object("right") == nil)
            #expect(members(kept, "friends").isEmpty && members(kept, "children").isEmpty)
        }
    }

    @Test func `an object that has left its context gets no permanent id`() throws {
        let context = try GraphStack(nodes()).context()
        try context.on {
            let node = context.make("Node")
            context.rollback()
            #expect(throws: (any Error).self) { try context.obtainPermanentIDs(for: [node]) }
            context.insert(node)
            try context.obtainPermanentIDs(for: [node])
            #expect(!node.objectID.isTemporaryID)
        }
    }

    @Test(arguments: stores)
    func `discarding one end of a link to itself keeps another object's link`(
        _ type: String
    ) throws {
        let context = try GraphStack(nodes(), type: type).context()
        try context.on {
            let (a, b) = (context.make("Node"), context.make("Node"))
            b.setValue(b, forKey: "left")
            try context.save()
            a.setValue(b, forKey: "left")
            context.refresh(b, mergeChanges: false)
            try context.save()
            for side in [a, b] { context.refresh(side, mergeChanges: false) }
            #expect(a.object("left") === b && b.object("right") === a)
            #expect(b.object("left") == nil && a.object("right") == nil)
        }
    }

    @Test(arguments: stores)
    func `a deletion that is rolled back does not restore a deleted row`(_ type: String) throws {
        let stack = try GraphStack(nodes(), type: type)
        let (one, two) = (stack.context(), stack.context())
        let id = try one.on {
            let node = one.make("Node", ["name": "gone"])
            try one.save()
            return node.objectID
        }
        try two.on {
            let node = two.object(with: id)
            try one.on {
                one.delete(one.object(with: id))
                try one.save()
            }
            two.delete(node)
            #expect(node.text("name") == nil && node.isDeleted)
            two.rollback()
            #expect(node.isFault && !node.isDeleted)
            node.setValue(two.make("Node"), forKey: "left")
            #expect(node.isDeleted)
            try two.save()
            #expect(try two.all("Node").count == 1)
        }
    }

    @Test(arguments: stores)
    func `removing an object that is not a member changes nothing`(_ type: String) throws {
        let context = try GraphStack(nodes(), type: type).context()
        try context.on {
            let (one, other) = (context.make("Node"), context.make("Node"))
            one.mutableSetValue(forKey: "seen").add(other)
            try context.save()
            for node in [one, other] { context.refresh(node, mergeChanges: false) }
            for key in ["seen", "friends", "children"] {
                other.mutableSetValue(forKey: key).remove(one)
                #expect(!context.hasChanges, "\(key)")
            }
            try one.unlink(try #require(one.layout.toManySlot(named: "seen")), other)
            #expect(context.updatedObjects == [one])
        }
    }

    @Test(arguments: stores)
    func `a deleted row still has the members that refer to it`(_ type: String) throws {
        let model = nodes()
        let relationships = model.entitiesByName["Node"]?.relationshipsByName ?? [:]
        for key in ["children", "friends"] {
            relationships[key]?.deleteRule = .noActionDeleteRule
        }
        let stack = try GraphStack(model, type: type)
        let (one, two) = (stack.context(), stack.context())
        let id = try one.on {
            let owner = one.make("Node", ["name": "owner"])
            one.make("Node", ["name": "child", "parent": owner])
            try one.save()
            return owner.objectID
        }
        let stale = try two.on { two.object(with: id) }
        try two.on { #expect(stale.text("name") == "owner") }
        try one.on {
            one.delete(one.object(with: id))
            let friend = one.make("Node", ["name": "friend"])
            friend.setValue(NSSet(array: [one.object(with: id)]), forKey: "friendOf")
            try one.save()
        }
        try two.on {
            #expect(stale.names("children") == ["child"] && stale.names("friends") == ["friend"])
        }
    }

    @Test(arguments: stores)
    func `a row that is inserted again has the members that still refer to it`(_ type: String)
        throws
    {
        let model = nodes()
        model.entitiesByName["Node"]?.relationshipsByName["children"]?.deleteRule =
            .noActionDeleteRule
        let stack = try GraphStack(model, type: type)
        let (one, two) = (stack.context(), stack.context(NSMergePolicy.overwrite))
        let id = try one.on {
            let owner = one.make("Node", ["name": "owner"])
            one.make("Node", ["name": "child", "parent": owner])
            try one.save()
            return owner.objectID
        }
        try two.on {
            _ = two.make("Node", ["name": "other", "parent": two.object(with: id)])
        }
        try one.on {
            one.delete(one.object(with: id))
            try one.save()
        }
        try two.on {
            try two.save()
            two.reset()
            #expect(two.object(with: id).names("children") == ["child", "other"])
        }
    }

    @Test(arguments: [NSXMLStoreType, NSBinaryStoreType])
    func `a file keeps no link to a deleted row, and opens again`(_ type: String) throws {
        let folder = try GraphFolder()
        let open = { try GraphStack(nodes(), at: folder.store, type: type) }
        let first = try open().context()
        try first.on {
            let (one, two) = (first.make("Node", ["name": "one"]), first.make("Node"))
            one.setValue(two, forKey: "last")
            try first.save()
            first.delete(two)
            try first.save()
            #expect(try first.all("Node") == [one])
        }
        let second = try open().context()
        try second.on {
            let one = try #require(try second.all("Node").first)
            #expect(one.text("name") == "one" && one.object("last") == nil)
            one.setValue("two", forKey: "name")
            try second.save()
        }
    }

    @Test(arguments: stores)
    func `a row that is inserted again is not in its former lists`(_ type: String) throws {
        let stack = try GraphStack(nodes(), type: type)
        let (one, two) = (stack.context(), stack.context(NSMergePolicy.overwrite))
        let id = try one.on {
            let (owner, member) = (one.make("Node", ["name": "owner"]), one.make("Node"))
            owner.mutableSetValue(forKey: "seen").add(member)
            try one.save()
            return member.objectID
        }
        try two.on { two.object(with: id).setValue(5, forKey: "n") }
        try one.on {
            one.delete(one.object(with: id))
            try one.save()
        }
        try two.on {
            try two.save()
            let owner = try #require(try two.all("Node", "name == %@", ["owner"]).first)
            #expect(members(owner, "seen").isEmpty)
        }
    }

    @Test(arguments: stores)
    func `a policy that drops one end of a link drops it for both`(_ type: String) throws {
        let node = GraphModels.entity("Node", [GraphModels.text("name")])
        let peers = GraphModels.relationship(
            GraphModels.End(owner: node, name: "peers", toMany: true), to: node)
        peers.inverseRelationship = peers
        node.properties += [peers]
        let stack = try GraphStack(GraphModels.model([node]), type: type)
        let (one, two) = (stack.context(), stack.context(NSMergePolicy.rollback))
        let ids = try one.on {
            let made = ["a", "b", "c"].map { one.make("Node", ["name": $0]) }
            try one.save()
            return made.map(\.objectID)
        }
        try two.on {
            let (a, c) = (two.object(with: ids[0]), two.object(with: ids[2]))
            a.mutableSetValue(forKey: "peers").add(c)
        }
        try one.on {
            let (a, b) = (one.object(with: ids[0]), one.object(with: ids[1]))
            a.mutableSetValue(forKey: "peers").add(b)
            try one.save()
        }
        try two.on {
            let (a, b) = (two.object(with: ids[0]), two.object(with: ids[1]))
            b.mutableSetValue(forKey: "peers").remove(a)
            try two.save()
            two.reset()
            let all = try two.all("Node")
            for node in all {
                for peer in members(node, "peers") {
                    #expect(members(peer, "peers").contains(node))
                }
            }
        }
    }

    @Test(arguments: stores)
    func `a deletion that a deleted new object began is not denied by that object`(
        _ type: String
    ) throws {
        let model = nodes()
        let links = model.entitiesByName["Node"]?.relationshipsByName
        links?["left"]?.deleteRule = .cascadeDeleteRule
        links?["right"]?.deleteRule = .denyDeleteRule
        let context = try GraphStack(model, type: type).context()
        try context.on {
            let kept = context.make("Node")
            try context.save()
            let new = context.make("Node", ["left": kept])
            context.delete(new)
            try context.save()
            #expect(try context.all("Node").isEmpty)
        }
    }

    @Test func `a deletion whose rules cannot read is deferred to the save, which throws`() throws {
        let stack = try GraphStack(nodes())
        let (one, two) = (stack.context(), stack.context())
        one.automaticallyMergesChangesFromParent = true
        let (parent, child) = try two.on {
            let parent = two.make("Node", ["name": "parent"])
            let child = two.make("Node", ["parent": parent])
            try two.save()
            return (parent.objectID, child.objectID)
        }
        try one.on { one.delete(one.object(with: parent)) }
        try two.on {
            two.object(with: child).setValue("changed", forKey: "name")
            stack.fail(at: .read)
            try two.save()
        }
        try one.on { #expect(one.saveError() != nil) }
        stack.fail(at: nil)
        try one.on {
            try one.save()
            #expect(try one.all("Node").map { $0.object("parent") } == [nil])
        }
    }
}
