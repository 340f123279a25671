import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataSQLite
import CoreDataStore
import CoreDataTrace
import Foundation
import Testing

/// Stores whose tables and columns have names that cannot be derived from the model, as in stores
/// that Core Data created.
///
/// Source: store-format.md, "Entities, tables, columns".
@Suite struct StoredNamesTests {
    private let folder: GraphFolder

    init() throws { folder = try GraphFolder() }

    /// A model of notes that have tags and refer to other notes.
    private static func model() -> NSManagedObjectModel {
        let note = GraphModels.entity("Note", [GraphModels.text("name")])
        let tag = GraphModels.entity("Tag", [GraphModels.text("name")])
        GraphModels.relate(
            .init(owner: note, name: "tags", toMany: true),
            .init(owner: tag, name: "notes", toMany: true))
        GraphModels.relate(
            .init(owner: note, name: "refersTo", toMany: true),
            .init(owner: note, name: "referredBy", toMany: true))
        return GraphModels.model([note, tag])
    }

    private func change(_ statements: [String]) throws {
        let connection = try Connection(.file(folder.store.path), options: Connection.Options())
        for statement in statements { try connection.execute(statement) }
    }

    private func rows(_ sql: String) throws -> String? {
        try Connection(.file(folder.store.path), options: Connection.Options()).firstText(sql)
    }

    /// Creates a store, renames its tables and columns by the statements, and opens it again.
    private func reopened(_ statements: [String]) throws -> GraphStack {
        do {
            let stack = try GraphStack(Self.model(), at: folder.store)
            let context = stack.context()
            try context.on {
                let notes = ["a", "b", "c"].map { context.make("Note", ["name": $0]) }
                let tag = context.make("Tag", ["name": "t"])
                notes[0].setValue(Set([tag]), forKey: "tags")
                notes[0].setValue(Set([notes[1], notes[2]]), forKey: "refersTo")
                try context.save()
            }
            for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
        }
        try change(statements)
        return try GraphStack(Self.model(), at: folder.store)
    }

    private func names(_ objects: Any?) -> [String] {
        ((objects as? Set<NSManagedObject>) ?? []).compactMap { $0.text("name") }.sorted()
    }

    /// Statements that rename a join table after the other end of its relationship, or a column
    /// with a suffix.
    static let renamings: [[String]] = [
        [],
        [
            "ALTER TABLE Z_1TAGS RENAME TO Z_2NOTES",
            "ALTER TABLE Z_1REFERREDBY RENAME TO Z_1REFERSTO",
        ],
        [
            "ALTER TABLE Z_1TAGS RENAME COLUMN Z_2TAGS TO Z_2TAGS1",
            "ALTER TABLE Z_1REFERREDBY RENAME COLUMN Z_1REFERSTO TO Z_1REFERSTO1",
        ],
        [
            "ALTER TABLE Z_1REFERREDBY RENAME COLUMN Z_1REFERREDBY TO Z_1REFERREDBY1",
            "ALTER TABLE Z_1REFERREDBY RENAME TO Z_1REFERSTO",
        ],
        // The names contain the entity numbers from before an in-place migration.
        [
            "ALTER TABLE Z_1TAGS RENAME COLUMN Z_2TAGS TO Z_14TAGS",
            "ALTER TABLE Z_1TAGS RENAME TO Z_12TAGS",
        ],
    ]

    @Test(arguments: renamings)
    func `members are read, found, changed and deleted under the names of the file`(
        renaming: [String]
    ) throws {
        let stack = try reopened(renaming)
        let context = stack.context()
        try context.on {
            let notes = try context.all("Note", sort: "name")
            #expect(names(notes[0].value(forKey: "refersTo")) == ["b", "c"])
            #expect(names(notes[1].value(forKey: "referredBy")) == ["a"])
            #expect(names(notes[0].value(forKey: "tags")) == ["t"])
            let found = try context.all("Note", "ANY tags.name = 't'")
            #expect(found.map { $0.text("name") } == ["a"])
            let counted = try context.all("Note", "refersTo.@count = 2")
            #expect(counted.map { $0.text("name") } == ["a"])
            #expect(try context.all("Note", "ANY referredBy.name = 'a'").count == 2)

            notes[2].setValue(notes[0].value(forKey: "tags"), forKey: "tags")
            notes[1].setValue(Set([notes[2]]), forKey: "refersTo")
            notes[0].setValue(Set([notes[1]]), forKey: "refersTo")
            try context.save()
            context.reset()
            let again = try context.all("Note", sort: "name") {
                $0.relationshipKeyPathsForPrefetching = ["tags", "refersTo"]
            }
            #expect(again.map { names($0.value(forKey: "refersTo")) } == [["b"], ["c"], []])
            #expect(again.map { names($0.value(forKey: "tags")) } == [["t"], [], ["t"]])

            context.delete(again[1])
            try context.save()
            _ = try context.execute(
                NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Tag")))
            context.reset()
            let left = try context.all("Note", sort: "name")
            #expect(left.map { names($0.value(forKey: "refersTo")) } == [[], []])
            #expect(left.map { names($0.value(forKey: "tags")) } == [[], []])
        }
        #expect(try rows("PRAGMA integrity_check") == "ok")
    }

    @Test func `a store with other names is migrated in place`() throws {
        _ = try reopened(Self.renamings[1])
        let model = Self.model()
        model.entitiesByName["Note"]?.properties += [GraphModels.text("body")]
        let container = NSPersistentContainer(name: "Notes", managedObjectModel: model)
        let description = NSPersistentStoreDescription(url: folder.store)
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        #expect(failure == nil)
        let context = container.newBackgroundContext()
        try context.performAndWait {
            let notes = try context.all("Note", sort: "name")
            #expect(names(notes[0].value(forKey: "refersTo")) == ["b", "c"])
            #expect(names(notes[0].value(forKey: "tags")) == ["t"])
        }
    }

    @Test func `an entity that a migration has renamed may have its old name in the file`() throws {
        let stack = try reopened(["UPDATE Z_PRIMARYKEY SET Z_NAME = 'Label' WHERE Z_ENT = 2"])
        let context = stack.context()
        try context.on {
            #expect(try context.all("Tag").map { $0.text("name") } == ["t"])
            context.make("Tag", ["name": "u"])
            try context.save()
        }
        #expect(try rows("SELECT Z_NAME || Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 2") == "Label2")
        #expect(try rows("SELECT count(*) FROM ZTAG WHERE Z_ENT = 2") == "2")
    }

    @Test func `a table that does not exist is named in the error`() throws {
        let error =
            #expect(throws: (any Error).self) {
                try reopened(["ALTER TABLE Z_1TAGS RENAME TO Z_1OTHERS"])
            } as NSError?
        #expect(error?.code == 134_100)
        #expect(error?.localizedDescription.contains("table Z_1TAGS") == true)
    }
}
