import CoreData
import Testing

@Suite struct CallbackTests {
    // Proves S1.2-3, S2.5-3
    @Test func `awakeFromFetch is called for objects from store and from cache`() throws {
        let office = try Office()
        try office.hire("Ada")
        let twin = try office.twin()
        let fresh = twin.newBackgroundContext()
        try fresh.on {
            let people = try fresh.people { $0.returnsObjectsAsFaults = false }
            #expect(people.map(\.calls) == [["fetch"]] && !people[0].isFault)
            fresh.refresh(people[0], mergeChanges: false)
            people[0].calls = []
            #expect(people[0].name == "Ada" && people[0].calls == ["fetch"])
        }
    }

    // Proves S1.2-4, S1.2-5
    @Test func `values that awakeFromFetch sets are not changes and move no inverse`() throws {
        let office = try Office()
        let id = try office.hire("Ada")
        try office.work { context in
            let team = context.new("Team", "core")
            try context.save()
            let person = try #require(context.object(with: id) as? Person)
            person.onFetch = { $0.team = team }
            #expect(person.name == "Ada" && person.calls.contains("fetch"))
            #expect(person.team === team)
            #expect((team.value(forKey: "members") as? NSSet)?.count == 0)
            #expect(!person.hasChanges && !team.hasChanges && !context.hasChanges)
        }
    }

    // Proves S1.2-7
    @Test func `prepareForDeletion sees relationships, also when the delete is propagated`() throws
    {
        try Office().work { context in
            let boss = context.person("boss")
            let report = context.person("report")
            report.boss = boss
            try context.save()
            context.delete(boss)
            context.processPendingChanges()
            #expect(report.isDeleted && report.calls.last == "prepare, has boss")
        }
    }

    // Proves S1.2-8
    @Test func `deleting twice calls prepareForDeletion twice`() throws {
        let office = try Office()
        let id = try office.hire("Ada")
        try office.work { context in
            let person = try context.known(id)
            person.calls = []
            context.delete(person)
            context.delete(person)
            #expect(person.calls == ["prepare", "prepare"])
        }
    }

    // Proves S1.2-9, S1.5-6
    @Test func `every changed object receives willSave and the validation of its change`() throws {
        let office = try Office()
        let ids = try ["gone", "old"].map(office.hire)
        try office.work { context in
            let people = try ids.map(context.known) + [context.person("new")]
            people[1].name = "older"
            context.delete(people[0])
            for person in people { person.calls = [] }
            try context.save()
            #expect(people[0].calls == ["willSave", "validateForDelete", "didSave"])
            #expect(people[1].calls == ["willSave", "validateForUpdate", "didSave"])
            #expect(people[2].calls == ["willSave", "validateForInsert", "didSave"])
        }
    }

    // Proves S1.2-14, S2.2-11
    @Test func `values exist before an object turns into a fault, and transients are nil after`()
        throws
    {
        try Office().work { context in
            let person = context.person("Ada")
            try context.save()
            person.setValue("note", forKey: "note")
            person.calls = []
            let seen = Seen()
            person.onWillFault = { seen.values.append($0.value(forKey: "note") as? String) }
            context.refresh(person, mergeChanges: false)
            #expect(seen.values == ["note"])
            #expect(person.calls == ["willTurnIntoFault", "didTurnIntoFault"] && person.isFault)
            #expect(person.value(forKey: "note") == nil && person.name == "Ada")
        }
    }

