import CoreDataModel
import CoreDataPredicate
import Testing

@testable import CoreDataEngine
@testable import CoreDataStore

struct HistoryMigrationTests {
    private static var options: [AnyHashable: Any] {
        var options = MigrationFixture.automatic
        options[NSPersistentHistoryTrackingKey] = true
        return options
    }

    private func text(_ name: String, _ more: String = "") -> String {
        #"<attribute name="\#(name)" optional="YES" attributeType="String" \#(more)/>"#
    }

    private let kept = #"preserveAfterDeletion="YES""#

    private func old() throws -> NSManagedObjectModel {
        try MigrationFixture.model(
            #"<entity name="Alpha">\#(text("name"))</entity><entity name="Beta">"#
                + "\(text("name", kept))\(text("zip"))</entity>")
    }

    /// Both inserts, an update and a deletion are four transactions.
    private func fill(_ fixture: MigrationFixture) throws -> NSPersistentHistoryToken? {
        try fixture.use(old(), Self.options) { context in
            let beta = make("Beta", context, ["name": "b"])
            make("Alpha", context, ["name": "a"])
            try context.save()
            let coordinator = context.persistentStoreCoordinator
            let token = coordinator?.currentPersistentHistoryToken(fromStores: nil)
            beta.setValue("x", forKey: "zip")
            try context.save()
            context.delete(beta)
            try context.save()
            return token
        }
    }

    /// The changes of the history, one line for each.
    static func changes(
        _ context: NSManagedObjectContext, after token: NSPersistentHistoryToken? = nil
    ) throws -> [String] {
        let result = try context.execute(
            NSPersistentHistoryChangeRequest.fetchHistory(after: token))
        let transactions = try #require(
            (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction])
        return transactions.flatMap { transaction in
            (transaction.changes ?? []).map { change in
                let names = (change.updatedProperties ?? []).map(\.name).sorted()
                let tombstone = (change.tombstone ?? [:]).map { "\($0.key)=\($0.value)" }.sorted()
                let entity = change.changedObjectID.entity.name ?? ""
                return "\(change.changeType.rawValue) \(entity) \(names + tombstone)"
            }
        }
    }

    @Test func `history follows renamed entities and properties, and tokens stay valid`() throws {
        let fixture = try MigrationFixture()
        let token = try fill(fixture)
        let new = try MigrationFixture.model(
            #"<entity name="Alpha">\#(text("name"))</entity>"#
                + #"<entity name="Aardvark" elementID="Beta">\#(text("city", kept))"#
                + text("label", "\(kept) elementID=\"name\"")
                + #"\#(text("postcode", #"elementID="zip""#))</entity>"#)
        try fixture.use(new, Self.options) { context in
            let all = try Self.changes(context)
            #expect(
                Set(all.prefix(2)) == ["0 Aardvark []", "0 Alpha []"])
            #expect(
                Array(all.dropFirst(2)) == [
                    #"1 Aardvark ["postcode"]"#, #"2 Aardvark ["label=b"]"#,
                ])
            #expect(try Self.changes(context, after: token) == Array(all.dropFirst(2)))
            make("Aardvark", context, ["city": "c"])
            try context.save()
            #expect(try Self.changes(context).last == "0 Aardvark []")
        }
    }

    @Test func `changes of a removed entity are not taken for those of another one`() throws {
        let fixture = try MigrationFixture()
        _ = try fill(fixture)
        let new = try MigrationFixture.model(
            #"<entity name="Beta">\#(text("name", kept))</entity>"#)
        let found = try fixture.use(new, Self.options) { try Self.changes($0) }
        #expect(found == ["0 Beta []", "1 Beta []", #"2 Beta ["name=b"]"#])
    }
}
