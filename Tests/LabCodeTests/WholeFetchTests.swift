import CoreData
import Foundation
import LabRunner
import Testing

/// Tests of fetches with `returnsObjectsAsFaults` off. Such a fetch executes only one statement,
/// and its objects have the values of that statement's rows.
@Suite struct WholeFetchTests {
    private func read(asFaults: Bool) throws -> CodeReport {
        var options = Lab.Options.unhurried()
        options.fails = .nothing
        return try Lab.explore("a fetch and a deletion", options) { lab in
            let stack = try lab.stack(model: Shop.model)
            let id = try lab.setup { try Shop.account(balance: 10, in: stack) }
            lab.session("deleter") {
                let context = stack.newBackgroundContext()
                try context.performAndWait {
                    context.delete(try context.existingObject(with: id))
                    try context.save()
                }
            }
            lab.session("reader") {
                let context = stack.newBackgroundContext()
                try context.performAndWait {
                    let request = NSFetchRequest<NSManagedObject>(entityName: "Account")
                    request.returnsObjectsAsFaults = asFaults
                    for account in try context.fetch(request) {
                        #expect(account.value(forKey: "balance") as? Int == 10)
                    }
                }
            }
        }
    }

    @Test func `a deletion during a fetch of whole objects does not blank an object`() throws {
        let report = try read(asFaults: false)
        #expect(report.isComplete)
        #expect(report.schedules > 1)
    }

    /// The statement of such a fetch reads only keys, so the fetch cannot use rows of an earlier
    /// fetch.
    @Test(arguments: [(batchSize: 0, readsValues: false), (20, true)])
    func `a fetch of keys realises faults with their newest rows`(
        batchSize: Int, readsValues: Bool
    ) throws {
        let stack = NSPersistentContainer(name: "memory", managedObjectModel: Shop.model)
        stack.persistentStoreDescriptions[0].url = URL(fileURLWithPath: "/dev/null")
        stack.loadPersistentStores { _, error in #expect(error == nil) }
        let id = try Shop.account(balance: 10, in: stack)
        let reader = stack.newBackgroundContext()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Account")
        let faults = try reader.performAndWait { try reader.fetch(request) }
        try Shop.add(5, to: id, in: stack.newBackgroundContext())
        (request.returnsObjectsAsFaults, request.fetchBatchSize) = (false, batchSize)
        request.includesPropertyValues = readsValues
        try reader.performAndWait {
            let account = try #require(reader.fetch(request).first)
            #expect(account === faults[0] && !account.isFault)
            #expect(account.value(forKey: "balance") as? Int == 15)
        }
    }

    @Test func `a deletion after a fetch of faults blanks an object`() throws {
        let failure = #expect(throws: CodeFailure.self) { try read(asFaults: true) }
        #expect(try #require(failure).reasons.contains { $0.contains("== 10") })
    }

    // MARK: Prefetching

    /// A person with a parent, of the same entity.
    private static let family: NSManagedObjectModel = {
        let name = NSAttributeDescription()
        (name.name, name.attributeType) = ("name", .stringAttributeType)
        let (parent, children) = (NSRelationshipDescription(), NSRelationshipDescription())
        (parent.name, parent.maxCount) = ("parent", 1)
        (children.name, children.maxCount) = ("children", 0)
        (parent.inverseRelationship, children.inverseRelationship) = (children, parent)
        let person = NSEntityDescription()
        (person.name, person.managedObjectClassName) = ("Person", "NSManagedObject")
        (parent.destinationEntity, children.destinationEntity) = (person, person)
        person.properties = [name, parent, children]
        let model = NSManagedObjectModel()
        model.entities = [person]
        return model
    }()

    private static func insertFamily(_ context: NSManagedObjectContext) throws {
        try context.performAndWait {
            let people = ["child", "parent"].map { name in
                let person = NSEntityDescription.insertNewObject(
                    forEntityName: "Person", into: context)
                person.setValue(name, forKey: "name")
                return person
            }
            people[0].setValue(people[1], forKey: "parent")
            try context.save()
        }
    }

    /// A fetch with prefetching while another context deletes all people.
    private func prefetch(_ keyPath: String, asFaults: Bool) throws -> CodeReport {
        var options = Lab.Options.unhurried()
        options.fails = .nothing
        return try Lab.explore("prefetching and a deletion", options) { lab in
            let stack = try lab.stack(model: Self.family)
            try lab.setup { try Self.insertFamily(stack.newBackgroundContext()) }
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            lab.session("deleter") {
                let context = stack.newBackgroundContext()
                try context.performAndWait {
                    let all = NSFetchRequest<NSManagedObject>(entityName: "Person")
                    for person in try context.fetch(all) { context.delete(person) }
                    try context.save()
                }
            }
            lab.session("reader") {
                let context = stack.newBackgroundContext()
                request.returnsObjectsAsFaults = asFaults
                request.relationshipKeyPathsForPrefetching = [keyPath]
                try context.performAndWait {
                    for person in try context.fetch(request) {
                        #expect(person.value(forKey: "name") != nil)
                    }
                }
            }
        }
    }

    @Test(arguments: ["parent", "children", "children.parent", "parent.children"])
    func `a deletion does not blank an object of a fetch of whole objects with prefetching`(
        keyPath: String
    ) throws {
        #expect(try prefetch(keyPath, asFaults: false).isComplete)
        #expect(throws: CodeFailure.self) { try prefetch(keyPath, asFaults: true) }
    }
}