    // Proves S1.5-7, S18-1
    @Test func `edits made in willSave and in validation are validated and saved`() throws {
        let office = try Office()
        try office.work { context in
            let person = context.person("0")
            person.onWillSave = { if $0.name == "0" { $0.name = "1" } }
            person.onValidate = { if $0.name == "1" { $0.name = "2" } }
            person.calls = []
            try context.save()
            #expect(
                person.calls == [
                    "willSave", "willSave", "validateForInsert", "willSave", "validateForInsert",
                    "didSave",
                ])
        }
        #expect(try office.work { try $0.people().map(\.name) } == ["2"])
    }

    // Proves S1.3-1
    @Test func `deletes propagate when changes are processed, or only at the save`() throws {
        for atEvent in [true, false] {
            try Office().work { context in
                context.propagatesDeletesAtEndOfEvent = atEvent
                let boss = context.person("boss")
                let report = context.person("report")
                report.boss = boss
                try context.save()
                context.delete(boss)
                #expect(!report.isDeleted)
                context.processPendingChanges()
                #expect(report.isDeleted == atEvent)
                try context.save()
                #expect(try context.people().isEmpty)
            }
        }
    }

    // Proves S1.3-3, S1.3-8
    @Test func `processing changes posts one notification, and performAndWait posts none`()
        throws
    {
        let office = try Office()
        let context = office.context()
        let posts = Received(.NSManagedObjectContextObjectsDidChange, of: context)
        try context.on {
            _ = context.person("a")
            context.person("b").name = "B"
        }
        #expect(posts.count == 0)
        try context.on { context.processPendingChanges() }
        #expect(posts.count == 1 && posts.objects(NSInsertedObjectsKey)?.count == 2)
        try context.on { context.processPendingChanges() }
        #expect(posts.count == 1)
    }

    // Proves S1.3-4
    @Test func `the end of a performed block processes changes`() async throws {
        let office = try Office()
        let context = office.context()
        let posts = Received(.NSManagedObjectContextObjectsDidChange, of: context)
        await withCheckedContinuation { done in
            context.perform { _ = context.person("a") }
            context.perform { done.resume() }
        }
        #expect(posts.count == 1)
        await context.perform { _ = context.person("b") }
        await context.perform {}
        #expect(posts.count == 2)
    }

    // Proves S1.3-5, S1.5-4
    @Test func `a save posts its beginning, pending changes, and its end`() throws {
        try Office().work { context in
            _ = context.person("a")
            let names = Seen()
            let tokens = [
                Notification.Name.NSManagedObjectContextDidSave,
                .NSManagedObjectContextWillSave, .NSManagedObjectContextObjectsDidChange,
            ].map { name in
                NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) {
                    names.values.append($0.name.rawValue)
                }
            }
            try context.save()
            for token in tokens { NotificationCenter.default.removeObserver(token) }
            #expect(
                names.values == [
                    "NSManagingContextWillSaveChangesNotification",
                    "NSObjectsChangedInManagingContextNotification",
                    "NSManagingContextDidSaveChangesNotification",
                ])
        }
    }

    // Proves S1.3-6
    @Test func `a fetch processes changes if it includes them`() throws {
        try Office().work { context in
            let posts = Received(.NSManagedObjectContextObjectsDidChange, of: context)
            _ = context.person("a")
            _ = try context.people { $0.includesPendingChanges = false }
            #expect(posts.count == 0)
            #expect(try context.people().count == 1)
            #expect(posts.count == 1)
        }
    }

    // Proves S1.5-3, S1.8-1
    @Test func `observers of will-save may edit and insert`() throws {
        let office = try Office()
        try office.work { context in
            // `@unchecked Sendable` because the observer runs on the thread that saves.
            nonisolated(unsafe) let person = context.person("a")
            let posts = Received(
                Notification.Name("NSManagingContextWillSaveChangesNotification"), of: context)
            let token = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextWillSave, object: context, queue: nil
            ) { note in
                #expect(note.object as? NSManagedObjectContext === context)
                #expect(note.userInfo == nil)
                person.name = "edited"
                _ = context.person("inserted")
            }
            try context.save()
            NotificationCenter.default.removeObserver(token)
            #expect(posts.count == 1 && !context.hasChanges)
        }
        #expect(try office.work { try $0.people().map(\.name) } == ["edited", "inserted"])
    }
}

/// Values that callbacks have read.
///
/// `@unchecked Sendable` because a lock guards the values, and one thread at a time uses the other
/// properties.
final class Seen: @unchecked Sendable {
    private let lock = NSLock()
    private var kept: [String?] = []
    var values: [String?] {
        get { lock.withLock { kept } }
        set { lock.withLock { kept = newValue } }
    }
    /// The thread that saves.
    var thread: Thread?
}
